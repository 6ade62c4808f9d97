"""Processes that work on one memory file at once; started by tests as `python actors.py ACTOR FILE SECONDS TOKEN`.

memoryd      moves the oldest entries into `bank` beside the file's folder, through the safe writer
agent        adds numbered entries as Hermes does: flock on the sidecar, read, add, replace
appender     appends numbered entries and ignores every lock, as `>>` in a shell does
editor       reads the file, adds a numbered entry, and saves it by replacing the file, ignoring every lock
typist       the same, but writes into the file in place, piece by piece
flipper      rewrites the whole file with one letter over and over, through the safe writer
"""

import contextlib
import fcntl
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from memoryd.errors import HeldError, RetryError
from memoryd.memory_files.editing import Edit, apply_edits, merge_versions
from memoryd.memory_files.profiles import find_profile
from memoryd.memory_files.sections import DELIMITER, join_sections, parse_sections
from memoryd.memory_files.writer import Patience, write_file

HERMES = find_profile("hermes")
KEPT = 40
FLIP_CHARS = 200_000


def bank_of(file: Path) -> Path:
    return file.parent.parent / "bank"


def ticks(seconds: float, pause: float) -> Iterator[int]:
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        yield number
        number += 1
        time.sleep(pause)


def contents(file: Path) -> list[str]:
    return [piece.content for piece in parse_sections(file.read_text()).entries]


def memoryd(file: Path, seconds: float, token: str) -> None:
    def merge(base: bytes, theirs: bytes, ours: bytes) -> bytes | None:
        return merge_versions(base, theirs, ours, HERMES, file.name)

    for _ in ticks(seconds, 0.005):
        base = file.read_bytes()
        old = [piece.content for piece in parse_sections(base.decode()).entries]
        if len(old) < KEPT:
            continue
        edits = [Edit((content,)) for content in old[: KEPT // 4]]
        after = apply_edits(base.decode(), edits, HERMES, file.name)
        with bank_of(file).open("a") as bank:
            bank.writelines(content + "\n" for edit in edits for content in edit.removed)
        with contextlib.suppress(RetryError, HeldError):
            write_file(
                file,
                base,
                (after or "").encode(),
                roots=[file.parent],
                merge=merge,
                sidecar_lock=".lock",
                patience=Patience(10.0, 0.02),
            )


def agent(file: Path, seconds: float, token: str) -> None:
    for number in ticks(seconds, 0.003):
        with file.with_suffix(".md.lock").open("a+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            replace(file, join_sections([*contents(file), f"{token}{number}"]), token)
        report(number)


def replace(file: Path, text: str, token: str) -> None:
    temporary = file.with_name(f".{token}.tmp")
    temporary.write_text(text)
    temporary.replace(file)


def appender(file: Path, seconds: float, token: str) -> None:
    for number in ticks(seconds, 0.02):
        with file.open("a") as opened:
            opened.write(f"{DELIMITER}{token}{number}")
        report(number)


def editor(file: Path, seconds: float, token: str) -> None:
    for number in ticks(seconds, 0.02):
        replace(file, join_sections([*contents(file), f"{token}{number}"]), token)
        report(number)


def typist(file: Path, seconds: float, token: str) -> None:
    for number in ticks(seconds, 0.05):
        text = join_sections([*contents(file), f"{token}{number}"])
        with file.open("w") as opened:
            for start in range(0, len(text), 64):
                opened.write(text[start : start + 64])
                opened.flush()
        report(number)


def flipper(file: Path, seconds: float, token: str) -> None:
    for number in ticks(seconds, 0.0):
        base = file.read_bytes()
        letter = b"ab"[number % 2 : number % 2 + 1]
        write_file(
            file, base, letter * FLIP_CHARS, roots=[file.parent], patience=Patience(5.0, 0.0)
        )
        report(number)


def report(number: int) -> None:
    """Say how far we got; the last number is certain to be done."""
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    actor, path, duration, name = sys.argv[1:]
    globals()[actor](Path(path), float(duration), name)
