"""Counts that a threshold finds sensitive."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.integers import NO_LOWER
from tableseal.audit.model import Policy
from tableseal.audit.rules import Threshold


@dataclass(frozen=True)
class Danger:
    """Values that are sensitive by threshold: from low to high."""

    low: int
    high: int

    @staticmethod
    def of(policy: Policy, *, nonnegative: bool) -> "Danger | None":
        """None: no threshold in the policy."""
        rules = [rule for rule in policy.primary if isinstance(rule, Threshold)]
        if not rules:
            return None
        lowest = 0 if nonnegative else NO_LOWER
        return Danger(lowest if any(rule.zeros for rule in rules) else 1, max(rule.count for rule in rules) - 1)

    def holds(self, value: NDArray[np.int64]) -> NDArray[np.bool_]:
        """bool (values): a rule may find the value sensitive (below 0 every one)."""
        return (value <= self.high) & ((value >= self.low) | (value < 0))
