"""Keeping out of a long-lived process what a library only loads in case somebody wants it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def left_out(*names: str) -> Iterator[None]:
    """Let modules seem not to be installed for whatever is imported inside, unless they are loaded already.

    numpy beside sqlite-utils costs 11 MB and a thread, rich beside structlog 4 MB; both work without.
    """
    missing = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(missing))  # type: ignore[arg-type] # None: "not installed"
    try:
        yield
    finally:
        for name in missing:
            sys.modules.pop(name, None)
