"""Agents' transcripts become messages.

Purpose: know where each agent keeps its conversations and what in them a person or an agent said.
Entry point: `registry.build_sources(config)`; then `Source.discover`, `Source.read`. One file an agent, on the bases
`jsonl.JsonLinesSource`, `documents.DocumentSource`, `databases.SqliteSource` and `markdown.TextSource` (see
docs/adding-a-source.md).
May import: `screening`, `config`, `model`, `errors`. Never a sibling room, never the store.
"""
