"""Combinations that rules found sensitive, and lists of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import TargetBounds
from tableseal.audit.implied.grids import Grid
from tableseal.audit.model import Amounts
from tableseal.audit.prepare import Prepared
from tableseal.audit.rules import Sensitivity
from tableseal.audit.sparse import empty, stacked

Chosen = Sequence[tuple[Grid, NDArray[np.int64]]]
"""Combinations, by grid and ascending position in it."""


@dataclass(frozen=True)
class Judged:
    """Sensitive combinations, what is known of them, and their bounds, in one order."""

    chosen: Chosen
    truth: Amounts
    frequency: Amounts
    weighted: Amounts
    sensitivity: Sensitivity
    bounds: tuple[TargetBounds, ...]

    def only(self, keep: NDArray[np.bool_]) -> "Judged":
        """Some of them."""
        at = np.flatnonzero(keep)
        return Judged(
            picked(self.chosen, at),
            self.truth.take(at),
            self.frequency.take(at),
            self.weighted.take(at),
            rules_at(self.sensitivity, at),
            tuple(self.bounds[k] for k in at.tolist()),
        )


def forms_of(prepared: Prepared, chosen: Chosen) -> csr_array:
    """(combinations x columns) what each is a sum of."""
    return stacked([empty(prepared.system.base.columns), *(grid.forms(at) for grid, at in chosen if len(at))])


def picked(chosen: Chosen, at: NDArray[np.int64]) -> list[tuple[Grid, NDArray[np.int64]]]:
    """Some of them, by their place in the list (ascending)."""
    result, begin = [], 0
    for grid, positions in chosen:
        own = at[(at >= begin) & (at < begin + len(positions))] - begin
        result.append((grid, positions[own]))
        begin += len(positions)
    return result


def rules_at(found: Sensitivity, at: NDArray[np.int64]) -> Sensitivity:
    """What the rules say of some cells."""
    return Sensitivity(
        found.sensitive[at],
        found.required_lower.take(at),
        found.required_upper.take(at),
        found.required_width.take(at),
        tuple(found.rule[k] for k in at.tolist()),
        found.rules,
    )


def together(parts: Sequence[Judged]) -> Judged:
    """One list after another."""
    rules = [part.sensitivity for part in parts]
    return Judged(
        [one for part in parts for one in part.chosen],
        _joined([part.truth for part in parts]),
        _joined([part.frequency for part in parts]),
        _joined([part.weighted for part in parts]),
        Sensitivity(
            np.concatenate([np.empty(0, np.bool_), *(r.sensitive for r in rules)]),
            _joined([r.required_lower for r in rules]),
            _joined([r.required_upper for r in rules]),
            _joined([r.required_width for r in rules]),
            tuple(rule for r in rules for rule in r.rule),
            rules[0].rules if rules else (),
        ),
        tuple(b for part in parts for b in part.bounds),
    )


def _joined(parts: Sequence[Amounts]) -> Amounts:
    return Amounts(
        np.concatenate([np.empty(0, np.int64), *(a.units for a in parts)]),
        np.concatenate([np.empty(0, np.bool_), *(a.known for a in parts)]),
    )
