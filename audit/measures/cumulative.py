"""How a cell's interval narrows as one table after another is released (Oganian & Domingo-Ferrer 2003, (6)-(8))."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from audit.bounds.component import Limits, Method
from audit.bounds.engine import bound_forms
from audit.linear.cells import Cells
from audit.linear.reduce import reduce
from audit.measures.posterior import disclosure_risk
from audit.model import Amounts, Release, Status
from audit.prepare import prepare
from audit.progress import Progress, silent
from audit.report.model import Step


def cumulative_steps(
    release: Release,
    cells: Cells,
    method: Method,
    limits: Limits,
    progress: Progress,
) -> dict[int, tuple[Step, ...]]:
    """Steps per open cell (position among the open cells): after each table that releases anything.

    A cell is known at a step if one of the tables so far lists it with a value; bounds that the intruder has anyway are
    known from the start.
    """
    steps: dict[int, list[Step]] = {}
    open_cells = np.flatnonzero(~cells.exact)
    said_by = _first_table_that_says(release, cells)
    tables = [t for t in range(len(release.tables)) if (said_by == t).any()]
    for done, t in enumerate(tables):
        progress("cumulative view", done, len(tables))
        partial = _up_to(cells, said_by <= t)
        prepared = prepare(release, partial)
        reduced = reduce(prepared.differenced, nonnegative=prepared.system.nonnegative)
        forms = prepared.system.forms[np.searchsorted(prepared.system.open_cells, open_cells)]
        found = bound_forms(reduced, forms, method, limits, silent)
        for k, b in enumerate(found.bounds):
            unit = list(release.measures.values())[int(cells.measure[open_cells[k]])].unit
            lower, upper = b.lower.outer, b.upper.outer
            values = None if b.at_least is None else max(b.at_least, 1)
            steps.setdefault(k, []).append(
                Step(
                    release.tables[t].name,
                    None if lower is None else lower * unit,
                    None if upper is None else upper * unit,
                    disclosure_risk(values),
                )
            )
    return {k: tuple(s) for k, s in steps.items()}


def _first_table_that_says(release: Release, cells: Cells) -> NDArray[np.int64]:
    """Position of the first table that releases something of each cell; the number of tables if none does."""
    first = np.full(len(cells), len(release.tables), dtype=np.int64)
    for t, table in enumerate(release.tables):
        at = cells.listing_table == t
        status = table.status[cells.listing_row[at]]
        says = (status <= Status.STRUCTURAL_ZERO) & cells.lower.known[cells.listing_cell[at]]
        np.minimum.at(first, cells.listing_cell[at][says], t)
    absent = np.flatnonzero(cells.row < 0)
    first[absent] = np.minimum(first[absent], cells.table[absent])
    return first


def _up_to(cells: Cells, known: NDArray[np.bool_]) -> Cells:
    """The cells when only the known ones are released; bounds on withheld cells stay known."""
    withheld = cells.status >= Status.SECONDARY
    keep = known | withheld

    def kept(amounts: Amounts) -> Amounts:
        return Amounts(amounts.units, amounts.known & keep)

    return replace(
        cells,
        status=np.where(keep, cells.status, Status.MISSING).astype(np.int8),
        lower=kept(cells.lower),
        upper=kept(cells.upper),
        exact=cells.exact & known,
        rounded=cells.rounded & known,
    )
