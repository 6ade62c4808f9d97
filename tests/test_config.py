"""Every mistake in a configuration is told with file, table, key, what was expected and what was found."""

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.config import (
    Config,
    IngestConfig,
    SourceConfig,
    SourcesConfig,
    differing_keys,
    load_config,
    parse_config,
)
from memoryd.errors import ConfigError

TABLES = {name: hint for name, hint in get_type_hints(Config).items() if name != "sources"}


def load(folder: Path, text: str | bytes) -> Config:
    path = folder / "config.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_config(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1", "unknown key x; known here: archive, consolidation, embedding, files, history"),
        ("[ingest]\nspeed = 1", "unknown key ingest.speed; known here: max_line_bytes, rescan_"),
        ("[sources]\nfind = true", "unknown key sources.find; known here: discover"),
        ("[sources.codex]\nroot = []", "unknown key sources.codex.root; known here: enabled, fiel"),
        ("ingest = 5", "ingest: expected a table, got 5"),
        ("sources = []", "sources: expected a table, got []"),
        ("[ingest]\nrescan_seconds = 'x'", "ingest.rescan_seconds: expected float, not negative, got 'x'"),
        ("[ingest]\nrescan_seconds = true", "ingest.rescan_seconds: expected float, not negative, got True"),
        ("[ingest]\nrescan_seconds = -0.5", "expected float, not negative, got -0.5"),
        ("[ingest]\nrescan_seconds = nan", "expected float, not negative, got nan"),
        ("[ingest]\nrescan_seconds = inf", "expected float, not negative, got inf"),
        (f"[ingest]\nrescan_seconds = {10**400}", "expected float, not negative, got 1000"),
        ("[ingest]\ntool_output_chars = 1.5", "expected int, not negative, got 1.5"),
        ("[ingest]\ntool_output_chars = true", "expected int, not negative, got True"),
        ("[ingest]\ntool_output_chars = -1", "expected int, not negative, got -1"),
        ("[embedding]\nengine = 'magic'", "embedding.engine: expected 'auto' | 'sentence-transformers' | 'embedded' | 'none', got 'magic'"),
        ("[embedding]\nengine = ['auto']", "embedding.engine: expected 'auto'"),
        ("[embedding]\nmodel = 5", "embedding.model: expected str without NUL, got 5"),
        ('[embedding]\nmodel = "a\\u0000"', "embedding.model: expected str without NUL, got 'a"),
        ('[sources.x]\nroots = ["a\\u0000"]', "sources.x.roots: expected a list of strings, got ['a"),
        ("[ingest]\nrescan_seconds = 0", "ingest.rescan_seconds: expected at least 1, got 0"),
        ("[ingest]\nmax_line_bytes = 0", "ingest.max_line_bytes: expected at least 1, got 0"),
        ("[nightly]\nat = '25:00'", "nightly.at: expected a time of day like '03:30', got '25:00'"),
        ("[nightly]\nat = '3:60'", "nightly.at: expected a time of day like '03:30', got '3:60'"),
        ("[nightly]\nat = '3'", "nightly.at: expected a time of day like '03:30', got '3'"),
        ("[nightly]\nat = ''", "nightly.at: expected a time of day like '03:30', got ''"),
        ("[consolidation]\nmax_change_percent = 101", "max_change_percent: expected 0 to 100, got 101"),
        ("[memory]\nconfidence_floor = 1.5", "memory.confidence_floor: expected 0 to 1, got 1.5"),
        ("[sources]\ndiscover = 1", "sources.discover: expected bool, got 1"),
        ("[files]\napprove = 'x'", "files.approve: expected a list of strings, got 'x'"),
        ("[files]\napprove = [1]", "files.approve: expected a list of strings, got [1]"),
        ("[sources.x]\nfields = []", "sources.x.fields: expected a table of strings, got []"),
        ("[sources.x.fields]\nrole = 1", "sources.x.fields: expected a table of strings, got {'role': 1}"),
        ("[sources.x]\ntype = 'csv'", "sources.x.type: expected '' | 'jsonl' | 'notes', got 'csv'"),
        ("[ingest", "not valid TOML"),
        ("a = 1\na = 2", "not valid TOML"),
        ("a = " + "[" * 100_000, "not valid TOML"),
        (b"a = '\xff'", "cannot read"),
    ],
)  # fmt: skip
def test_a_mistake_is_named(tmp_path: Path, text: str | bytes, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load(tmp_path, text)

    assert said in str(raised.value)
    assert str(tmp_path / "config.toml") in str(raised.value)
    assert "\n" not in str(raised.value)[:400]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read .*nowhere\.toml: .*No such file"):
        load_config(tmp_path / "nowhere.toml")


def test_an_empty_file_is_the_default(tmp_path: Path) -> None:
    assert load(tmp_path, "") == load(tmp_path, b"\xef\xbb\xbf# only a comment\r\n") == Config()


def test_whole_numbers_are_floats_where_floats_are_meant(tmp_path: Path) -> None:
    seconds = load(tmp_path, "[ingest]\nrescan_seconds = 5").ingest.rescan_seconds

    assert (seconds, type(seconds)) == (5.0, float)


def test_what_is_not_named_keeps_its_default(tmp_path: Path) -> None:
    config = load(
        tmp_path, "[sources.mine]\ntype = 'jsonl'\nroots = ['~/x']\n[ingest]\nrescan_seconds = 5.0"
    )

    assert config == Config(
        sources=SourcesConfig(by_name={"mine": SourceConfig(type="jsonl", roots=("~/x",))}),
        ingest=IngestConfig(rescan_seconds=5.0),
    )


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
VALUES: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: st.integers(0, 2**53),
    float: st.floats(0, 1e15),
    str: TEXTS,
    tuple: st.lists(TEXTS),
    Mapping: st.dictionaries(TEXTS, TEXTS),
}
RULED: dict[str, st.SearchStrategy[Any]] = {
    "rescan_seconds": st.floats(1, 1e15),
    "max_line_bytes": st.integers(1, 2**53),
    "at": st.times().map("{:%H:%M}".format),
    "max_change_percent": st.floats(0, 100),
    "confidence_floor": st.floats(0, 1),
}


