"""What an engine is. No numpy at run time here: the daemon imports this module."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # numpy stays out of the daemon
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """Which space a vector lives in: vectors of different models are never compared.

    Attributes:
        engine: what ran the model.
        model: its name.
        revision: a hash of its files, so a swap under the same name is seen.
        dimension: numbers in one vector.
    """

    engine: str
    model: str
    revision: str
    dimension: int


class Embedder(Protocol):
    """An engine: loaded once, deterministic, used by one thread."""

    @property
    def identity(self) -> EmbeddingModel:
        """The space of every vector it returns."""
        ...

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Turn texts into vectors: float32 (n, d), unit length, in the order given."""
        ...
