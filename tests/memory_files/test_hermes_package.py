"""Hermes itself works on the files that memoryd writes: its guard accepts them, its scan passes, its tools work.

Runs where the published package can be imported: `pip download --no-deps hermes-agent==0.19.0`, unpack the wheel, and
put the folder on PYTHONPATH.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from memoryd.memory_files.additions import plan_addition
from memoryd.memory_files.checks import check_files
from memoryd.memory_files.compaction import Merge, plan_compaction
from memoryd.memory_files.contents import POINTER
from memoryd.memory_files.editing import merge_versions
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.profiles import find_profile
from memoryd.memory_files.reading import read_file
from memoryd.memory_files.sections import join_sections
from memoryd.memory_files.writer import Patience, write_file

pytestmark = pytest.mark.slow
HERMES = find_profile("hermes")
ENTRIES = [
    f"Fakt {number}: server-{number} 在东京，端口 {8000 + number}. 😀" for number in range(60)
]


@pytest.fixture
def memories(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HERMES_HOME", str(home))
    folder = home / "memories"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def store(memories: Path) -> Any:  # somebody else's class
    tool = pytest.importorskip(
        "tools.memory_tool",
        reason="hermes-agent is not installed: pip download hermes-agent and put it on the path",
    )
    return tool.MemoryStore()


def compact(path: Path, **options: Any) -> None:
    file = read_file(path)
    plan = plan_compaction(file, HERMES, **options)
    write_file(
        path,
        file.data,
        plan.after,
        roots=[path.parent],
        merge=lambda base, theirs, ours: merge_versions(base, theirs, ours, HERMES, path.name),
        sidecar_lock=HERMES.sidecar_lock,
        patience=Patience(settle_seconds=0.01),
    )


@pytest.fixture
def compacted(memories: Path) -> Path:
    path = memories / "MEMORY.md"
    entries = ENTRIES[: 2_150 // (len(ENTRIES[0]) + 3)]
    path.write_text(join_sections(entries))
    compact(path, merges=[Merge((0, 1), "Fakt 0+1: server-0 und server-1 在东京.")])
    return path


def test_its_tools_replace_remove_and_add(compacted: Path, store: Any) -> None:
    store.load_from_disk()
    assert store.replace("memory", "server-30 ", "Server 30 moved to Osaka.")["success"]
    assert store.remove("memory", "server-31 ")["success"]
    assert store.add("memory", "A new fact.")["success"]
    batch = [{"action": "add", "content": "b1"}, {"action": "remove", "old_text": "A new fact."}]
    assert store.apply_batch("memory", batch)["success"]

    text = compacted.read_text()
    assert "Server 30 moved to Osaka." in text
    assert "Fakt 0+1" in text
    assert list(compacted.parent.glob("*.bak.*")) == []


def test_every_entry_reaches_its_prompt_with_the_usage_that_we_count(
    compacted: Path, store: Any
) -> None:
    store.load_from_disk()
    prompt = store.format_for_system_prompt("memory")
    [report] = check_files([read_file(compacted)], HERMES).files

    assert "[BLOCKED" not in prompt
    assert POINTER in prompt
    assert f"{report.raw:,}/{report.limit:,} chars" in prompt
    assert f"[{report.percent}% —" in prompt


def test_what_the_doctor_calls_blocked_is_blocked_there(memories: Path, store: Any) -> None:
    (memories / "MEMORY.md").write_text(
        join_sections(["fine", "keys in ~/.ssh", "👨\u200d👩\u200d👧"])
    )
    store.load_from_disk()
    [report] = check_files([read_file(memories / "MEMORY.md")], HERMES).files

    assert store.format_for_system_prompt("memory").count("[BLOCKED") == 2
    assert sum(problem.kind == "blocked" for problem in report.problems) == 2


@pytest.mark.parametrize("text", ["a \n§\nb", "a\n\n§\n\nb", "a\n§\n\n§\nb", "x" * 2_300])
def test_what_the_doctor_calls_drift_is_refused_there_and_compaction_mends_it(
    memories: Path, store: Any, text: str
) -> None:
    path = memories / "MEMORY.md"
    path.write_text(text)
    assert any(
        problem.kind == "drift"
        for problem in check_files([read_file(path)], HERMES).files[0].problems
    )
    assert "drift_backup" in store.remove("memory", text[0])

    if len(text) < 2_200:
        compact(path)
        assert store.remove("memory", "a")["success"]


def test_an_added_entry_is_the_one_it_would_have_written(memories: Path, store: Any) -> None:
    path = memories / "USER.md"
    store.load_from_disk()
    store.add("user", "Lives in Porto.")
    addition = plan_addition(read_file(path), HERMES, "喜欢简短的回答。")
    store.add("user", "喜欢简短的回答。")

    assert path.read_bytes() == addition.after


def test_the_same_limit_refuses_in_both(memories: Path, store: Any) -> None:
    path = memories / "USER.md"
    path.write_text("x" * 1_300)
    store.load_from_disk()
    for size in (71, 72, 73):
        there = store.add("user", "y" * size)
        here = plan_addition(MemoryFile(path, b"x" * 1_300), HERMES, "y" * size)
        path.write_text("x" * 1_300)

        assert there["success"] == (here.after is not None), size
        if not there["success"]:
            assert re.search(r"[\d,]+/1,375", json.dumps(there))
