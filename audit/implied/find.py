"""What a release gives away of combinations that no row lists: computed ones, and narrow ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import TargetBounds
from tableseal.audit.implied.cells import as_cells
from tableseal.audit.implied.computed import Computed, Equations, computed
from tableseal.audit.implied.grids import Grid, axes_of, grids
from tableseal.audit.implied.judged import Judged, forms_of, together
from tableseal.audit.implied.naming import Named, named
from tableseal.audit.implied.narrow import Bounding, Search
from tableseal.audit.implied.values import judge_values
from tableseal.audit.in_hand.of_records import table_of_records
from tableseal.audit.in_hand.tables import true_table
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.model import Policy
from tableseal.audit.prepare import Prepared
from tableseal.audit.rules import Sensitivity


@dataclass(frozen=True)
class Implied:
    """The sensitive cells that no row lists and that a release gives away.

    Attributes
    ----------
    named: their codes (a new code for what no code stands for, with its leaves), and the release whose classifications
        have them.
    cells: the same as cells (status `missing`, no row); truth: the value, where one is left or microdata tell it.
    sensitivity: what the rules say of them, with the interval that each rule requires.
    forms: int64 csr (cells x columns of the system), what each is a sum of.
    bounds: both ends of each, in units. Where they are equal the value is computed.
    looked_at, left_out, computed, judged: numbers of combinations, see `report.model.ImpliedCount`.
    """

    named: Named
    cells: Cells
    sensitivity: Sensitivity
    forms: csr_array
    bounds: tuple[TargetBounds, ...]
    looked_at: int
    left_out: int
    computed: int
    judged: int

    def __len__(self) -> int:
        return len(self.bounds)

    @property
    def single(self) -> NDArray[np.bool_]:
        """bool (cells): one value is left."""
        return np.array([b.lower.outer == b.upper.outer for b in self.bounds], np.bool_)


def find_implied(
    prepared: Prepared, reduced: Reduced, policy: Policy, sensitivity: Sensitivity, bounding: Bounding | None = None
) -> Implied:
    """Look for sensitive cells that no row lists.

    Parameters
    ----------
    prepared, reduced: the system of a release, whatever it withholds. (With all cells published this gives every cell
        that withholding may have to protect: less information leaves fewer.)
    policy: its rules judge. sensitivity: what they say of the cells that are listed.
    bounding: None looks for computed cells only.

    Raises
    ------
    LimitError: amounts beyond 2^62 units.
    """
    axes = axes_of(prepared)
    everything = list(grids(prepared, axes))
    looked_at = sum(len(grid.unlisted) for grid in everything)
    if not everything:
        return _implied(prepared, [], looked_at, 0, 0, 0)
    equations = Equations.of(reduced)
    found = [(grid, computed(grid, equations)) for grid in everything]
    close: list[Judged] = []
    left_out = 0
    if bounding is not None:
        records = table_of_records(prepared, reduced, axes)
        search = Search(prepared, reduced, policy, found, bounding, true_table(prepared, reduced, axes), records)
        singles, narrow = search.by_value()
        found = [_merged(one, more) for one, more in zip(found, singles, strict=True)]
        microdata = search.from_microdata(singles, narrow.chosen)
        close = [narrow] if microdata is None else [narrow, microdata]
        left_out = search.left_out
    exact, judged = judge_values(prepared, policy, sensitivity, found)
    count = sum(len(c.at) for _, c in found)
    return _implied(prepared, [exact, *close], looked_at, left_out, count, judged)


def _merged(one: tuple[Grid, Computed], more: tuple[Grid, Computed]) -> tuple[Grid, Computed]:
    """What equations and what bounds give of one grid."""
    (grid, a), (_, b) = one, more
    at = np.concatenate([a.at, b.at])
    order = np.argsort(at)
    return grid, Computed(at[order], np.concatenate([a.value, b.value])[order])


def _implied(
    prepared: Prepared, parts: Sequence[Judged], looked_at: int, left_out: int, count: int, judged: int
) -> Implied:
    found = together(parts)
    names = named(prepared, found.chosen)
    return Implied(
        names,
        as_cells(names, found.truth, found.frequency, found.weighted),
        found.sensitivity,
        forms_of(prepared, found.chosen),
        found.bounds,
        looked_at,
        left_out,
        count,
        judged,
    )
