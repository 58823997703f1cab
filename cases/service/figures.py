"""What a run found, in figures."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from cases.benchmarks.machine import machine


@dataclass(frozen=True)
class Figure:
    """One figure. ok: None for a measurement, else whether it is as it has to be."""

    what: str
    value: str
    ok: bool | None = None


class SkippedError(Exception):
    """A run needs something that is not here."""


def where() -> str:
    """The machine, and how busy it was: the load average of the last minute."""
    known = machine()
    busy = os.getloadavg()[0]
    return f"{known['processor']}, {known['memory']}, Python {known['python']}; load average {busy:.1f}"


def table(name: str, figures: Sequence[Figure]) -> str:
    """Lines of a Markdown table."""
    words = {None: "", True: "as it has to be", False: "**wrong**"}
    return "\n".join(f"| {name} | {figure.what} | {figure.value} | {words[figure.ok]} |" for figure in figures)
