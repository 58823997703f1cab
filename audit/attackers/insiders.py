"""Which insiders a release has: who knows withheld cells, or a part of them, that others do not.

* The only contributor of a withheld cell, or a coalition of all its contributors, knows the cell, and every other one
  that holds nobody else.
* A holding knows what its units gave to each cell, and each cell to which nobody else contributes.

This is the place for another one, such as somebody who was told a total: a function in `INSIDERS` that yields
`Attacker`s where a release asks for their kind (`model.InsiderKind`). What they find out, in the audit and under the
patterns of a search, follows from the cells that they know.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.attacker import Attacker
from tableseal.audit.attackers.contributors import Contributors
from tableseal.audit.linear.naming import cell_name, plural
from tableseal.audit.model import Intruder, Status


def insiders(contributors: Contributors) -> Iterator[Attacker]:
    """Everybody about whom the release asks, as far as the agency's data tell."""
    return chain.from_iterable(found(contributors) for found in INSIDERS)


def may_know_cells(intruder: Intruder) -> bool:
    """Somebody is asked about who is not only a contributor with a rank (see `ranks`)."""
    return bool(set(intruder.kinds) - {"largest", "second"}) or intruder.coalition > 1


def all_contributors(contributors: Contributors) -> Iterator[Attacker]:
    """All contributors of a withheld cell: alone, or as many together as a coalition may have."""
    intruder = contributors.release.intruder
    sizes = range(1 if "singletons" in intruder.kinds else 2, intruder.coalition + 1)
    told: set[bytes] = set()
    hidden = _hidden(contributors)
    # Of a release that asks for nobody there may be tens of thousands of cells, looked at for each of them.
    for s in contributors.withheld.tolist() if sizes else ():
        cell = int(contributors.open_cells[s])
        count = int(contributors.number[cell])
        if not contributors.cells.truth.known[cell] or count not in sizes:
            continue
        held = contributors.held_by(s)
        known = held[hidden[held]]
        key = known.tobytes()
        if key not in told:
            told.add(key)
            yield contributors.once((cell, key), partial(_together, contributors, cell, count, known))


def _together(contributors: Contributors, cell: int, count: int, known: NDArray[np.int64]) -> Attacker:
    """All contributors of a cell."""
    name = cell_name(contributors.release, contributors.cells, cell)
    who = f"only contributor of {name}" if count == 1 else f"all {count} contributors of {name} together"
    return _attacker(contributors, who, known, (), count)


def holdings(contributors: Contributors) -> Iterator[Attacker]:
    """Holdings of several units with a share in some withheld cell; shares tell something if no value is negative."""
    microdata, contributions = contributors.release.microdata, contributors.contributions
    wanted = "holdings" in contributors.release.intruder.kinds
    if not wanted or microdata is None or microdata.holding is None or contributions is None:
        return
    open_cells, cells = contributors.open_cells, contributors.cells
    usable = contributors.withheld[contributions.covered[open_cells[contributors.withheld]]]
    usable = usable[~contributors.is_count[open_cells[usable]]]
    place = np.full(len(cells), -1, dtype=np.int64)
    place[open_cells[usable]] = usable
    target = place[contributions.cell]
    several = contributions.records[contributions.contributor] > 1
    at = np.flatnonzero((target >= 0) & several)
    order = at[np.argsort(contributions.contributor[at], kind="stable")]
    cuts = np.flatnonzero(np.diff(contributions.contributor[order])) + 1
    hidden = _hidden(contributors)
    for entries in np.split(order, cuts) if len(order) else ():
        label = microdata.holding[int(contributions.first[contributions.contributor[entries[0]]])]
        if not label:
            continue
        own = open_cells[target[entries]]
        alone = (contributors.number[own] == 1) & cells.truth.known[own]
        sole = target[entries[alone]]
        held = np.unique(np.concatenate([sole[:0], *(contributors.held_by(s) for s in sole.tolist())]))
        known = np.union1d(sole, held[hidden[held]])
        shared = entries[~alone] if contributors.nonnegative else entries[:0]
        shares = sorted(zip(target[shared].tolist(), contributions.amount[shared].tolist(), strict=True))
        if len(known) or shares:
            where = plural(len(known) + len(shares), "withheld cell")
            yield _attacker(contributors, f'holding "{label}" (in {where})', known, shares, 1)


INSIDERS: tuple[Callable[[Contributors], Iterator[Attacker]], ...] = (all_contributors, holdings)
"""All of them, in the order in which they are asked about."""


def _hidden(contributors: Contributors) -> NDArray[np.bool_]:
    """bool (open cells): withheld, rounded and missing ones with true values."""
    cells, given = contributors.open_cells, contributors.cells
    hidden = contributors.is_withheld | given.rounded[cells] | (given.status[cells] == Status.MISSING)
    result: NDArray[np.bool_] = given.truth.known[cells] & hidden
    return result


def _attacker(
    contributors: Contributors, who: str, known: NDArray[np.int64], shares: Sequence[tuple[int, int]], members: int
) -> Attacker:
    """Somebody who knows cells that hold nobody else: of their parts those without contributors are empty."""
    cells = contributors.open_cells[known]
    number = contributors.number[cells]
    inside = known[(number > 0) | ((number < 0) & (contributors.cells.truth.units[cells] != 0))]
    return Attacker(who, tuple(known.tolist()), tuple(shares), tuple(inside.tolist()), members)
