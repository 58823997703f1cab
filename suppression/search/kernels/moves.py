"""How far one cell of a small table can move while others may move so far: the simplex method on a dense dictionary.

Moves y from the true table keep every relation: A y = 0, solved once for some cells ("basic") by the others, y_basic =
T y_nonbasic. Standing still is allowed whatever the bounds, so there is no search for a first point, and a basis serves
whatever is asked next. In floats: what is found here proposes patterns, and whoever takes one has it decided exactly.
"""

from typing import NamedTuple

from tableseal.audit.compiling import Cells, kernel
from tableseal.audit.primitives import floats, integers

TINY = 1e-9
"""Entries and steps below count as nothing."""

ENDLESS = float("inf")

MOST_STEPS = 3_000
"""Steps of one cell."""

PATIENCE = 60
"""Steps without gain before the rule that cannot cycle takes over (Bland 1977)."""


class Moves(NamedTuple):
    """The dictionary, changed in place.

    T: float64 (basic x nonbasic); basic, nonbasic: int64, cells. place: int64 (cells), the row of a basic cell, -1 -
    column of a nonbasic one. at: float64 (cells), where each stands; low <= 0 <= high: float64 (cells).
    work: int64 (1), entries looked at so far.
    """

    T: Cells
    basic: Cells
    nonbasic: Cells
    place: Cells
    at: Cells
    low: Cells
    high: Cells
    work: Cells


@kernel
def eliminated(rows: Cells, basic: Cells) -> int:
    """Solve relations (rows x cells, changed in place) for as many cells: row r reads y[basic[r]] + the rest = 0.

    Returns how many relations are independent; these come first.
    """
    count, width = len(rows), len(rows[0])
    rank = 0
    for r in range(count):
        row = rows[r]
        for k in range(rank):  # earlier rows are solved for their cells and free of each other's
            factor = row[basic[k]]
            if factor != 0.0:
                other = rows[k]
                for j in range(width):
                    row[j] -= factor * other[j]
        best, most = -1, 1e-7
        for j in range(width):
            if abs(row[j]) > most * (1.0 + 1e-6):
                best, most = j, abs(row[j])
        if best < 0:
            continue
        factor = 1.0 / row[best]
        target = rows[rank]
        for j in range(width):
            value = row[j] * factor
            if r != rank:
                row[j] = target[j]
            target[j] = value
        for k in range(rank):
            other = rows[k]
            factor = other[best]
            if factor != 0.0:
                for j in range(width):
                    other[j] -= factor * target[j]
        basic[rank] = best
        rank += 1
    return rank


@kernel
def swap(m: Moves, r: int, q: int) -> None:
    """The basic cell of row r and the nonbasic one of column q change places."""
    T = m.T
    pivot_row = T[r]
    width = len(m.nonbasic)
    inverse = 1.0 / pivot_row[q]
    for j in range(width):
        pivot_row[j] *= -inverse
    pivot_row[q] = inverse
    for i in range(len(m.basic)):
        factor = T[i][q]
        if i == r or factor == 0.0:
            continue
        row = T[i]
        row[q] = 0.0
        for j in range(width):
            row[j] += factor * pivot_row[j]
    leaving, entering = m.basic[r], m.nonbasic[q]
    m.basic[r], m.nonbasic[q] = entering, leaving
    m.place[entering], m.place[leaving] = r, -1 - q
    m.work[0] += width * len(m.basic)


@kernel
def entered(m: Moves, cell: int) -> int:
    """The row of a cell, made basic where it stands if it is not; -1: no relation holds it."""
    if m.place[cell] >= 0:
        return m.place[cell]
    q = -1 - m.place[cell]
    best, most = -1, TINY
    for i in range(len(m.basic)):
        if abs(m.T[i][q]) > most * (1.0 + 1e-6):
            best, most = i, abs(m.T[i][q])
    if best >= 0:
        swap(m, best, q)
    return best


