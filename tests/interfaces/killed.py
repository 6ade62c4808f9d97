"""Runs memoryd once and kills it at the Nth call after a function of memoryd was first entered.

Arguments: the function's name, N (0: never, print how many calls there were), then memoryd's own arguments.
"""

import os
import signal
import sys
from pathlib import Path
from types import FrameType

import memoryd
from memoryd.interfaces.cli import main

PACKAGE = str(Path(str(memoryd.__file__)).parent)
first, at, arguments = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
calls = [0]


def count(frame: FrameType, event: str, argument: object) -> None:
    """Count calls, those of C functions included: a kill may fall between any two system calls."""
    inside = frame.f_code.co_filename.startswith(PACKAGE)
    if inside and (calls[0] or frame.f_code.co_name == first):
        calls[0] += 1
        if calls[0] == at:
            os.kill(os.getpid(), signal.SIGKILL)


os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
sys.setprofile(count)
try:
    main(arguments)
finally:
    sys.setprofile(None)
    sys.stderr.write(f"\n{calls[0]}\n")
