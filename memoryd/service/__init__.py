"""The use cases and the life of the daemon: the only room that knows two rooms at once.

Purpose       ingest, recall, status; later consolidation, retention, nightly. Effects, clock and logs live here.
Entry point   one module a use case (`ingest`, `overview`, `doctor`), `daemon` for the long-running process.
May import    every room below; never interfaces.
"""
