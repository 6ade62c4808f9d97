"""Which engine serves, and why. Looks at what is installed and pulled; imports none of it."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from memoryd.config import EmbeddingConfig
from memoryd.embedding.models import EMBEDDED_MODEL, ModelInfo, list_models

Engine = Literal["embedded", "sentence-transformers", "fake", "none"]


@dataclass(frozen=True, slots=True)
class Selection:
    """The engine to start.

    Attributes:
        engine: "none" means search by words only; "fake" is for tests and never selected.
        model: its name; empty for "none".
        reason: one sentence for status; with "none" it says what is missing.
        path: the model's folder, where the engine needs one.
    """

    engine: Engine
    model: str
    reason: str
    path: Path | None = None


def select_engine(config: EmbeddingConfig, models_dir: Path) -> Selection:
    """Decide from the configuration and from what is there; never raises for what is missing.

    `auto` takes, in this order: the configured model; the one chosen by `memoryd model use`; a pulled
    multilingual model (the largest, if sentence-transformers is installed); the embedded default; a
    pulled model for English. A search in Chinese through a model that only knows English finds
    little more than chance, so English-only models come last unless they were asked for.
    """
    if config.engine == "none":
        return _nothing("switched off in the configuration")
    present = list_models(models_dir)
    if config.engine == "embedded":
        return _embedded(present, "configured")
    if config.model:
        return _named(config.model, present, "configured")
    if config.engine == "sentence-transformers":
        return _pulled(present)
    return _automatic(present)


def _automatic(present: list[ModelInfo]) -> Selection:
    for model in present:
        if model.selected:
            return _serve(model, "chosen by `memoryd model use`")
    best = max(present, key=_preference, default=None)
    if best is None:
        return _nothing("no model is pulled and the embedded one is not installed")
    if best.engine == "embedded":
        return _serve(best, f"the best multilingual model present{_passed_over(present)}")
    kind = "the largest multilingual model pulled" if best.multilingual else "the only kind present"
    return _serve(best, kind)


def _preference(model: ModelInfo) -> tuple[bool, bool, int]:
    usable = model.engine == "embedded" or _has_transformers()
    own = model.engine != "embedded"  # whoever pulls a model wants it
    return usable, model.multilingual, model.bytes if own else 0


def _passed_over(present: list[ModelInfo]) -> str:
    others = [model for model in present if model.engine != "embedded"]
    if not others:
        return ""
    names = ", ".join(model.name for model in others)
    if not _has_transformers():
        return f" ({names}: sentence-transformers is not installed)"
    return f" ({names}: English only)"


def _pulled(present: list[ModelInfo]) -> Selection:
    """The engine is configured, the model is not."""
    own = [model for model in present if model.engine == "sentence-transformers"]
    chosen = [model for model in own if model.selected] or own
    if not chosen:
        return _nothing("sentence-transformers is configured, but no model is pulled")
    return _serve(max(chosen, key=_preference), "the engine is configured")


def _named(name: str, present: list[ModelInfo], reason: str) -> Selection:
    if name in {"embedded", EMBEDDED_MODEL}:
        return _embedded(present, reason)
    for model in present:
        if model.name == name:
            return _serve(model, reason)
    folder = Path(name).expanduser()
    if folder.is_absolute() and folder.is_dir():
        return _transformer(folder.name, folder, reason)
    return _nothing(f"the model {name} is configured, but neither pulled nor a folder")


def _embedded(present: list[ModelInfo], reason: str) -> Selection:
    if any(model.engine == "embedded" for model in present):
        return Selection("embedded", EMBEDDED_MODEL, reason)
    return _nothing("the embedded model is not installed")


def _serve(model: ModelInfo, reason: str) -> Selection:
    if model.path is None:
        return Selection("embedded", model.name, reason)
    return _transformer(model.name, model.path, reason)


def _transformer(name: str, path: Path, reason: str) -> Selection:
    if not _has_transformers():
        return _nothing(f"the model {name} needs sentence-transformers: install memoryd[torch]")
    return Selection("sentence-transformers", name, reason, path)


def _nothing(reason: str) -> Selection:
    return Selection("none", "", reason)


def _has_transformers() -> bool:
    return find_spec("sentence_transformers") is not None
