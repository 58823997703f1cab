"""Exit codes of every verb."""

from enum import IntEnum


class Code(IntEnum):
    """What the exit code says; nothing else is ever returned."""

    DONE = 0
    """All safe, or simply done."""
    UNSAFE = 1
    """Something is unsafe, or a case deviates."""
    BAD_INPUT = 2
    """The input or the use of the command is wrong; nothing was written."""
    UNDECIDED = 3
    """A limit was reached before there was an answer."""
    INTERRUPTED = 130
    """Stopped with Ctrl-C."""


VERDICTS = {"safe": Code.DONE, "unsafe": Code.UNSAFE, "undecided": Code.UNDECIDED, "failed": Code.BAD_INPUT}
"""Verdict on a release or a batch -> exit code."""
