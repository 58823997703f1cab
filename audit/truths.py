"""True values that the agency states and that cannot be: cells with them are not called protected."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.engine import CellBounds
from tableseal.audit.linear.additivity import disagreements
from tableseal.audit.linear.cells import Cells, Stated
from tableseal.audit.linear.naming import decimal, full_name, plural
from tableseal.audit.linear.nesting import CellCodes, nestings
from tableseal.audit.linear.system import known_bounds
from tableseal.audit.model import Note, Release, Status
from tableseal.audit.prepare import Prepared

SHOWN = 12
"""Cells that a note names."""


@dataclass(frozen=True)
class ImpossibleTruths:
    """open: positions among the open cells whose stated true value cannot be. note: which, and what is possible."""

    open: frozenset[int]
    note: Note | None


def impossible_truths(prepared: Prepared, found: CellBounds) -> ImpossibleTruths:
    """Open cells whose stated true values lie outside what is possible, or do not add up with what is released.

    No true value is told: only what is possible.
    """
    cells, open_cells = prepared.cells, prepared.system.open_cells
    stated = np.zeros(len(cells), np.bool_)
    stated[open_cells] = cells.truth.known[open_cells] & (cells.status[open_cells] != Status.MISSING)
    wrong: set[int] = set()
    negative = cells.impossible & (cells.status != Status.MISSING)
    if stated.any() or negative.any():
        together = _not_together(prepared.release, cells, stated)
        for k, cell in enumerate(open_cells.tolist()):
            outside = stated[cell] and _outside(found, k, int(cells.truth.units[cell]))
            if negative[cell] or together[cell] or outside:
                wrong.add(k)
    return ImpossibleTruths(frozenset(wrong), _note(prepared, found, sorted(wrong)) if wrong else None)


def _outside(found: CellBounds, k: int, truth: int) -> bool:
    lower, upper = found.bounds[k].lower.outer, found.bounds[k].upper.outer
    return (lower is not None and truth < lower) or (upper is not None and truth > upper)


def _not_together(release: Release, cells: Cells, stated: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool (cells): stated values of sums and parts, or of a link, that contradict each other or what is released."""
    wrong = np.zeros(len(cells), np.bool_)
    lower, upper = known_bounds(release, cells, prior=False)
    lower, upper = (np.where(stated, cells.truth.units, bound) for bound in (lower, upper))
    said = Stated.within(release, cells, lower, upper)
    known = said.known
    directions = list(nestings(release, CellCodes(cells.measure[known], cells.codes[known])))
    for found in disagreements(said, directions):
        for whole in found.wholes.tolist():
            wrong[known[whole]] = True
            wrong[known[found.parts[found.whole == whole]]] = True
    for members in _broken_links(release, cells, lower, upper):
        wrong[members] = True
    return wrong & stated


def _broken_links(
    release: Release, cells: Cells, lower: NDArray[np.int64], upper: NDArray[np.int64]
) -> Iterator[list[int]]:
    """Cells of each link whose values are all stated and do not satisfy it."""
    if not release.statements:
        return
    measures = list(release.measures.values())
    names = list(release.measures)
    at = {(int(m), tuple(c)): k for k, (m, c) in enumerate(zip(cells.measure, cells.codes.tolist(), strict=True))}
    for link in release.statements:
        members = [at.get((names.index(t.measure), t.codes)) for t in link.terms]
        total = Fraction()
        for term, cell in zip(link.terms, members, strict=True):
            if cell is None or lower[cell] != upper[cell]:
                break
            total += term.coefficient * int(lower[cell]) * measures[names.index(term.measure)].unit
        else:
            if (link.lower is not None and total < link.lower) or (link.upper is not None and total > link.upper):
                yield [cell for cell in members if cell is not None]


def _note(prepared: Prepared, found: CellBounds, wrong: list[int]) -> Note:
    release, cells = prepared.release, prepared.cells
    units = [measure.unit for measure in release.measures.values()]
    named = []
    for k in wrong[:SHOWN]:
        cell = int(prepared.system.open_cells[k])
        unit = units[int(cells.measure[cell])]
        ends = [
            "no limit" if end.outer is None else decimal(end.outer, unit)
            for end in (found.bounds[k].lower, found.bounds[k].upper)
        ]
        named.append(f"{full_name(release, cells, cell)}: possible is [{ends[0]}, {ends[1]}]")
    more = f"; and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
    text = (
        f"{plural(len(wrong), 'true value', 'true values')} stated for cells that are not published cannot be, by "
        f"themselves or together: {'; '.join(named)}{more}. No interval uses them, and such a cell is not called "
        "protected; mend the true values"
    )
    return Note("impossible_truth", text, len(wrong))
