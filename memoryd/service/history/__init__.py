"""What is kept of the history beside the database: packed raw records, and what it takes to read or remove them again.

Rule          everything packed is screened; removing for good reaches every copy.
Entry point   `archive` keeps, `reindex` reads again, `forgetting` removes.
"""
