"""What goes into history: a batch with every text in it screened, and what the store made of it."""

from dataclasses import dataclass

from memoryd.model import Batch
from memoryd.screening import ScreenedText


@dataclass(frozen=True, slots=True)
class ScreenedBatch:
    """A batch with every text in it screened, each tuple parallel to the batch's own.

    Attributes:
        texts: of the messages.
        titles: of the sessions; None where the session says no title.
        heads: of the rejects, decoded.
    """

    batch: Batch
    texts: tuple[ScreenedText, ...] = ()
    titles: tuple[ScreenedText | None, ...] = ()
    heads: tuple[ScreenedText, ...] = ()


@dataclass(frozen=True, slots=True)
class Added:
    """What one committed batch changed, in messages; *ids* are the new or changed rows."""

    added: int = 0
    updated: int = 0
    seen: int = 0
    ids: tuple[int, ...] = ()
