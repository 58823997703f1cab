"""Cell probabilities of a population from a sample: hierarchical log-linear models by iterative proportional fitting.

Source: Bishop, Fienberg & Holland 1975, chapters 3 (fitting) and 12 (pseudo-Bayes smoothing).

Poisson regression gives the same fit where every fitted margin is positive. Small samples have empty margins, where
its coefficients run off to minus infinity and the libraries stop or warn; proportional fitting has its limit there, a
zero. That is why the fit is written out here; tests compare it with a regression where that exists.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.measures.risk.information import Floats

Model = Literal["main", "two-way", "saturated"]
"""Which margins of the sample the probabilities reproduce: one-way, all two-way, or every cell."""

TOLERANCE = 1e-10
"""Largest difference of a margin, in shares, at which the fit is done."""
ROUNDS = 1000
"""After so many rounds the fit ends as it is: with many empty cells its limit may lie on the boundary, which is
approached ever more slowly. What its margins still miss is reported."""


@dataclass(frozen=True)
class Smoothing:
    """What is done against empty cells of a sample.

    Attributes
    ----------
    added: added to every cell of the sample before the model is fitted (0.5 is usual).
    pseudo_bayes: instead of the model's probabilities alone, a mixture with the shares of the sample, whose weights
        follow from how well the model fits.
    """

    added: float = 0.0
    pseudo_bayes: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.added < np.inf:
            text = f"{self.added:g} is to be added to every cell, expected 0 or more."
            raise InputError(text, at=OptionName("smoothing"))


NO_SMOOTHING = Smoothing()


@dataclass(frozen=True)
class Fit:
    """Probabilities of the cells, and by how much their margins differ from those of the sample at most, in shares."""

    probabilities: Floats
    missed: float


def probabilities(sample: NDArray[np.int64], model: Model, smoothing: Smoothing = NO_SMOOTHING) -> Fit:
    """Probabilities of the cells, in the shape of the sample, by a model and what is done against empty cells.

    Raises
    ------
    InputError: an empty sample.
    """
    if not sample.any():
        raise InputError("the sample is empty (n = 0): nothing can be estimated from it.")
    counts = sample + smoothing.added
    shares: Floats = counts / counts.sum()
    fitted = fit(shares, model)
    n = float(sample.sum())
    observed = sample / n
    distance = float(((observed - fitted.probabilities) ** 2).sum())
    if not smoothing.pseudo_bayes or distance == 0:
        return fitted
    # Fienberg and Holland's weight of the prior, estimated from the data.
    prior = (1 - float((observed**2).sum())) / distance
    mixed: Floats = (n * observed + prior * fitted.probabilities) / (n + prior)
    return Fit(mixed, fitted.missed)


def fit(shares: Floats, model: Model) -> Fit:
    """The maximum likelihood fit of a log-linear model to shares that sum to 1.

    Margins that are 0 stay 0.

    Examples
    --------
    >>> fit(np.array([[0.5, 0.1], [0.3, 0.1]]), "main").probabilities.round(4).tolist()
    [[0.48, 0.12], [0.32, 0.08]]
    """
    order = {"main": 1, "two-way": 2, "saturated": shares.ndim}[model]
    if order >= shares.ndim:
        return Fit(shares, 0.0)
    every = range(shares.ndim)
    margins = {
        kept: shares.sum(axis=tuple(axis for axis in every if axis not in kept)) for kept in combinations(every, order)
    }
    return proportional(shares.shape, margins)


def proportional(
    shape: tuple[int, ...], margins: Mapping[tuple[int, ...], Floats], *, tolerance: float = TOLERANCE
) -> Fit:
    """Iterative proportional fitting of equal shares to margins.

    Parameters
    ----------
    margins: axes, ascending -> shares over them that sum to 1.
    """
    every = range(len(shape))
    summed = [tuple(axis for axis in every if axis not in kept) for kept in margins]
    wanted = [
        margin.reshape([size if axis in kept else 1 for axis, size in enumerate(shape)])
        for kept, margin in margins.items()
    ]
    fitted = np.full(shape, 1.0 / prod(shape))
    missed = np.inf
    for _ in range(ROUNDS):
        for axes, margin in zip(summed, wanted, strict=True):
            found = fitted.sum(axis=axes, keepdims=True)
            fitted = fitted * np.divide(margin, found, out=np.zeros_like(margin), where=found > 0)
        missed = max(
            float(np.abs(fitted.sum(axis=axes, keepdims=True) - margin).max())
            for axes, margin in zip(summed, wanted, strict=True)
        )
        if missed <= tolerance:
            break
    return Fit(fitted, missed)
