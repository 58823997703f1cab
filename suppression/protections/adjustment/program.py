"""The programs of a part: which way each sensitive cell moves, and how far every cell does.

A change is a rise less a fall, both 0 or more. For a sensitive cell that can move either way b is 1 up and 0 down:

    up_least b <= rise <= up_most b,    down_least (1 - b) <= fall <= down_most (1 - b).

Least is the weighted sum of rises and falls of published cells. Where directions are chosen, sizes of changes, rise
plus fall, keep `cuts`, without which half a rise and half a fall would bound next to nothing.

Source: Dandekar and Cox 2002, "Synthetic tabular data: an alternative to complementary cell suppression"; Castro 2006,
"Minimum-distance controlled perturbation methods".
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, eye_array, hstack, vstack

from tableseal.audit.solvers.highs import Highs
from tableseal.audit.solvers.protocol import Floats, Problem
from tableseal.suppression.protections.adjustment.cuts import cuts
from tableseal.suppression.protections.adjustment.part import Ints, Part

WHOLE = 1e-6
"""From a whole number, at most, of what is one."""

LARGE = 20_000
"""Cells from which a linear program stays in the middle of its best face: on the way to a corner time goes by, and what
is not whole has to become so in either case."""


@dataclass(frozen=True)
class Answer:
    """What a program says. moved: float64 (cells), None: nothing was found. bound: no change is smaller. optimal,
    infeasible: proved by the solver."""

    moved: Floats | None
    bound: float
    optimal: bool
    infeasible: bool

    def whole(self, part: Part) -> Ints | None:
        """The changes, if they are whole numbers that the part allows."""
        if self.moved is None:
            return None
        near = np.round(self.moved)
        found = near.astype(np.int64)
        return found if np.abs(self.moved - near).max(initial=0.0) <= WHOLE and part.allows(found) else None


def solve(part: Part, seconds: float, nodes: int, *, choose: bool = True, whole: bool = True) -> Answer:
    """The nearest changes.

    choose: directions are chosen; else a share of each may go either way, which gives a bound. whole: changes are whole
    numbers.
    """
    n, open_cells = len(part), np.flatnonzero(part.moves.open)
    k = len(open_cells)
    low, high = _columns(part)
    problem = _problem(part, open_cells, low, high)
    if choose and k:
        problem = _with_cuts(part, problem)
    cost = np.zeros(problem.matrix.shape[1])
    cost[: 2 * n] = np.tile(part.weights, 2)
    integral = np.zeros(len(cost), np.bool_)
    integral[: 2 * n], integral[2 * n : 2 * n + k] = whole, choose
    found = Highs().minimise_integer(problem, cost, seconds, nodes=nodes, integral=integral)
    moved = None if found.x is None else found.x[:n] - found.x[n : 2 * n]
    bound = found.bound
    if not integral.any():  # of a linear program the value is the bound
        bound = float(cost @ found.x) if found.status == "optimal" and found.x is not None else float("-inf")
    return Answer(moved, max(0.0, bound), found.status == "optimal", found.status == "infeasible")


def _columns(part: Part) -> tuple[Floats, Floats]:
    """Least and largest rise, fall and b of each cell."""
    moves = part.moves
    one_way = moves.sensitive & ~moves.open
    least, most = moves.within(np.where(moves.up, 1, -1))
    either = moves.open
    rise_low = np.where(one_way, np.maximum(least, 0), np.where(either, 0, np.maximum(moves.least, 0)))
    rise_high = np.where(one_way, np.maximum(most, 0), np.where(either, moves.up_most, np.maximum(moves.most, 0)))
    fall_low = np.where(one_way, np.maximum(-most, 0), np.where(either, 0, np.maximum(-moves.most, 0)))
    fall_high = np.where(one_way, np.maximum(-least, 0), np.where(either, moves.down_most, np.maximum(-moves.least, 0)))
    k = int(either.sum())
    low = np.concatenate([rise_low, fall_low, np.zeros(k)]).astype(np.float64)
    return low, np.concatenate([rise_high, fall_high, np.ones(k)]).astype(np.float64)


def _problem(part: Part, open_cells: Ints, low: Floats, high: Floats) -> Problem:
    n, k, moves = len(part), len(open_cells), part.moves
    rows = part.relations.shape[0]
    pick = csr_array((np.ones(k), open_cells, np.arange(k + 1)), shape=(k, n))
    none = csr_array((k, n))
    blocks = [hstack([part.relations, -part.relations, csr_array((rows, k))])]
    lower: list[NDArray[np.float64]] = [part.right.astype(np.float64)]
    upper = [part.right.astype(np.float64)]
    infinite = np.full(k, np.inf)
    for side, sign, least, most in (
        ([pick, none], -1.0, moves.up_least, moves.up_most),
        ([none, pick], 1.0, moves.down_least, moves.down_most),
    ):
        for limit, is_least in ((least, True), (most, False)):
            own = limit[open_cells].astype(np.float64)
            blocks.append(hstack([*side, diags_array(sign * own) if k else eye_array(0)]))
            right = np.zeros(k) if sign < 0 else own
            lower.append(right if is_least else -infinite)
            upper.append(infinite if is_least else right)
    matrix = csr_array(vstack(blocks)) if k else csr_array(blocks[0])
    size = matrix.shape[0]
    return Problem(matrix, np.concatenate(lower)[:size], np.concatenate(upper)[:size], low, high)


def _with_cuts(part: Part, problem: Problem) -> Problem:
    """With a column more for each relation, the sum of sizes in it."""
    above, sums, lower, upper = cuts(part)
    rows, n = part.relations.shape
    k = problem.matrix.shape[1] - 2 * n
    none = csr_array((problem.matrix.shape[0], rows))
    more = hstack([above, above, csr_array((above.shape[0], k)), sums])
    return Problem(
        csr_array(vstack([hstack([problem.matrix, none]), more])),
        np.concatenate([problem.lower, lower]),
        np.concatenate([problem.upper, upper]),
        np.concatenate([problem.column_lower, np.zeros(rows)]),
        np.concatenate([problem.column_upper, np.full(rows, np.inf)]),
    )


def settle(part: Part, direction: Ints, seconds: float) -> tuple[Floats, Floats] | None:
    """The linear program with directions settled, in which a sensitive cell may fall short of its least change at a
    high price: (changes, by how much each falls short); None: there is none.

    direction: int64 (cells), 1 or -1, of sensitive cells.
    """
    n, moves = len(part), part.moves
    which = np.flatnonzero(moves.sensitive)
    k = len(which)
    least, most = moves.within(direction)
    up = direction[which] > 0
    far_low, far_high = least.copy(), most.copy()
    far_low[which[up]] = np.minimum(0, least[which[up]])
    far_high[which[~up]] = np.maximum(0, most[which[~up]])
    sign = csr_array((np.where(up, 1.0, -1.0), which, np.arange(k + 1)), shape=(k, n))
    needed = np.where(up, moves.up_least[which], moves.down_least[which]).astype(np.float64)
    relations = hstack([part.relations, -part.relations, csr_array((part.relations.shape[0], k))])
    matrix = csr_array(vstack([relations, hstack([sign, -sign, eye_array(k)])])) if k else csr_array(relations)
    right = part.right.astype(np.float64)
    rise, fall = np.maximum(far_low, 0), np.maximum(-far_high, 0)
    problem = Problem(
        matrix,
        np.concatenate([right, needed]),
        np.concatenate([right, np.full(k, np.inf)]),
        np.concatenate([rise, fall, np.zeros(k)]).astype(np.float64),
        np.concatenate([np.maximum(far_high, 0), np.maximum(-far_low, 0), needed]).astype(np.float64),
    )
    price = np.full(k, 1000.0 * max(1, int(part.weights.max(initial=1))))
    cost = np.concatenate([part.weights, part.weights, price]).astype(np.float64)
    if n > LARGE:
        found = Highs().interior(problem).minimise(cost, problem.column_lower, problem.column_upper, seconds)
    else:
        found = Highs().minimise_integer(problem, cost, seconds, integral=np.zeros(len(cost), np.bool_))
    if found.x is None or found.status != "optimal":
        return None
    short = np.zeros(n)
    short[which] = found.x[2 * n :]
    return found.x[:n] - found.x[n : 2 * n], short
