"""Witness rounds: tables that reach many ends at once, for large components without structure.

In three-way tables with all margins published the propagated bounds are nearly always the true ones, and what is
missing is a table at each. A round is an interior point that all open ends pull at (`Concave`), or few of them in one
combination in very large cubes (`Central`). It ends in the middle of a face, or near a corner with large numbers; what
is not at a bound has room to move, so the point can be made an exact rational table (`exact_points.py`). Vertices are
no use: their exact values have thousands of digits.
"""

from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.certify import Rational, dual_bound, satisfies, scaled, sparse
from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.dense.exact_points import TOUCH, ExactPoints
from tableseal.audit.bounds.dense.unimodular import unit_basis
from tableseal.audit.bounds.knowledge import Knowledge
from tableseal.audit.bounds.programs.float_problem import as_floats, solver_problem
from tableseal.audit.bounds.programs.target_columns import as_equations
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, product
from tableseal.audit.solvers.central import Central
from tableseal.audit.solvers.concave import Concave, Ends
from tableseal.audit.solvers.protocol import Floats, InteriorSolver, Outcome, Problem, Solver, WarmSolver

Ints = NDArray[np.int64]

SEED = 1

HELD = 0.3
"""Share of the columns that one table holds at their bounds; the rest must keep room to be mended."""

CENTRAL = 3000
"""Columns from which few ends at a time are asked of the central path, from the start. 3d40: all ends in 20 s; where
all ends pull at once, with factorisations, a tenth of them is left after 40 s."""

WAVER = 0.5
"""Share of the weights of ends, before they are cubed, that is left to chance: no two rounds are the same."""

FEW_MINIMA = 0.1
"""Open minima, as a share of the open maxima, from which they are left to the extreme tables that maxima lead to."""

TERMS = 0.03
"""Ends in the combination of a later round, as a share of the columns, to begin with; the weights fall to LEAST."""

FEWEST = 10.0

TRIES = 3
"""Combinations, each of fewer ends, that the central path may give up before another method is asked. More ends than
that are not tried again (3d40: 34 s instead of 41 s)."""

FEWER = 0.7

COARSE, FINE = 20, 35
"""Binary digits of multipliers. Those of vertices are simple; those of the central path are all different, and what
thousands of them lose by rounding adds up (3d40: 0.01 units with 20 digits, 0.000005 with 30)."""

CLOSE = Fraction(1, 10_000)
"""Of linear programming values, in units (see the convention on `lp`)."""

LEAST = 1e-3

PATIENCE = 4
"""Rounds that may close nothing much, on average less than they are worth, before ends are taken one by one."""

WORTH = 4
"""Ends that a point pulled by all of them has to reach, on average: it takes as long as three ends one by one (3d20:
0.025 s)."""

FACES = 2
"""Wide faces that are made known, for tables of whole units: of 20 (five cubes of 1,385 to 2,683 columns) 18 had one
that was found at once."""

NEAR = 2
"""Points that are made known, for tables of whole units near them: the first reach most ends. (3d20, half a second
each: 44.8% of all ends are attained with two and after 2.5 s, 54.8% with six after 4.2 s, 28.8% with none after 1.2 s;
3d40, on a busy machine, 25.7% without, then 33.9% and 40.6% 25 and 29 s later.)"""

FAILURES = 3
"""Combinations in a row for which the engine finds no point."""


class Rounds:
    """Real tables for ends that propagation has proved, and linear programming for those that it has not."""

    name = "witness rounds"
    quick = False

    def __init__(self, solver: Solver) -> None:
        self._solver = solver

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        """Rounds until they yield little; then the ends that are left are bounded one by one, and attained together."""
        if len(_limited(known)) == 0:
            return
        faces = _Faces(component, self._solver, limits)
        random = np.random.default_rng(SEED)
        _go_on(known, faces, random, limits, worth=faces.worth, patience=PATIENCE)
        alone: dict[int, tuple[Floats, Fraction | None]] = {}
        for k in _limited(known).tolist():
            if limits.out_of_time() or not faces.answered:
                break
            found = faces.bound(known, k)
            if found is not None:
                alone[k] = found
        if alone:  # what is proved now is reached by a few combinations, with luck
            _go_on(known, faces, random, limits, worth=1, patience=1)
        for k, (point, value) in alone.items():
            faces.one(known, k, point, value)


