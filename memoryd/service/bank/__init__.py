"""The use cases of the memory bank: entries are written, found, extracted, reviewed, joined and forgotten.

Rule          every change is a command that the writer carries out in one transaction; plans are made outside it.
Entry point   `remembering` is the one write path; `view` and `search` read.
"""
