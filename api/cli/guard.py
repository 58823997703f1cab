"""Turn what can go wrong in a verb into one clear message and the right exit code; never a traceback."""

import functools
import os
from collections.abc import Callable
from typing import ParamSpec

import typer

from api.cli.exit_codes import Code
from api.cli.streams import say
from audit.errors import LimitError, TablesealError

P = ParamSpec("P")

DEBUG = "TABLESEAL_DEBUG"
"""Environment variable: set to 1, unexpected errors show their traceback."""


def guarded(verb: Callable[P, Code]) -> Callable[P, None]:
    """A verb whose errors become messages on standard error and exit codes."""

    @functools.wraps(verb)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        raise typer.Exit(_code(lambda: verb(*args, **kwargs)))

    run.__annotations__ = {**verb.__annotations__, "return": None}
    return run


def _code(work: Callable[[], Code]) -> Code:
    try:
        return work()
    except LimitError as error:
        say(f"Limit reached: {error}", error=True)
        return Code.UNDECIDED
    except TablesealError as error:
        say(f"Error: {error}", error=True)
        return Code.BAD_INPUT
    except MemoryError:
        say(
            "Limit reached: not enough memory for this audit. Give it more with --memory-limit, "
            "or audit fewer tables together.",
            error=True,
        )
        return Code.UNDECIDED
    except KeyboardInterrupt:
        say("Interrupted; nothing was written.", error=True)
        return Code.INTERRUPTED
    except Exception as error:
        if os.environ.get(DEBUG) == "1":
            raise
        say(
            f"Unexpected error ({type(error).__name__}). This is a fault of tableseal, not of your data; "
            f"please report it. {DEBUG}=1 shows where it happened (the output may hold confidential values).",
            error=True,
        )
        return Code.BAD_INPUT
