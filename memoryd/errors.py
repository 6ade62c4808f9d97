"""Every exception memoryd raises on purpose.

MemorydError              may be shown to a person without a traceback; carries the exit status
├── UsageError            wrong usage or bad input (2)
├── HeldError             another process holds what is needed (3)
├── RetryError            temporary: disk full, database busy (75)
├── ConfigError           the configuration is wrong (78)
├── StoreError            the database cannot be used as it is (1)
│   └── DamageError       it is damaged or lost: `memoryd doctor --fix` mends it (1)
├── SourceError           a transcript or its store cannot be read (1)
├── EmbeddingError        vectors cannot be made: no engine, no model, a broken worker (1)
└── RewriteError          the optional language model gave nothing usable (1)

The exit statuses are those of the command-line contract.
"""


class MemorydError(Exception):
    """May be shown to a person without a traceback."""

    exit_status = 1


class UsageError(MemorydError):
    """Wrong usage or bad input; the message names file, line or option."""

    exit_status = 2


class HeldError(MemorydError):
    """Another process holds what is needed."""

    exit_status = 3


class RetryError(MemorydError):
    """Temporary trouble (disk full, database busy): trying again later may work."""

    exit_status = 75


class ConfigError(MemorydError):
    """The configuration is wrong; the message names file, table, key, expected and got."""

    exit_status = 78


class StoreError(MemorydError):
    """The database cannot be used as it is: newer schema, damage, replaced under us."""


class DamageError(StoreError):
    """The database is damaged, or lost: what is readable can be salvaged."""


class NothingYetError(StoreError):
    """There is no database yet: nothing was ever read or added."""


class SourceError(MemorydError):
    """A transcript or an agent's own store cannot be read; the message names the path."""


class EmbeddingError(MemorydError):
    """Vectors cannot be made: no engine, no model, or the worker broke."""


class RewriteError(MemorydError):
    """The optional language model gave nothing usable; the extractive wording stands."""
