"""What made-up texts are made of; the order is part of the seeded corpora."""

SYLLABLES = "ka to mi re lo sun der val qui ron ti mes pra lin do ges".split()  # noqa: SIM905 - readable
WORDS = "index cursor batch 记忆 检索 provenance merge watcher nightly 中文 latency token".split()  # noqa: SIM905
