"""One source of several parts, marks in few bytes, and the places where agents keep things on each platform."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.sources import marks as marks_module
from memoryd.sources.combined import CombinedSource
from memoryd.sources.crush import Crush
from memoryd.sources.gemini import Gemini
from memoryd.sources.goose import Goose
from memoryd.sources.hermes import Hermes
from memoryd.sources.kiro import Kiro
from memoryd.sources.marks import Marks, digest
from memoryd.sources.opencode import OpenCode
from memoryd.sources.places import application_folder, editor_folders
from memoryd.sources.registry import source_classes
from memoryd.sources.zed import Zed

HOME = Path("/home/x")


def test_each_part_searches_its_own_places() -> None:
    parts = [part.default_roots({}, HOME) for part in Hermes.parts]

    assert [root for roots in parts for root in roots if root in Hermes.default_roots({}, HOME)]
    assert parts[0] != parts[1] == parts[2]


def test_roots_that_are_given_are_every_part_s(tmp_path: Path) -> None:
    (tmp_path / "chats").mkdir()
    for name in ("a.json", "b.jsonl"):
        (tmp_path / "chats" / name).touch()

    assert ["a.json", "b.jsonl"] == sorted(
        path.name for path in Gemini([tmp_path]).discover(tmp_path)
    )


def test_a_file_given_by_hand_goes_to_the_part_that_knows_its_content(tmp_path: Path) -> None:
    path = tmp_path / "somewhere.txt"
    path.write_text(
        '{"conversation_id": "k1", "history": [{"user": {"content": {"Prompt": {"prompt": "hi"}}}}]}'
    )
    source = Kiro()

    assert ["hi"] == [m.text for batch in source.read(path, None) for m in batch.messages]
    assert str(path) == source.logical(path)


def test_every_part_has_the_name_of_its_whole() -> None:
    for source in source_classes().values():
        if issubclass(source, CombinedSource):
            assert {source.name} == {part.name for part in source.parts}


@pytest.mark.parametrize("source", source_classes().values(), ids=lambda source: source.name)
def test_default_places_lie_below_the_home_folder_and_need_not_exist(
    source: type[CombinedSource], tmp_path: Path
) -> None:
    roots = source.default_roots({}, tmp_path)

    assert all(root.is_relative_to(tmp_path) for root in roots)
    assert [] == [path for root in roots for path in source(roots).discover(root)]


def test_the_environment_moves_the_places() -> None:
    environ = {
        "HERMES_HOME": "/h",
        "GOOSE_PATH_ROOT": "/g",
        "XDG_DATA_HOME": "/d",
        "GEMINI_CLI_HOME": "/e",
        "CRUSH_GLOBAL_DATA": "/c",
    }

    assert [Path("/h/state.db"), Path("/h/profiles"), Path("/h/sessions")] == Hermes.default_roots(
        environ, HOME
    )
    assert [Path("/g/data/sessions")] == Goose.default_roots(environ, HOME)
    assert [
        Path("/d/opencode/opencode.db"),
        Path("/d/opencode/storage/session"),
    ] == OpenCode.default_roots(environ, HOME)
    assert [Path("/e/.gemini/tmp")] == Gemini.default_roots(environ, HOME)
    assert [Path("/c")] == Crush.default_roots(environ, HOME)
    assert [Path("/d/zed/threads")] == Zed.default_roots(environ, HOME)


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("linux", "/home/x/.config"),
        ("darwin", "/home/x/Library/Application Support"),
        ("win32", "/home/x/AppData/Roaming"),
    ],
)
def test_desktop_programs_keep_their_data_where_the_platform_says(
    platform: str, expected: str
) -> None:
    assert Path(expected) == application_folder({}, HOME, platform)
    assert Path(expected) / "Code" / "User" == editor_folders({}, HOME, platform)[0]


def test_a_new_channel_of_opencode_is_a_root_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / ".local" / "share" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode-dev.db").touch()

    assert folder / "opencode-dev.db" in OpenCode.default_roots({}, tmp_path)


@given(
    st.dictionaries(
        st.text(),
        st.tuples(st.binary(min_size=4, max_size=4), st.floats(allow_nan=False)),
        max_size=50,
    )
)
def test_marks_come_back_as_they_were_saved(values: dict[str, tuple[bytes, float]]) -> None:
    marks: Marks[tuple[bytes, float]] = Marks("4sd")
    for name, value in values.items():
        marks.put(name, value)
    again: Marks[tuple[bytes, float]] = Marks("4sd", marks.save())

    assert values == {name: again.get(name) for name in values}
    assert len(marks.save()) <= 23 * len(values) + 5


@pytest.mark.parametrize("saved", [None, 7, "not base 85 \x00", "abc", ["x"]])
def test_what_is_no_saved_marks_is_no_marks(saved: object) -> None:
    assert None is Marks("4s", saved).get("x")


def test_the_least_recently_changed_marks_are_forgotten_first() -> None:
    marks: Marks[tuple[bytes]] = Marks("4s", kept=3)
    for name in ("a", "b", "c", "a", "d"):
        marks.put(name, (digest(name),))

    assert [True, False, True, True] == [marks.get(name) is not None for name in "abcd"]


def test_a_change_is_told_once() -> None:
    marks: Marks[tuple[bytes]] = Marks("6s")

    assert [True, False, True] == [marks.change("a", text) for text in ("1", "1", "2")]
    assert marks.drop("a")
    assert not marks.drop("a")
    assert marks_module.KEPT >= 10_000
