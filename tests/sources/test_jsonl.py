"""The base of JSON lines: whatever happens to a file, each record counts once and every byte is accounted for."""

import errno
import os
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.errors import SourceError
from memoryd.model import Batch, Cursor, Message
from memoryd.sources.base import ReadLimits
from memoryd.sources.context import Context
from memoryd.sources.jsonl import JsonLinesSource, Record
from tests.sources.contract import Harvest, cuts, harvest, line


class Words(JsonLinesSource):
    """Records `{"id", "say"}`; what the session was last told travels in the state."""

    name = "words"
    title = "Words"
    starts = (b'{"id":',)

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        return ()

    def skipped(self, head: bytes) -> str | None:
        return "noise" if head.startswith(b'{"noise":') else None

    def parse(self, record: Record, context: Context) -> Iterable[Message]:
        context.state["count"] = context.state.get("count", 0) + 1
        if "noise" in record:
            context.skip("noise")
        else:
            yield context.message("s", "user", record["say"], key=str(record["id"]))


def say(number: int, words: str = "") -> dict[str, Any]:
    return {"id": number, "say": words or f"words of {number}"}


def lines(*numbers: int) -> bytes:
    return b"".join(line(say(number)) for number in numbers)


def words(**limits: int) -> Words:
    return Words((), ReadLimits(**limits))


def keys(found: Harvest) -> list[str]:
    return [*found.messages]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.jsonl"


def read(path: Path, data: bytes, into: Harvest | None = None, **limits: int) -> Harvest:
    path.write_bytes(data)
    return harvest(words(**limits), path, into)


class TestTail:
    def test_half_a_record_stays_pending_and_counts_once_it_is_whole(self, path: Path) -> None:
        whole = lines(1, 2)
        found = read(path, whole[:-9])
        assert found.cursor is not None
        assert (["1"], len(lines(1))) == (keys(found), found.cursor.offset)

        read(path, whole, found)
        assert ["1", "2"] == keys(found)

    def test_a_whole_record_without_newline_counts_and_the_newline_may_come_later(
        self, path: Path
    ) -> None:
        found = read(path, lines(1).rstrip(b"\n"))
        assert ["1"] == keys(found)

        read(path, lines(1, 2), found)
        assert ["1", "2"] == keys(found)
        assert [] == found.rejects

    def test_a_record_glued_to_a_tail_already_taken_counts(self, path: Path) -> None:
        found = read(path, lines(1).rstrip(b"\n"))
        read(path, lines(1).rstrip(b"\n") + lines(2), found)

        assert ["1", "2"] == keys(found)

    @pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n"])
    def test_a_tail_is_left_out_like_a_line_and_has_the_same_span(
        self, path: Path, ending: bytes
    ) -> None:
        found = read(path, lines(1).rstrip(b"\n") + ending)
        left_out = read(path.with_name("b.jsonl"), b'{"noise":1}' + ending)

        assert {"noise": 1} == left_out.skipped
        assert [(0, len(lines(1)) - 1)] == [one.span for one in found.messages.values()]

    @pytest.mark.parametrize(
        "tail", [b"12", b"{", b'"x"', b"[1]", b"\0\0\0", b"\xef\xbb\xbf", b"nul"]
    )
    def test_what_could_still_grow_is_never_taken(self, path: Path, tail: bytes) -> None:
        found = read(path, lines(1) + tail)

        assert found.cursor is not None
        assert len(tail) == found.cursor.size - found.cursor.offset

    def test_an_unchanged_file_yields_nothing(self, path: Path) -> None:
        found = read(path, lines(1) + b'{"half')

        assert [] == list(words().read(path, found.cursor))


