"""Rows of codes -> base cells: each combination once, in order, with what its rows add up to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from tableseal.audit.hypercube.adding import sums
from tableseal.audit.hypercube.contributions import behind, contributions_of
from tableseal.audit.hypercube.model import BaseCells, Codes, Ints
from tableseal.audit.hypercube.ranks import RANKS


@dataclass(frozen=True, repr=False)
class Contributors:
    """who: int64 (rows), from 0 on. ranks: largest contributions of each cell that are kept."""

    who: Ints
    ranks: int = RANKS


def gathered(
    codes: Sequence[Codes],
    count: Ints,
    keys: Ints,
    measures: Mapping[str, Ints],
    modulus: int | None,
    contributors: Contributors | None = None,
) -> BaseCells:
    """Base cells in ascending order of their codes, the first variable first.

    Parameters
    ----------
    codes: int32 (rows) of each variable. count: int64 (rows), units. keys: int64 (rows), below
        the modulus; empty if there is none. measures: measure -> int64 (rows). contributors: of
        the rows, if contributions are to be kept.

    Raises
    ------
    LimitError: sums beyond 2^62.
    """
    order, cell = _ordered(codes)
    cells = int(cell[-1]) + 1 if len(cell) else 0
    first = np.flatnonzero(np.diff(cell, prepend=-1))
    added = sums(cell, keys[order], cells) % modulus if modulus is not None else np.zeros(0, np.int64)
    ordered = {name: values[order] for name, values in measures.items()}
    return BaseCells(
        tuple(column[order[first]] for column in codes),
        sums(cell, count[order], cells),
        added,
        {name: sums(cell, values, cells) for name, values in ordered.items()},
        None
        if contributors is None
        else contributions_of(cell, contributors.who[order], ordered, cells, contributors.ranks),
    )


def _ordered(codes: Sequence[Codes]) -> tuple[Ints, Ints]:
    """Rows by cell, and the number of the cell of each, from 0 on."""
    spans = [int(column.max(initial=0)) + 1 for column in codes]
    new = np.zeros(len(codes[0]), np.bool_)
    if prod(spans) < 2**62:
        key = np.zeros(len(codes[0]), np.int64)
        for column, span in zip(codes, spans, strict=True):
            key = key * span + column
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        new[1:] = ordered[1:] != ordered[:-1]
    else:
        order = np.lexsort(list(reversed(codes)))
        for column in codes:
            new[1:] |= column[order[1:]] != column[order[:-1]]
    return order, np.cumsum(new)


def one_behind_the_other(parts: Sequence[BaseCells]) -> BaseCells:
    """Cells of several parts that have none in common."""
    return BaseCells(
        tuple(np.concatenate([part.codes[at] for part in parts]) for at in range(len(parts[0].codes))),
        np.concatenate([part.count for part in parts]),
        np.concatenate([part.keys for part in parts]),
        {name: np.concatenate([part.sums[name] for part in parts]) for name in parts[0].sums},
        None
        if parts[0].contributions is None
        else behind([part.contributions for part in parts if part.contributions]),
    )
