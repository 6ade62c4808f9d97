"""Engine names -> engines. Runs in the worker; an engine's libraries load only when it is chosen."""

from pathlib import Path

from memoryd.embedding.base import Embedder
from memoryd.errors import EmbeddingError


def load_engine(engine: str, path: str) -> Embedder:
    """Load an engine; *path* is the model's folder, where it needs one.

    Raises:
        EmbeddingError: an unknown name, a missing library, missing or changed files.
    """
    # ruff: noqa: PLC0415
    if engine == "embedded":
        from memoryd.embedding.embedded import EmbeddedEngine

        return EmbeddedEngine()
    if engine == "sentence-transformers":
        from memoryd.embedding.transformer import TransformerEngine

        return TransformerEngine(Path(path))
    if engine == "fake":
        from memoryd.embedding.fake import FakeEmbedder

        return FakeEmbedder()
    raise EmbeddingError(f"no such embedding engine: {engine!r}")
