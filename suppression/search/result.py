"""What a search answers."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from audit.decision.cuts import Requirement


@dataclass(frozen=True)
class Found:
    """The best pattern that the oracle has passed.

    pattern: bool (cells), primaries included; None: no pattern is safe (see `impossible`) or none was found in time.
    cost, bound: of its secondary cells and what no safe pattern can go below, in steps of the problem's scale.
    impossible: a requirement that not even withholding everything allowed would meet.
    """

    status: Literal["optimal", "feasible", "infeasible", "unfinished"]
    pattern: NDArray[np.bool_] | None
    cost: int
    bound: int
    impossible: Requirement | None = None

    @property
    def gap(self) -> float | None:
        """(cost - bound) / cost; None without a pattern."""
        if self.pattern is None:
            return None
        return 0.0 if self.cost == 0 else (self.cost - self.bound) / self.cost
