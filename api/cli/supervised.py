"""Work under a memory limit in a process of its own: compiled libraries end their process when they get no memory."""

import os
import signal
import sys
from contextlib import suppress
from types import FrameType

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.streams import say

OPTION = "--memory-limit"


def supervise() -> None:
    """Where a memory limit is asked for, go on in a copy of this process; the original only waits for it, and says what
    happened if it was ended. Call before any thread is started."""
    asked = any(word == OPTION or word.startswith(f"{OPTION}=") for word in sys.argv)
    if not asked or not hasattr(os, "fork"):
        return
    child = os.fork()
    if child == 0:
        _end_with_parent()
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # goes to both; the child says so

    def forward(number: int, _: FrameType | None) -> None:
        os.kill(child, number)

    signal.signal(signal.SIGTERM, forward)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended in (-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS, -signal.SIGKILL):
        say(
            f"Limit reached: not enough memory: a library ended the work. Give it more with {OPTION}, or audit fewer "
            "tables together.",
            error=True,
        )
        ended = Code.UNDECIDED
    os._exit(ended if ended >= 0 else 128 - ended)


def _end_with_parent() -> None:
    """On Linux this process is killed when the one that waits for it is."""
    import ctypes

    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
