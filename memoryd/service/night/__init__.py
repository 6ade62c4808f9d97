"""The night: when it is due, its phases, its ledger, its report.

Rule          the ledger in the database is the truth about what ran; the scheduler only looks at it.
Entry point   `nightly` runs the phases, `scheduler` decides in the daemon when.
"""
