"""Three fixed sentences whose vectors tell whether a model still is the one that was first used.

The sentences are part of stored data: changing one makes every stored golden vector worthless.
"""

from collections.abc import Sequence

from memoryd.embedding.packing import cosine
from memoryd.errors import EmbeddingError

GOLDEN_TEXTS = (
    "The quick brown fox jumps over the lazy dog.",
    "我们决定从周五起改用 PostgreSQL 数据库。",
    "Bitte die Tests vor jedem Commit laufen lassen; 提交前请先跑测试。",
)
_LEAST_COSINE = 0.98  # RELIABILITY: below it a library or processor computes something else


def check_golden(stored: Sequence[bytes], current: Sequence[bytes]) -> None:
    """Compare golden vectors of the first use with those of now, packed, in the same order.

    Raises:
        EmbeddingError: one differs in dimension or direction: the model has drifted.
    """
    for text, before, now in zip(GOLDEN_TEXTS, stored, current, strict=True):
        similarity = cosine(before, now)
        if similarity < _LEAST_COSINE:
            raise EmbeddingError(
                f"the model has drifted: {text!r} is at cosine {similarity:.3f} to its first vector"
            )
