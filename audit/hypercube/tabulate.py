"""Tables of a hypercube: a question -> counts, keys and sums of all its cells."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from tableseal.audit.errors import LimitError
from tableseal.audit.hypercube.adding import sums
from tableseal.audit.hypercube.contributions import Contributions, added, grouped
from tableseal.audit.hypercube.dense import DenseCells
from tableseal.audit.hypercube.model import BaseCells, Cells, Ints
from tableseal.audit.hypercube.question import Question, cells_of

MOST_CELLS = 2**26
"""Of a table."""
_FITS = 2**62


@dataclass(frozen=True, repr=False)
class Tabulated:
    """A table, its cells row by row. Confidential.

    Attributes
    ----------
    shape: codes of each of its variables. count: int64 (cells), units. keys: int64 (cells), sums of the keys of units
        modulo the hypercube's modulus; empty if it has none. sums: measure -> int64 (cells), in whole units of it.
        contributions: to that measure; None: none was asked for, or the hypercube does not keep them.
    """

    shape: tuple[int, ...]
    count: Ints
    keys: Ints
    sums: Mapping[str, Ints] = field(default_factory=dict)
    contributions: Contributions | None = None


def tabulate(question: Question, cells: Cells) -> Tabulated:
    """The table that a question asks for.

    Raises
    ------
    InputError: parts of a stored hypercube that cannot be read. LimitError: too many cells, sums beyond 2^62.
    """
    if question.size > MOST_CELLS:
        text = f"the table has {question.size:,} cells, more than {MOST_CELLS:,}; choose coarser levels."
        raise LimitError(text)
    if isinstance(cells, DenseCells) and question.measure is None:
        found = cells.contracted(question)
        return Tabulated(question.shape, found.count, found.keys)
    used = {axis.variable for axis in (*question.axes, *question.where)}
    measures = () if question.measure is None else (question.measure,)
    return added_up(question, cells.parts(used, measures), cells.about.modulus)


def added_up(question: Question, parts: Iterable[BaseCells], modulus: int | None) -> Tabulated:
    """The same of cells in parts, one after another: what is held is the table and one part.

    Raises
    ------
    LimitError: as for `tabulate`.
    """
    size = question.size
    count = np.zeros(size, np.int64)
    keys = np.zeros(0 if modulus is None else size, np.int64)
    total = np.zeros(0 if question.measure is None else size, np.int64)
    reached = 0.0
    contributions: Contributions | None = None
    for part in parts:
        # Cells that are in no cell of the table come first, and are dropped.
        group = cells_of(question, part) + 1
        count += sums(group, part.count, size + 1)[1:]
        if modulus is not None:
            keys += sums(group, part.keys, size + 1)[1:]
            keys %= modulus
        if question.measure is not None:
            values = part.sums[question.measure]
            reached += float(np.abs(values).sum(dtype=np.float64))
            if reached >= _FITS:
                raise LimitError(f"{question.measure} adds up to more than 2^62 units.")
            total += sums(group, values, size + 1)[1:]
            if part.contributions is not None:
                own = grouped(part.contributions.only([question.measure]), group - 1, size)
                contributions = own if contributions is None else added([contributions, own])
    found = {} if question.measure is None else {question.measure: total}
    return Tabulated(question.shape, count, keys, found, contributions)
