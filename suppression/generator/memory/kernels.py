"""Loops of the memory over cells and moves. Compiled or not, arrays are numpy arrays."""

from typing import Any

from tableseal.audit.compiling import kernel
from tableseal.suppression.generator.memory.cells import Held
from tableseal.suppression.generator.memory.search import MEMBERS

Array = Any


@kernel
def nestings(
    new: Array, order: Array, first: Array, bases: Array, count: Array, held: Held, small: int, out: Array
) -> int:
    """How many pairs of a cell of a new answer and one of an earlier answer hold the same units but for 1 to small - 1,
    which one of them has besides; they are written to `out`.

    new: int32 (base cells), cell of the new answer. order: int32, its base cells by cell. Of its cells: first: where
    they begin in order, bases: how many there are, count: units. out: int64 (room x 3), new cell, old cell (from the
    first answer on), 1 if the new one is the larger.
    """
    found = 0
    for c in range(len(count)):
        begin, end = first[c], first[c] + bases[c]
        if begin == end:
            continue
        for a in range(held.number):
            other = held.cells[order[begin], a]
            if other < 0 or not 1 <= held.count[held.starts[a] + other] - count[c] < small:
                continue
            inside = True
            for k in range(begin + 1, end):
                if held.cells[order[k], a] != other:
                    inside = False
                    break
            if inside:
                out[found, 0], out[found, 1], out[found, 2] = c, held.starts[a] + other, 0
                found += 1
    for o in range(held.starts[held.number]):
        begin, end = held.first[o], held.first[o] + held.bases[o]
        if begin == end:
            continue
        c = new[held.order[begin]]
        if c < 0 or not 1 <= count[c] - held.count[o] < small:
            continue
        inside = True
        for k in range(begin + 1, end):
            if new[held.order[k]] != c:
                inside = False
                break
        if inside:
            out[found, 0], out[found, 1], out[found, 2] = c, o, 1
            found += 1
    return found


@kernel
def explained(members: Array, signs: Array, units: Array, new: Array, more: Array, fewer: Array, out: Array) -> None:
    """Whether a new answer stays possible by each move: 1 or 0 in `out`.

    members, signs: (moves x MEMBERS); units: (moves). new, more, fewer: (base cells), see `Reading`.
    """
    for k in range(len(members)):
        out[k] = 1
        for i in range(MEMBERS):
            b = members[k, i]
            if b < 0 or new[b] < 0:
                continue
            net = 0
            for j in range(MEMBERS):
                if members[k, j] >= 0 and new[members[k, j]] == new[b]:
                    net += signs[k, j] * units[k]
            if net > more[b] or -net > fewer[b]:
                out[k] = 0
                break
