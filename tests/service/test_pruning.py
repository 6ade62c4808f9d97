"""Retention, end to end: what is due goes to the archive with a reason and a way back; brakes hold; a dry run is the plan."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryd.errors import HeldError
from memoryd.service.bank.pruning import prune
from memoryd.service.bank.runs import describe_runs
from memoryd.store.reader import Reader
from tests.service.archive_helpers import Life
from tests.service.bank_helpers import entries
from tests.service.fake_clock import FakeClock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    return FakeClock(monkeypatch)


@pytest.fixture
def life(tmp_path: Path, clock: FakeClock) -> Iterator[Life]:
    """Two old entries, never read, and a new one."""
    life = Life(tmp_path)
    life.root.mkdir()
    for name in ("billing", "pricing"):
        life.ask("memory.add", content=f"The {name} service is written in Go")
    clock.run(days=70)
    life.ask("memory.add", content="The ledger service is written in Rust")
    yield life


def run(life: Life, **options: Any) -> dict[str, Any]:
    return prune(life.home, life.config(), **{"dry_run": False, **options})


def states(life: Life) -> dict[str, str]:
    return {
        one.content.split()[1]: one.state
        for one in entries(life.home)
        if not one.metadata.get("digest_of")
    }


def test_what_is_due_goes_to_the_archive_with_its_reason(life: Life) -> None:
    told = run(life)

    assert states(life) == {"billing": "archived", "pricing": "archived", "ledger": "active"}
    assert {one["reason"] for one in told["archived"]} == {
        "never read, and not confirmed for 70 days"
    }
    assert told["kept_because"] == {"new": 1}


def test_a_digest_remembers_and_cites_what_was_demoted(life: Life) -> None:
    run(life)
    (digest,) = (one for one in entries(life.home) if one.metadata.get("digest_of"))
    cited = {one.id for one in entries(life.home) if one.state == "archived"} - {digest.id}

    assert set(digest.metadata["digest_of"]) == cited
    assert all(one in digest.content for one in ("billing", "pricing", *cited))


def test_a_dry_run_is_the_plan_and_changes_nothing(life: Life) -> None:
    planned = run(life, dry_run=True)
    before = states(life)
    done = run(life)

    assert (planned["run"], set(before.values())) == (None, {"active"})
    assert [one["id"] for one in planned["archived"]] == [one["id"] for one in done["archived"]]


def test_undo_puts_everything_back(life: Life) -> None:
    before = entries(life.home)
    told = run(life)
    life.ask("undo", run=told["run"])

    assert entries(life.home) == before


def test_pruning_twice_is_pruning_once(life: Life) -> None:
    run(life)
    before = entries(life.home)
    told = run(life)

    assert (told["archived"], entries(life.home)) == ([], before)


def test_an_entry_that_is_used_meanwhile_stays(life: Life, clock: FakeClock) -> None:
    (used,) = (one for one in entries(life.home) if "billing" in one.content)
    life.ask(
        "memory.accessed",
        namespace="local/default", ids=[used.id], session="s", milliseconds=1, characters=1,
    )  # fmt: skip
    run(life)

    assert states(life) == {"billing": "active", "pricing": "archived", "ledger": "active"}


def test_one_that_is_restored_begins_anew(life: Life) -> None:
    run(life)
    for one in entries(life.home):
        if "billing" in one.content and not one.metadata.get("digest_of"):
            life.ask("memory.change", id=one.id, how="restore")
    run(life)

    assert states(life)["billing"] == "active"


def test_what_is_said_again_comes_back_from_the_archive_confirmed(life: Life) -> None:
    run(life)
    told = life.ask("memory.add", content="the billing service is written in Go")
    run(life)
    (back,) = (one for one in entries(life.home) if one.content.startswith("The billing"))

    assert (told["outcome"], told["with"]) == ("duplicate", back.id)
    assert back.state == "active"
    assert "confirmed_at" in back.metadata
    assert "archived_because" not in back.metadata


def test_what_a_person_removed_does_not_come_back_as_the_old_entry(life: Life) -> None:
    (one,) = (one for one in entries(life.home) if "billing" in one.content)
    life.ask("memory.change", id=one.id, how="remove")
    told = life.ask("memory.add", content="The billing service is written in Go")

    assert told["outcome"] == "added"


def test_much_at_once_waits_for_a_person(tmp_path: Path, clock: FakeClock) -> None:
    life = Life(tmp_path)
    life.root.mkdir()
    lines = "".join(f'{{"content": "Fact {n} is that {n * 7919} holds"}}\n' for n in range(30))
    (tmp_path / "facts.jsonl").write_text(lines)
    life.ask("memory.import", path=str(tmp_path / "facts.jsonl"), raw=True)
    clock.run(days=70)
    told = run(life)

    assert "30 entries are due at once" in told["blocked"]["local/default"]
    assert all(one["waits"] for one in told["archived"])
    assert {one.state for one in entries(life.home)} == {"active"}
    with Reader(life.home) as reader:
        assert describe_runs(reader, 1)[0]["summary"] == "nothing changed"

    run(life, confirmed=True)

    assert {one.state for one in entries(life.home)} == {"archived"}


def test_for_good_only_after_a_month_in_the_archive_and_a_year_without_use(
    life: Life, clock: FakeClock
) -> None:
    run(life)
    clock.run(days=200)
    run(life)

    assert len([one for one in states(life).values() if one == "archived"]) == 3

    clock.run(days=170)
    told = run(life)

    assert {one["reason"].partition(",")[0] for one in told["purged"]} >= {
        "370 days in the archive"
    }
    assert "billing" not in states(life)


def test_pruning_and_using_at_the_same_time_lose_nothing(life: Life) -> None:
    ids = [one.id for one in entries(life.home)]
    errors: list[BaseException] = []

    def use() -> None:
        try:
            for number in range(5):
                with_retry(
                    life,
                    namespace="local/default", ids=ids, session=f"s{number}", milliseconds=1, characters=1,
                )  # fmt: skip
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    for _ in range(5):
        try:
            run(life)
        except HeldError:  # the lock is the other's just now
            continue
    thread.join()

    assert errors == []
    assert {one.id for one in entries(life.home)} >= set(ids)
    assert {one.access_count for one in entries(life.home) if one.id in ids} == {5}


def with_retry(life: Life, **arguments: Any) -> None:
    """Two processes without a daemon take turns at the lock."""
    for _ in range(400):
        try:
            life.ask("memory.accessed", **arguments)
        except HeldError:
            threading.Event().wait(0.01)
            continue
        return
    raise TimeoutError


def test_the_clock_does_not_matter_to_what_is_pinned(life: Life, clock: FakeClock) -> None:
    (pinned,) = (one for one in entries(life.home) if "billing" in one.content)
    life.ask("memory.change", id=pinned.id, how="pin")
    clock.now += timedelta(days=1)
    told = run(life)

    assert states(life)["billing"] == "active"
    assert told["kept_because"]["pinned"] == 1
