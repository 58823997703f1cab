"""Last period's pattern: a pattern that changes from one period to the next tells more, and readers dislike it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import Release, Status
from tableseal.suppression.problem.places import Places


@dataclass(frozen=True)
class LastPeriod:
    """What was withheld last time; bool (cells). common: the cell was in last period's release."""

    common: NDArray[np.bool_]
    withheld: NDArray[np.bool_]

    def longer(self, more: int) -> "LastPeriod":
        """The same with further cells behind, which last period did not have."""
        none = np.zeros(more, np.bool_)
        return LastPeriod(np.concatenate([self.common, none]), np.concatenate([self.withheld, none]))


@dataclass(frozen=True)
class Changes:
    """A pattern beside last period's, over the cells that both releases have.

    kept: withheld both times; new, returned: withheld only now, only then.
    """

    kept: int
    new: int
    returned: int


def last_period(release: Release, cells: Cells, last: Release) -> LastPeriod:
    """Last period's statuses, matched by measure and codes.

    Raises
    ------
    InputError: the two releases have no cell in common.
    """
    then, _ = merge_cells(last)
    places = Places(release, cells)
    measures = list(last.measures)
    common, withheld = np.zeros(len(cells), np.bool_), np.zeros(len(cells), np.bool_)
    for place in np.flatnonzero(then.row >= 0).tolist():
        codes = last.cell_codes(then.codes[place])
        # A variable that only last period had must have stood at its total.
        if any(v not in release.variables and c != last.variables[v].total for v, c in codes.items()):
            continue
        cell = places.find(measures[int(then.measure[place])], codes)
        if cell is not None:
            common[cell] = True
            withheld[cell] = then.status[place] >= Status.SECONDARY
    total = [h.total_index for h in release.variables.values()]
    below = (cells.codes != np.array(total)).any(axis=1)
    # The total of everything is what releases of quite different variables have in common.
    if not common[below].any() and (below.any() or not common.any()):
        raise InputError(
            "last period: has no cell in common with this release (the total of all aside); measures, variables and "
            "codes must have the same names."
        )
    return LastPeriod(common, withheld)


def earlier_pattern(release: Release, cells: Cells) -> LastPeriod:
    """What the earlier period of the release itself withheld, cell by cell."""
    of: dict[int, str] = {}  # the first earlier measure of each; others say what was added or removed since
    for at, measure in enumerate(release.measures.values()):
        if measure.previous is not None and measure.previous not in of.values():
            of[at] = measure.previous
    places = Places(release, cells)
    common, withheld = np.zeros(len(cells), np.bool_), np.zeros(len(cells), np.bool_)
    for place in np.flatnonzero(cells.row >= 0).tolist():
        previous = of.get(int(cells.measure[place]))
        cell = None if previous is None else places.find(previous, release.cell_codes(cells.codes[place]))
        if cell is not None:
            common[cell] = True
            withheld[cell] = cells.status[place] >= Status.SECONDARY
    return LastPeriod(common, withheld)


def changes(last: LastPeriod, pattern: NDArray[np.bool_]) -> Changes:
    """How a pattern (bool, cells) differs from last period's."""
    now, then = pattern & last.common, last.withheld & last.common
    return Changes(int((now & then).sum()), int((now & ~then).sum()), int((then & ~now).sum()))