@settings(max_examples=60, deadline=None)
@given(
    pieces=st.lists(
        st.one_of(
            st.integers(0, 99).map(lambda n: line(say(n))),
            st.integers(0, 99).map(lambda n: line(say(n)).rstrip()),  # glued to what follows
            st.integers(0, 99).map(lambda n: line(say(n, "多字节🙂")).replace(b"\n", b"\r\n")),
            st.sampled_from([b"\n", b"garbage\n", b"\0\0\0\n", b'{"id":1,"sa\n', b'{"noise":1}\n', b"[1,2]\n"]),
        ),
        max_size=12,
    ),
    seed=st.integers(0, 2**32),
)  # fmt: skip
def test_growth_in_any_steps_equals_one_reading(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], seed: int
) -> None:
    data = b"".join(pieces) + b"\n"
    folder = tmp_path_factory.mktemp("growth")
    whole = read(folder / "whole.jsonl", data)
    grown = Harvest()
    for cut in cuts(data, seed, 6):
        read(folder / "grown.jsonl", data[:cut], grown, batch_bytes=7)

    assert whole.texts == grown.texts
    assert whole.skipped == grown.skipped
    assert sum(end - start for start, end, _ in whole.rejects) == sum(
        end - start for start, end, _ in grown.rejects
    )


class TestDamage:
    def test_records_glued_on_one_line_all_count(self, path: Path) -> None:
        glued = line(say(1)).rstrip() + line(say(2)).rstrip() + b"  " + line(say(3))

        assert ["1", "2", "3"] == keys(read(path, glued))

    def test_a_record_spliced_into_another_costs_only_the_other(self, path: Path) -> None:
        cut = line(say(1, "a text that is cut off here"))[:-12]
        found = read(path, lines(0) + cut + lines(2, 3))

        assert ["0", "2", "3"] == keys(found)
        assert [(len(lines(0)), len(lines(0)) + len(cut), "not JSON")] == found.rejects

    def test_objects_inside_a_cut_off_record_are_no_records(self, path: Path) -> None:
        cut = b'{"outer":[{"id":7,"say":"inner"},{"id":8,"say":"inn'

        assert ["2"] == keys(read(path, cut + lines(2)))

    @pytest.mark.parametrize(
        "damaged",
        [
            b"\0" * 9000 + b"%s",
            b"\xef\xbb\xbf%s",
            b"%s" + b"\0" * 500 + b"\n",
            b"  %s",
            b"garbage%s",
            b"\r\n\r\n%s\r\n",
            b"\x1b[0m %s",
        ],
    )
    def test_what_stands_around_a_record_does_not_hide_it(self, path: Path, damaged: bytes) -> None:
        data = lines(1) + damaged % line(say(2)).rstrip() + b"\n" + lines(3)

        assert ["1", "2", "3"] == keys(read(path, data))

    def test_a_line_of_nul_bytes_is_kept_aside_as_such(self, path: Path) -> None:
        found = read(path, lines(1) + b"\0" * 100 + b"\n" + lines(2))

        assert [(len(lines(1)), len(lines(1)) + 100, "NUL bytes")] == found.rejects

    def test_invalid_utf8_is_read_leniently(self, path: Path) -> None:
        found = read(path, b'{"id":1,"say":"caf\xe9 \xe6\x87"}\n' + lines(2))

        assert found.texts == {"1": "caf� �", "2": "words of 2"}

    def test_lone_surrogates_become_encodable_and_pairs_survive(self, path: Path) -> None:
        found = read(path, rb'{"id":1,"say":"cut \ud83d, whole \ud83d\ude00"}' + b"\n")

        assert found.texts == {"1": "cut �, whole 😀"}

    @pytest.mark.parametrize(
        "value", [b"NaN", b"-Infinity", b"1e999", b"9" * 5000, b"18446744073709551616", b'"\x01\t"']
    )
    def test_odd_numbers_and_controls_do_not_cost_the_record(
        self, path: Path, value: bytes
    ) -> None:
        assert ["1"] == keys(read(path, b'{"id":1,"odd":' + value + b',"say":"x"}\n'))

    def test_a_depth_bomb_costs_only_itself_and_little_time(self, path: Path) -> None:
        bomb = b'{"a":' * 200_000 + b"\n" + b"[" * 200_000 + b"\n"
        found = read(path, lines(1) + bomb + lines(2))

        assert ["1", "2"] == keys(found)
        assert 2 == len(found.rejects)

    def test_a_record_of_unexpected_shape_is_kept_aside(self, path: Path) -> None:
        found = read(path, lines(1) + b'{"id":5}\n' + lines(2))

        assert ["1", "2"] == keys(found)
        assert ["unexpected shape: KeyError"] == [reason for *_, reason in found.rejects]

    def test_lines_that_are_no_objects_are_counted(self, path: Path) -> None:
        assert ["not an object"] * 3 == [one[2] for one in read(path, b'1\n"x"\n[{}]\n').rejects]


