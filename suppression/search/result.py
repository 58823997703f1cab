"""What a search answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from audit.decision.cuts import Requirement

Guarantee = Literal["intervals", "exact disclosure", "none"]
"""What is promised of a pattern. intervals: it meets every requirement, by the oracle. exact disclosure: the equations
alone give no sensitive cell, nothing more. none: nothing; only an audit tells."""

GUARANTEES: Mapping[Guarantee, str] = {
    "intervals": "",
    "exact disclosure": "protects from equations only, not from narrow intervals",
    "none": "promises nothing of its pattern",
}
"""What has to be said of a pattern beside its audit."""


@dataclass(frozen=True)
class Found:
    """The best pattern of a method: one that the oracle has passed, unless the method is labelled otherwise.

    pattern: bool (cells), primaries included; None: no pattern is safe (see `impossible`) or none was found in time.
    cost, bound: of its secondary cells and what no safe pattern can go below, in steps of the problem's scale.
    impossible: a requirement that not even withholding everything allowed would meet.
    guarantee: what is promised of the pattern. most_rank: of methods that search for rank decrease, what no pattern
    that they may choose can go beyond.
    """

    status: Literal["optimal", "feasible", "infeasible", "unfinished"]
    pattern: NDArray[np.bool_] | None
    cost: int
    bound: int
    impossible: Requirement | None = None
    guarantee: Guarantee = "intervals"
    most_rank: int | None = None

    @property
    def gap(self) -> float | None:
        """(cost - bound) / cost; None without a pattern."""
        if self.pattern is None:
            return None
        return 0.0 if self.cost == 0 else (self.cost - self.bound) / self.cost
