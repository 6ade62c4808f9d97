"""Noticing that transcripts changed.

Rule          events are hints, the scanner's comparison with the ledger is the truth.
Entry point   `watcher` tells which paths may have changed; `scanner` has them read.
"""