@kernel
def step(m: Moves, cell: int, row: int, way: float, goal: float, bland: bool) -> float:
    """One step of a basic cell (in that row) towards way * goal: by how much it moved; -1.0: it can go no further."""
    T, at, low, high = m.T, m.at, m.low, m.high
    own = T[row]
    q, most = -1, TINY
    for j in range(len(m.nonbasic)):
        rate = own[j] * way
        if abs(rate) <= TINY:
            continue
        v = m.nonbasic[j]
        room = high[v] - at[v] if rate > 0.0 else at[v] - low[v]
        if room > TINY and (abs(rate) > most or (bland and (q < 0 or v < m.nonbasic[q]))):
            q, most = j, ENDLESS if bland else abs(rate)
    if q < 0:
        return -1.0
    entering = m.nonbasic[q]
    up = 1.0 if own[q] * way > 0.0 else -1.0
    size = high[entering] - at[entering] if up > 0.0 else at[entering] - low[entering]
    leaving, largest = -1, 0.0  # at first the entering cell itself, which goes from end to end
    for i in range(len(m.basic)):
        rate = T[i][q] * up
        if abs(rate) <= TINY:
            continue
        v = m.basic[i]
        if v == cell:
            room = goal - way * at[v]
        elif rate > 0.0:
            room = high[v] - at[v]
        else:
            room = at[v] - low[v]
        limit = max(room, 0.0) / abs(rate)
        if limit < size - TINY:
            size, leaving, largest = limit, i, abs(rate)
            if v == cell:  # it is there: nobody has to leave
                leaving = -1
        elif limit <= size + TINY and leaving >= 0 and v != cell and abs(rate) > largest:
            size, leaving, largest = min(size, limit), i, abs(rate)
    before = at[cell]
    if size > 0.0:
        at[entering] += up * size
        for i in range(len(m.basic)):
            if T[i][q] != 0.0:
                at[m.basic[i]] += T[i][q] * up * size
    m.work[0] += 2 * len(m.basic) + len(m.nonbasic)
    if leaving >= 0:
        swap(m, leaving, q)
    return abs(at[cell] - before)


@kernel
def farthest(m: Moves, cell: int, way: float, goal: float) -> None:
    """Move a cell as far as it can go from where all stand, or to way * goal. Some relation holds it."""
    row, stuck = entered(m, cell), 0
    for _ in range(MOST_STEPS):
        if way * m.at[cell] >= goal - 1e-9:
            break
        moved = step(m, cell, row, way, goal, stuck > PATIENCE)
        if moved < 0.0:
            break
        stuck = stuck + 1 if moved <= 1e-12 else 0
        if m.place[cell] >= 0:
            row = m.place[cell]


@kernel
def seen_from(m: Moves, lowest: Cells, highest: Cells) -> None:
    """Widen how far cells were seen to move (float64, cells) by where all stand, and, where all can move as far the
    other way, by the same turned round."""
    turned = True
    for v in range(len(m.at)):
        if m.at[v] > -m.low[v] + 1e-9 or m.at[v] < -m.high[v] - 1e-9:
            turned = False
            break
    for v in range(len(m.at)):
        highest[v] = max(highest[v], m.at[v])
        lowest[v] = min(lowest[v], m.at[v])
        if turned:
            highest[v] = max(highest[v], -m.at[v])
            lowest[v] = min(lowest[v], -m.at[v])


@kernel
def still(m: Moves) -> None:
    """Back to the true table."""
    for v in range(len(m.at)):
        m.at[v] = 0.0


@kernel
def dictionary(rows: Cells) -> Moves:
    """The dictionary of relations (rows x cells), which are used up; all cells stand still and may not move."""
    width = len(rows[0])
    basic = integers(len(rows), -1)
    rank = eliminated(rows, basic)
    place = integers(width, 0)
    for r in range(rank):
        place[basic[r]] = r + 1
    nonbasic = integers(width - rank, 0)
    q = 0
    for v in range(width):
        if place[v] == 0:
            nonbasic[q], place[v] = v, -1 - q
            q += 1
        else:
            place[v] -= 1
    T = rows[:rank, :q].copy()
    for r in range(rank):
        for j in range(q):
            T[r][j] = -rows[r][nonbasic[j]]
    return Moves(
        T,
        basic[:rank].copy(),
        nonbasic,
        place,
        floats(width, 0.0),
        floats(width, 0.0),
        floats(width, 0.0),
        integers(1, 0),
    )
