"""What may be the reason where released values do not add up, and what to write then."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.cells import Stated
from tableseal.audit.linear.naming import decimal
from tableseal.audit.said import InFile, Said

PERIODS = Said(
    "if they are of two periods, say so: a variable without total, such as ",
    InFile("year", {"codes": "[...]"}),
    ", and ",
    InFile("where", {"year": "..."}),
    " in each table",
)
"""What to do about values of different periods."""

PART = Said(
    "if one is of a part of them (a filter), a variable with a total, such as ",
    InFile("people", {"total": "all", "codes": "[chosen, others]"}),
    ", and ",
    InFile("where", {"people": "chosen"}),
    " in that table",
)
"""What to do about values of different people."""


def causes(stated: Stated, whole: int, parts: NDArray[np.int64], off: int, *, otherwise: bool) -> str:
    """The likely reasons why a sum is not that of its parts, or "".

    Parameters
    ----------
    whole, parts: positions among the known cells.
    off: by how many units the sum is too large (negative: too small). otherwise: parts of another grouping of the same
        variable do add up to it.
    """
    found: list[str] = []
    cells, known = stated.cells, stated.known
    zeros = cells.row[known[parts]][(stated.lower[parts] == 0) & (stated.upper[parts] == 0)]
    open_ended = [name for name, hierarchy in stated.release.variables.items() if hierarchy.total is None]
    if off > 0 and (zeros >= 0).any():
        found.append("if a 0 stands for a suppressed value, mark it as withheld")
    elif off > 0 and len(zeros):
        rest = InFile("absent", {"leaves": "not_released"}, keyword="absent")
        taken = "combinations without a row were taken as zero; if rows were left out, say so: "
        found.append(Said(taken, rest))
        if open_ended:
            own = f"if codes of {open_ended[0]} have classifications of their own (districts that merged), give each "
            found.append(Said(own, "its table, with ", InFile("where", {open_ended[0]: "..."})))
    base, measure = _base(stated, whole, parts), stated.measure(whole)
    unit = measure.unit
    if (base > 1 or (base and measure.kind == "magnitude")) and abs(off) < (len(parts) + 1) * base:
        # What is rounded to the unit is a multiple of something finer.
        finer = Said("a finer ", InFile("unit", decimal(1, unit / 10), keyword="unit"), ", and ") if base == 1 else ""
        said = InFile("rounding", {"base": decimal(base, unit), "method": "..."}, keyword="rounded")
        found.append(Said("if values are rounded, say so: ", finer, said))
    if otherwise:
        found.append(
            "other parts of it do add up: if codes were merged or split, give each period a table with its own codes"
        )
    elif len(zeros) == 0 and (cells.table[known[parts]] != cells.table[known[whole]]).all():
        found.append(Said(PERIODS, " (codes that were merged are then no sum of those before)"))
    return Said.joined("; ", found)


def _base(stated: Stated, whole: int, parts: NDArray[np.int64]) -> int:
    """What all exactly published values of the measure are multiples of, in units; 0 if the sum itself is no value."""
    exact, of = stated.lower == stated.upper, stated.cells.measure[stated.known]
    if not exact[[whole, *parts.tolist()]].all():
        return 0
    return int(np.gcd.reduce(stated.lower[exact & (of == of[whole])]))