@settings(max_examples=80, deadline=None)
@given(
    bad=st.binary(max_size=60).filter(lambda data: b"\n" not in data and b"{" not in data),
    place=st.integers(0, 5),
)
def test_any_damage_to_a_line_costs_only_that_line(
    tmp_path_factory: pytest.TempPathFactory, bad: bytes, place: int
) -> None:
    rows = [line(say(number)) for number in range(6)]
    rows[place] = bad + b"\n"
    found = read(tmp_path_factory.mktemp("damage") / "t.jsonl", b"".join(rows))

    assert [str(number) for number in range(6) if number != place] == keys(found)


class TestRefusedLines:
    """Lines that `skipped` refuses before they are decoded."""

    def test_a_record_glued_to_a_refused_one_counts(self, path: Path) -> None:
        found = read(path, b'{"noise":1}' + lines(1) + b'{"noise":2}\n')

        assert ["1"] == keys(found)
        assert found.skipped == {"noise": 2}

    def test_a_record_spliced_into_a_refused_one_counts(self, path: Path) -> None:
        found = read(path, b'{"noise":"cut of' + lines(1))

        assert ["1"] == keys(found)

    def test_a_refused_record_without_newline_is_refused_too(self, path: Path) -> None:
        found = read(path, lines(1) + b'{"noise":1}')

        assert ({"noise": 1}, []) == (found.skipped, found.rejects)


class TestLongLines:
    def test_a_line_over_the_limit_is_kept_aside_with_its_ends(self, path: Path) -> None:
        long = line(say(2, "x" * 50_000))
        path.write_bytes(lines(1) + long + lines(3))
        (batch,) = words(line_bytes=10_000).read(path, None)
        (reject,) = batch.rejects

        assert ["1", "3"] == [message.key for message in batch.messages]
        assert (reject.start, reject.end) == (len(lines(1)), len(lines(1) + long))
        assert reject.reason == "line too long"
        assert reject.head.startswith(long[:4000])
        assert reject.head.endswith(b'xxx"}')

    def test_an_unfinished_long_line_stays_pending(self, path: Path) -> None:
        data = lines(1) + line(say(2, "x" * 50_000)) + lines(3)
        found = read(path, data[:30_000], line_bytes=10_000)
        assert found.cursor is not None
        assert len(lines(1)) == found.cursor.offset

        read(path, data, found, line_bytes=10_000)
        assert ["1", "3"] == keys(found)
        assert 1 == len(found.rejects)

    def test_a_long_line_that_would_be_skipped_anyway_is_no_reject(self, path: Path) -> None:
        found = read(path, b'{"noise":"' + b"x" * 50_000 + b'"}\n' + lines(1), line_bytes=10_000)

        assert ([], {"noise": 1}, ["1"]) == (found.rejects, found.skipped, keys(found))

    def test_several_lines_behind_a_long_one_in_the_same_block_count(self, path: Path) -> None:
        data = line(say(0, "x" * 2_000_000)) + lines(1, 2)

        assert ["1", "2"] == keys(read(path, data, line_bytes=100_000))

    def test_batches_are_bounded(self, path: Path) -> None:
        path.write_bytes(b"".join(lines(number) for number in range(2000)))
        batches = list(words(batch_bytes=8192).read(path, None))

        assert max(batch.consumed for batch in batches) < 2 * 8192
        assert path.stat().st_size == sum(batch.consumed for batch in batches)
        assert batches[-1].cursor.offset == path.stat().st_size


