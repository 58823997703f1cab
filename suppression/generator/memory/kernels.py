"""Loops of the memory: pairs of nested cells, and moves that no answer shows.

Arrays over answers are int32 or int8 (answers x base cells); compiled or not, they are numpy arrays.
"""

from typing import Any

from tableseal.audit.compiling import kernel

Array = Any

UNSET, SEVERAL, OUTSIDE = -1, -2, -1
"""Parent of a cell: not seen yet; in no one cell. Cell of what an answer leaves out."""

MEMBERS = 4
"""Base cells of a move, at most."""

FIRSTS, SECONDS, THIRDS = 8, 8, 32
"""Candidates for the further base cells of a longer move."""


@kernel
def nestings(
    new: Array,
    inside: Array,
    count: Array,
    cells: Array,
    starts: Array,
    old_count: Array,
    old_bases: Array,
    answers: int,
    small: int,
    parent: Array,
    old_parent: Array,
    seen: Array,
    out: Array,
) -> int:
    """How many pairs of a cell of a new answer and one of an earlier answer hold the same units but for 1 to small - 1,
    which one of them has besides; they are written to `out`.

    new: int32 (base cells), cell of the new answer. inside: positions of base cells that it covers. count: units of its
    cells. cells: int32 (answers x base cells). starts: where the cells of each answer begin in old_count (units) and
    old_bases (base cells that are not empty). parent, old_parent, seen: room. out: int64 (room x 3), new cell, old cell
    (from the first answer on), 1 if the new one is the larger.
    """
    found = 0
    for a in range(answers):
        begin = starts[a]
        for c in range(len(count)):
            parent[c] = UNSET
        for c in range(starts[a + 1] - begin):
            old_parent[c] = UNSET
            seen[c] = 0
        row = cells[a]
        for k in range(len(inside)):
            b = inside[k]
            one, other = new[b], row[b]
            if other < 0:
                parent[one] = SEVERAL
                continue
            if parent[one] == UNSET:
                parent[one] = other
            elif parent[one] != other:
                parent[one] = SEVERAL
            if old_parent[other] == UNSET:
                old_parent[other] = one
            elif old_parent[other] != one:
                old_parent[other] = SEVERAL
            seen[other] += 1
        for c in range(len(count)):
            if parent[c] >= 0:
                more = old_count[begin + parent[c]] - count[c]
                if 1 <= more < small:
                    out[found, 0], out[found, 1], out[found, 2] = c, begin + parent[c], 0
                    found += 1
        for c in range(starts[a + 1] - begin):
            if old_parent[c] >= 0 and seen[c] == old_bases[begin + c]:
                more = count[old_parent[c]] - old_count[begin + c]
                if 1 <= more < small:
                    out[found, 0], out[found, 1], out[found, 2] = old_parent[c], begin + c, 1
                    found += 1
    return found


@kernel
def fits(members: Array, signs: Array, units: int, cells: Array, more: Array, fewer: Array, answers: int) -> bool:
    """Whether all answers stay possible if base cells get (sign 1) or lose (sign -1) so many units; members below 0 are
    none. more, fewer: int8 (answers x base cells), how many units the cell of each may get and lose."""
    for a in range(answers):
        for i in range(MEMBERS):
            b = members[i]
            if b < 0 or cells[a, b] < 0:
                continue
            net = 0
            for k in range(MEMBERS):
                if members[k] >= 0 and cells[a, members[k]] == cells[a, b]:
                    net += signs[k] * units
            if net > more[a, b] or -net > fewer[a, b]:
                return False
    return True


@kernel
def pair(b: int, units: int, cells: Array, own: Array, other: Array, answers: int, solid: Array, tries: int) -> int:
    """A base cell of `solid` that takes the opposite change of b, so that no answer shows it; the one that shares most
    cells with b among so many that do; -1: there is none. own, other: how far cells may go in b's direction, and in the
    opposite one."""
    best, most, left = -1, -1, tries
    for k in range(len(solid)):
        c = solid[k]
        if c == b:
            continue
        shared = 0
        good = True
        for a in range(answers):
            if cells[a, b] == cells[a, c]:
                shared += 1
            elif own[a, b] < units or other[a, c] < units:
                good = False
                break
        if good:
            if shared > most:
                best, most = c, shared
            left -= 1
            if left == 0:
                break
    return best


@kernel
def longer(
    b: int,
    sign: int,
    units: int,
    cells: Array,
    more: Array,
    fewer: Array,
    answers: int,
    solid: Array,
    alike: Array,
    members: Array,
    signs: Array,
    first: Array,
    lacking: Array,
    third: Array,
) -> bool:
    """A move of three or four base cells that no answer shows: b, a solid one with the opposite change, another one
    that makes up for what is shown of b, and one that makes up for what is shown of the first. It is left in `members`
    solid, alike: who may take the opposite change, and the same one. first, lacking: room
    (FIRSTS); third: room (THIRDS)."""
    own = more if sign > 0 else fewer
    other = fewer if sign > 0 else more
    number = 0
    for k in range(len(solid)):  # those with which the pair fails in fewest answers
        c = solid[k]
        if c == b:
            continue
        worst = 10**9 if number < FIRSTS else lacking[number - 1]
        failing = 0
        for a in range(answers):
            if cells[a, b] != cells[a, c] and (own[a, b] < units or other[a, c] < units):
                failing += 1
                if failing >= worst:
                    break
        if failing >= worst:
            continue
        at = min(number, FIRSTS - 1)
        while at > 0 and lacking[at - 1] > failing:
            first[at], lacking[at] = first[at - 1], lacking[at - 1]
            at -= 1
        first[at], lacking[at] = c, failing
        number = min(number + 1, FIRSTS)
    signs[0], signs[1], signs[2], signs[3] = sign, -sign, -sign, sign
    for f in range(number):
        one = first[f]
        thirds = 0
        for k in range(len(alike)):  # makes up for what the first one shows
            c = alike[k]
            good = c != b and c != one
            for a in range(answers):
                if not good:
                    break
                if cells[a, b] != cells[a, one] and other[a, one] < units and cells[a, c] != cells[a, one]:
                    good = False
            if good:
                third[thirds] = c
                thirds += 1
                if thirds == THIRDS:
                    break
        seconds = 0
        for k in range(len(solid)):  # makes up for what b shows
            c = solid[k]
            good = c != b and c != one
            for a in range(answers):
                if not good:
                    break
                if cells[a, b] != cells[a, one] and own[a, b] < units and cells[a, c] != cells[a, b]:
                    good = False
            if not good:
                continue
            seconds += 1
            members[0], members[1], members[2], members[3] = b, one, c, -1
            if fits(members, signs, units, cells, more, fewer, answers):
                return True
            for t in range(thirds):
                members[3] = third[t]
                if third[t] != c and fits(members, signs, units, cells, more, fewer, answers):
                    return True
            if seconds == SECONDS:
                break
        for t in range(thirds):
            members[0], members[1], members[2], members[3] = b, one, -1, third[t]
            if fits(members, signs, units, cells, more, fewer, answers):
                return True
    return False
