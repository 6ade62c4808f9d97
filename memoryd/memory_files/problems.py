"""What is wrong with one memory file, and what to do about each: small pure finders over a parsed file.

Every finder yields problems and changes nothing. A new one is a function of a `Case`, named in FINDERS.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from memoryd.memory_files.budgets import Loading
from memoryd.memory_files.documents import Document, Piece
from memoryd.memory_files.folding import first_words, fold
from memoryd.memory_files.ledger import LedgerRecord, judge_standing
from memoryd.memory_files.places import find_misplaced
from memoryd.memory_files.profiles import Profile
from memoryd.memory_files.sections import DELIMITER, has_drifted
from memoryd.memory_files.units import is_utf8
from memoryd.screening import find_instructions, screen

ProblemKind = Literal[
    "missing",
    "not-utf8",
    "over-budget",
    "near-budget",
    "never-loaded",
    "not-modelled",
    "drift",
    "one-entry",
    "duplicate",
    "contradiction",
    "misplaced",
    "secret",
    "injection",
    "blocked",
    "ledger",
    "huge",
]

EXAMINED = 256 * 1024  # characters whose entries are looked at; no agent loads a tenth of it
_TELLING_CHARS = 20  # folded; an entry this long says the same under any heading
CROWDED_PERCENT = 80  # from here on a file is queued for consolidation


def examined(text: str) -> str:
    """The part of a file whose entries are examined: all of it, or whole lines from its beginning."""
    if len(text) <= EXAMINED:
        return text
    return text[: text.rfind("\n", 0, EXAMINED) + 1 or EXAMINED]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a file: its kind, what was found, and what to do."""

    kind: ProblemKind
    detail: str
    fix: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence from the bank about an entry of a file, e.g. a newer value that contradicts it.

    Attributes:
        content: the entry's words; compared folded.
        detail: the evidence in words, e.g. "the user said on 2026-11-02: the port is 8080".
    """

    path: Path
    content: str
    detail: str
    kind: Literal["contradiction", "duplicate"] = "contradiction"


@dataclass(frozen=True, slots=True)
class Case:
    """One file under examination, with the values that the finders need."""

    loading: Loading
    document: Document
    profile: Profile
    record: LedgerRecord | None = None
    evidence: Sequence[Evidence] = field(default_factory=tuple)

    @property
    def name(self) -> str:
        return self.loading.file.path.name

    @property
    def compact(self) -> str:
        """The command that makes the file smaller, by the rules under which it was examined."""
        return f"`memoryd files compact {self.loading.file.path} --profile {self.profile.name}`"

    @property
    def holds_memories(self) -> bool:
        return self.loading.rule.purpose in {"memory", "user"}


Finder = Callable[[Case], Iterator[Problem]]


def find_problems(case: Case) -> tuple[Problem, ...]:
    """Everything wrong with one file by itself, the most urgent first."""
    if case.loading.file.data is None:
        return tuple(_find_missing(case))
    return tuple(problem for finder in _FINDERS for problem in finder(case))


def _find_missing(case: Case) -> Iterator[Problem]:
    """Only where the agent itself makes something of it; elsewhere a missing file is simply not there."""
    if case.profile.mark_missing:
        yield Problem(
            "missing",
            f"{case.profile.title} loads a line saying that {case.loading.file.path} is missing",
            "create the file, even with one line, or ignore this if it is not wanted",
        )


def _find_huge(case: Case) -> Iterator[Problem]:
    size = len(case.loading.file.text)
    if size > EXAMINED:
        yield Problem(
            "huge",
            f"{case.name} has {size:,} characters: only the entries among the first {EXAMINED:,} were examined",
            "keep what the agent shall load, and move the rest into files of its own",
        )


def _find_encoding(case: Case) -> Iterator[Problem]:
    if not is_utf8(case.loading.file.text):
        yield Problem(
            "not-utf8",
            f"{case.name} is not valid UTF-8: the agent may show replacement characters or refuse the file",
            "save the file as UTF-8",
        )


def _find_over(case: Case) -> Iterator[Problem]:
    loading = case.loading
    if loading.is_cut:
        yield Problem("over-budget", _describe_cut(loading), _advise_cut(case))
    elif loading.limit is not None and loading.raw > loading.limit:
        yield Problem(
            "over-budget",
            f"{case.name} has {loading.raw} of {loading.limit} {loading.unit}: it is still loaded whole,"
            " but the agent can write nothing into it",
            _advise_cut(case),
        )
    elif loading.limit and loading.raw * 100 >= loading.limit * CROWDED_PERCENT:
        yield Problem(
            "near-budget",
            f"{case.name} is {loading.raw * 100 // loading.limit} % full"
            f" ({loading.raw} of {loading.limit} {loading.unit})",
            _advise_cut(case),
        )


def _find_writer_limit(case: Case) -> Iterator[Problem]:
    loading = case.loading
    limit = loading.rule.writer_limit
    if (
        limit is not None
        and loading.raw > min(limit, loading.limit or limit)
        and not loading.is_cut
    ):
        yield Problem(
            "near-budget",
            f"{case.name} has {loading.raw} {loading.unit}: {case.profile.title} drops the oldest sections that"
            f" it promoted itself when it next writes beyond {limit}",
            _advise_cut(case),
        )


def _describe_cut(loading: Loading) -> str:
    name = loading.file.path.name
    if loading.loaded == 0:
        return (
            f"{name} is not loaded at all: {loading.limit} {loading.unit} are left of the budget that all"
            " files share"
        )
    whose = {"max/total": "what is left of the budget that all files share"}.get(
        loading.cause or "", "the limit for this file"
    )
    return (
        f"{name} has {loading.raw} {loading.unit}, {whose} is {loading.limit}: the first"
        f" {loading.cut.head} and the last {loading.cut.tail} are loaded, what lies between is not"
    )


def _advise_cut(case: Case) -> str:
    if case.loading.cause == "max/total":
        return "shorten the files that are loaded before it, or raise the agent's total limit"
    if case.loading.rule.manage != "nothing":
        return f"run {case.compact}"
    return "shorten it by hand, or raise the agent's limit for a file"


def _find_never_loaded(case: Case) -> Iterator[Problem]:
    lost = list_cut(case)
    if lost:
        yield Problem(
            "never-loaded",
            f"{len(lost)} of {len(case.document.entries)} entries never reach the agent whole, from:"
            f" {first_words(lost[0].content)}",
            "move what matters to the part that is loaded, or shorten the file",
        )


def list_cut(case: Case) -> list[Piece]:
    """The entries of which a part or all is not loaded, while the file is cut."""
    if not case.loading.is_cut:
        return []
    seen = case.profile.parse(case.name, examined(case.loading.text))
    return [piece for piece, start, end in seen.spans() if not case.loading.reaches(start, end)]


def _find_not_modelled(case: Case) -> Iterator[Problem]:
    if case.loading.is_cut and case.loading.rule.cut == "digest":
        yield Problem(
            "not-modelled",
            "between head and tail the agent puts a digest of the rules it finds; that digest is not"
            " modelled here, so more than head and tail is loaded",
            "read the file as the agent sees it with its own /context command",
        )


def _find_drift(case: Case) -> Iterator[Problem]:
    """Hermes' guard, and the files that pass it although one `replace` would wipe them."""
    loading = case.loading
    if not case.profile.sidecar_lock or not case.holds_memories:
        return
    entries = case.document.entries
    longest = max((len(piece.content) for piece in entries), default=0)
    if has_drifted(loading.file.text) or (loading.limit and longest > loading.limit):
        yield Problem(
            "drift",
            f"{case.profile.title} refuses to replace or remove entries of {case.name}: it is not a clean"
            " list of entries joined by a line with §",
            f"run {case.compact}, which writes it in that form",
        )
    elif len(entries) == 1 and _looks_like_list(entries[0].content):
        yield Problem(
            "one-entry",
            f"{case.profile.title} reads the whole of {case.name} as one entry: replacing it wipes the file",
            f"separate the facts with a line that holds only {DELIMITER.strip()}",
        )


