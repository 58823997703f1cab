"""What the memory knows of a hypercube before anything is answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.hypercube.model import BaseCells
from tableseal.suppression.generator.memory.contributors import Contributors
from tableseal.suppression.generator.policy import GeneratorPolicy, MemoryRule
from tableseal.suppression.generator.protection import Protection, mixed

Positions = NDArray[np.int32]
Marks = NDArray[np.uint64]
Floats = NDArray[np.float64]

GRAIN = 1024
"""Directions of estimates are multiples of one over it."""

BLOCK = 256
"""Base cells that are looked at together for what somebody may estimate."""


@dataclass(frozen=True, repr=False)
class Ground:
    """A hypercube, how it is protected, and what has to stay out of reach (agency knowledge).

    threshold: counts from 1 to below it are small. contributors: measure -> who gives to it; of measures of which no
    sums are given there are none.
    """

    base: BaseCells
    protection: Protection
    threshold: int
    rule: MemoryRule
    contributors: Mapping[str, Contributors] = field(default_factory=dict)

    @staticmethod
    def of(base: BaseCells, protection: Protection, policy: GeneratorPolicy) -> "Ground":
        """By a policy that has a memory."""
        assert policy.memory is not None
        contributors = {}
        if policy.measures is not None and base.contributions is not None:
            contributors = {name: Contributors(base, name, policy.measures) for name in base.sums}
        return Ground(base, protection, policy.threshold, policy.memory, contributors)

    @property
    def precision(self) -> float | None:
        """So many independent changes have a mean of the standard error that is allowed; None: there is no limit."""
        error = self.rule.error
        return None if error is None else self.protection.variance / float(error) ** 2

    @cached_property
    def small(self) -> Positions:
        """Base cells with a small count."""
        return np.flatnonzero(self.base.count < self.threshold).astype(np.int32)

    @cached_property
    def blocks(self) -> tuple[tuple[slice, Positions], ...]:
        """Base cells nearby in the order of the hypercube, as blocks: positions in `small`, and all of each."""
        begins = np.arange(0, len(self.base), BLOCK)
        ends = np.searchsorted(self.small, np.append(begins, len(self.base))).tolist()
        every = np.arange(len(self.base), dtype=np.int32)
        return tuple((slice(*ends[k : k + 2]), every[begin : begin + BLOCK]) for k, begin in enumerate(begins.tolist()))

    def block_of(self, at: int) -> int:
        """Which block a small base cell (a position in `small`) is in."""
        return int(self.small[at]) // BLOCK

    @property
    def solid(self) -> int:
        """Base cells with so many units are in no small set, and stay filled if they lose some."""
        return max(self.threshold, self.rule.width + 1)

    @cached_property
    def marks(self) -> Marks:
        """uint64 (base cells): numbers whose sums modulo 2^64 tell sets of base cells apart."""
        found = np.zeros(len(self.base), np.int64)
        for codes in self.base.codes:
            found = mixed(found + codes, len(self.base.codes)).view(np.int64)
        return found.view(np.uint64)

    @cached_property
    def marks_of_small(self) -> tuple[Marks, Positions]:
        """Marks of the base cells with a small count, ascending, and whose they are."""
        own = self.marks[self.small]
        order = np.argsort(own)
        return own[order], self.small[order]
