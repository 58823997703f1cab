"""The cheapest cells that protect a small table by itself: branch and cut (Fischetti, Salazar 2001) in one call.

A choice of cells that satisfies all cuts so far is asked how far each sensitive cell can move under it, in whole and in
part withheld; what falls short gives a cut: the row of the cell in the dictionary says how much each other cell can
contribute to its move.
"""

from typing import NamedTuple

from tableseal.audit.compiling import Cells, kernel
from tableseal.audit.primitives import flags, floats, integers
from tableseal.suppression.search.kernels.choice import (
    DONE,
    LOST,
    Choice,
    add_cut,
    bound,
    cheapest,
    choice,
    drop_loose,
    value,
)
from tableseal.suppression.search.kernels.moves import Moves, dictionary, entered, farthest, seen_from, still

ROOM, CUTS_A_ROUND = 400, 40
"""Cuts that are kept at once (twice the candidates, if these are more than that), and that are added before the choice
is made again."""

CLASS = 0.5
"""Ends whose distances are not shorter than so are asked with the same limits."""

IN_PART, WHOLE = 1e-3, 1e-6
"""Share of a distance that may be missing, where cells are withheld in part and where not."""

FRACTION = 1e-6

STALLED, SLOW = 4, 2e-3
"""Rounds of cuts in which the cost may rise by less than that share, before branching."""

ROUNDS_BELOW = 3
"""Rounds of cuts against parts of cells at each node below the root."""

PROVED, STOPPED, FAILED = range(3)
"""The cheapest; the best at the limit of effort; nothing was found."""


class Small(NamedTuple):
    """A small table to be protected.

    rows: float64 (relations x cells). down, up: float64 (cells), how far each may move if it is withheld (inf: without
    end). cost: float64 (cells). forced, may: bool (cells), withheld in any case, and may be withheld besides.
    cell, way, distance: int64, int64, float64 (ends), what has to move: 1 down, -1 up, 0 both together; ends of the
    same attacker stand together, the widest first. attacker: int64 (ends); first, known: int64, cells that attacker a
    knows are known[first[a] : first[a + 1]].
    """

    rows: Cells
    down: Cells
    up: Cells
    cost: Cells
    forced: Cells
    may: Cells
    cell: Cells
    way: Cells
    distance: Cells
    attacker: Cells
    first: Cells
    known: Cells


class State(NamedTuple):
    """What a search over a small table works with.

    candidate: int64, cells; number: int64 (cells), of a candidate, -1. share: float64 (cells), withheld how far.
    alive: bool (ends), worth asking. lowest, highest: float64 (cells), where points seen so far bring each cell.
    weight, other: float64 (candidates), room for a cut. secret: bool (cells), unknown to the attacker that is asked.
    """

    candidate: Cells
    number: Cells
    share: Cells
    alive: Cells
    lowest: Cells
    highest: Cells
    weight: Cells
    other: Cells
    secret: Cells


@kernel
def protect(s: Small, effort: int, pattern: Cells) -> int:
    """The cheapest cells to withhold besides: PROVED, STOPPED or FAILED.

    effort: entries of dictionaries that may be looked at. pattern: bool (cells), receives the answer.
    """
    width = len(s.cost)
    count = 0
    for v in range(width):
        count += s.may[v] and not s.forced[v]
    if count == 0:
        return FAILED
    candidate, number, cost = integers(count, 0), integers(width, -1), floats(count, 0.0)
    count = 0
    for v in range(width):
        if s.may[v] and not s.forced[v]:
            candidate[count], number[v], cost[count] = v, count, s.cost[v]
            count += 1
    t = State(
        candidate,
        number,
        floats(width, 0.0),
        flags(len(s.cell), True),
        floats(width, 0.0),
        floats(width, 0.0),
        floats(count, 0.0),
        floats(count, 0.0),
        flags(width, True),
    )
    m, c = dictionary(s.rows.copy()), choice(cost, ROOM if count <= ROOM else 2 * count)
    for v in range(width):
        t.share[v] = 1.0 if s.forced[v] or s.may[v] else 0.0
    _separate(s, t, m, c, WHOLE, True)
    return _search(s, t, m, c, effort, pattern)


