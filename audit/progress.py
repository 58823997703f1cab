"""How long work tells that it goes on."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""(what is being done, steps done, steps in all)"""


def silent(what: str, done: int, total: int) -> None:
    """Progress of nobody."""
