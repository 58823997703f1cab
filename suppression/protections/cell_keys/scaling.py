"""How far a magnitude may be changed: a share of its largest contributions, which falls with their size.

Source: Deliverable D4.2 of "Open Source tools for perturbative confidentiality methods" (flex function, separation
point), as cellKey and tau-ARGUS (`CKM T(k)`, `SCALING F(large, small, point, power, weights...)`) use it.
"""

from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, OptionName
from tableseal.suppression.protections.cell_keys.ptable import PTable

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scaling:
    """What a change by 1 of the perturbation table is in a cell.

    Attributes
    ----------
    by: the `top` contributions, each with a change of its own; or one change by the `mean`, the `range` (largest minus
        smallest contribution) or the `sum`.
    weights: of the first, second, ... contribution: 1 first, and falling; so many are looked at.
    small, large, point, power: the share of a contribution: `small` up to `point`, then falling towards `large`, the
        faster the higher the power. An infinite point: `small` for all.
    """

    by: Literal["top", "mean", "range", "sum"] = "top"
    weights: tuple[float, ...] = (1.0,)
    small: float = 0.25
    large: float = 0.05
    point: float = inf
    power: float = 3.0

    def __post_init__(self) -> None:
        falling = all(a >= b >= 0 for a, b in zip((1.0, *self.weights), self.weights, strict=False))
        if not self.weights or self.weights[0] != 1 or not falling:
            expected = "1 and then numbers from 0 to 1 that do not rise"
            raise InputError(at=OptionName("weights"), found=str(self.weights), expected=expected)
        if self.by != "top" and len(self.weights) > 1:
            raise InputError(f"only the top contributions have several; {self.by} is one.", at=OptionName("weights"))
        if not 0 < self.large <= self.small <= 1 and not (self.point == inf and 0 < self.small <= 1):
            expected = "shares with 0 < large <= small <= 1"
            raise InputError(at=OptionName("shares"), found=f"{self.large}, {self.small}", expected=expected)
        if not (self.point > 0 and self.power >= 1):
            raise InputError(at=OptionName("point"), expected="a point above 0 and a power of at least 1")

    def share(self, size: Floats) -> Floats:
        """The share of contributions of these absolute sizes. At `point` it is `small`."""
        if self.point == inf:
            return np.full(len(size), self.small)
        rise = (self.small * size - self.large * self.point) / (self.large * self.point)
        fall = (2 * self.point / (self.point + size)) ** self.power
        found: Floats = np.where(size < self.point, self.small, self.large * (1 + rise * fall))
        return found

    def separation(self, small_cells: PTable | None) -> float:
        """Contributions below this are changed by the table for small cells, like counts; without one 0.

        It is where the standard deviation of both ways is the same: that of the last row of the table for small cells,
        and `small` times the contribution times the root of the sum of squared weights.
        """
        if small_cells is None:
            return 0.0
        deviation = sqrt(small_cells.moment(len(small_cells.levels) - 1, 2))
        return deviation / (sqrt(sum(w * w for w in self.weights)) * self.small)


def largest_contributions(
    cell: NDArray[np.int64], values: Floats, weights: Floats, cells: int, most: int
) -> tuple[Floats, NDArray[np.int64]]:
    """The largest weighted contributions of each cell, by their size without weight, then by weight.

    cell, values, weights: (memberships) of a record in a cell. Returns (cells x most), 0 where there are fewer; and how
    many contributors each cell has.
    """
    order = np.lexsort((-weights, -np.abs(values), cell))
    own, contribution = cell[order], (values * weights)[order]
    number = np.bincount(cell, minlength=cells)
    rank = np.arange(len(own)) - np.repeat(np.concatenate([[0], np.cumsum(number)[:-1]]), number)
    found = np.zeros((cells, most))
    kept = rank < most
    found[own[kept], rank[kept]] = contribution[kept]
    return found, number
