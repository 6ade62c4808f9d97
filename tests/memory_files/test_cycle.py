"""The whole way of one file, on disk: found, checked, compacted, written, undone; and what happens in between."""

import stat
from pathlib import Path

import pytest

from memoryd.errors import RetryError
from memoryd.memory_files.approvals import judge_write
from memoryd.memory_files.checks import check_files
from memoryd.memory_files.compaction import CompactionPlan, Merge, Supersede, plan_compaction
from memoryd.memory_files.discovery import Place, discover_files, find_place
from memoryd.memory_files.editing import make_merge, merge_versions
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.reading import read_file
from memoryd.memory_files.sections import has_drifted, join_sections, parse_sections
from memoryd.memory_files.snapshots import make_snapshot
from memoryd.memory_files.writer import Merge as Join
from memoryd.memory_files.writer import Patience, Written, write_file

QUICK = Patience(lock_seconds=1.0, settle_seconds=0.005)


@pytest.fixture
def memory(home: Path) -> Path:
    """Hermes' MEMORY.md, nearly full: pairs of paraphrases, one old value, and single facts."""
    folder = home / ".hermes" / "memories"
    folder.mkdir(parents=True, mode=0o700)
    folder.parent.chmod(0o700)
    path = folder / "MEMORY.md"
    entries = []
    for number in range(15):
        entries += [
            f"The backup of host-{number} is taken every night at 02:{number:02} and kept for thirty days.",
            f"host-{number}: nightly backup at 02:{number:02}, thirty days.",
        ]
    entries += [
        "The VPN port is 1194.",
        "The VPN port is 51820 since May.",
        "门禁密码找小李要。",
        "Frau Kurz leitet den Einkauf.",
    ]
    path.write_text(join_sections(entries), encoding="utf-8")
    path.chmod(0o640)
    return path


MERGES = [
    Merge(
        (2 * number, 2 * number + 1),
        f"host-{number}: nightly backup at 02:{number:02}, thirty days.",
    )
    for number in range(15)
]


def plan(place: Place, file: MemoryFile) -> CompactionPlan:
    return plan_compaction(
        file, place.profile, merges=MERGES, supersedes=[Supersede(30, 31, "newer")]
    )


def write(place: Place, planned: CompactionPlan) -> Written:
    file = planned.file
    merge = make_merge(file.data, planned.edits, place.profile, file.path.name)
    return put(place, file, planned.after, merge)


def put_back(place: Place, written: Written) -> None:
    """Undo a write as far as the file is still as it was written."""
    name = written.path.name

    def merge(base: bytes, theirs: bytes, ours: bytes) -> bytes | None:
        return merge_versions(base, theirs, ours, place.profile, name)

    assert written.before is not None
    put(place, MemoryFile(written.path, written.after), written.before, merge)


def put(place: Place, file: MemoryFile, ours: bytes, merge: Join) -> Written:
    return write_file(
        file.path,
        file.data,
        ours,
        roots=[place.root],
        merge=merge,
        sidecar_lock=place.profile.sidecar_lock,
        patience=QUICK,
    )


def contents(path: Path) -> list[str]:
    return [piece.content for piece in parse_sections(path.read_text()).entries]


def test_a_full_file_is_found_compacted_and_put_back_byte_for_byte(
    home: Path, memory: Path
) -> None:
    [place] = discover_files({}, home)
    files = [read_file(path, missing_ok=True) for path in place.files]
    file = files[-1]
    before = check_files(files, place.profile).files[-1]
    assert before.percent is not None
    assert before.percent >= 80

    planned = plan(place, file)
    assert judge_write(file, place.profile, ["hermes"]) == ""
    written = write(place, planned)
    after = check_files([read_file(memory)], place.profile).files[0]

    assert after.raw == planned.used_after <= before.raw * 0.75
    assert not has_drifted(memory.read_text())
    assert {problem.kind for problem in after.problems} == set()
    assert stat.S_IMODE(memory.stat().st_mode) == 0o640
    known = set(contents(memory)) | {item.content for item in planned.moved}
    assert known >= {piece.content for piece in parse_sections(file.text).entries}

    put_back(place, written)
    assert memory.read_bytes() == file.data


def test_what_the_agent_adds_while_we_think_is_kept(home: Path, memory: Path) -> None:
    place = find_place(memory, {}, home)
    file = read_file(memory)
    planned = plan(place, file)
    memory.write_text(memory.read_text() + "\n§\nAdded by the agent meanwhile.")
    written = write(place, planned)

    assert written.merged
    assert "Added by the agent meanwhile." in contents(memory)
    assert len(contents(memory)) == len(parse_sections(planned.after.decode()).entries) + 1


def test_what_the_user_corrects_while_we_think_is_the_users_word(home: Path, memory: Path) -> None:
    place = find_place(memory, {}, home)
    file = read_file(memory)
    planned = plan(place, file)
    corrected = memory.read_text().replace(
        "host-3: nightly backup at 02:03", "host-3: weekly backup at 02:03"
    )
    memory.write_text(corrected)

    with pytest.raises(RetryError):
        write(place, planned)
    assert memory.read_text() == corrected


def test_undo_after_a_later_hand_edit_keeps_the_edit(home: Path, memory: Path) -> None:
    place = find_place(memory, {}, home)
    file = read_file(memory)
    written = write(place, plan(place, file))
    memory.write_text(memory.read_text() + "\n§\nBy hand.")
    put_back(place, written)

    assert "By hand." in contents(memory)
    assert set(contents(memory)) >= {piece.content for piece in parse_sections(file.text).entries}


def test_the_snapshot_changes_with_the_file_and_not_otherwise(home: Path, memory: Path) -> None:
    place = find_place(memory, {}, home)
    first = make_snapshot([read_file(memory)], place.profile)
    memory.touch()
    assert make_snapshot([read_file(memory)], place.profile) == first

    file = read_file(memory)
    write(place, plan(place, file))
    assert make_snapshot([read_file(memory)], place.profile) != first


def test_an_openclaw_workspace_is_budgeted_together(home: Path) -> None:
    workspace = home / ".openclaw" / "workspace"
    workspace.mkdir(parents=True)
    for name, size in (
        ("AGENTS.md", 19_950),
        ("SOUL.md", 20_000),
        ("IDENTITY.md", 20_000),
        ("USER.md", 10),
    ):
        (workspace / name).write_text("x" * size)
    (workspace / "MEMORY.md").write_text("- the fact\n")
    [place] = discover_files({}, home)
    report = check_files([read_file(path, missing_ok=True) for path in place.files], place.profile)

    assert not report.ok
    assert [file.loaded for file in report.files] == [19_950, 20_000, 20_000, 0, 0]
    assert report.files[-1].cut_entries == ("the fact",)
