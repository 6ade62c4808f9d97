"""A deterministic engine for tests: hashed character trigrams, no model, no files.

Texts that share trigrams come out similar; that is all it knows.
"""

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memoryd.embedding.base import EmbeddingModel
from memoryd.embedding.vectors import pack

_DIMENSION = 64


class FakeEmbedder:
    """Implements Embedder, and packs like the client does."""

    identity = EmbeddingModel("fake", "trigrams", "1", _DIMENSION)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), _DIMENSION), dtype=np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            padded = f"\x02{text}\x03"
            for start in range(len(padded) - 1):
                trigram = padded[start : start + 3].encode("utf-8", "replace")
                vector[zlib.crc32(trigram) % _DIMENSION] += 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def embed_packed(self, texts: Sequence[str]) -> list[bytes]:
        return pack(self.embed(texts)) if texts else []
