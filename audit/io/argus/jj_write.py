"""A release -> the suppression problem in JJ format: its cells, and every total with its parts."""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

import numpy as np

from tableseal.audit.errors import InputError
from tableseal.audit.io.argus.jj import JJ, JJCell, Relation
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.keys import KeySpace
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import Amounts, Release, Status
from tableseal.audit.rules.assess import assess

_WIDEST = Fraction(3, 2)
"""No value is above so many times the largest one: what everybody is taken to know where nothing is said."""


def jj_of(release: Release) -> JJ:
    """The problem that a release poses. What is known of a cell are its own bounds, else 0 (or half as much again below
    the smallest value, where values may be negative) and half as much again as the largest value.

    Raises
    ------
    InputError: a cell without a true value, a release that holds more than JJ files do (rounded tables, statistics).
    """
    cells, _ = merge_cells(release)
    if any(table.rounding is not None for table in release.tables) or release.statistics:
        raise InputError("rounded tables and statistics are nothing that JJ files can say.")
    unknown = np.flatnonzero(~cells.truth.known)
    if len(unknown):
        codes = ", ".join(release.cell_codes(cells.codes[int(unknown[0])]).values())
        raise InputError(f"the value of the cell {codes} is not known; a JJ file needs all values.")
    names = list(release.measures)
    units = [release.measures[names[m]].unit for m in cells.measure.tolist()]
    values = [unit * value for unit, value in zip(units, cells.truth.units.tolist(), strict=True)]
    largest, smallest = max(values, default=Fraction(0)), min(values, default=Fraction(0))
    low = Fraction(0) if release.intruder.nonnegative else min(Fraction(0), _WIDEST * smallest)
    high = max(Fraction(ceil(_WIDEST * max(abs(largest), abs(smallest)))), Fraction(1))
    sensitive, below, above, width = _required(release, cells)
    costs = _costs(release, cells, values)
    found = []
    for cell, value in enumerate(values):
        status = _letter(Status(int(cells.status[cell])), sensitive=bool(sensitive[cell]))
        lower = _known(cells.known_lower, cell, units[cell])
        upper = _known(cells.known_upper, cell, units[cell])
        limits = [amount * units[cell] for amount in (int(below[cell]), int(above[cell]), int(width[cell]))]
        found.append(
            JJCell(
                value, costs[cell], status, low if lower is None else lower, high if upper is None else upper, *limits
            )
        )
    return JJ(tuple(found), tuple(_relations(release, cells)))


def _letter(status: Status, *, sensitive: bool) -> str:
    if sensitive:
        return "u"
    if status in (Status.MUST_PUBLISH, Status.FROZEN, Status.STRUCTURAL_ZERO):
        return "z"
    return "m" if status.withheld or status == Status.MISSING else "s"


def _required(release: Release, cells: Cells) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(bool: sensitive, int64: distances below and above, widths), per cell."""
    truth = cells.truth.units
    sensitive = cells.sensitive_status | (cells.status >= Status.WITHHELD)
    below, above = (np.where(a.known & sensitive, a.units, 0) for a in (cells.protection_lower, cells.protection_upper))
    width = np.where(cells.protection_sliding.known & sensitive, cells.protection_sliding.units, 0)
    if release.policy is None:
        return sensitive, below, above, width
    found = assess(release, cells, release.policy)
    lower, upper = found.required_lower, found.required_upper
    below = np.where(lower.known, np.maximum(truth - lower.units, 0), below)
    above = np.where(upper.known, np.maximum(upper.units - truth, 0), above)
    return sensitive | found.sensitive, below, above, width


def _costs(release: Release, cells: Cells, values: list[Fraction]) -> list[Fraction]:
    """Of the files, else the value, and at least 1."""
    costs = [max(abs(value), Fraction(1)) for value in values]
    order = np.argsort(cells.listing_table, kind="stable")
    listing, offset = cells.listing_cell[order], 0
    for table in release.tables:
        for row, cell in enumerate(listing[offset : offset + len(table.codes)].tolist()):
            if table.cost is not None and not np.isnan(table.cost[row]):
                costs[cell] = Fraction(str(table.cost[row]))
        offset += len(table.codes)
    return costs


def _known(bounds: Amounts, cell: int, unit: Fraction) -> Fraction | None:
    units = bounds.get(cell)
    return None if units is None else units * unit


def _relations(release: Release, cells: Cells) -> Iterator[Relation]:
    """Every code of every variable is the sum of those directly below it, where all of them are cells; and links."""
    space = KeySpace.of(release)
    keys = space.keys(cells.measure, cells.codes)
    position = {key: cell for cell, key in enumerate(keys.tolist())}
    names = list(release.measures)
    for at, hierarchy in enumerate(release.variables.values()):
        for parents in hierarchy.parents:
            below: dict[int, list[int]] = {}
            for code, parent in enumerate(parents.tolist()):
                if parent >= 0:
                    below.setdefault(parent, []).append(code)
            for cell in range(len(cells)):
                children = below.get(int(cells.codes[cell, at]), [])
                if not children:
                    continue
                rows = np.repeat(cells.codes[cell : cell + 1], len(children), axis=0)
                rows[:, at] = children
                measure = np.full(len(children), cells.measure[cell], np.int32)
                parts = [position.get(key) for key in space.keys(measure, rows).tolist()]
                if None not in parts:
                    yield Relation(Fraction(0), ((cell, -1), *((part, 1) for part in parts if part is not None)))
    for link in release.links:
        if link.lower is None or link.lower != link.upper:
            raise InputError("a link with two bounds is nothing that JJ files can say.")
        terms = []
        for term in link.terms:
            measure = np.array([names.index(term.measure)], np.int32)
            key = space.keys(measure, np.array([term.codes], np.int32)).tolist()[0]
            if key not in position:
                raise InputError("a link has a cell that no table lists, which JJ files cannot say.")
            terms.append((position[key], term.coefficient))
        yield Relation(link.lower, tuple(terms))
