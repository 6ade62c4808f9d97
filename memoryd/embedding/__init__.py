"""Text -> vectors, made in a process of its own.

Entry point: `select_engine` decides which engine serves, `EmbeddingClient` starts its worker and
returns packed vectors (int8 with a scale, see packing.py). `memoryd.embedding.vectors` searches and
compares them and `memoryd.embedding.vector_file` maps them from disk.

May import: config, model, errors. Nothing here or in the client imports numpy or a model: that
happens in the worker, and in `vectors` for who really searches.
"""

from memoryd.embedding.base import Embedder, EmbeddingModel
from memoryd.embedding.client import EmbeddingClient
from memoryd.embedding.job import WorkerLimits
from memoryd.embedding.models import ModelInfo, list_models, pull_model, use_model, verify_model
from memoryd.embedding.packing import cosine, packed_size
from memoryd.embedding.selection import Selection, select_engine

__all__ = [
    "Embedder",
    "EmbeddingClient",
    "EmbeddingModel",
    "ModelInfo",
    "Selection",
    "WorkerLimits",
    "cosine",
    "list_models",
    "packed_size",
    "pull_model",
    "select_engine",
    "use_model",
    "verify_model",
]
