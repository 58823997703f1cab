"""What everybody may know of tables whose records were swapped."""

import numpy as np
from numpy.typing import NDArray

from tableseal.suppression.protections.method import Changed
from tableseal.suppression.protections.records import Records, shown_records

Ints = NDArray[np.int64]


def shown_after_swaps(
    before: Records,
    shown: Records,
    moves: list[int],
    alike: set[int],
    classes: Ints,
    said: tuple[str, ...],
) -> Changed:
    """Tables of swapped records.

    Cells that name none of the exchanged variables are as they were, and so are those that name besides only what
    households must have alike. Of others a reader may know how many records came to the places that a cell is about,
    and as many left them: at most those that are alike with some elsewhere. Pairs are not used.

    moves: the variables that are exchanged. alike: variables that partners have alike. classes: int64 (records), equal
    for those that are alike.
    """
    cells = shown.subject.cells
    place = np.column_stack([shown.leaf(v) for v in moves])
    was = np.column_stack([before.leaf(v) for v in moves])
    places, at = np.unique(np.vstack([place, was]), axis=0, return_inverse=True)
    now, then = np.split(at.ravel(), 2)
    codes, own = np.unique(cells.codes[:, moves], axis=0, return_inverse=True)
    inside = np.ones((len(codes), len(places)), np.bool_)  # codes of the exchanged variables x places
    for column, v in enumerate(moves):
        inside &= shown.hierarchy(v).dense.astype(np.bool_)[codes[:, column]][:, places[:, column]]
    moved = (inside[:, now] & ~inside[:, then]).sum(axis=1)
    # Of each class, whether any of its households is at a place of a code, and whether any is elsewhere.
    classes = np.unique(classes, return_inverse=True)[1].ravel()
    n = len(places)
    there = np.zeros((int(classes.max(initial=0)) + 1, n), np.bool_)
    there[classes, now] = True
    here, elsewhere = there @ inside.T, there @ ~inside.T  # classes x codes
    state = classes * n + now
    number = shown.by_state(moves, state, len(there) * n).tocoo()
    cell, (kind, where) = number.row, np.divmod(number.col, n)
    code = own.ravel()[cell]
    came = inside[code, where] & elsewhere[kind, code]
    left = ~inside[code, where] & here[kind, code]
    may_come, may_go = (np.zeros(len(cells), np.int64) for _ in range(2))
    np.add.at(may_come, cell[came], number.data[came])
    np.add.at(may_go, cell[left], number.data[left])
    all_come = (inside[:, now] & elsewhere.T[:, classes]).sum(axis=1)[own.ravel()]
    all_go = (~inside[:, now] & here.T[:, classes]).sum(axis=1)[own.ravel()]
    most = moved[own.ravel()]
    must_come = np.maximum(0, most - (all_come - may_come))
    must_go = np.maximum(0, most - (all_go - may_go))
    same = shown.covering({*moves, *alike})
    come = np.where(same, 0, np.minimum(most, may_come) - must_go)
    gone = np.where(same, 0, np.minimum(most, may_go) - must_come)
    return shown_records(shown, come, gone, np.zeros(len(cells), np.int64), details=said)
