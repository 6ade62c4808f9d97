"""Files of JSON lines that a person hands to a command: a bad line is told in one line, and never a traceback."""

import json
from pathlib import Path

import pytest

from tests.interfaces.conftest import Memoryd


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


NO_OBJECT = [
    "not json",
    "[1]",
    "3",
    "9" * 5000,
    "[" * 100_000,
    nested(100_000),
    '{"a":' * 3000 + "1" + "}" * 3000,
    '{"content": "x", "confidence": NaN}',
    '{"content": "x", "metadata": {"n": -Infinity}}',
    '{"content": "x", "metadata": {"n": 1e999}}',
    '{"content": "x", "metadata": {"n": ' + "9" * 5000 + "}}",
    "\0\0\0",
]
WRONG_FIELDS = [
    ("content", "3"),
    ("content", nested(50)),
    ("metadata", '{"a":' * 3000 + "1" + "}" * 3000),
    ("metadata", '{"a":' * 70 + "1" + "}" * 70),
    ("metadata", "[]"),
    ("access_count", "10000000000000000000"),
    ("access_count", "-1"),
    ("access_count", "1.5"),
    ("access_count", "true"),
    ("confidence", "1e300"),
    ("confidence", '"high"'),
    ("ttl_days", "-1"),
    ("ttl_days", "9" * 400),
    ("namespace", '""'),
    ("namespace", '"noslash"'),
    ("namespace", '"a/b/c"'),
    ("namespace", '"/b"'),
    ("namespace", '"a/b\\n"'),
    ("namespace", '"a\\u0000/b"'),
    ("namespace", '"a/\\ud800"'),
    ("namespace", "5"),
    ("id", '""'),
    ("id", '" "'),
    ("id", '"two\\nlines"'),
    ("id", "7"),
    ("merged_from", '"e-1"'),
    ("merged_from", "[1]"),
    ("merged_from", "5"),
    ("sources", "5"),
    ("sources", '["a"]'),
    ("sources", '[{"start": "a"}]'),
    ("sources", '[{"start": -1}]'),
    ("sources", '[{"path": 3}]'),
    ("sources", '[{"colour": "red"}]'),
    ("valid_from", "3"),
    ("valid_from", '"0001-01-01T00:00:00+14:00"'),
    ("created_at", '"soon"'),
    ("state", "[]"),
    ("colour", '"red"'),
]


def told_in_one_line(memoryd: Memoryd, path: Path, *words: str) -> str:
    done = memoryd(*words, str(path))

    assert done.status == 2
    assert "Traceback" not in done.err
    assert done.err.count("\n") == 1
    assert len(done.err) < 700
    return done.err


def stored(memoryd: Memoryd) -> int:
    return len(memoryd("memory", "list", "--all-namespaces", "--all", "--json").lines)


@pytest.mark.parametrize("raw", [(), ("--raw",)])
@pytest.mark.parametrize("line", NO_OBJECT)
def test_what_is_no_object_is_named_with_file_and_line(
    memoryd: Memoryd, tmp_path: Path, line: str, raw: tuple[str, ...]
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text("\n" + line + "\n", encoding="utf-8")
    said = told_in_one_line(memoryd, path, "memory", "import", *raw)

    assert f"{path} line 2: expected a JSON object" in said
    assert "sys." not in said  # a remedy for programmers


def test_what_is_no_utf8_costs_only_its_line_and_nothing_is_changed_silently(
    memoryd: Memoryd, tmp_path: Path
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'{"content": "Port 8080"}\n{"content": "caf\xe9 at nine"}\n')
    done = memoryd("memory", "import", str(path))

    assert done.out == b"1 added, 0 merged, 0 duplicate, 0 review, 0 rejected, 1 bad line\n"
    assert f"{path} line 2: expected UTF-8, got the byte 0xe9 at column 17" in done.err
    assert stored(memoryd) == 1


def test_that_a_line_has_no_content_is_told_first(memoryd: Memoryd, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"text": "Port 8080"}\n', encoding="utf-8")

    assert "line 1: content is missing (unknown field 'text')" in told_in_one_line(
        memoryd, path, "memory", "import"
    )


@pytest.mark.parametrize("raw", [(), ("--raw",)])
@pytest.mark.parametrize(("field", "value"), WRONG_FIELDS)
def test_a_wrong_field_is_named_with_what_was_expected(
    memoryd: Memoryd, tmp_path: Path, field: str, value: str, raw: tuple[str, ...]
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(f'{{"content": "x", "{field}": {value}}}', encoding="utf-8")
    said = told_in_one_line(memoryd, path, "memory", "import", *raw)

    assert f"{path} line 1: " in said
    assert field in said or "nested" in said
    assert "expected" in said or "known" in said
    assert stored(memoryd) == 0


def test_what_ended_before_it_began_is_refused_unless_it_was_exported(
    memoryd: Memoryd, tmp_path: Path
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(
        '{"content": "x", "valid_from": "2026-11-02T00:00:00Z", "valid_to": "2026-11-01T23:00:00Z"}',
        encoding="utf-8",
    )

    assert "valid_to: expected" in told_in_one_line(memoryd, path, "memory", "import")
    assert memoryd("memory", "import", "--raw", str(path)).status == 0


@pytest.mark.parametrize(
    ("option", "value"), [("--namespace", "noslash"), ("--namespace", "a/b/c")]
)
def test_options_are_held_to_the_same(memoryd: Memoryd, option: str, value: str) -> None:
    done = memoryd("memory", "add", "x", option, value)

    assert (done.status, done.err.count("\n")) == (2, 1)


GOOD = json.dumps({"id": "1", "text": "The database listens on port 5433.", "origin": "user"})


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
@pytest.mark.parametrize(
    "line",
    [
        *NO_OBJECT,
        "{}",
        '{"id": "1", "text": "x"}',
        '{"id": "1", "text": 3, "origin": "user"}',
        '{"id": "1", "text": "x", "origin": "nobody"}',
        '{"id": "1", "text": "x", "origin": []}',
        '{"id": null, "text": "x", "origin": "user"}',
        '{"id": "1", "text": "x", "origin": "user", "namespace": "noslash"}',
        '{"id": "1", "text": "x", "origin": "user", "namespace": 5}',
    ],
)
def test_a_bad_message_is_named_before_anything_is_stored(
    memoryd: Memoryd, tmp_path: Path, line: str, dry: tuple[str, ...]
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(f"{GOOD}\n{GOOD}\n{line}\n", encoding="utf-8")
    memoryd("memory", "add", "Herr Lang keeps the keys.")
    said = told_in_one_line(memoryd, path, "memory", "extract", *dry)

    assert f"{path} line 3: " in said
    assert "expected" in said
    assert stored(memoryd) == 1


def test_why_a_line_was_rejected_is_told(memoryd: Memoryd, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps({"content": "port 8080 " * 2000}) + "\n", encoding="utf-8")
    done = memoryd("memory", "import", str(path))

    assert b"1 rejected" in done.out
    assert done.err.startswith("line 1 rejected: longer than ")
