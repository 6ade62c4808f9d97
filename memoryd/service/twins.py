"""Finding an entry that already says what a draft says, so that it is confirmed instead of doubled."""

from memoryd.model import Entry
from memoryd.service.remembering import FindSame
from memoryd.store.connection import Connection


def find_twin(connection: Connection) -> FindSame:
    """A finder over the entries of the draft's own namespace, scope and session."""

    def find(draft: Entry) -> Entry | None:
        return None

    return find
