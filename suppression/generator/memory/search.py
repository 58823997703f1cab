"""The search for a move that no answer shows, as loops. Compiled or not, arrays are numpy arrays.

A move changes some base cells. A cell of an answer is *to mend* if the move changes it by more than what is shown of it
allows. Of those cells one with fewest base cells is mended by a further base cell of it that takes the opposite change,
and so on, depth first, those first that leave fewest to mend.

Measured on 18,761 base cells beside 200 answers by rounding to base 3: a look takes 0.15 microseconds, five times less
than with an end at the first few that are too many. Of 8 instead of 4 that are tried, 8 instead of 6 members, and
the move of 32 that fewest answers see, none lets more tables be answered.
"""

from typing import Any

import numpy as np

from tableseal.audit.compiling import kernel
from tableseal.suppression.generator.memory.cells import Held

Array = Any

MEMBERS = 6
"""Base cells of a move, at most."""

TRIED = 4
"""Further base cells that are tried at each step of a search, at most."""

WIDTHS = ((128, 2_000), (4_096, 20_000))
"""How wide moves are sought, first and then where none was found. Base cells of a cell that are looked at, at most:
those whose codes are nearest in the order of the hypercube. And looks (what is left to mend with one base cell more, in
all answers) in the search for one move, at most."""


@kernel
def net_in(held: Held, a: int, cell: int, members: Array, signs: Array, number: int, units: int) -> int:
    """By how many units a move changes a cell of an answer."""
    net = 0
    for i in range(number):
        if held.cells[members[i], a] == cell:
            net += signs[i]
    return net * units


@kernel
def to_mend(held: Held, members: Array, signs: Array, number: int, units: int, broken: Array) -> tuple[int, int, int]:
    """Of the cells to mend one with fewest base cells: its answer, and the position in the move of a base cell in it,
    -1 if nothing is to mend; and the most cells that are to mend in one answer.

    broken: receives, for each answer, how many there are.
    """
    answer, best, least, most = -1, -1, 0, 0
    for a in range(held.number):
        broken[a] = 0
        for i in range(number):
            b = members[i]
            cell = held.cells[b, a]
            if cell < 0:
                continue
            seen = False
            for j in range(i):
                if held.cells[members[j], a] == cell:
                    seen = True
                    break
            if seen:
                continue
            net = net_in(held, a, cell, members, signs, number, units)
            if net > held.more[b, a] or -net > held.fewer[b, a]:
                broken[a] += 1
                bases = held.bases[held.starts[a] + cell]
                if best < 0 or bases < least:
                    answer, best, least = a, i, bases
        most = max(most, broken[a])
    return answer, best, most


@kernel
def left_to_mend(
    c: int, sign: int, held: Held, members: Array, signs: Array, number: int, units: int, broken: Array, net: Array
) -> int:
    """How many cells are to mend if a base cell joins a move.

    net: room (answers). Loops over answers are without branches, so that a machine takes several at once.
    """
    answers, own = held.number, held.cells[c]
    for a in range(answers):
        net[a] = 0
    for i in range(number):
        other, change = held.cells[members[i]], np.int32(signs[i] * units)
        for a in range(answers):
            net[a] += change * np.int32(other[a] == own[a])
    more, fewer, change = held.more[c], held.fewer[c], np.int32(sign * units)
    left = np.int32(0)
    for a in range(answers):
        before, after = net[a], net[a] + change
        wrong = np.int32((after > more[a]) | (-after > fewer[a])) - np.int32((before > more[a]) | (-before > fewer[a]))
        left += broken[a] + np.int32(own[a] >= 0) * wrong
    return int(left)