def values(hint: Any) -> st.SearchStrategy[Any]:
    """TOML values that fit a field."""
    if get_origin(hint) is Literal:
        return st.sampled_from(get_args(hint))
    return VALUES[get_origin(hint) or hint]


def tables(kind: type, hidden: str = "") -> st.SearchStrategy[dict[str, Any]]:
    hints = get_type_hints(kind)
    optional = {
        f.name: RULED[f.name] if f.name in RULED else values(hints[f.name])
        for f in fields(kind)
        if f.name != hidden
    }
    return st.fixed_dictionaries({}, optional=optional)


DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={name: tables(kind) for name, kind in TABLES.items()}
    | {
        "sources": st.builds(
            lambda plain, named: plain | named,
            tables(SourcesConfig, "by_name"),
            st.dictionaries(st.sampled_from(["codex", "mine", "a b", "ü"]), tables(SourceConfig)),
        )
    },
)


def toml(value: Any) -> str:
    """A value as TOML; JSON strings are TOML strings but for one character."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=True).replace("\\/", "/") if value.isascii() else "".join(
            ['"', *(f"\\U{ord(c):08x}" for c in value), '"']
        )  # fmt: skip
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(key)} = {toml(item)}" for key, item in value.items()) + "}"
    return str(value).lower() if isinstance(value, bool) else repr(value)


@given(DOCUMENTS)
def test_whatever_fits_comes_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, document: dict[str, Any]
) -> None:
    text = "".join(f"{toml(name)} = {toml(table)}\n" for name, table in document.items())
    config = load(tmp_path_factory.mktemp("config"), text)

    assert config == parse_config(document, "here")
    for name, table in document.items():
        for key, value in table.items():
            if isinstance(value, dict) and name == "sources":
                source = config.sources.by_name[key]
                for ours, theirs in value.items():
                    assert getattr(source, ours) == plain(theirs)
            else:
                assert getattr(getattr(config, name), key) == plain(value)


def plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@given(
    st.sampled_from(sorted(TABLES)),
    st.data(),
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.integers()), st.dictionaries(st.text(), st.integers())
    ),
)  # fmt: skip
def test_a_value_is_taken_as_it_is_or_refused_with_its_name(
    table: str, data: st.DataObject, value: Any
) -> None:
    key = data.draw(st.sampled_from([f.name for f in fields(TABLES[table])]))
    try:
        taken = getattr(getattr(parse_config({table: {key: value}}, "here"), table), key)
    except ConfigError as error:
        assert f"here: {table}.{key}: expected " in str(error)
        assert repr(value) in str(error)
    else:
        assert taken == plain(value)
        assert not isinstance(taken, float) or (math.isfinite(taken) and taken >= 0)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("", []),
        ("[nightly]\nat = '04:00'", ["nightly.at"]),
        ("[nightly]\nat = '03:30'\n[memory]\nconfidence_floor = 0.2", ["memory.confidence_floor"]),
        ("[sources.codex]\nenabled = false\n[ingest]\nrescan_seconds = 9", ["sources.by_name", "ingest.rescan_seconds"]),
    ],
)  # fmt: skip
def test_what_differs_is_named_as_it_stands_in_the_file(text: str, changed: list[str]) -> None:
    assert changed == differing_keys(Config(), parse_config(tomllib.loads(text), "test"))