@kernel
def _search(s: Small, t: State, m: Moves, c: Choice, effort: int, pattern: Cells) -> int:
    """Depth first, withholding first."""
    count = len(t.candidate)
    branched, second = integers(count, 0), flags(count, False)
    depth, best, last, slow, rounds = 0, float("inf"), -1.0, 0, 0
    answer = FAILED
    root_price, root_value = floats(count, 0.0), float("inf")
    fixed = flags(count, False)
    while True:
        status = cheapest(c, _better(best))
        if status == LOST:
            return STOPPED if answer == PROVED else FAILED
        if m.work[0] + c.work[0] > effort and (best < float("inf") or m.work[0] + c.work[0] > 8 * effort):
            return STOPPED if best < float("inf") else FAILED
        descend = status == DONE
        if descend:
            whole = _shares(s, t, c)
            if c.rows[0] + 2 * CUTS_A_ROUND > len(c.basic):
                drop_loose(c, 1e-3)
                if c.rows[0] + 2 * CUTS_A_ROUND > len(c.basic):
                    return STOPPED if best < float("inf") else FAILED
            now = value(c)
            slow = slow + 1 if now - last <= SLOW * max(1.0, now) else 0
            last = now
            rounds += 1
            asked = whole or (slow < STALLED if depth == 0 else rounds <= ROUNDS_BELOW)
            added = 0
            if asked:
                added = _bridges(s, t, c)
                added += _separate(s, t, m, c, WHOLE if whole else IN_PART, False)
            if added:
                continue
            if whole:
                best = now
                answer = PROVED
                for v in range(len(pattern)):
                    pattern[v] = t.share[v] > 0.5
                if root_value < best:
                    for j in range(count):
                        if not fixed[j] and root_value + abs(root_price[j]) > _better(best):
                            fixed[j] = True
                descend = False
        if descend:
            if depth == 0:
                root_value = value(c)
                for j in range(count):
                    root_price[j] = c.price[-1 - c.place[j]] if c.place[j] < 0 else 0.0
            j = _fraction(c, best < float("inf"))
            branched[depth], second[depth] = j, False
            depth += 1
            bound(c, j, 1.0, 1.0)
        else:
            while depth > 0 and second[depth - 1]:
                depth -= 1
                j = branched[depth]
                bound(c, j, 0.0, 1.0)
            if depth == 0:
                return answer
            for j in range(count):  # what costs too much beside the root stays as it is there
                if fixed[j] and c.high[j] - c.low[j] == 1.0:
                    at = 1.0 if root_price[j] < 0.0 else 0.0
                    bound(c, j, at, at)
            j = branched[depth - 1]
            second[depth - 1] = True
            bound(c, j, 0.0, 0.0)
        rounds, slow, last = 0, 0, -1.0


@kernel
def _better(best: float) -> float:
    """What a choice costs at most that is cheaper than the best: costs are whole steps, as floats tell them apart."""
    return best - 0.5 - 1e-9 * best if best < float("inf") else best


@kernel
def _shares(s: Small, t: State, c: Choice) -> bool:
    """Read off how far each cell is withheld; whether all are wholly or not at all."""
    whole = True
    for v in range(len(t.share)):
        t.share[v] = 1.0 if s.forced[v] else 0.0
    for j in range(len(t.candidate)):
        x = min(1.0, max(0.0, c.at[j]))
        if x < FRACTION:
            x = 0.0
        elif x > 1.0 - FRACTION:
            x = 1.0
        else:
            whole = False
        t.share[t.candidate[j]] = x
    return whole


@kernel
def _fraction(c: Choice, found: bool) -> int:
    """The candidate to branch on: the fullest; once there is a pattern, the one that is least decided."""
    best, most = 0, -1.0
    for j in range(len(c.cost)):
        x = c.at[j]
        if x < FRACTION or x > 1.0 - FRACTION:
            continue
        score = min(x, 1.0 - x) * (1.0 + c.cost[j]) if found else x
        if score > most:
            best, most = j, score
    return best


@kernel
def _bridges(s: Small, t: State, c: Choice) -> int:
    """A cell that is withheld alone in a relation can be computed: others have to be withheld as far."""
    added = 0
    for r in range(len(s.rows)):
        total, known = 0.0, False
        for v in range(len(t.share)):
            if s.rows[r][v] != 0.0:
                total += t.share[v]
                known = known or s.forced[v]
        if known or total < IN_PART:
            continue
        for v in range(len(t.share)):
            if s.rows[r][v] != 0.0 and 2.0 * t.share[v] > total + IN_PART and added < CUTS_A_ROUND:
                for j in range(len(t.weight)):
                    t.weight[j] = 0.0
                for w in range(len(t.share)):
                    if s.rows[r][w] != 0.0 and t.number[w] >= 0:
                        t.weight[t.number[w]] = 1.0
                t.weight[t.number[v]] = -1.0
                add_cut(c, t.weight, 0.0)
                added += 1
    return added


