"""Forms cut along the components of a reduced system: parts that are independent of each other."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.linear.integers import product
from tableseal.audit.linear.marks import marks
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.sparse import csr, entries, row_of_entries


@dataclass(frozen=True)
class SplitForms:
    """Forms cut along components: each form is a constant plus a sum of pieces.

    Attributes
    ----------
    constant: int64 (forms).
    form, piece: int64, one entry per use of a piece by a form, ordered by form.
    weights: csr (pieces x columns), ordered by component.
    start: int64 (components + 1): where each component's pieces begin.
    """

    constant: NDArray[np.int64]
    form: NDArray[np.int64]
    piece: NDArray[np.int64]
    weights: csr_array
    start: NDArray[np.int64]


def cut_forms(reduced: Reduced, forms: csr_array, skip: NDArray[np.bool_]) -> SplitForms:
    """Cut int64 forms (csr, forms x columns) along components; of those to skip only the constant is right."""
    constant, rest = known_part(forms, reduced.fixed, reduced.value)
    row = row_of_entries(rest)
    wanted = np.flatnonzero(~skip[row])
    column = rest.indices[wanted].astype(np.int64)
    order = np.lexsort((column, reduced.component[column], row[wanted]))
    row, column, weight = row[wanted][order], column[order], rest.data[wanted][order]
    label = reduced.component[column]
    first = np.flatnonzero((np.diff(row, prepend=-1) != 0) | (np.diff(label, prepend=-1) != 0))
    size = np.diff(np.append(first, len(row)))
    alike = _alike(first, size, column, weight)
    # Pieces in the order of components, each as long as it first occurs.
    standing, piece = np.unique(alike, return_inverse=True)
    by_component = np.argsort(label[first[standing]], kind="stable")
    rank = np.empty(len(standing), dtype=np.int64)
    rank[by_component] = np.arange(len(standing))
    standing = standing[by_component]
    indptr = np.concatenate([[0], np.cumsum(size[standing])])
    at = np.repeat(first[standing] - indptr[:-1], size[standing]) + np.arange(indptr[-1])
    return SplitForms(
        constant,
        row[first],
        rank[piece],
        csr(weight[at], column[at], indptr, (len(standing), forms.shape[1])),
        np.searchsorted(label[first[standing]], np.arange(reduced.components + 1)),
    )


def known_part(
    forms: csr_array, known: NDArray[np.bool_], value: NDArray[np.int64]
) -> tuple[NDArray[np.int64], csr_array]:
    """(what known columns add to each form, the other columns of each form)."""
    here = known[forms.indices]
    return product(entries(forms, here), value), entries(forms, ~here)


def _alike(
    first: NDArray[np.int64], size: NDArray[np.int64], column: NDArray[np.int64], weight: NDArray[np.int64]
) -> NDArray[np.int64]:
    """For each stretch of (column, weight) pairs the first one with the same pairs.

    Stretches are compared by a random sum first; those that it calls alike are compared pair by pair.
    """
    if len(first) == 0:
        return np.empty(0, np.int64)
    random = marks(20071217, int(column.max()) + 1)
    mark = np.add.reduceat(random[column] * weight, first)  # wraps around, on purpose
    _, earliest, same = np.unique(mark, return_index=True, return_inverse=True)
    other = earliest[same]
    differs = size != size[other]
    at = np.flatnonzero(~differs & (other != np.arange(len(first))))
    within = np.arange(int(size[at].sum())) - np.repeat(np.cumsum(size[at]) - size[at], size[at])
    here, there = np.repeat(first[at], size[at]) + within, np.repeat(first[other[at]], size[at]) + within
    unequal = (column[here] != column[there]) | (weight[here] != weight[there])
    differs[np.repeat(at, size[at])[unequal]] = True
    return np.where(differs, np.arange(len(first)), other)