class TestOtherFile:
    """The file is not the one it was."""

    def test_truncated_and_written_anew(self, path: Path) -> None:
        found = read(path, lines(1, 2, 3))
        read(path, lines(9), found)

        assert {"1", "2", "3", "9"} == set(keys(found))

    def test_truncated_to_nothing_is_noticed_at_once(self, path: Path) -> None:
        found = read(path, lines(1))
        path.write_bytes(b"")
        (batch,) = words().read(path, found.cursor)

        assert (True, 0, 0) == (batch.restarted, batch.cursor.offset, batch.cursor.size)

    def test_rewritten_in_place_with_the_same_size(self, path: Path) -> None:
        found = read(path, lines(1, 2))
        with path.open("r+b") as file:
            file.write(lines(3, 4))
        harvest(words(), path, found)

        assert ["1", "2", "3", "4"] == keys(found)

    def test_rewritten_far_before_the_end_with_the_same_size(self, path: Path) -> None:
        rest = b"".join(lines(number) for number in range(100, 500))
        found = read(path, lines(1) + rest)
        with path.open("r+b") as file:
            file.write(lines(2))
        os.utime(path, ns=(1, 1))
        harvest(words(), path, found)

        assert "2" in found.messages

    def test_rewritten_in_place_to_a_larger_size(self, path: Path) -> None:
        found = read(path, lines(1, 2))
        with path.open("r+b") as file:
            file.write(lines(3, 4, 5))
        harvest(words(), path, found)

        assert {"1", "2", "3", "4", "5"} == set(keys(found))

    def test_replaced_atomically_by_a_longer_one_with_another_middle(self, path: Path) -> None:
        rest = b"".join(lines(number) for number in range(100, 500))
        found = read(path, lines(1) + rest)
        other = path.with_name("new.tmp")
        other.write_bytes(lines(2) + rest + lines(7))
        other.replace(path)
        harvest(words(), path, found)

        assert {"2", "7"} <= set(keys(found))

    def test_replaced_by_itself_and_more_goes_on_where_it_was(self, path: Path) -> None:
        found = read(path, lines(1, 2))
        other = path.with_name("new.tmp")
        other.write_bytes(lines(1, 2, 3))
        other.replace(path)
        (batch,) = words().read(path, found.cursor)

        assert (False, ["3"]) == (batch.restarted, [message.key for message in batch.messages])

    def test_a_touched_file_is_checked_once_and_yields_no_messages(self, path: Path) -> None:
        found = read(path, lines(1, 2))
        os.utime(path, ns=(5, 5))
        (batch,) = words().read(path, found.cursor)

        assert (False, 0, ()) == (batch.restarted, batch.consumed, batch.messages)
        assert [] == list(words().read(path, batch.cursor))

    def test_rotated_the_old_one_is_drained_first(self, path: Path) -> None:
        found = read(path, lines(1))
        with path.open("ab") as file:
            file.write(lines(2))
        path.rename(path.with_name("t.jsonl.1"))
        path.write_bytes(lines(7))
        harvest(words(), path, found)

        assert ["1", "2", "7"] == keys(found)

    def test_a_reused_inode_is_no_continuation(self, path: Path) -> None:
        found = read(path, lines(1, 2))
        assert found.cursor is not None
        path.unlink()
        path.write_bytes(lines(5, 6, 7))
        made = Cursor(**{**_fields(found.cursor), "inode": path.stat().st_ino})
        found.cursor = made
        harvest(words(), path, found)

        assert {"5", "6", "7"} <= set(keys(found))

    def test_deleted_while_reading_is_read_to_its_end(self, path: Path) -> None:
        path.write_bytes(b"".join(lines(number) for number in range(3000)))
        found = Harvest()
        for batch in words(batch_bytes=8192).read(path, None):
            path.unlink(missing_ok=True)
            found.take(batch)

        assert 3000 == len(found.messages)

    def test_gone_is_a_source_error(self, path: Path) -> None:
        with pytest.raises(SourceError, match=r"t\.jsonl"):
            list(words().read(path, None))

    def test_the_state_starts_anew_with_the_file(self, path: Path) -> None:
        found = read(path, lines(1, 2, 3))
        read(path, lines(4), found)

        assert found.cursor is not None
        assert 1 == found.cursor.state["count"]


