"""What it costs to withhold a cell."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm, log2
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.naming import place_of
from tableseal.audit.model import Release
from tableseal.suppression.problem.distance import distances
from tableseal.suppression.problem.stability import LastPeriod

Kind = Literal["column", "unit", "value", "log", "frequency", "distance"]

LARGEST = 2**52
"""Costs beyond this many of their smallest steps would not be exact in a solver."""


@dataclass(frozen=True)
class Costs:
    """Which costs to use.

    kind: `column`: the file's own, `value` where a table has none; `unit`: 1 a cell (fewest cells); `value`: the true
    value (least value); `log`: log2(1 + value); `frequency`: contributors; `distance`: steps to the nearest sensitive
    cell (see suppression.problem.distance).
    tables: factor for the cells of a table, by name (1 where none is given).
    prefer, avoid: codes ("size=5") whose cells are cheaper, dearer by FACTOR.
    near_previous: cells that the earlier period of the release withheld are cheaper by it too.
    """

    kind: Kind = "column"
    tables: Mapping[str, Fraction] = field(default_factory=dict)
    prefer: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    near_previous: bool = True


FACTOR = 10
"""What `prefer` divides and `avoid` multiplies the cost by; cells withheld last period are cheaper by it too."""

ONE = Fraction(1)

EXACT = 2.0**53
"""Floats below that are whole are the numbers that they stand for."""

LOG_STEPS = 1000
"""Logarithms are rounded to thousandths: costs are exact numbers."""


def cell_costs(
    release: Release,
    cells: Cells,
    value: NDArray[np.int64],
    costs: Costs,
    primary: NDArray[np.bool_],
    may: NDArray[np.bool_],
    last: LastPeriod | None = None,
) -> tuple[NDArray[np.int64], int]:
    """(cost of each cell in 1 / scale, scale). At least one step each: no cell is withheld for nothing.

    value: int64 (cells), true values in units. primary, may: bool (cells), sensitive cells, and those
    whose cost matters. last: what was withheld last period is cheaper.

    Raises
    ------
    InputError: a cost is negative or not a number, a table or code is unknown.
    LimitError: costs of too different sizes.
    """
    if costs.kind == "distance":
        amounts = [Fraction(v) for v in distances(release, cells, primary).tolist()]
    else:
        amounts = [Fraction(v) for v in _plain(release, cells, value, costs.kind, may)]
    factor = _factors(release, cells, costs)
    if last is not None:
        factor = [f / FACTOR if before else f for f, before in zip(factor, last.withheld.tolist(), strict=True)]
    amounts = [a if f is ONE else a * f for a, f in zip(amounts, factor, strict=True)]
    scale = lcm(*{a.denominator for a in amounts}, 1)
    if scale > 10**6:
        scale = 10**6
    whole = [a.numerator for a in amounts] if scale == 1 else [round(a * scale) for a in amounts]
    steps = [min(max(number, 1), LARGEST) for number in whole]
    if sum(s for s, m in zip(steps, may.tolist(), strict=True) if m) >= LARGEST:
        raise LimitError(
            f"The costs of withholding (by {costs.kind}) add up to more than 2^52 of their smallest step; choose "
            "coarser ones: the logarithm of the value (log), one a cell (unit), or a cost column of your own."
        )
    return np.array(steps, dtype=np.int64), scale


def _plain(
    release: Release, cells: Cells, value: NDArray[np.int64], kind: Kind, may: NDArray[np.bool_]
) -> list[Fraction | int]:
    unit = [m.unit for m in release.measures.values()]
    if kind == "unit":
        return [1] * len(cells)
    if kind == "frequency":
        return _frequencies(release, cells, value, may)
    amounts: list[Fraction | int] = [
        abs(v) * unit[m] for v, m in zip(value.tolist(), cells.measure.tolist(), strict=True)
    ]
    if kind == "log":
        return [Fraction(round(log2(1 + float(a)) * LOG_STEPS), LOG_STEPS) for a in amounts]
    if kind == "column":
        for cell, given in costs_given(release, cells).items():
            amounts[cell] = given
    return amounts


def _frequencies(
    release: Release, cells: Cells, value: NDArray[np.int64], may: NDArray[np.bool_]
) -> list[Fraction | int]:
    counts = [m.kind == "count" for m in release.measures.values()]
    found: list[Fraction | int] = []
    for cell in range(len(cells)):
        number = int(value[cell]) if counts[cells.measure[cell]] else cells.frequency.get(cell)
        if number is None and may[cell]:
            text = "cost by frequency needs its number of contributors; name the column that holds it as "
            raise InputError(text, '"frequency", or choose another cost.', at=place_of(release, cells, cell))
        found.append(number or 0)
    return found


def costs_given(release: Release, cells: Cells) -> dict[int, Fraction]:
    """Costs that tables give; the first table that lists a cell decides.

    Raises
    ------
    InputError: a cost is negative or not finite.
    """
    found: dict[int, Fraction] = {}
    offset = 0
    order = np.argsort(cells.listing_table, kind="stable")
    for t, table in enumerate(release.tables):
        listed = order[offset : offset + len(table.codes)]
        offset += len(table.codes)
        if table.cost is None:
            continue
        for row, cell in enumerate(cells.listing_cell[listed].tolist()):
            cost = float(table.cost[row])
            if not (cost >= 0 and np.isfinite(cost)):
                if np.isnan(cost):
                    continue
                place = place_of(release, cells, cell)
                raise InputError(f"a cost of {cost:g}; expected a number that is not negative", at=place)
            if cell not in found and cells.listing_table[listed[row]] == t:
                exact = cost < EXACT and cost.is_integer()
                found[cell] = Fraction(int(cost)) if exact else Fraction(str(cost)).limit_denominator(10**6)
    return found


def _factors(release: Release, cells: Cells, costs: Costs) -> list[Fraction]:
    names = [t.name for t in release.tables]
    for name, weight in costs.tables.items():
        if name not in names:
            raise InputError(f'weight of table "{name}": there is no such table; there are {", ".join(names)}.')
        if weight < 0:
            raise InputError(f'weight of table "{name}": found {weight}, expected a number that is not negative.')
    both = [word for word in costs.prefer if word in costs.avoid]
    if both:
        raise InputError(f'"{both[0]}": is to be preferred and avoided; say one of the two.')
    factor = [costs.tables.get(names[t], ONE) for t in cells.table.tolist()]
    for words, change in ((costs.prefer, Fraction(1, FACTOR)), (costs.avoid, Fraction(FACTOR))):
        for word in words:
            for cell in _having(release, cells, word):
                factor[cell] *= change
    return factor


def _having(release: Release, cells: Cells, word: str) -> list[int]:
    """Cells with a code, written variable=code."""
    name, _, code = word.partition("=")
    if name not in release.variables:
        raise InputError(f'"{word}": expected variable=code; variables are {", ".join(release.variables)}')
    hierarchy = release.variables[name]
    if code not in hierarchy.codes:
        raise InputError(f'"{word}": {name} has no code "{code}"')
    position = list(release.variables).index(name)
    return np.flatnonzero(cells.codes[:, position] == hierarchy.codes.index(code)).tolist()