def _go_on(
    known: Knowledge, faces: "_Faces", random: np.random.Generator, limits: Limits, *, worth: int, patience: int
) -> None:
    """Rounds until the last few have closed fewer ends than they are worth."""
    yields = [worth] * patience
    while sum(yields[-patience:]) >= patience * worth and faces.answered and not limits.out_of_time():
        open_ends = _limited(known)
        if len(open_ends) == 0:
            return
        if faces.many(known, open_ends, random):
            yields.append(len(open_ends) - len(_limited(known)))


def _limited(known: Knowledge) -> Ints:
    """Open ends for which some limit is proved, or that are asked to go no further than some value."""
    ends = known.open_linear()
    limited: Ints = ends[np.maximum(known.proved[ends], known.enough[ends]) != NO_LOWER]
    return limited


class _Faces:
    """A component as equations, and the interior point method on faces of it."""

    def __init__(self, component: Component, solver: Solver, limits: Limits) -> None:
        self._component, self._limits = component, limits
        equations = as_equations(component)
        problem, self._shift = solver_problem(equations)
        self._solver, self._problem = solver, problem
        large = len(equations.column_lower) >= CENTRAL
        self._central = Central(problem) if large else None
        self._concave = None if large else _concave(problem)
        self.worth = 1 if self._concave is None else WORTH
        right = equations.lower - product(equations.matrix, self._shift)
        self._points = ExactPoints(equations.matrix, right, self._shift)
        self._low = _less(equations.column_lower, self._shift)
        self._high = _less(equations.column_upper, self._shift)
        self._column = np.tile(equations.targets.indices, 2)
        self._sign = np.repeat([1, -1], len(equations.targets.indices))
        self._failures = self._missed = self._narrow = 0
        self._held, self._terms, self._most = HELD, TERMS * len(self._low), float("inf")

    @cached_property
    def _interior(self) -> InteriorSolver:
        return self._solver.interior(self._problem)

    @cached_property
    def _warm(self) -> WarmSolver:
        return self._solver.warm(self._problem)

    @property
    def answered(self) -> bool:
        """False after several combinations without an answer: there is no table, or no time."""
        return self._failures < FAILURES

    def many(self, known: Knowledge, ends: Ints, random: np.random.Generator) -> bool:
        """A table that reaches many open ends. False if nothing came of it, and another try may do better."""
        if self._concave is None or self._missed == FAILURES:
            self._few(known, ends, random)
            return True
        column, sign, goal = self._column[ends], self._sign[ends], self._goal(known, ends)
        # Equal weights on all cells would add up to what is published.
        weight = (1.0 - WAVER * random.random(len(ends))) ** 3
        minima = sign > 0
        if minima.sum() > FEW_MINIMA * (~minima).sum() > 0:
            weight[minima] = 0.0  # minima are zeros, which every extreme table is full of
        wide = self._missed > 0 or self._narrow == FAILURES or len(known.faces) < FACES
        point = self._concave.reach(Ends(column, sign, (sign * goal).astype(np.float64), weight), wide=wide)
        shown = point is not None and self._show(known, point, self._low, self._high)
        self._missed = 0 if shown else self._missed + 1
        if not wide:
            self._narrow = 0 if shown else self._narrow + 1
        elif point is not None and shown:
            self._keep_face(known, point)
        return shown

    def _few(self, known: Knowledge, ends: Ints, random: np.random.Generator) -> None:
        """A combination of few open ends, in falling weights: the face where it is least is wide, and its middle can
        mostly be made exact as it is. As many ends as that works for and that can be reached together."""
        column, sign = self._column[ends], self._sign[ends]
        point = self._together(column, sign, random.permutation(len(ends)))
        if point is None:
            return
        exact = self._show(known, point, self._low, self._high)
        if exact:
            self._keep_face(known, point)
        else:
            self._hold(known, ends, point, random)
        closed = len(ends) - len(_limited(known))
        self._terms *= 1.1 if exact and closed > self._terms / 2 else 0.9
        self._terms = min(max(self._terms, FEWEST), self._most)

    def _together(self, column: Ints, sign: Ints, rank: Ints) -> Floats | None:
        """A point in the middle of the face where a combination is least whose weights fall with the rank."""
        for left in reversed(range(TRIES + 1)):
            weight = LEAST ** (rank / self._terms)
            weight[weight < LEAST] = 0.0
            if self._central is None or left == 0:
                break
            outcome = self._central.minimise(self._cost(column, sign, weight))
            if outcome is not None:
                return outcome.x
            self._terms = self._most = max(FEWER * self._terms, FEWEST)
        return self._best(column, sign, weight).x

    def bound(self, known: Knowledge, k: int) -> tuple[Floats, Fraction | None] | None:
        """Linear programming for one end: what its multipliers prove is made known. (point, value claimed
        if that is close to what is proved)."""
        cost = self._cost(self._column[[k]], self._sign[[k]], np.ones(1))
        path = self._central or self._concave
        outcome = None if path is None else path.minimise(cost)
        found = None if outcome is None else self._claimed(known, k, outcome, FINE)
        if found is not None and found[1] is not None:
            return found
        if self._central is not None:
            return self._claimed(known, k, self._best(self._column[[k]], self._sign[[k]], np.ones(1)))
        return self._claimed(known, k, self._warm.minimise(cost, self._limits.seconds_left()))

    def _claimed(
        self, known: Knowledge, k: int, outcome: Outcome, bits: int = COARSE
    ) -> tuple[Floats, Fraction | None] | None:
        column, sign = int(self._column[k]), int(self._sign[k])
        if outcome.x is None or outcome.row_dual is None:
            return None
        bound = self._prove(known, k, outcome.row_dual, bits)
        if bound is None:
            return None
        shift = sign * int(self._shift[column])
        value = _simple(float(sign * outcome.x[column]), bound - shift)
        return outcome.x, None if value is None else value + shift

    def one(self, known: Knowledge, k: int, point: Floats, value: Fraction | None) -> None:
        """The value of one end, and a table at it or not far from it, unless one is in hand."""
        column, sign = self._column[[k]], self._sign[[k]]
        known.lp[k] = value
        if known.met[k] or known.proved[k] >= known.attained[k] or self._limits.out_of_time():
            return
        low, high = self._held_at(column, sign, self._goal(known, np.array([k])))
        if (low <= high).all() and not self._show(known, point, low, high):
            self._middle(known, low, high)

    def _prove(self, known: Knowledge, k: int, row_dual: Floats, bits: int) -> Fraction | None:
        """The bound that the multipliers prove once they are rounded and use no bound that is missing."""
        component = self._component
        y = scaled(row_dual[: component.matrix.shape[0]], bits)
        if y is None:
            return None
        usable = np.where(y.numerator > 0, component.lower != NO_LOWER, component.upper != NO_UPPER)
        y = Rational(np.where(usable, y.numerator, 0), y.denominator)
        bound = dual_bound(component, known.cost(k), y)
        if bound is not None:
            known.prove(k, ceil(bound), sparse(y) if known.keep else None)
        return bound

    def _best(self, column: Ints, sign: Ints, weight: Floats) -> Outcome:
        outcome = self._solve(self._cost(column, sign, weight), self._low, self._high)
        self._failures = 0 if outcome.x is not None else self._failures + 1
        return outcome

    def _cost(self, column: Ints, sign: Ints, weight: Floats) -> Floats:
        cost = np.zeros(len(self._low))
        np.add.at(cost, column, sign * weight)
        return cost

    def _hold(self, known: Knowledge, ends: Ints, point: Floats, random: np.random.Generator) -> None:
        """An exact table at as many of the ends that a point reaches as leave it room."""
        column, sign, goal = self._column[ends], self._sign[ends], self._goal(known, ends)
        reached = np.flatnonzero(sign * point[column] - goal < TOUCH)
        # What is reached least often first.
        often = np.where(sign[reached] > 0, (sign[reached] > 0).sum(), (sign[reached] < 0).sum())
        order = np.lexsort((random.random(len(reached)), often))
        held = reached[order[: int(self._held * len(self._low))]]
        if len(held) == 0:
            return
        if not self._middle(known, *self._held_at(column[held], sign[held], goal[held])):
            self._held /= 2

    def _held_at(self, column: Ints, sign: Ints, goal: Ints) -> tuple[Ints, Ints]:
        """Column bounds with sign * column at most goal."""
        low, high = self._low.copy(), self._high.copy()
        down, up = sign > 0, sign < 0
        high[column[down]] = np.minimum(high[column[down]], goal[down])
        low[column[up]] = np.maximum(low[column[up]], -goal[up])
        return low, high

    def _middle(self, known: Knowledge, low: Ints, high: Ints) -> bool:
        """An exact table in the middle of what column bounds leave, made known."""
        point = self._solve(np.zeros(len(low)), low, high).x
        return point is not None and self._show(known, point, low, high)

    def _show(self, known: Knowledge, point: Floats, low: Ints, high: Ints) -> bool:
        """Make the point known as an exact table if it can be one."""
        found = self._points.exact(point, low, high)
        if found is None:
            return False
        table = Rational(found.numerator[: self._component.matrix.shape[1]], found.denominator)
        if not satisfies(self._component, table):
            return False
        known.witness_real(table)
        if len(known.near) < NEAR:
            known.near.append(table.numerator // table.denominator)
        return True

    def _keep_face(self, known: Knowledge, point: Floats) -> None:
        """Make known where tables of whole units are worth a search, unless there are enough such places."""
        if len(known.faces) < FACES:
            columns = self._component.matrix.shape[1]
            at_low, at_high = self._points.at_bounds(point, self._low, self._high)
            low, high = self._component.column_lower, self._component.column_upper
            known.faces.append((np.where(at_high[:columns], high, low), np.where(at_low[:columns], low, high)))

    def _goal(self, known: Knowledge, ends: Ints) -> Ints:
        """Value of the column (its negative for maxima) at which each end is closed."""
        closed = np.maximum(known.proved[ends], known.enough[ends])
        return np.asarray(closed - self._sign[ends] * self._shift[self._column[ends]], dtype=np.int64)

    def _solve(self, cost: Floats, low: Ints, high: Ints) -> Outcome:
        return self._interior.minimise(cost, as_floats(low), as_floats(high), self._limits.seconds_left())


def _concave(problem: Problem) -> Concave | None:
    """All ends at once, on independent rows; None where a column has no lower bound, or none has any room."""
    if not np.isfinite(problem.column_lower).all() or (problem.column_lower == problem.column_upper).all():
        return None
    rows, _, _ = unit_basis(problem.matrix, np.ones(problem.matrix.shape[1], np.bool_))
    return Concave(problem, np.sort(rows))


def _simple(claimed: float, bound: Fraction) -> Fraction | None:
    """The simple fraction near what the solver claims, if the proved bound comes as close as CLOSE."""
    for denominator in (1, 1000):
        value = Fraction(claimed).limit_denominator(denominator)
        if abs(value - bound) <= CLOSE:
            return value
    return None


def _less(bound: Ints, by: Ints) -> Ints:
    """bound - by where there is a bound."""
    return np.where(np.abs(bound) >= NO_UPPER, bound, bound - by)