def _fields(cursor: Cursor) -> dict[str, Any]:
    return {name: getattr(cursor, name) for name in Cursor.__dataclass_fields__}


class TestOnlyRegularFiles:
    def test_a_fifo_does_not_block(self, path: Path) -> None:
        os.mkfifo(path)

        with pytest.raises(SourceError, match="not a regular file"):
            list(words().read(path, None))

    def test_a_link_in_a_transcript_folder_is_not_followed(self, path: Path) -> None:
        secret = path.with_name("secret.txt")
        secret.write_bytes(lines(1))
        path.symlink_to(secret)

        assert [] == list(words().discover(path.parent))
        with pytest.raises(SourceError):
            list(words().read(path, None))

    def test_a_root_that_is_a_link_to_a_file_is_read(self, path: Path) -> None:
        path.with_name("real.jsonl").write_bytes(lines(1))
        path.symlink_to(path.with_name("real.jsonl"))
        source = Words([path])

        assert [path] == list(source.discover(path))
        assert ["1"] == keys(harvest(source, path))

    def test_a_disk_error_in_the_middle_is_a_source_error(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path.write_bytes(lines(1))

        def fail(*_: object) -> bytes:
            raise OSError(errno.EIO, "Input/output error")

        monkeypatch.setattr("memoryd.sources.lines.LineCutter._read", fail)
        with pytest.raises(SourceError, match="Input/output error"):
            list(words().read(path, None))

    def test_a_root_that_cannot_be_looked_at_is_empty(self, tmp_path: Path) -> None:
        assert [] == list(words().discover(tmp_path / ("x" * 300)))

    def test_a_folder_is_refused(self, path: Path) -> None:
        path.mkdir()

        with pytest.raises(SourceError):
            list(words().read(path, None))


class TestCompressed:
    def test_compressing_moves_no_cursor(self, path: Path) -> None:
        found = read(path, lines(1, 2))
        path.unlink()
        path.with_name("t.jsonl.zst").write_bytes(zstandard.compress(lines(1, 2)))
        batches = list(words().read(path, found.cursor))

        assert [False] == [batch.restarted for batch in batches]
        assert () == batches[0].messages
        assert [] == list(words().read(path, batches[-1].cursor))

    def test_the_plain_file_is_preferred_and_goes_on_from_the_twins_cursor(
        self, path: Path
    ) -> None:
        twin = path.with_name("t.jsonl.zst")
        twin.write_bytes(zstandard.compress(lines(1, 2)))
        found = harvest(words(), path)
        read(path, lines(1, 2, 3), found)
        (first,) = words().read(path, None)

        assert ["1", "2", "3"] == keys(found)
        assert 3 == len(first.messages)

    def test_another_conversation_in_the_twin_is_read_anew(self, path: Path) -> None:
        found = read(path, lines(1, 2))
        path.unlink()
        path.with_name("t.jsonl.zst").write_bytes(zstandard.compress(lines(8, 9)))
        harvest(words(), path, found)

        assert {"8", "9"} <= set(keys(found))

    def test_concatenated_frames_are_one_transcript(self, path: Path) -> None:
        frames = zstandard.compress(lines(1)) + zstandard.compress(lines(2, 3))
        path.with_name("t.jsonl.zst").write_bytes(frames)

        assert ["1", "2", "3"] == keys(harvest(words(), path))

    def test_a_frame_cut_off_is_pending_until_the_file_changes(self, path: Path) -> None:
        random_source = random.Random(1)
        rows = [line(say(n, random_source.randbytes(300).hex())) for n in range(3000)]
        whole = zstandard.ZstdCompressor(level=1).compress(b"".join(rows))
        twin = path.with_name("t.jsonl.zst")
        twin.write_bytes(whole[: len(whole) // 2])
        found = harvest(words(), path)
        assert 0 < len(found.messages) < 3000
        assert [] == list(words().read(path, found.cursor))

        twin.write_bytes(whole)
        harvest(words(), path, found)
        assert 3000 == len(found.messages)

    def test_damage_inside_keeps_what_came_before(self, path: Path) -> None:
        random_source = random.Random(2)
        rows = [line(say(n, random_source.randbytes(300).hex())) for n in range(3000)]
        whole = bytearray(
            zstandard.ZstdCompressor(level=1, write_checksum=True).compress(b"".join(rows))
        )
        whole[len(whole) // 2 :] = random_source.randbytes(len(whole) - len(whole) // 2)
        path.with_name("t.jsonl.zst").write_bytes(whole)
        found = harvest(words(), path)

        assert len(found.messages) > 500
        assert ["damaged compression"] == [reason for *_, reason in found.rejects]

    def test_a_bomb_is_stopped(self, path: Path) -> None:
        bomb = zstandard.compress(lines(1) + b" " * 100_000_000)
        path.with_name("t.jsonl.zst").write_bytes(bomb)
        found = harvest(words(), path)

        assert ["1"] == keys(found)
        assert ["too large for its compressed size"] == [reason for *_, reason in found.rejects]

    def test_the_output_is_capped(self, path: Path) -> None:
        rows = b"".join(lines(number) for number in range(20_000))
        path.with_name("t.jsonl.zst").write_bytes(zstandard.compress(rows))
        found = harvest(words(decompressed_bytes=200_000), path)

        assert 0 < len(found.messages) < 20_000


class Rewinding(Words):
    """`{"back": id}` withdraws a message; a text grows until reading ends."""

    def parse(self, record: Record, context: Context) -> Iterable[Message]:
        if "back" in record:
            context.retract([str(record["back"])])
            return ()
        context.state["open"] = context.state.get("open", "") + record["say"]
        return super().parse(record, context)

    def finish(self, context: Context) -> Iterator[Message]:
        yield context.message("s", "assistant", context.state.get("open", ""), key="open")


class TestHooks:
    def test_a_withdrawn_message_is_gone_within_a_batch_and_across(self, path: Path) -> None:
        path.write_bytes(lines(1, 2) + line({"back": 2}))
        (batch,) = Rewinding(()).read(path, None)
        assert (["1", "open"], ("2",)) == ([m.key for m in batch.messages], batch.retracted)

        with path.open("ab") as file:
            file.write(line({"back": 1}))
        (batch,) = Rewinding(()).read(path, batch.cursor)
        assert ("1",) == batch.retracted

    def test_what_still_grows_is_told_at_the_end_of_each_reading(self, path: Path) -> None:
        path.write_bytes(line(say(1, "ab")))
        found = harvest(Rewinding(()), path)
        assert found.texts["open"] == "ab"

        with path.open("ab") as file:
            file.write(line(say(2, "cd")))
        assert harvest(Rewinding(()), path, found).texts["open"] == "abcd"


@pytest.mark.parametrize("compressed", [False, True])
def test_a_batch_and_its_cursor_are_one_step(path: Path, compressed: bool) -> None:
    """Stopping after any batch and going on from its cursor loses and doubles nothing."""
    data = b"".join(lines(number) for number in range(1500))
    if compressed:
        path.with_name("t.jsonl.zst").write_bytes(zstandard.compress(data))
    else:
        path.write_bytes(data)
    source = words(batch_bytes=4096)
    total = len(list(source.read(path, None)))
    for stop in range(1, total):
        found = Harvest()
        for count, batch in enumerate(source.read(path, None), 1):
            found.take(batch)
            if count == stop:
                break
        harvest(source, path, found)

        assert 1500 == len(found.messages)
        assert found.cursor is not None
        assert 1500 == found.cursor.state["count"]


def test_spans_are_the_records_bytes(path: Path) -> None:
    data = lines(1) + b"junk" + lines(2) + line(say(3)).rstrip()
    path.write_bytes(data)
    batch: Batch
    (batch,) = words().read(path, None)

    for message in batch.messages:
        assert message.span is not None
        assert message.key == str(orjson.loads(data[slice(*message.span)])["id"])