@kernel
def nearest_of(held: Held, where: int, b: int, near: int) -> tuple[int, int]:
    """Begin and end in `order` of the base cells of a cell that are nearest to one of them."""
    begin, end = held.first[where], held.first[where] + held.bases[where]
    low, high = begin, end - 1
    while low < high:
        middle = (low + high) // 2
        if held.order[middle] < b:
            low = middle + 1
        else:
            high = middle
    begin = max(begin, min(low - near // 2, end - near))
    return begin, min(begin + near, end)


@kernel
def move(
    b: int,
    sign: int,
    units: int,
    near: int,
    most_looks: int,
    held: Held,
    count: Array,
    solid: int,
    members: Array,
    signs: Array,
    tried: Array,
    lacking: Array,
    steps: Array,
    broken: Array,
    net: Array,
) -> tuple[int, int]:
    """How many base cells a move has that no answer shows, in which b gets (sign 1) or loses (-1) units; they are left
    in `members` and `signs`, b first. 0: none was found. And how many looks it took.

    near, most_looks: see `WIDTHS`. Base cells that change in the direction opposite to b have `solid` units at least;
    others that lose units keep some. count: int64 (base cells), units. tried, lacking: room (MEMBERS x TRIED); steps:
    (2 x MEMBERS); broken, net: int32 (answers).
    """
    members[0], signs[0] = b, sign
    number, looks = 1, 0
    while True:
        a, at, most = to_mend(held, members, signs, number, units, broken)
        if at < 0:
            return number, looks
        step, kept, own = number - 1, 0, 0
        if number + most <= MEMBERS:  # each further base cell mends one cell of an answer
            inside = members[at]
            cell = held.cells[inside, a]
            own = -1 if net_in(held, a, cell, members, signs, number, units) > held.more[inside, a] else 1
            least = solid if own != sign else (1 if own > 0 else units + 1)
            # The last base cell has to mend all that is left.
            widest, worst = (TRIED, 2**30) if number + 1 < MEMBERS else (0, 1)
            begin, end = nearest_of(held, held.starts[a] + cell, inside, near)
            for k in range(begin, end):
                c = held.order[k]
                taken = count[c] < least
                for i in range(number):
                    taken = taken or members[i] == c
                if taken:
                    continue
                if looks == most_looks:
                    return 0, looks
                looks += 1
                left = left_to_mend(c, own, held, members, signs, number, units, broken, net)
                if left == 0:
                    members[number], signs[number] = c, own
                    return number + 1, looks
                if left >= worst:
                    continue
                place = min(kept, widest - 1)
                while place > 0 and lacking[step, place - 1] > left:
                    tried[step, place], lacking[step, place] = tried[step, place - 1], lacking[step, place - 1]
                    place -= 1
                tried[step, place], lacking[step, place] = c, left
                kept = min(kept + 1, widest)
                if kept == widest:
                    worst = lacking[step, widest - 1]
        steps[0, step], steps[1, step] = kept, own
        while steps[0, step] == 0:
            step -= 1
            if step < 0:
                return 0, looks
        members[step + 1], signs[step + 1] = tried[step, 0], steps[1, step]
        number = step + 2
        for k in range(1, steps[0, step]):
            tried[step, k - 1] = tried[step, k]
        steps[0, step] -= 1


@kernel
def sought(
    wanted: Array,
    up: Array,
    down: Array,
    most_down: Array,
    width: int,
    held: Held,
    count: Array,
    solid: int,
    most_bare: int,
    looks: int,
    members: Array,
    signs: Array,
    units: Array,
    bare: Array,
    tried: Array,
    lacking: Array,
    steps: Array,
    broken: Array,
    net: Array,
    numbers: Array,
) -> None:
    """Moves with which each wanted base cell changes by the required width, up and down together. They are left in
    `members` and `signs` (moves x MEMBERS; -1: none) and `units`, the base cells without in `bare`, at most so many;
    how many there are of both in `numbers`.

    up, down: int8 (base cells), what each does already. most_down: int64, what it may lose, at most. looks: after so
    many nothing more is sought, and those that are left have no move.
    """
    moves, without, left = 0, 0, looks
    for k in range(len(wanted)):
        b = wanted[k]
        found = False
        for at in range(len(WIDTHS) * (width + 1)):
            raised = width - at % (width + 1)
            lowered = width - raised
            if lowered > most_down[b] or left <= 0:
                continue
            near, most = WIDTHS[at // (width + 1)]
            upto, found = moves, True
            for sign, by, own in ((1, raised, up[b]), (-1, lowered, down[b])):
                if not found or by <= own:
                    continue
                to = members[upto], signs[upto]
                size, took = move(
                    b, sign, by, near, min(most, left), held, count, solid, *to, tried, lacking, steps, broken, net
                )
                left -= took
                found = size > 0
                for i in range(size, MEMBERS):
                    members[upto, i] = -1
                units[upto] = by
                upto += 1
            if found:
                moves = upto
                break
        if not found:
            bare[without] = b
            without += 1
            if without == most_bare:
                break
    numbers[0], numbers[1] = moves, without
