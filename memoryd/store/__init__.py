"""The database room: one SQLite file, and the only SQL in memoryd.

Purpose       keep history and memory; every batch and its cursor are one transaction.
Entry point   `Store` (the one writer, behind the writer's lock) and `Reader` (everybody else, read-only).
May import    screening, config, model, errors; never another room.
"""
