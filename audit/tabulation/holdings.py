"""Contributors with several records: what each of them gives to every cell, added up in one pass over the records.

Each record is brought to all cells that hold it. A contributor's entries in a cell are added up in a place of their own
that the cell's stamp leads to, and only what comes of them goes into the cell: nothing is sorted.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.compiling import Cells, Runner, kernel, worth_compiling
from tableseal.audit.tabulation.sums import Keys

MOST_KEYS = 2**23
"""Combinations of codes for which there is a place each; tables with more are made by sorting."""


@dataclass(frozen=True)
class Gathered:
    """Per cell that has a contributor, keys ascending. respondents, weight: as `largest.Contributors` has them.
    number: contributors. largest: int64 (cells x ranks), by absolute size, of equal ones the positive one first."""

    key: NDArray[np.int64]
    respondents: NDArray[np.int64]
    weight: NDArray[np.int64]
    number: NDArray[np.int64]
    largest: NDArray[np.int64]


def has_room(keys: Keys) -> bool:
    """There can be a place for each combination of codes."""
    return _places(keys) <= MOST_KEYS


def gathered(
    keys: Keys,
    key: NDArray[np.int64],
    contributor: NDArray[np.int64],
    amount: NDArray[np.int64],
    weight: NDArray[np.int64],
    answered: NDArray[np.int64],
    digits: NDArray[np.int64],
    ranks: int,
) -> Gathered:
    """What contributors give to the cells. One entry a record, as `largest.Entries` has them, in any order.

    digits: int64 (different weights x digits), of the weights by rank.
    """
    order = np.argsort(contributor, kind="stable")
    changes = np.flatnonzero(np.diff(contributor[order])) + 1
    begin = np.concatenate([[0], changes, [len(order)]]) if len(order) else np.zeros(1, np.int64)
    codes = np.array([keys.digit(key[order], at) for at in range(len(keys.upward))], np.int64).reshape(-1, len(order))
    offsets = np.cumsum([0, *(len(up.start) for up in keys.upward)])
    shifts = np.cumsum([0, *(len(up.code) for up in keys.upward)])
    start = np.concatenate([[0], *(up.start + shift for up, shift in zip(keys.upward, shifts, strict=False))])
    code = np.concatenate([[0], *(up.code * stride for up, stride in zip(keys.upward, keys.strides, strict=True))])
    places = _places(keys)
    run = Runner(worth_compiling(len(key) + places, _gather))
    respondents, number = (run.full(places, 0) for _ in range(2))
    weights = run.array(np.zeros((places, digits.shape[1]), np.int64))
    largest = run.array(np.zeros((places, ranks), np.int64))
    most = int(np.diff(begin).max(initial=0)) * int(np.prod([np.diff(up.start).max(initial=0) for up in keys.upward]))
    room = min(places, most)
    run(
        _gather,
        run.array(begin),
        run.array(codes),
        run.array(offsets + 1),
        run.array(start),
        run.array(code),
        *(run.array(column[order]) for column in (amount, weight, answered)),
        run.array(digits),
        run.full(places, -1),
        run.full(places, 0),
        *(run.full(room, 0) for _ in range(4)),
        respondents,
        weights,
        number,
        largest,
        ranks,
    )
    found = np.array(number, np.int64)
    cell = np.flatnonzero(found)
    return Gathered(
        cell,
        np.array(respondents, np.int64)[cell],
        np.array(weights, np.int64).reshape(places, -1)[cell],
        found[cell],
        np.array(largest, np.int64).reshape(places, ranks)[cell],
    )


def _places(keys: Keys) -> int:
    return int(np.prod([float(up.codes) for up in keys.upward]))


@kernel
def _gather(
    begin: Cells,
    codes: Cells,
    offsets: Cells,
    start: Cells,
    code: Cells,
    amount: Cells,
    weight: Cells,
    answered: Cells,
    digits: Cells,
    stamp: Cells,
    slot: Cells,
    own_cell: Cells,
    own_amount: Cells,
    own_weight: Cells,
    own_answered: Cells,
    respondents: Cells,
    weights: Cells,
    number: Cells,
    largest: Cells,
    ranks: int,
) -> None:
    """begin: int64 (contributors + 1), where the records of each begin. codes: int64 (variables x records). start,
    code: those of all variables one after the other, from 1 on; offsets: where each one's `start` begins.

    stamp, slot: the contributor that was last in a cell, and its place in `own_...`. The last five are results.
    """
    for contributor in range(len(begin) - 1):
        used = 0
        for record in range(begin[contributor], begin[contributor + 1]):
            combinations = 1
            for variable in range(len(codes)):
                at = offsets[variable] + codes[variable][record]
                combinations *= start[at + 1] - start[at]
            for combination in range(combinations):
                rest = combination
                cell = 0
                for variable in range(len(codes)):
                    at = offsets[variable] + codes[variable][record]
                    many = start[at + 1] - start[at]
                    cell += code[1 + start[at] + rest % many]
                    rest //= many
                if stamp[cell] != contributor:
                    stamp[cell] = contributor
                    slot[cell] = used
                    own_cell[used] = cell
                    own_amount[used] = amount[record]
                    own_weight[used] = weight[record]
                    own_answered[used] = answered[record]
                    used += 1
                else:
                    place = slot[cell]
                    own_amount[place] += amount[record]
                    own_weight[place] = min(own_weight[place], weight[record])
                    own_answered[place] = max(own_answered[place], answered[record])
        for place in range(used):
            cell = own_cell[place]
            respondents[cell] += own_answered[place]
            for at in range(len(digits[own_weight[place]])):
                weights[cell][at] += digits[own_weight[place]][at]
            given = own_amount[place]
            rank = min(number[cell], ranks)
            number[cell] += 1
            while rank > 0:
                before = largest[cell][rank - 1]
                if abs(before) > abs(given) or (abs(before) == abs(given) and before >= given):
                    break
                if rank < ranks:
                    largest[cell][rank] = before
                rank -= 1
            if rank < ranks:
                largest[cell][rank] = given
