"""Programs that workers cannot import: those without `if __name__ == "__main__":` around what they do, and those that
are no file.

A worker process imports the main program, as what it works with may be defined there. Where that starts workers itself,
it would go on so for ever; Python refuses it with a traceback of each worker.
"""

import os
import sys
from collections.abc import Iterable
from multiprocessing.process import BaseProcess, current_process
from pathlib import Path
from time import monotonic, sleep

from tableseal.audit.errors import OptionName, UnguardedError

UNGUARDED = 86
"""With this exit code ends a worker that was about to start workers while it imported the main program."""

GUARD = 'if __name__ == "__main__":'


def refuse_while_importing() -> None:
    """In a worker that is still importing the main program: end without a word; who has started it says why."""
    if getattr(current_process(), "_inheriting", False):
        os._exit(UNGUARDED)


def refuse_without_file() -> None:
    """Refuse a main program that workers would look for in vain: one that is read from standard input.

    Raises
    ------
    UnguardedError: says what to do.
    """
    main = sys.modules.get("__main__")
    file = getattr(main, "__file__", None)
    if file is not None and getattr(main, "__spec__", None) is None and not Path(file).exists():
        raise UnguardedError(
            "worker processes import the program that starts them, and this one is no file: write it to one, with ",
            f"{GUARD} before what it does; or leave ",
            OptionName("jobs"),
            " out.",
            at=OptionName("jobs"),
        )


def refuse_if_unguarded(workers: Iterable[BaseProcess], *, patience: float = 2.0) -> None:
    """Say what is wrong if one of these workers, which are ending, was about to start workers.

    Raises
    ------
    UnguardedError: says what to write.
    """
    until = monotonic() + patience
    waiting = list(workers)
    while waiting and monotonic() < until:
        if any(worker.exitcode == UNGUARDED for worker in waiting):
            raise UnguardedError(
                "worker processes import the program that starts them, and it would start workers again. Write ",
                f"{GUARD} on a line of its own and what the program does below it, indented; or leave ",
                OptionName("jobs"),
                " out.",
                at=OptionName("jobs"),
            ) from None
        waiting = [worker for worker in waiting if worker.exitcode is None]
        sleep(0.01)
