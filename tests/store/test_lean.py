"""What a daemon never needs is not loaded by what it needs."""

import subprocess
import sys
from importlib import import_module

import pytest

from memoryd.store.lean import left_out


def test_what_was_left_out_can_be_imported_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    with left_out("colorsys", "sys"), pytest.raises(ImportError):
        import_module("colorsys")
    colorsys = import_module("colorsys")

    assert colorsys.rgb_to_hls(0, 0, 0) == (0.0, 0.0, 0.0)
    assert sys.modules["sys"] is sys


def test_the_daemon_that_makes_its_database_loads_neither_numpy_nor_rich(tmp_path: object) -> None:
    program = (
        "import sys, threading, os, signal; from pathlib import Path\n"
        "import memoryd.interfaces.cli as cli\n"
        "def end():\n"
        "    home = Path(sys.argv[1], 'memoryd.sock')\n"
        "    while not home.exists(): threading.Event().wait(0.05)\n"
        "    print(sorted({'numpy', 'rich', 'pygments', 'sqlite_utils'} & sys.modules.keys()), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "threading.Thread(target=end, daemon=True).start()\n"
        "cli.main(['--home', sys.argv[1], 'run'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )

    assert "['sqlite_utils']\n" == done.stdout, done.stderr