def _looks_like_list(content: str) -> bool:
    lines = [line for line in content.splitlines() if line.startswith(("#", "- ", "* "))]
    return len(lines) > 1


def _find_duplicates(case: Case) -> Iterator[Problem]:
    """Short entries under different headings ("- uses npm" of two projects) may be different facts."""
    seen: set[tuple[str, str]] = set()
    for piece in case.document.entries:
        folded = fold(piece.content)
        place = ("" if len(folded) >= _TELLING_CHARS else piece.heading, folded)
        if folded and place in seen:
            yield Problem(
                "duplicate",
                f"{case.name} says this more than once: {first_words(piece.content)}",
                f"remove one of them, or let {case.compact} merge them",
            )
        seen.add(place)


def _find_misplaced(case: Case) -> Iterator[Problem]:
    homes = {"persona": "SOUL.md", "project": "MEMORY.md or the project's own file"}
    for piece in case.document.entries:
        belongs = find_misplaced(piece.content, case.loading.rule.purpose)
        if belongs:
            yield Problem(
                "misplaced",
                f"{case.name} holds a fact of {'the persona' if belongs == 'persona' else 'a project'}:"
                f" {first_words(piece.content)}",
                f"move it to {homes[belongs]}",
            )


def _find_dangers(case: Case) -> Iterator[Problem]:
    """Secrets and planted instructions; the words of a secret are never repeated."""
    for number, piece in enumerate(case.document.entries, 1):
        if screen(piece.text).secrets:
            yield Problem(
                "secret",
                f"entry {number} of {case.name} holds a secret",
                "remove it, keep it in a password store, and change it: it was sent with every prompt",
            )
        elif case.loading.rule.purpose != "rules" and find_instructions(piece.text):
            yield Problem(
                "injection",
                f"{case.name} holds an instruction to the agent rather than a fact: {first_words(piece.content)}",
                "remove it unless you wrote it yourself",
            )


