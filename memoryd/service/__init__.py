"""The use cases and the life of the daemon: the only room that knows two rooms at once.

Purpose       effects, clock and logs live here; what is decided is decided in `memory`.
Entry point   `ingest` is the whole data path; `commands` lists everything that writes; `daemon` is the long-running
              process. The larger use cases have a room each: `watching`, `bank`, `history`, `files`, `night`, `managers`.
May import    every room below; never interfaces. Among its own rooms: night, managers → files, history → bank → watching.
"""
