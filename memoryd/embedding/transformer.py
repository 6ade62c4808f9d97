"""The optional engine: a sentence-transformers model from a folder, never from a network.

Needs the extra `memoryd[torch]`. The hub's libraries read their offline switches when they are
imported, so those are set before; weights are safetensors only (a pickle is code).
"""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memoryd.embedding.base import EmbeddingModel
from memoryd.embedding.models import verify_model

_OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}


class TransformerEngine:
    """Implements Embedder for a folder that `pull` has made, or any folder of safetensors."""

    def __init__(self, folder: Path) -> None:
        name, revision = verify_model(folder)
        os.environ.update(_OFFLINE)
        import torch  # noqa: PLC0415 - after the switches
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415

        torch.set_num_threads(2)
        self._model = SentenceTransformer(
            str(folder.resolve()),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
        dimension = int(self._model.encode(["?"]).shape[1])
        self.identity = EmbeddingModel("sentence-transformers", name, revision, dimension)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors: NDArray[np.float32] = self._model.encode(
            list(texts), batch_size=32, show_progress_bar=False
        )
        return vectors
