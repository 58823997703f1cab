"""Averaging over queries with different contributors and the same count (Asghar and Kaafar, PETS 2020).

A count is published itself, is the sum of its parts in every variable, and is what other parts leave of a whole; parts
and wholes are such sums again, in every table. All of these estimate the same true count, and their changes cancel out.
The best mean of all of them, over any number of steps, is the least-squares fit: of the tables that add up the one
nearest to what is published (Gauss-Markov; changes taken as independent and equally wide). Source: arXiv 1902.06414,
whose attacker asks a table builder for such queries and takes their mean; here they are those that the tables of a
release answer. The attacker need not be told the range of changes: parts and wholes that differ by much show how wide
it must be, the paper's first step.
"""

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from tableseal.audit.attacks.combinations import Combinations
from tableseal.audit.attacks.outcome import Outcome, nearest
from tableseal.audit.attacks.subject import Subject
from tableseal.audit.attacks.subtraction import number, spelled

PRECISION = 1e-12
"""Relative accuracy of the fit."""

TOLD = 4
"""Estimates that a text spells out."""


def averaging(subject: Subject) -> Outcome:
    """The least-squares fit to all that is published, at each changed count."""
    combinations = Combinations(subject)
    relations = [at for c in combinations.all if not c.rest and len(at := combinations.occurring(c))]
    widest = 0
    for cells in relations:
        gap, changes = _gap(subject, cells), subject.changed[cells].sum(axis=1)
        widest = max(widest, int(np.ceil(np.abs(gap) / np.maximum(changes, 1)).max(initial=0)))
    targets = np.flatnonzero(subject.changed)
    fitted = _fit(subject, relations)[targets]
    guess = np.clip(nearest(fitted), subject.lower[targets], subject.upper[targets])

    def explain(k: int) -> str:
        cell = int(targets[k])
        others = [_spelled(subject, row, cell) for cells in relations for row in cells[(cells == cell).any(axis=1)]]
        more = f"; and {len(others) - TOLD} more" if len(others) > TOLD else ""
        told = "; ".join([number(subject.shown[cell]), *others[:TOLD]])
        return f"{subject.name(cell)}: {told}{more}; with all sums of the tables together {fitted[k]:.2f}"

    return Outcome("published", subject.truth[targets], None, None, guess, explain, widest)


def _fit(subject: Subject, relations: list[NDArray[np.int64]]) -> NDArray[np.float64]:
    """float64 (cells): the smallest corrections of changed counts, by their squares, with which all relations hold."""
    from scipy.sparse.linalg import lsmr

    if not relations:
        return subject.shown
    gap = np.concatenate([_gap(subject, cells) for cells in relations])
    fit = lsmr(_matrix(subject, relations), -gap, atol=PRECISION, btol=PRECISION, maxiter=10 * len(subject.shown) + 100)
    corrected: NDArray[np.float64] = subject.shown + fit[0]
    return corrected


def _matrix(subject: Subject, relations: list[NDArray[np.int64]]) -> csr_array:
    """float64 csr (relations x cells): 1 at each whole, -1 at its parts; 0 where nothing was changed."""
    starts = accumulate((len(cells) for cells in relations), initial=0)
    row = np.concatenate(
        [np.repeat(np.arange(len(c)) + at, c.shape[1]) for at, c in zip(starts, relations, strict=False)]
    )
    column = np.concatenate([cells.ravel() for cells in relations])
    first = np.concatenate([np.tile(np.arange(c.shape[1]) == 0, len(c)) for c in relations])
    entry = np.where(first, 1.0, -1.0) * subject.changed[column]
    return csr_array(coo_array((entry, (row, column)), shape=(int(row[-1]) + 1, len(subject.shown))))


def _gap(subject: Subject, cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """By how much each whole exceeds its parts, as published."""
    gap: NDArray[np.float64] = subject.shown[cells[:, 0]] - subject.shown[cells[:, 1:]].sum(axis=1)
    return gap


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
