"""What made-up words are made of; the order is part of the seeded corpora."""

SYLLABLES = "ka to mi re lo sun der val qui ron ti mes pra lin do ges".split()  # noqa: SIM905 - readable
