"""What every source keeps whose transcript is a document written anew: inherit, and give a document that grows."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import orjson
import pytest

from memoryd.sources.base import ReadLimits, Source
from tests.sources.contract import Harvest, distort, harvest


class DocumentContract:
    """Inherit as `class TestX(DocumentContract)` and give the class attributes.

    Attributes:
        source_class: the source.
        file_name: path of the sample below the root, as the agent names its files.
        items: what the document grows by, oldest first.
        turns: who said what in it, in order (tools left out).
        session_ids: the sessions in it.
        recognised: the content alone tells whose it is.
    """

    source_class: ClassVar[type[Source]]
    file_name: ClassVar[str]
    items: ClassVar[Sequence[Any]]
    turns: ClassVar[Sequence[tuple[str, str]]]
    session_ids: ClassVar[Iterable[str]]
    recognised: ClassVar[bool] = True

    def document(self, items: Sequence[Any]) -> Any:
        """The document when it holds *items*."""
        raise NotImplementedError

    def data(self, items: Sequence[Any]) -> bytes:
        """The bytes of the file, pretty as most agents write it."""
        return orjson.dumps(self.document(items), option=orjson.OPT_INDENT_2)

    def write(self, root: Path, data: bytes) -> Path:
        path = root / self.file_name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def make(self, root: Path, limits: ReadLimits | None = None) -> Source:
        return self.source_class([root], limits)

    def test_reads_what_was_said_and_nothing_else(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data(self.items)))

        assert list(self.turns) == found.turns
        assert set(self.session_ids) == {m.session_id for m in found.messages.values()}
        assert [] == found.rejects
        assert all(message.time is not None for message in found.messages.values())

    def test_its_files_are_found_and_recognised(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, self.data(self.items))
        source = self.make(tmp_path)

        assert [path] == list(source.discover(tmp_path))
        assert self.recognised == source.recognises(path.read_bytes()[:65536])

    def test_the_default_places_are_searched_without_a_walk(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Path, "home", lambda: tmp_path)
        roots = self.source_class.default_roots({}, tmp_path)

        assert [] == [path for root in roots for path in self.source_class().discover(root)]

    def test_reading_again_gives_nothing_new_and_anew_gives_the_same_keys(
        self, tmp_path: Path
    ) -> None:
        source, path = self.make(tmp_path), self.write(tmp_path, self.data(self.items))
        first = harvest(source, path)
        rounds = 0
        while batches := list(source.read(path, first.cursor)):
            assert not any(batch.messages or batch.sessions or batch.consumed for batch in batches)
            harvest(source, path, first)
            rounds += 1

        assert rounds <= 4
        assert first.texts == harvest(source, path).texts

    def test_each_rewrite_gives_only_what_is_new(self, tmp_path: Path) -> None:
        source, grown = self.make(tmp_path, ReadLimits(batch_bytes=50)), Harvest()
        given = 0
        for count in range(len(self.items) + 1):
            path = self.write(tmp_path, self.data(self.items[:count]))
            given += sum(len(batch.messages) for batch in source.read(path, grown.cursor))
            harvest(source, path, grown)
        whole = harvest(source, path)

        assert whole.texts == grown.texts
        assert whole.sessions == grown.sessions
        assert given == len(whole.messages)

    def test_half_written_it_waits_and_nothing_is_lost(self, tmp_path: Path) -> None:
        source, data = self.make(tmp_path), self.data(self.items)
        found = harvest(source, self.write(tmp_path, self.data(self.items[:1])))
        known = dict(found.texts)
        for cut in range(0, len(data) - 2, max(1, len(data) // 20)):
            harvest(source, self.write(tmp_path, data[:cut]), found)

            assert [] == found.rejects
            assert found.texts.items() >= known.items()
        harvest(source, self.write(tmp_path, data), found)
        assert set(map(tuple, self.turns)) == set(found.turns)

    def test_what_vanishes_from_a_document_stays(self, tmp_path: Path) -> None:
        source = self.make(tmp_path)
        found = harvest(source, self.write(tmp_path, self.data(self.items)))
        before = dict(found.texts)
        harvest(source, self.write(tmp_path, self.data(self.items[:1])), found)
        harvest(source, self.write(tmp_path, self.data(self.items)), found)

        assert before == found.texts

    @pytest.mark.parametrize("seed", range(40))
    def test_odd_shapes_never_raise_and_cost_only_themselves(
        self, tmp_path: Path, seed: int
    ) -> None:
        source = self.make(tmp_path)
        harvest(
            source, self.write(tmp_path, orjson.dumps(distort(self.document(self.items), seed)))
        )
        odd = [distort(self.items[0], seed), *self.items[1:]]
        found = harvest(source, self.write(tmp_path, self.data(odd)))

        assert {text for _, text in self.turns[-1:]} <= {text for _, text in found.turns}
