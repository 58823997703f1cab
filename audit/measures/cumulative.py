"""How a cell's interval narrows as one table after another is released (Oganian & Domingo-Ferrer 2003, (6)-(8))."""

from dataclasses import replace

import numpy as np

from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.engine import bound_forms
from tableseal.audit.bounds.method import Method
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.keys import KeySpace, Lookup
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.linear.reduce import reduce
from tableseal.audit.measures.risk.posterior import disclosure_risk
from tableseal.audit.model import Absent, Amounts, Release, Status, Table
from tableseal.audit.prepare import prepare
from tableseal.audit.progress import Progress, silent
from tableseal.audit.report.model import Step
from tableseal.audit.whatif import restated


def cumulative_steps(
    release: Release, cells: Cells, method: Method, limits: Limits, progress: Progress, *, what_if: bool
) -> dict[int, tuple[Step, ...]]:
    """Steps per open cell (position among the open cells): after each table that releases anything.

    The risk of a step is that of its interval (values not proved impossible, taken as equally likely), so that it never
    falls as more is released. A table that is not out yet says nothing; bounds that the intruder has anyway (`lower`,
    `upper`, links) are known from the start.

    Parameters
    ----------
    cells: the cells of the whole release; what_if: with exactly the sensitive ones withheld, so that every step
        withholds and publishes the same.
    """
    steps: dict[int, list[Step]] = {}
    open_cells = np.flatnonzero(~cells.exact)
    tables = [t for t, table in enumerate(release.tables) if _releases(table)]
    space = KeySpace.of(release)
    wanted = space.keys(cells.measure[open_cells], cells.codes[open_cells])
    for done, t in enumerate(tables):
        progress("cumulative view", done, len(tables))
        so_far = replace(release, tables=tuple(_up_to(table, k <= t) for k, table in enumerate(release.tables)))
        partial = _aligned(merge_cells(so_far)[0], cells, space, what_if=what_if)
        prepared = prepare(so_far, partial)
        reduced = reduce(prepared.differenced, nonnegative=prepared.system.nonnegative)
        at = prepared.system.open_cells
        place = Lookup.of(space.keys(partial.measure[at], partial.codes[at])).find(wanted)
        asked = np.flatnonzero(place >= 0)
        found = bound_forms(reduced, prepared.system.forms[place[asked]], method, limits, silent)
        for k, b in zip(asked.tolist(), found.bounds, strict=True):
            unit = list(release.measures.values())[int(cells.measure[open_cells[k]])].unit
            lower, upper = b.lower.outer, b.upper.outer
            steps.setdefault(k, []).append(
                Step(
                    release.tables[t].name,
                    None if lower is None else lower * unit,
                    None if upper is None else upper * unit,
                    disclosure_risk(b.at_most),
                )
            )
    return {k: tuple(s) for k, s in steps.items()}


def _releases(table: Table) -> bool:
    """True if the table publishes anything."""
    return bool((table.status <= Status.STRUCTURAL_ZERO).any())


def _up_to(table: Table, out: bool) -> Table:
    """The table itself if it is out; else its cells as not released, with what is known of them anyway."""
    if out:
        return table
    n = len(table.codes)
    return replace(
        table,
        status=np.full(n, Status.MISSING, np.int8),
        value=Amounts.none(n),
        rounding=None,
        absent=Absent("not_released", "not_released"),
    )


def _aligned(partial: Cells, whole: Cells, space: KeySpace, *, what_if: bool) -> Cells:
    """The cells of a step with the statuses of the whole release: a cell that a later table publishes is not withheld,
    only not out yet (so `nonempty` says nothing of it); in the what-if, withheld and published as there."""
    place = Lookup.of(space.keys(whole.measure, whole.codes)).find(space.keys(partial.measure, partial.codes))
    known = place >= 0
    status = np.where(known, whole.status[place], partial.status)
    hide = (status >= Status.SECONDARY) & (partial.status <= Status.STRUCTURAL_ZERO)
    show = what_if & known & (status <= Status.FROZEN) & whole.exact[place] & (partial.status == Status.SECONDARY)

    later = known & (status <= Status.STRUCTURAL_ZERO) & (partial.status >= Status.SECONDARY) & ~show
    value = whole.lower.take(place)
    return replace(
        partial,
        status=np.where(later, Status.MISSING, np.where(hide | show, status, partial.status)).astype(np.int8),
        lower=restated(partial.lower, partial.known_lower, value, silent=hide, shown=show),
        upper=restated(partial.upper, partial.known_upper, value, silent=hide, shown=show),
        exact=(partial.exact & ~hide) | show,
        rounded=partial.rounded & ~hide,
    )
