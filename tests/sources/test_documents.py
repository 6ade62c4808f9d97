"""What holds for every source whose transcript is a document: no double, no loss, however it is rewritten."""

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.errors import SourceError
from memoryd.sources.base import ReadLimits
from memoryd.sources.gemini import GeminiDocument
from tests.sources.contract import Harvest, harvest


def item(place: int, text: str) -> dict[str, Any]:
    return {
        "id": f"m{place}",
        "type": "user",
        "content": text,
        "timestamp": "2026-01-10T20:00:21.501Z",
    }


def document(items: list[dict[str, Any]]) -> str:
    return json.dumps({"sessionId": "s", "projectHash": "h", "messages": items})


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "chats" / "session-x.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    return path


def said(found: Harvest) -> dict[str, str]:
    return {m.native_id or "": m.text for m in found.messages.values()}


def settle(source: GeminiDocument, path: Path, found: Harvest) -> int:
    """Read until nothing is left to say; how often that took."""
    rounds = 0
    while list(source.read(path, found.cursor)):
        harvest(source, path, found)
        rounds += 1
        assert rounds < 10
    return rounds


def test_two_hundred_rewrites_some_with_the_same_size_and_time(tmp_path: Path) -> None:
    """Messages are added, changed and removed; the file's time is often set back. Each costs what it changes."""
    chance = random.Random(3)
    source, found = GeminiDocument([tmp_path]), Harvest()
    items: list[dict[str, Any]] = []
    ever: dict[str, str] = {}
    path, given_out, changes = write(tmp_path, document(items)), 0, 0
    harvest(source, path, found)
    for step in range(200):
        before, what = path.stat(), chance.random()
        if what < 0.5 or not items:
            items.append(item(step, f"第{step}条 message {chance.randrange(10**6)}"))
            changes += 1
        elif (
            what < 0.85
        ):  # another text of the same length, in the same second: only the content tells
            changed = chance.choice(items)
            text = "".join(chance.sample(changed["content"], len(changed["content"])))
            changes += text.strip() != changed["content"].strip()
            changed["content"] = text
        else:
            del items[chance.randrange(len(items))]
        if chance.random() < 0.3:
            path.unlink()  # a rewrite by renaming: another inode
        write(tmp_path, document(items))
        if chance.random() < 0.6:
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        given_out += sum(len(batch.messages) for batch in source.read(path, found.cursor))
        harvest(source, path, found)
        ever |= {one["id"]: one["content"].strip() for one in items}
        if chance.random() < 0.2:
            settle(source, path, found)

        assert ever == {key: text.strip() for key, text in said(found).items()}
    assert given_out == changes
    assert [] == found.rejects


def test_a_settled_document_is_not_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, path = GeminiDocument([tmp_path]), write(tmp_path, document([item(1, "a")]))
    found = harvest(source, path)
    settle(source, path, found)
    monkeypatch.setattr("memoryd.sources.documents.open_regular", None)

    assert [] == list(source.read(path, found.cursor))


def test_a_file_that_was_only_touched_gives_nothing(tmp_path: Path) -> None:
    source, path = GeminiDocument([tmp_path]), write(tmp_path, document([item(1, "a")]))
    found = harvest(source, path)
    os.utime(path)

    assert [] == [m for batch in source.read(path, found.cursor) for m in batch.messages]


def test_what_stays_broken_is_rejected_once_and_read_when_it_is_whole(tmp_path: Path) -> None:
    source, path = GeminiDocument([tmp_path]), write(tmp_path, document([item(1, "a")])[:-20])
    found = harvest(source, path)
    assert found.cursor is not None

    assert (0, []) == (found.cursor.offset, found.rejects)
    settle(source, path, found)
    assert [(0, path.stat().st_size, "not JSON")] == found.rejects
    write(tmp_path, document([item(1, "a"), item(2, "b")]))
    harvest(source, path, found)
    assert {"m1": "a", "m2": "b"} == said(found)
    assert [] == found.rejects


def test_an_empty_file_is_never_rejected(tmp_path: Path) -> None:
    source, path = GeminiDocument([tmp_path]), write(tmp_path, "")
    found = harvest(source, path)
    settle(source, path, found)

    assert [] == found.rejects


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbf" + document([item(1, "with a BOM")]).encode(), "with a BOM"),
        (document([item(1, "half \ud83d emoji")]).encode("ascii"), "half � emoji"),
        (document([item(1, "bad bytes")]).encode().replace(b"bad", b"b\xe6d"), "b�d bytes"),
        (document([item(1, "NaN")]).replace('"id"', '"tokens": NaN, "id"').encode(), "NaN"),
        (document([item(1, "big")]).replace('"id"', f'"n": 1{"0" * 6000}, "id"').encode(), "big"),
        (document([item(1, "crlf")]).replace(", ", ",\r\n").encode(), "crlf"),
    ],
)
def test_what_is_no_strict_json_is_read_leniently(tmp_path: Path, data: bytes, text: str) -> None:
    assert [text] == list(said(harvest(GeminiDocument([tmp_path]), write(tmp_path, data))).values())


@pytest.mark.parametrize(
    "data", ["[" * 300_000, '{"a":' * 300_000, "7", '"text"', "null", "[]", "{}"]
)
def test_what_is_no_conversation_gives_nothing(tmp_path: Path, data: str) -> None:
    source, path = GeminiDocument([tmp_path]), write(tmp_path, data)
    found = harvest(source, path)
    settle(source, path, found)

    assert {} == found.messages


def test_a_document_too_large_is_rejected_without_being_read(tmp_path: Path) -> None:
    source = GeminiDocument([tmp_path], ReadLimits(line_bytes=1000))
    path = write(tmp_path, document([item(1, "x" * 10_000)]))
    found = harvest(source, path)

    assert [(0, path.stat().st_size, "document too large")] == found.rejects
    settle(source, path, found)
    write(tmp_path, document([item(1, "small")]))
    assert {"m1": "small"} == said(harvest(source, path, found))


def test_reading_can_stop_after_any_batch(tmp_path: Path) -> None:
    path = write(
        tmp_path, document([item(place, f"text {place} " + "x" * 100) for place in range(50)])
    )
    source, found, batches = GeminiDocument([tmp_path], ReadLimits(batch_bytes=500)), Harvest(), 0
    while True:
        batch = next(iter(source.read(path, found.cursor)), None)
        if batch is None:
            break
        found.take(batch)
        batches += 1

    assert batches > 8
    assert 50 == len(found.messages)


def test_the_state_stays_small(tmp_path: Path) -> None:
    path = write(tmp_path, document([item(place, f"text {place}") for place in range(5000)]))
    found = harvest(GeminiDocument([tmp_path]), path)
    assert found.cursor is not None

    assert len(json.dumps(dict(found.cursor.state))) < 90_000


def test_a_document_that_is_gone_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="session-x"):
        list(GeminiDocument([tmp_path]).read(tmp_path / "session-x.json", None))


@given(st.lists(st.lists(st.integers(0, 6), max_size=6), min_size=1, max_size=8))
def test_any_series_of_rewrites_keeps_the_last_text_of_everything_ever_said(
    tmp_path_factory: pytest.TempPathFactory, series: list[list[int]]
) -> None:
    folder = tmp_path_factory.mktemp("rewrites")
    source, found = GeminiDocument([folder]), Harvest()
    ever: dict[str, str] = {}
    for number, places in enumerate(series):
        items = [item(place, f"{place} {number // 2}") for place in dict.fromkeys(places)]
        ever |= {one["id"]: one["content"] for one in items}
        harvest(source, write(folder, document(items)), found)

    assert ever == said(found)
