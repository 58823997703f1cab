"""What `prior=` of `audit` takes -> a prior over tables."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.api.python.frames import frame_kind, read_frame
from tableseal.audit.errors import InputError
from tableseal.audit.io.columns import Columns
from tableseal.audit.measures.feasible_tables.prior import Belief, CellWeights, ExpectedCounts
from tableseal.audit.model import Release
from tableseal.audit.wording import a_kind, listing, quoted

EQUAL = "poisson"
"""Counts of which every way to put the units into the cells is equally likely."""

EXPECTED = (
    "a function of (cell, values) that gives logarithms of weights; means of independent Poisson counts, as a mapping "
    "from codes, an array or a DataFrame; or 'poisson' for equal means"
)


def belief_in(prior: Any, release: Release) -> Belief:
    """The prior that is meant.

    Raises
    ------
    InputError: says what was found and what to pass.
    """
    if isinstance(prior, str):
        if prior != EQUAL:
            raise InputError(f"prior: found {quoted(prior)}, expected {EXPECTED}.")
        return ExpectedCounts()
    if isinstance(prior, Mapping):
        return ExpectedCounts({_key(key, release): _mean(mean, key) for key, mean in prior.items()})
    if isinstance(prior, np.ndarray):
        return ExpectedCounts(_of_array(prior, release))
    kind = frame_kind(prior)
    if kind is not None:
        return ExpectedCounts(_of_columns(read_frame(prior, kind, "prior").columns, release))
    if callable(prior):
        return CellWeights(prior)
    raise InputError(f"prior: found {a_kind(prior)}, expected {EXPECTED}.")


def _leaves(release: Release) -> dict[str, list[str]]:
    return {name: [h.codes[leaf] for leaf in h.leaves.tolist()] for name, h in release.variables.items()}


def _key(key: Any, release: Release) -> tuple[str, ...]:
    """A code, or a tuple with one of each variable in their order."""
    codes = tuple(map(str, key)) if isinstance(key, tuple) else (str(key),)
    leaves = _leaves(release)
    if len(codes) != len(leaves):
        raise InputError(f"prior: found the key {key!r}, expected a code of each variable: {', '.join(leaves)}.")
    for code, (name, known) in zip(codes, leaves.items(), strict=True):
        if code not in known:
            raise InputError(
                f"prior: {quoted(code)} is no code of {quoted(name)} without parts; these are {listing(known)}."
            )
    return codes


def _mean(mean: Any, key: object) -> float:
    try:
        return float(mean)
    except (TypeError, ValueError):
        raise InputError(f"prior: the mean of {key!r} is {a_kind(mean)}, expected a number.") from None


def _of_array(means: NDArray[Any], release: Release) -> Mapping[tuple[str, ...], float]:
    leaves = _leaves(release)
    shape = tuple(map(len, leaves.values()))
    if means.shape != shape or means.dtype.kind not in "iuf":
        words = " x ".join(f"{len(codes)} codes of {name}" for name, codes in leaves.items())
        raise InputError(f"prior: found an array of shape {means.shape} of {means.dtype}, expected numbers, {words}.")
    return dict(zip(product(*leaves.values()), means.ravel().tolist(), strict=True))


def _of_columns(columns: Columns, release: Release) -> Mapping[tuple[str, ...], float]:
    """Means in the one column that holds no codes; rows of sums are left out, as they follow."""
    leaves = {name: frozenset(codes) for name, codes in _leaves(release).items()}
    codes = [columns.column(name, f"the codes of {name}") for name in release.variables]
    others = [name for name in columns.data if name not in release.variables]
    if len(others) != 1:
        raise InputError(
            f"prior: found {listing(others) or 'no column'} beside the codes, expected one column, of means; columns "
            f"are {listing(columns.data)}."
        )
    found: dict[tuple[str, ...], float] = {}
    for row, (*key, mean) in enumerate(zip(*codes, columns.data[others[0]], strict=True)):
        cell = tuple(code or "" for code in key)
        if all(code in own for code, own in zip(cell, leaves.values(), strict=True)):
            if cell in found:
                raise InputError(f"{columns.place(row, others[0])}: this cell has a mean already.")
            found[cell] = _mean(mean, cell)
    return found
