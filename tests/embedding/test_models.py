"""Pulled models: what is taken, what is refused, and that a changed file is noticed."""

import stat
import sys
from pathlib import Path

import pytest

from memoryd.embedding import list_models, pull_model, use_model, verify_model
from memoryd.embedding.models import EMBEDDED_MODEL
from memoryd.errors import EmbeddingError

CARD = "---\nlanguage: en\nlicense: apache-2.0\n---\n# A model\nlanguage: zh in the prose\n"


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A model as it lies on disk, with things in it that must not be taken."""
    folder = tmp_path / "Org" / "My Model_v2"
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "modules.json").write_text("[]")
    (folder / "1_Pooling" / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "README.md").write_text(CARD)
    (folder / "modeling.py").write_text("raise SystemExit")
    (folder / "pytorch_model.bin").write_bytes(b"a pickle")
    return folder


def test_the_embedded_model_is_listed_without_any_folder(tmp_path: Path) -> None:
    (model,) = list_models(tmp_path / "missing")

    assert (EMBEDDED_MODEL, "embedded", None) == (model.name, model.engine, model.path)
    assert model.multilingual
    assert not model.selected


def test_a_folder_is_copied_without_code_and_private(source: Path, tmp_path: Path) -> None:
    model = pull_model(tmp_path / "models", str(source))

    assert "my-model_v2" == model.name
    assert model.path is not None
    files = {file.relative_to(model.path).as_posix() for file in model.path.rglob("*.*")}
    assert {
        "modules.json",
        "1_Pooling/config.json",
        "model.safetensors",
        "README.md",
        "memoryd-model.json",
    } == files
    for path in [tmp_path / "models", *(tmp_path / "models").rglob("*")]:
        assert (0o700 if path.is_dir() else 0o600) == stat.S_IMODE(path.stat().st_mode), path


def test_the_model_is_listed_after_it_was_pulled(source: Path, tmp_path: Path) -> None:
    pulled = pull_model(tmp_path / "models", str(source), name="mine")

    assert [EMBEDDED_MODEL, "mine"] == [model.name for model in list_models(tmp_path / "models")]
    assert pulled == list_models(tmp_path / "models")[1]
    assert ("mine", pulled.revision) == verify_model(tmp_path / "models" / "mine")


def test_the_same_files_have_the_same_revision_under_any_name(source: Path, tmp_path: Path) -> None:
    one = pull_model(tmp_path / "models", str(source), name="one")
    two = pull_model(tmp_path / "models", str(source), name="two")
    (source / "model.safetensors").write_bytes(b"heavier")
    three = pull_model(tmp_path / "models", str(source), name="three")

    assert one.revision == two.revision != three.revision


def test_pulling_again_replaces(source: Path, tmp_path: Path) -> None:
    old = pull_model(tmp_path / "models", str(source), name="mine")
    (source / "model.safetensors").write_bytes(b"heavier")
    (source / "README.md").unlink()
    new = pull_model(tmp_path / "models", str(source), name="mine")

    assert old.revision != new.revision
    assert ("mine", new.revision) == verify_model(tmp_path / "models" / "mine")
    assert ["mine"] == names(tmp_path / "models")


def test_a_failed_pull_leaves_nothing_and_the_old_model(source: Path, tmp_path: Path) -> None:
    old = pull_model(tmp_path / "models", str(source), name="mine")
    (source / "model.safetensors").unlink()
    with pytest.raises(EmbeddingError, match="no weights as safetensors"):
        pull_model(tmp_path / "models", str(source), name="mine")

    assert ["mine"] == names(tmp_path / "models")
    assert ("mine", old.revision) == verify_model(tmp_path / "models" / "mine")


@pytest.mark.parametrize("damage", ["change", "remove", "add"])
def test_a_changed_model_is_not_loaded(source: Path, tmp_path: Path, damage: str) -> None:
    folder = pull_model(tmp_path / "models", str(source)).path
    assert folder is not None
    if damage == "change":
        (folder / "model.safetensors").write_bytes(b"WEIGHTS")
    elif damage == "remove":
        (folder / "modules.json").unlink()
    else:
        (folder / "adapter.safetensors").write_bytes(b"more")

    with pytest.raises(EmbeddingError, match="not as it was pulled"):
        verify_model(folder)


@pytest.mark.parametrize("manifest", ["", "[]", "{}", '{"name": "x"}', '{"unknown": 1}'])
def test_a_damaged_manifest_is_an_error(source: Path, tmp_path: Path, manifest: str) -> None:
    folder = pull_model(tmp_path / "models", str(source)).path
    assert folder is not None
    (folder / "memoryd-model.json").write_text(manifest)

    with pytest.raises(EmbeddingError, match="damaged"):
        verify_model(folder)


def test_a_folder_never_pulled_shows_a_change_as_another_revision(source: Path) -> None:
    name, before = verify_model(source)
    (source / "1_Pooling" / "config.json").write_text("[]")

    assert "My Model_v2" == name
    assert before != verify_model(source)[1]


def test_a_folder_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError):
        verify_model(tmp_path / "gone")


@pytest.mark.parametrize(
    ("card", "languages", "multilingual"),
    [
        ("---\nlanguage: en\n---\n", ("en",), False),
        ("---\nlanguage: [en, zh]\n---\n", ("en", "zh"), True),
        ("---\ntags:\n- x\nlanguage:\n- multilingual\n- af\nlicense: mit\n---\n", None, True),
        ("---\nlanguage:\n  - zh\n  - ja\n---\n", ("zh", "ja"), True),
        ("---\nlicense: mit\n---\nlanguage: zh\n", (), False),
        ("no front matter", (), False),
        (None, (), False),
    ],
)
def test_languages_are_read_from_the_card(
    source: Path,
    tmp_path: Path,
    card: str | None,
    languages: tuple[str, ...] | None,
    multilingual: bool,
) -> None:
    (source / "README.md").unlink()
    if card is not None:
        (source / "README.md").write_text(card)
    model = pull_model(tmp_path / "models", str(source))

    assert model.languages == (("multilingual", "af") if languages is None else languages)
    assert multilingual == model.multilingual


def test_a_model_called_multilingual_is(source: Path, tmp_path: Path) -> None:
    assert pull_model(tmp_path, str(source), name="multilingual-e5-small").multilingual


@pytest.mark.parametrize("name", ["..", "/", "...", "中文"])
def test_a_name_that_would_be_no_folder_is_refused(source: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(EmbeddingError, match="no name"):
        pull_model(tmp_path / "models", str(source), name=name)


def test_a_name_cannot_leave_the_folder(source: Path, tmp_path: Path) -> None:
    model = pull_model(tmp_path / "models", str(source), name="../../escape")

    assert model.path is not None
    assert tmp_path / "models" == model.path.parent


def test_an_installed_package_that_carries_a_model_is_found(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    info = site / "packaged_model-1.0.dist-info"
    info.mkdir(parents=True)
    source.rename(site / "packaged_model")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: packaged-model\nVersion: 1.0\n")
    listed = ["modules.json", "model.safetensors", "1_Pooling/config.json"]
    (info / "RECORD").write_text("".join(f"packaged_model/{name},,\n" for name in listed))
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])

    model = pull_model(tmp_path / "models", "packaged-model")

    assert "packaged-model" == model.name
    assert len(b"weights[]{}" + CARD.encode()) == model.bytes


def test_a_package_without_a_model_is_no_source(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match="nor an installed package that carries a model"):
        pull_model(tmp_path / "models", "pytest")


def test_nothing_is_downloaded_unless_asked_for(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match="must be asked for"):
        pull_model(tmp_path / "models", "some/model")


def test_a_download_that_cannot_be_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the library, or with it and no network."""
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(EmbeddingError, match=r"install memoryd\[torch\]|cannot download"):
        pull_model(tmp_path / "models", "some/model", network=True)

    assert [] == names(tmp_path / "models")


def test_one_model_at_a_time_is_chosen(source: Path, tmp_path: Path) -> None:
    models_dir = tmp_path / "models"
    pull_model(models_dir, str(source), name="mine")

    assert use_model(models_dir, "mine").selected
    assert ["mine"] == [model.name for model in list_models(models_dir) if model.selected]
    assert use_model(models_dir, "embedded").selected
    assert [EMBEDDED_MODEL] == [model.name for model in list_models(models_dir) if model.selected]


def test_choosing_what_is_not_there_lists_what_is(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match=f"there are: {EMBEDDED_MODEL}"):
        use_model(tmp_path / "models", "absent")
