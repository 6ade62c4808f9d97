"""The schema, as numbered migrations. Never edit one that was released: add another.

`user_version` is the authority on which migrations a file has; sqlite-utils runs and records them.
Only the writer migrates, behind its lock; readers refuse another version.
"""

from typing import TYPE_CHECKING

from memoryd.errors import NothingYetError, StoreError
from memoryd.store.connection import Connection
from memoryd.store.lean import left_out

if TYPE_CHECKING:
    from sqlite_utils import Database

SCHEMA_VERSION = 5

HISTORY = """
create table source (id integer primary key, name text not null unique) strict;

create table session (
  id integer primary key autoincrement,
  source_id integer not null references source(id),
  native_id text not null,
  project text, title text, branch text, model text, parent_id text,
  started integer, ended integer,              -- unix milliseconds, UTC
  messages integer not null default 0,
  spoken integer not null default 0,           -- of them by people and assistants
  unique (source_id, native_id)
) strict;

create table transcript (
  id integer primary key autoincrement,
  source_id integer not null references source(id),
  path text not null,
  device integer not null, inode integer not null, size integer not null, mtime_ns integer not null,
  offset integer not null, fingerprint text not null, state text not null,
  ingested integer not null default 0, quarantined integer not null default 0,  -- bytes; their sum is offset
  messages integer not null default 0,
  updated integer not null,                    -- unix milliseconds, UTC
  unique (source_id, path)
) strict;

create table message (
  id integer primary key autoincrement,        -- never reused: a forgotten id must not come back as another
  session_id integer not null references session(id),
  identity blob not null unique,               -- 16 bytes of BLAKE2b over source and key
  native_id text,
  role text not null,
  time integer,                                -- unix milliseconds, UTC; null: unknown
  text text not null,
  group_key text,
  position integer,                            -- among the session's spoken messages; null: a tool's
  withdrawn integer not null default 0,        -- the agent itself took it back (rewound turn)
  transcript_id integer references transcript(id), start integer, end integer
) strict;
create index message_session on message (session_id, id);
create index message_group on message (session_id, group_key) where group_key is not null;

create table reject (
  id integer primary key autoincrement,
  transcript_id integer not null references transcript(id),
  start integer not null, end integer not null, reason text not null, head text not null
) strict;
create index reject_transcript on reject (transcript_id);

create table skip (
  transcript_id integer not null references transcript(id),
  reason text not null, records integer not null,
  primary key (transcript_id, reason)
) strict, without rowid;

create table setting (name text primary key, value text not null) strict, without rowid;
"""

# The indexes hold no text of their own (content=''): rows are told to them, and taken out again, by `fts.py`.
# words: as written; stems: the same with English stemming; tools: no positions, a third of the size.
INDEXES = """
create virtual table words using fts5(text, content='', tokenize='unicode61');
create virtual table stems using fts5(text, content='', tokenize='porter unicode61');
create virtual table tools using fts5(text, content='', detail=none, tokenize='unicode61');
"""

# Times of the bank are unix microseconds, so that what was imported comes back exactly.
BANK = """
create table entry (
  row integer primary key autoincrement,
  id text not null unique,
  namespace text not null, scope text not null, key text, session_id text,
  kind text not null, content text not null, content_key blob not null, origin text not null, state text not null,
  confidence real not null,
  created_at integer not null, updated_at integer not null, last_accessed_at integer,
  access_count integer not null, ttl_days real, pinned integer not null,
  valid_from integer, valid_to integer,
  merged_from text not null, superseded_by text, sources text not null, metadata text not null
) strict;
create unique index entry_key on entry (namespace, key) where key is not null;
create index entry_content on entry (namespace, scope, content_key);
create index entry_state on entry (namespace, state);

create table event (                           -- every change of an entry; history, undo and audit come from it
  id integer primary key autoincrement,
  entry_id text not null, namespace text not null,
  at integer not null, who text not null, why text not null, run text,
  before text, after text                      -- the whole entry as JSON; null: it was not there
) strict;
create index event_entry on event (entry_id);
create index event_run on event (run) where run is not null;

create table run (
  id text primary key,
  kind text not null, namespace text,
  started integer not null, finished integer, state text not null, report text not null
) strict, without rowid;

create table conflict (                        -- both entries stay active until someone decides
  id integer primary key autoincrement,
  namespace text not null, a text not null, b text not null, reason text not null, run text, decided text,
  unique (namespace, a, b)
) strict;

create table access (                          -- one a session, however often it asks
  entry_id text not null, session text not null, at integer not null, how text not null,
  primary key (entry_id, session)
) strict, without rowid;

create table recall (                          -- how well memory serves; no text of a query
  id integer primary key autoincrement,
  namespace text not null, at integer not null, hits integer not null, milliseconds real not null, characters integer not null
) strict;

create table forgotten (                       -- of messages that must not come back
  identity blob primary key
) strict, without rowid;

create table refused (                         -- said to be wrong: never again from the same source
  namespace text not null, content_key blob not null, at integer not null,
  primary key (namespace, content_key)
) strict, without rowid;
"""

