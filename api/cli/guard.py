"""Turn what can go wrong in a verb into one clear message and the right exit code; never a traceback."""

import functools
import os
import sys
from collections.abc import Callable
from typing import ParamSpec

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.streams import say
from tableseal.audit.clock import compiling
from tableseal.audit.errors import OptionName
from tableseal.audit.execution.failures import failure_of

P = ParamSpec("P")

TOLD = 1.0
"""Seconds of compiling from which on a terminal says so."""

DEBUG = "TABLESEAL_DEBUG"
"""Environment variable: set to 1, unexpected errors show their traceback."""


def guarded(verb: Callable[P, Code]) -> Callable[P, None]:
    """A verb whose errors become messages on standard error and exit codes."""

    @functools.wraps(verb)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        before = compiling.seconds
        code = _code(lambda: verb(*args, **kwargs))
        _tell_compiling(compiling.seconds - before)
        raise typer.Exit(code)

    run.__annotations__ = {**verb.__annotations__, "return": None}
    return run


def _tell_compiling(seconds: float) -> None:
    """Where the time went that no time limit has counted; not in a pipe."""
    if seconds >= TOLD and sys.stderr.isatty():
        text = f"Preparing the program for this machine took {seconds:.0f} s, once; no time limit counts it."
        say(text, error=True)


def _code(work: Callable[[], Code]) -> Code:
    try:
        return work()
    except KeyboardInterrupt:
        say("Interrupted; nothing was written.", error=True)
        return Code.INTERRUPTED
    except Exception as error:
        failure = failure_of(error, OptionName.flag)
        if failure.kind == "fault" and os.environ.get(DEBUG) == "1":
            raise
        say(f"{_HEADINGS[failure.kind]}{failure.message}", error=True)
        if failure.kind == "fault":
            say(f"{DEBUG}=1 shows where it happened (the output may hold confidential values).", error=True)
        return Code.UNDECIDED if failure.kind == "limit" else Code.BAD_INPUT


_HEADINGS = {"limit": "Limit reached: ", "input": "Error: ", "fault": ""}
