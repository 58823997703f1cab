"""R1 and R2: disclosure risk of a whole frequency table before and after protection.

Sources: Antal, Shlomo & Elliot 2014 (population tables); Antal, Shlomo & Elliot, sample-based tables, (1) and (2).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.measures.risk.information import Counts, Floats, conditional_entropy, entropy

Form = Literal["uncertainty", "ratio", "a14-published"]
"""How what is left to learn lowers the entropy term of R2.

uncertainty: factor 1 - H(X|Y)/H(X), as in the paper on samples; the more uncertain, the lower the risk.
ratio: factor H(X|Y)/H(X), as printed in 2014, which is upside down.
a14-published: `ratio` with the largest share in the third sum of H(X|Y); only to reproduce the tables of 2014.
"""

WEIGHTS = (0.1, 0.8, 0.1)
"""Weights of the papers: zeros, entropy, size."""


@dataclass(frozen=True)
class Before:
    """Tables (...) before protection: K cells, |D| zeros, N, H(X), and the three terms (..., 3) without weights."""

    cells: int
    zeros: NDArray[np.int64]
    total: Floats
    entropy: Floats
    terms: Floats


@dataclass(frozen=True)
class After:
    """Tables (...) after protection: M, H(X|Y), and the three terms (..., 3) without weights."""

    total: Floats
    conditional: Floats
    terms: Floats


def check_weights(weights: Sequence[float], number: int) -> tuple[float, ...]:
    """The weights, if they are so many, none negative, and sum to 1.

    Raises
    ------
    InputError: they are not.
    """
    found = ", ".join(f"{weight:g}" for weight in weights)
    if len(weights) != number:
        raise InputError(f"weights {found}: found {len(weights)}, expected {number}.")
    if not all(isfinite(weight) and weight >= 0 for weight in weights):
        raise InputError(f"weights {found}: expected numbers of which none is negative.")
    if abs(sum(weights) - 1) > 1e-9:
        raise InputError(f"weights {found}: sum to {sum(weights):g}, expected 1.")
    return tuple(weights)


def size_term(total: Floats) -> Floats:
    """The third term, -(1/sqrt N) log(1/(e sqrt N)): 1 for N = 1, towards 0 for large N."""
    result: Floats = (1.0 + np.log(total) / 2) / np.sqrt(total)
    return result


def zeros_after(share: Floats, either: NDArray[np.int64], both: NDArray[np.int64]) -> Floats:
    """The first term after protection, (|D|/K) to the power |D or E| / |D and E|; 0 where no zero has stayed.

    Examples
    --------
    >>> float(zeros_after(np.array(0.1), np.array(20), np.array(10)).round(12))
    0.01
    """
    power = either / np.maximum(both, 1)
    result: Floats = np.where(both > 0, share**power, 0.0)
    return result


def before(counts: Counts, cells: int) -> Before:
    """What R1 is made of.

    Parameters
    ----------
    counts: (..., m) whole counts, none negative; the other `cells` - m cells are 0 and need not be listed.

    Raises
    ------
    InputError: a table of one cell, or one without units.
    """
    total = counts.sum(axis=-1, dtype=np.float64)
    if cells < 2:
        raise InputError("the table has one cell, and R1 compares cells: it is not defined for K = 1.")
    if not total.all():
        raise InputError("the table is empty (N = 0), and R1 is not defined for it.")
    zeros = cells - np.count_nonzero(counts, axis=-1)
    uncertain = entropy(counts)
    evenness = np.clip(1.0 - uncertain / np.log(cells), 0.0, 1.0)
    terms = np.stack([zeros / cells, evenness, size_term(total)], axis=-1)
    return Before(cells, np.asarray(zeros), total, uncertain, terms)


def after(start: Before, original: Counts, protected: Counts, form: Form = "uncertainty") -> After:
    """What R2 is made of, for many protected versions at once.

    Parameters
    ----------
    start: `before` of the original.
    original, protected: counts (..., m), broadcast against each other; cells that are 0 in both need not be listed.

    Notes
    -----
    No zero before: the first term is 0. No zero left in place: 0, the limit. All units in one cell (H(X) = 0): nothing
    is left to learn, so `uncertainty` keeps the whole entropy term and the two other forms have none. Otherwise, if the
    protected table is empty, the entropy term is 0.
    """
    left_out = start.cells - original.shape[-1]
    before_zero, after_zero = original == 0, protected == 0
    either = (before_zero | after_zero).sum(axis=-1) + left_out
    both = (before_zero & after_zero).sum(axis=-1) + left_out
    total = protected.sum(axis=-1, dtype=np.float64)
    conditional = np.minimum(conditional_entropy(original, protected), start.entropy)
    left = conditional if form != "a14-published" else conditional_entropy(original, protected, largest_share=True)
    known = start.entropy > 0
    ratio = np.where(known, left / np.where(known, start.entropy, 1.0), 0.0)
    factor = np.where(known & (total == 0), 0.0, 1.0 - ratio if form == "uncertainty" else ratio)
    first = zeros_after(start.terms[..., 0], either, both)
    terms = np.stack(np.broadcast_arrays(first, start.terms[..., 1] * factor, start.terms[..., 2]), axis=-1)
    return After(total, conditional, terms)


def weigh(terms: Floats, weights: Sequence[float] | None) -> Floats:
    """One figure from the terms (..., k): their weighted sum, or without weights the L2 form sqrt(mean of squares)."""
    if weights is None:
        root: Floats = np.sqrt((terms * terms).mean(axis=-1))
        return root
    result: Floats = (terms * np.asarray(weights)).sum(axis=-1)
    return result
