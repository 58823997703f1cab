"""Who knows which withheld cells, or part of them, from their own books.

* The only contributor of a withheld cell, or a coalition of all its contributors, knows the cell, and every other one
  that holds nobody else.
* A holding knows what its units gave to each cell, and each cell to which nobody else contributes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.contributors import Data
from tableseal.audit.linear.naming import cell_name, plural
from tableseal.audit.model import Status
from tableseal.audit.rules.contributions import Contributions, holding_labels


@dataclass(frozen=True)
class Knower:
    """An insider by what it knows of open cells (positions among the open cells).

    exact: cells that it knows, with their values in units. own: its own contributions, in units, to cells that others
    contribute to as well. members: how many contributors act together.
    """

    who: str
    exact: Mapping[int, int]
    own: Mapping[int, int]
    members: int


def knowers(data: Data, kinds: tuple[str, ...], together: int) -> Iterator[Knower]:
    """Single contributors, coalitions of up to `together` contributors, holdings; as far as `kinds` asks for them."""
    known = data.cells.truth.known
    limit = max(together, 1 if "singletons" in kinds else 0)
    told: set[tuple[int, ...]] = set()
    for s in data.withheld.tolist():
        cell = int(data.open_cells[s])
        count = int(data.contributors[cell])
        if not known[cell] or not 1 <= count <= limit or (count == 1 and "singletons" not in kinds):
            continue
        exact = _held(data, s)
        if tuple(exact) in told:
            continue
        told.add(tuple(exact))
        name = cell_name(data.release, data.cells, cell)
        who = f"only contributor of {name}" if count == 1 else f"all {count} contributors of {name} together"
        yield Knower(who, exact, {}, count)
    if "holdings" in kinds and data.contributions is not None:
        yield from _holdings(data, data.contributions)


def own_alone(data: Data, knower: Knower) -> NDArray[np.int64]:
    """Open cells (positions) that hold nobody but the knower as far as the agency can tell: no targets of it."""
    whole = [s for s in knower.exact if data.contributors[data.open_cells[s]] == knower.members]
    held = np.unique(np.concatenate([*(data.held_by(s) for s in whole), np.empty(0, np.int64)]))
    told: NDArray[np.int64] = held[data.contributors[data.open_cells[held]] >= 0]
    return told


def shares(data: Data, knower: Knower) -> list[int]:
    """Open cells (positions) that the knower knows and has a share in; the others are empty parts of its cells."""
    count = data.contributors[data.open_cells[list(knower.exact)]].tolist()
    return [s for (s, units), n in zip(knower.exact.items(), count, strict=True) if n > 0 or (n < 0 and units != 0)]


def _held(data: Data, s: int) -> dict[int, int]:
    """Withheld, rounded and missing cells that hold nobody but the contributors of open cell s, with their values."""
    held = data.held_by(s)
    cells = data.open_cells[held]
    hidden = np.isin(held, data.withheld) | data.cells.rounded[cells] | (data.cells.status[cells] == Status.MISSING)
    kept = data.cells.truth.known[cells] & hidden
    return dict(zip(held[kept].tolist(), data.cells.truth.units[cells[kept]].tolist(), strict=True))


def _holdings(data: Data, contributions: Contributions) -> Iterator[Knower]:
    """Holdings of several units with a share in some withheld cell."""
    microdata = data.release.microdata
    if microdata is None or microdata.holding is None:
        return
    labels = holding_labels(microdata)
    target_of = np.full(len(data.cells), -1, dtype=np.int64)
    usable = data.withheld[contributions.covered[data.open_cells[data.withheld]]]
    usable = usable[~data.is_count[data.open_cells[usable]]]
    target_of[data.open_cells[usable]] = usable
    target = target_of[contributions.cell]
    several = contributions.records[contributions.contributor] > 1
    at = np.flatnonzero((target >= 0) & several)
    order = at[np.argsort(contributions.contributor[at], kind="stable")]
    cuts = np.flatnonzero(np.diff(contributions.contributor[order])) + 1
    for entries in np.split(order, cuts) if len(order) else ():
        label = labels.get(int(contributions.contributor[entries[0]]))
        if label is None:
            continue
        exact: dict[int, int] = {}
        own: dict[int, int] = {}
        for entry in entries.tolist():
            k = int(target[entry])
            cell = int(data.open_cells[k])
            if data.contributors[cell] == 1 and data.cells.truth.known[cell]:
                exact[k] = int(data.cells.truth.units[cell])
            elif data.nonnegative:
                own[k] = int(contributions.amount[entry])
        for s in list(exact):
            exact |= _held(data, s)
        if exact or own:
            cells = plural(len(exact) + len(own), "withheld cell")
            yield Knower(f'holding "{label}" (in {cells})', exact, own, 1)