def _find_blocked(case: Case) -> Iterator[Problem]:
    if not case.holds_memories:
        return
    for number, piece in enumerate(case.document.entries, 1):
        names = case.profile.scan(piece.content)
        if names:
            yield Problem(
                "blocked",
                f"{case.profile.title} keeps entry {number} of {case.name} from the prompt ({', '.join(names)})",
                "word it without that phrase or those invisible characters",
            )


def _find_ledger_trap(case: Case) -> Iterator[Problem]:
    """Only what is wrong or will be: a file that the agent wrote itself is as it should be."""
    standing = judge_standing(case.loading.file, case.record)
    if standing == "untrusted":
        yield Problem(
            "ledger",
            f"{case.profile.title} marked {case.name} as untrusted: it is loaded no more, silently and for good",
            "let the agent write the facts again into a file of a new workspace, or see openclaw#153426",
        )
    elif standing == "changed":
        yield Problem(
            "ledger",
            f"{case.name} was changed by someone else since {case.profile.title} wrote it: the agent's next"
            " write to it makes it vanish from every later session",
            "put the agent's own version back, or ask the agent to make the change itself",
        )


def _find_evidence(case: Case) -> Iterator[Problem]:
    entries = {fold(piece.content): piece for piece in case.document.entries}
    for item in case.evidence:
        piece = entries.get(fold(item.content))
        if piece is not None and item.path == case.loading.file.path:
            yield Problem(
                item.kind,
                f"{case.name}: {first_words(piece.content)} — {item.detail}",
                f"replace it with the newer value, or run {case.compact}",
            )


_FINDERS: tuple[Finder, ...] = (
    _find_huge,
    _find_encoding,
    _find_over,
    _find_writer_limit,
    _find_never_loaded,
    _find_not_modelled,
    _find_ledger_trap,
    _find_dangers,
    _find_blocked,
    _find_drift,
    _find_evidence,
    _find_duplicates,
    _find_misplaced,
)