BANK_INDEXES = """
create virtual table entry_words using fts5(text, content='', tokenize='unicode61');
create virtual table entry_stems using fts5(text, content='', tokenize='porter unicode61');
"""

# A change of model builds a new generation beside the old one and switches when it is complete.
VECTORS = """
create table generation (
  id integer primary key autoincrement,
  engine text not null, model text not null, revision text not null, dimension integer not null,
  golden text not null,                        -- packed golden vectors, hex, as JSON
  state text not null,                         -- building, current or old
  unique (engine, model, revision, dimension)
) strict;

create table vector (
  generation_id integer not null references generation(id),
  row integer not null,                        -- of the entry
  content_key blob not null,                   -- of the text it was made from
  packed blob not null,
  primary key (generation_id, row)
) strict, without rowid;
"""

JOBS = """
create table job (                             -- what ran for which local date
  name text not null, local_date text not null,
  started integer not null, finished integer,  -- unix milliseconds, UTC
  state text not null, detail text not null,
  primary key (name, local_date)
) strict, without rowid;
"""

# No words, only what they are known by. An entry may be in many decisions, one made of a large merge is about many entries.
APART = """
create table apart (                           -- what a person wants kept apart
  id integer primary key autoincrement,        -- never reused: a person names it
  namespace text not null,
  run text not null,                           -- that was taken back, or `conflict-7`: both sides of it hold
  at integer not null                          -- unix microseconds, UTC
) strict;

create table apart_text (                      -- the texts it is about, as they were
  apart_id integer not null references apart(id),
  entry_id text not null,                      -- who said it then
  content_key blob not null,
  primary key (apart_id, entry_id)
) strict, without rowid;
create index apart_text_entry on apart_text (entry_id);
"""


def schema_version(connection: Connection) -> int:
    """The schema version of an open database; 0 for an empty one."""
    return int(connection.execute("pragma user_version").fetchone()[0])


def check_version(connection: Connection) -> None:
    """Refuse to read a database that another version of memoryd made.

    Raises:
        StoreError: newer or older than this program knows.
        NothingYetError: whoever made the file was killed before the first table.
    """
    found = schema_version(connection)
    if not found:
        raise NothingYetError("nothing ingested yet: run `memoryd run --once`")
    if found > SCHEMA_VERSION:
        raise StoreError(
            f"the database has schema {found}, this memoryd knows {SCHEMA_VERSION}: upgrade memoryd"
        )
    if found < SCHEMA_VERSION:
        raise StoreError(f"the database has schema {found}: run `memoryd run --once` to migrate it")


def migrate(connection: Connection) -> None:
    """Bring the database to `SCHEMA_VERSION`, all steps in one transaction.

    Raises:
        StoreError: the database is newer than this program.
    """
    found = schema_version(connection)
    if found > SCHEMA_VERSION:
        check_version(connection)
    if found == SCHEMA_VERSION:
        return
    # A fifth of a second of imports that a database of today never needs.
    with left_out("numpy", "pandas"):
        from sqlite_utils import Database  # noqa: PLC0415 - see above
        from sqlite_utils.migrations import Migrations  # noqa: PLC0415

    steps = Migrations("memoryd")
    for step in (m001_history, m002_bank, m003_vectors, m004_jobs, m005_apart):
        steps()(step)
    connection.execute("begin immediate")
    try:
        steps.apply(Database(connection, execute_plugins=False))
        connection.execute(f"pragma user_version={SCHEMA_VERSION}")
    except BaseException:
        connection.execute("rollback")
        raise
    connection.execute("commit")


def m001_history(db: "Database") -> None:
    """Sessions, messages, transcripts with their ledger, and the full-text indexes."""
    run_script(db, HISTORY + INDEXES)


def m002_bank(db: "Database") -> None:
    """The memory bank: entries, their events, runs, conflicts, accesses."""
    run_script(db, BANK + BANK_INDEXES)


def m003_vectors(db: "Database") -> None:
    """Vectors of entries, by generation of the model."""
    run_script(db, VECTORS)


def m004_jobs(db: "Database") -> None:
    """The ledger of nightly jobs."""
    run_script(db, JOBS)


def m005_apart(db: "Database") -> None:
    """What a person wants kept apart: the merges and replacements of runs that were undone."""
    run_script(db, APART)


def run_script(db: "Database", script: str) -> None:
    """Run statements inside the transaction of a migration (`executescript` would commit it)."""
    for statement in script.split(";\n"):
        if statement.strip():
            db.execute(statement)
