"""What a profile is: data about one agent's memory files, and two small functions (parse and join).

A profile holds no state and reads nothing; limits found in the agent's own configuration make a new profile
(`Profile.with_limits`). A name is looked up in `rules`, in the agent's loading order; the first match counts.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal

from memoryd.memory_files.documents import Document, Parser
from memoryd.memory_files.markdown import parse_markdown
from memoryd.memory_files.units import Unit

Purpose = Literal["memory", "user", "persona", "rules", "notes"]
CutName = Literal["none", "bootstrap", "digest", "ends", "lines", "start"]
Manage = Literal["entries", "section", "block", "nothing"]
Permission = Literal["direct", "ledger", "propose", "never"]


@dataclass(frozen=True, slots=True)
class FileRule:
    """How an agent treats files of one name.

    Attributes:
        name: a file name, or a pattern such as "*.md".
        purpose: what belongs into it; "notes" are files that no session loads at its start.
        unit, limit: the agent's own count; None: no limit.
        cut: what the agent does with a longer file ("none": it loads it whole and refuses its own writes).
        head_share, tail_share: of the limit, for the cuts that keep both ends.
        max_lines: a second limit, for the cut "lines".
        fixed: the agent's configuration may lower this limit but never raise it.
        writer_limit: the agent's own nightly writer keeps the file below this.
        manage: which text memoryd may rewrite: list items and entries, those below `section`, those in
            memoryd's own block, or nothing.
        permission: "propose" shows a diff only; "ledger": direct where the agent keeps no record of the file.
    """

    name: str
    purpose: Purpose
    unit: Unit = "codepoints"
    limit: int | None = None
    cut: CutName = "none"
    head_share: float = 0.75
    tail_share: float = 0.25
    max_lines: int | None = None
    fixed: bool = False
    writer_limit: int | None = None
    manage: Manage = "nothing"
    section: str = ""
    permission: Permission = "never"

    @property
    def at_start(self) -> bool:
        """Is the file loaded at the start of a session?"""
        return self.purpose != "notes"


@dataclass(frozen=True, slots=True)
class Profile:
    """One agent (in one of its versions).

    Attributes:
        rules: in loading order.
        total, minimum: all files together, and the rest below which no further file is loaded.
        parser: text of a file of memories to pieces; other files are Markdown.
        join: contents of entries to a file's text.
        sidecar_lock: suffix of the lock file the agent itself takes, "" for none.
        mark_missing: the agent loads a line about a file that it expects and does not find.
        scan: names of the agent's own patterns in a text that keep an entry from the prompt.
        pointer: may a line in the file say that more is kept in memoryd?
    """

    name: str
    title: str
    rules: tuple[FileRule, ...]
    parser: Parser
    join: Callable[[Iterable[str]], str]
    total: int | None = None
    minimum: int = 0
    sidecar_lock: str = ""
    mark_missing: bool = False
    scan: Callable[[str], Sequence[str]] = lambda text: ()
    pointer: bool = True

    def rule(self, name: str) -> FileRule:
        """The rule for a file of this name.

        Names are compared without case, as the agents' file systems may do; the last rule of every profile
        matches everything.
        """
        folded = name.casefold()
        return next(rule for rule in self.rules if fnmatchcase(folded, rule.name.casefold()))

    def parse(self, name: str, text: str) -> Document:
        """Split the text of a file of this name."""
        memories = self.rule(name).purpose in {"memory", "user"}
        return self.parser(text) if memories else parse_markdown(text)

    def order(self, name: str) -> int:
        """The place of a file in the agent's loading order."""
        return self.rules.index(self.rule(name))

    def with_limits(self, limits: Mapping[str, int], total: int | None = None) -> "Profile":
        """This profile with limits from the agent's own configuration.

        Args:
            limits: rule name -> limit in the rule's unit; "*" stands for every rule that has a limit.
            total: for all files together; None keeps the profile's.
        """
        rules = tuple(_limited(rule, limits) for rule in self.rules)
        return replace(self, rules=rules, total=self.total if total is None else total)


def _limited(rule: FileRule, limits: Mapping[str, int]) -> FileRule:
    wanted = limits.get(rule.name, limits.get("*"))
    if wanted is None or wanted <= 0 or rule.limit is None:
        return rule
    return replace(rule, limit=min(wanted, rule.limit) if rule.fixed else wanted)