@kernel
def _separate(s: Small, t: State, m: Moves, c: Choice, margin: float, judging: bool) -> int:
    """Cuts that the choice breaks; how many. judging: none; ends that fall short are not asked again: if everything is
    withheld, nothing in this table helps them."""
    added, e, ends = 0, 0, len(s.cell)
    while e < ends and added < CUTS_A_ROUND:
        widest, attacker, end = s.distance[e], s.attacker[e], e
        while end < ends and s.attacker[end] == attacker and s.distance[end] >= CLASS * widest:
            end += 1
        _limit(s, t, m, widest, attacker)
        for k in range(e, end):
            if t.alive[k] and added < CUTS_A_ROUND:
                added += _one(s, t, m, c, k, widest, margin, judging)
        e = end
    return added


@kernel
def _limit(s: Small, t: State, m: Moves, widest: float, attacker: int) -> None:
    """Limits of all cells in units of the widest distance; everything stands still."""
    for v in range(len(t.share)):
        m.low[v] = -min(s.down[v], widest) / widest * t.share[v]
        m.high[v] = min(s.up[v], widest) / widest * t.share[v]
        t.lowest[v], t.highest[v], t.secret[v] = 0.0, 0.0, True
    for at in range(s.first[attacker], s.first[attacker + 1]):
        v = s.known[at]
        m.low[v], m.high[v], t.secret[v] = 0.0, 0.0, False
    still(m)


@kernel
def _one(s: Small, t: State, m: Moves, c: Choice, k: int, widest: float, margin: float, judging: bool) -> int:
    """1 if an end falls short and a cut was added."""
    cell, way, goal = s.cell[k], s.way[k], s.distance[k] / widest
    enough = goal * (1.0 - margin)
    if way > 0:
        met = -t.lowest[cell] >= enough
    elif way < 0:
        met = t.highest[cell] >= enough
    else:
        met = t.highest[cell] - t.lowest[cell] >= enough
    if met:
        return 0
    row = entered(m, cell)
    if row < 0:  # no relation holds it: nothing here limits it
        t.alive[k] = False
        return 0
    for j in range(len(t.weight)):
        t.weight[j] = 0.0
    right = 1.0
    if way >= 0:
        _farthest(t, m, cell, -1.0, goal)
        if (-t.lowest[cell] if way > 0 else t.highest[cell] - t.lowest[cell]) >= enough:
            return 0
        right -= _weigh(s, t, m, cell, -1.0, widest, goal)
    if way <= 0:
        _farthest(t, m, cell, 1.0, goal)
        if (t.highest[cell] if way < 0 else t.highest[cell] - t.lowest[cell]) >= enough:
            return 0
        right -= _weigh(s, t, m, cell, 1.0, widest, goal)
    if judging:
        t.alive[k] = False
        return 0
    if right <= FRACTION:  # steps ran out
        return 0
    holds = 0.0
    for j in range(len(t.weight)):
        t.weight[j] = min(t.weight[j] / right, 1.0)
        if t.weight[j] < 1e-7:
            t.weight[j] = 0.0
        holds += t.weight[j] * t.share[t.candidate[j]]
    if holds >= 1.0 - 1e-7:
        return 0
    add_cut(c, t.weight, 1.0)
    return 1


@kernel
def _farthest(t: State, m: Moves, cell: int, way: float, goal: float) -> None:
    """Move a cell as far as it can go, or to the goal, and note where this brings all others."""
    farthest(m, cell, way, goal)
    seen_from(m, t.lowest, t.highest)


@kernel
def _weigh(s: Small, t: State, m: Moves, cell: int, way: float, widest: float, goal: float) -> float:
    """Add to the weights what each candidate can contribute to the move of a cell, as a share of its goal; what those
    contribute that are withheld in any case."""
    own, always = m.T[m.place[cell]], 0.0
    for q in range(len(m.nonbasic)):
        rate = own[q] * way
        if abs(rate) < 1e-9:
            continue
        v = m.nonbasic[q]
        if not t.secret[v]:
            continue
        most = min(s.up[v] if rate > 0.0 else s.down[v], widest) / widest
        weight = abs(rate) * most / goal
        if s.forced[v]:
            always += weight
        elif t.number[v] >= 0:
            t.weight[t.number[v]] += weight
    return always
