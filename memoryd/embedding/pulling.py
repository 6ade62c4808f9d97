"""Where a model to be pulled comes from: a folder, an installed package, or the hub on request."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

from memoryd.errors import EmbeddingError

_HUB_PATTERNS = ["*.json", "*.txt", "*.model", "*.safetensors", "*.md"]


@contextmanager
def find_model(source: str, work_dir: Path, *, network: bool) -> Iterator[Path]:
    """Yield the folder that holds a model's files; a download lives as long as the context.

    Raises:
        EmbeddingError: there is no such source.
    """
    folder = Path(source).expanduser()
    if folder.is_dir():
        yield folder
    elif (packaged := _find_in_package(source)) is not None:
        yield packaged
    elif network:
        with tempfile.TemporaryDirectory(prefix=".download-", dir=work_dir) as target:
            yield _download(source, Path(target))
    else:
        raise EmbeddingError(
            f"{source} is neither a folder nor an installed package that carries a model;"
            " a download must be asked for with --network"
        )


def _find_in_package(name: str) -> Path | None:
    try:
        files = metadata.files(name) or []
    except (metadata.PackageNotFoundError, ValueError):
        return None
    for file in files:
        if file.name == "modules.json":  # the list of parts in every sentence-transformers model
            return Path(str(file.locate())).parent
    return None


def _download(source: str, target: Path) -> Path:
    repository, _, revision = source.partition("@")
    os.environ.pop("HF_HUB_OFFLINE", None)  # before the import: the person asked for the network
    try:
        from huggingface_hub import HfApi, snapshot_download  # noqa: PLC0415 - heavy and optional
    except ImportError as error:
        raise EmbeddingError("a download needs huggingface-hub: install memoryd[torch]") from error
    try:
        pinned = HfApi().model_info(repository, revision=revision or None).sha
        snapshot_download(
            repository, revision=pinned, local_dir=target, allow_patterns=_HUB_PATTERNS
        )
    except Exception as error:
        raise EmbeddingError(
            f"cannot download {source}: {type(error).__name__}: {error}"
        ) from error
    return target
