"""Averaging over queries with different contributors and the same count (Asghar and Kaafar, PETS 2020).

A count is published itself, is the sum of its parts in every variable, and is what other parts leave of a whole. All of
these estimate the same true count, and their changes cancel out in the mean. Source: arXiv 1902.06414, whose attacker
asks a table builder for such queries; here they are those that the tables of a release answer. The attacker need not
be told the range of changes: parts and wholes that differ by much show how wide it must be, the paper's first step.
"""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attacks.combinations import Combinations
from tableseal.audit.attacks.outcome import Outcome, nearest
from tableseal.audit.attacks.subject import Subject
from tableseal.audit.attacks.subtraction import number, spelled

CERTAIN = 1e9
"""Weight of an estimate in which nothing was changed."""

TOLD = 4
"""Estimates that a text spells out."""


def averaging(subject: Subject) -> Outcome:
    """The mean of all estimates of each changed count, weighted by one over the number of changes in them."""
    combinations = Combinations(subject)
    relations = [combinations.occurring(c) for c in combinations.all if not c.rest]
    estimate, weight = subject.shown.copy(), np.ones(len(subject.shown))
    widest = 0
    for cells in relations:
        gap, changes = _gap(subject, cells), subject.changed[cells].sum(axis=1)
        widest = max(widest, int(np.ceil(np.abs(gap) / np.maximum(changes, 1)).max(initial=0)))
        for k in range(cells.shape[1]):
            own = _weight(changes - subject.changed[cells[:, k]])
            other = subject.shown[cells[:, k]] + (-gap if k == 0 else gap)
            np.add.at(estimate, cells[:, k], own * other)
            np.add.at(weight, cells[:, k], own)
    targets = np.flatnonzero(subject.changed)
    mean = (estimate / weight)[targets]
    guess = np.clip(nearest(mean), subject.lower[targets], subject.upper[targets])

    def explain(k: int) -> str:
        cell = int(targets[k])
        others = [_spelled(subject, row, cell) for cells in relations for row in cells[(cells == cell).any(axis=1)]]
        more = f"; and {len(others) - TOLD} more" if len(others) > TOLD else ""
        told = "; ".join([number(subject.shown[cell]), *others[:TOLD]])
        return f"{subject.name(cell)}: {told}{more}; mean {mean[k]:.2f}"

    return Outcome("published", subject.truth[targets], None, None, guess, explain, widest)


def _gap(subject: Subject, cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """By how much each whole exceeds its parts, as published."""
    gap: NDArray[np.float64] = subject.shown[cells[:, 0]] - subject.shown[cells[:, 1:]].sum(axis=1)
    return gap


def _weight(changes: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.where(changes > 0, 1 / np.maximum(changes, 1), CERTAIN)


def _spelled(subject: Subject, row: NDArray[np.int64], cell: int) -> str:
    """One estimate of a cell in numbers: the sum of its parts, or a whole less its other parts."""
    whole, *parts = (number(subject.shown[c]) for c in row.tolist() if c != cell or c == row[0])
    if cell == row[0]:
        added, taken = parts, list[str]()
        value = subject.shown[row[1:]].sum()
    else:
        added, taken = [whole], parts
        value = subject.shown[row[0]] - subject.shown[row[1:]].sum() + subject.shown[cell]
    return f"{spelled(added, taken)} = {number(value)}"
