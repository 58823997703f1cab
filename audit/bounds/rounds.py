"""Witness rounds: tables that reach many ends at once, for large components without structure.

In three-way tables with all margins published the propagated bounds are nearly always the true ones, and what is
missing is a table at each. A round is an interior point solution of a random combination of open ends: a point in the
middle of the face where it is least. There everything that is not at a bound has room to move, so the point can be made
an exact rational table: round all columns to multiples of 1 / D, then mend the equations with a basis of determinant
one, which needs no further denominator. (Vertices are no use: their exact values have thousands of digits.)
"""

from fractions import Fraction
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from audit.bounds.certify import Rational, dual_bound, satisfies, scaled, sparse
from audit.bounds.component import Component, Limits
from audit.bounds.equations import as_equations
from audit.bounds.knowledge import Knowledge
from audit.bounds.problem import as_floats, solver_problem
from audit.bounds.unimodular import unit_basis
from audit.linear.integers import NO_LOWER, NO_UPPER, product
from audit.solvers.protocol import Floats, Outcome, Solver

Ints = NDArray[np.int64]

SEED = 1

PRECISION = 30
"""Tables are multiples of 2^-30 at best, coarser where values are large."""

COARSEST = 12
"""Below multiples of 2^-12 rounding would need more room than tables leave."""

FAR = 1e9
"""Room of a column without limit, for weights."""

TOUCH = 1e-5
"""Distance from a bound, in units, at which a float point counts as being there. The points are in the middle of
faces: other columns are 1e-3 or more away (3d20, 3d40)."""

HELD = 0.3
"""Share of the columns that one table holds at their bounds; the rest must keep room to be mended."""

BROAD = 4
"""First rounds, whose combinations spread over all open ends. Later ones go for few in earnest: after 4 rounds on 3d20
one solution closes 37 ends in falling weights over 43 ends, 12 with weights over all."""

TERMS = 0.03
"""Ends in the combination of a later round, as a share of the columns, to begin with; the weights fall to LEAST."""

FEWEST = 10.0

CLOSE = Fraction(1, 10_000)
"""Of linear programming values, in units (see the convention on `lp`)."""

LEAST = 1e-3

PATIENCE = 4
"""Rounds that may close nothing much, on average less than one end each, before ends are taken one by one."""


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
        yields = [PATIENCE] * PATIENCE
        while sum(yields[-PATIENCE:]) >= PATIENCE and faces.answered and not limits.out_of_time():
            open_ends = _limited(known)
            if len(open_ends) == 0:
                return
            work = faces.broad if len(yields) < PATIENCE + BROAD else faces.few
            work(known, open_ends, random)
            yields.append(len(open_ends) - len(_limited(known)))
        alone: dict[int, tuple[Floats, Fraction | None]] = {}
        for k in _limited(known).tolist():
            if limits.out_of_time() or not faces.answered:
                break
            found = faces.bound(known, k)
            if found is not None:
                alone[k] = found
        # What is proved now is reached by a few combinations, with luck.
        closed = len(alone)
        while closed and not limits.out_of_time() and faces.answered and len(open_ends := _limited(known)):
            faces.few(known, open_ends, random)
            closed = len(open_ends) - len(_limited(known))
        for k, (point, value) in alone.items():
            faces.one(known, k, point, value)


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
        self._solver = solver.interior(problem)
        self._matrix = equations.matrix
        self._right = equations.lower - product(equations.matrix, self._shift)
        self._low = _less(equations.column_lower, self._shift)
        self._high = _less(equations.column_upper, self._shift)
        self._column = np.tile(equations.targets.indices, 2)
        self._sign = np.repeat([1, -1], len(equations.targets.indices))
        self._failures = 0
        self._held, self._terms = HELD, TERMS * len(self._low)

    @property
    def answered(self) -> bool:
        """False after several combinations without an answer: there is no table, or no time."""
        return self._failures < FAILURES

    def broad(self, known: Knowledge, ends: Ints, random: np.random.Generator) -> None:
        """A combination of all open ends reaches many; a second solution, in the face where as many of them as can
        be held are reached, has the room that an exact table needs."""
        column, sign = self._column[ends], self._sign[ends]
        room = as_floats(self._high)[column] - as_floats(self._low)[column]
        weight = random.random(len(ends)) ** 3 / np.clip(room, 1.0, FAR)
        if (sign < 0).any():
            weight[sign > 0] = 0.0  # minima are zeros, which every extreme table is full of
        point = self._best(column, sign, weight).x
        if point is not None:
            self._hold(known, ends, point, random)

    def few(self, known: Knowledge, ends: Ints, random: np.random.Generator) -> None:
        """A combination of few open ends, in falling weights: the face where it is least is wide, and its middle can
        mostly be made exact as it is. As many ends as that works for and that can be reached together."""
        column, sign = self._column[ends], self._sign[ends]
        weight = LEAST ** (random.permutation(len(ends)) / self._terms)
        weight[weight < LEAST] = 0.0
        point = self._best(column, sign, weight).x
        if point is None:
            return
        exact = self._show(known, self._exact(point, self._low, self._high))
        if not exact:
            self._hold(known, ends, point, random)
        closed = len(ends) - len(_limited(known))
        self._terms *= 1.1 if exact and closed > self._terms / 2 else 0.9
        self._terms = max(self._terms, FEWEST)

    def bound(self, known: Knowledge, k: int) -> tuple[Floats, Fraction | None] | None:
        """Linear programming for one end: what its multipliers prove is made known. (point, value claimed
        if that is close to what is proved)."""
        column, sign = self._column[[k]], self._sign[[k]]
        outcome = self._best(column, sign, np.ones(1))
        if outcome.x is None or outcome.row_dual is None:
            return None
        bound = self._prove(known, k, outcome.row_dual)
        if bound is None:
            return None
        shift = int(sign[0] * self._shift[column[0]])
        value = _simple(float(sign[0] * outcome.x[column[0]]), bound - shift)
        return outcome.x, None if value is None else value + shift

    def one(self, known: Knowledge, k: int, point: Floats, value: Fraction | None) -> None:
        """The value of one end, and a table at it or not far from it, unless one is in hand."""
        column, sign = self._column[[k]], self._sign[[k]]
        known.lp[k] = value
        if known.met[k] or known.proved[k] >= known.attained[k] or self._limits.out_of_time():
            return
        low, high = self._held_at(column, sign, self._goal(known, np.array([k])))
        if (low <= high).all() and not self._show(known, self._exact(point, low, high)):
            self._middle(known, low, high)

    def _prove(self, known: Knowledge, k: int, row_dual: Floats) -> Fraction | None:
        """The bound that the multipliers prove once they are rounded and use no bound that is missing."""
        component = self._component
        y = scaled(row_dual[: component.matrix.shape[0]])
        if y is None:
            return None
        usable = np.where(y.numerator > 0, component.lower != NO_LOWER, component.upper != NO_UPPER)
        y = Rational(np.where(usable, y.numerator, 0), y.denominator)
        bound = dual_bound(component, known.cost(k), y)
        if bound is not None:
            known.prove(k, ceil(bound), sparse(y) if known.keep else None)
        return bound

    def _best(self, column: Ints, sign: Ints, weight: Floats) -> Outcome:
        cost = np.zeros(len(self._low))
        np.add.at(cost, column, sign * weight)
        outcome = self._solve(cost, self._low, self._high)
        self._failures = 0 if outcome.x is not None else self._failures + 1
        return outcome

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
        return point is not None and self._show(known, self._exact(point, low, high))

    def _show(self, known: Knowledge, table: Rational | None) -> bool:
        """Make a table known if it is one."""
        if table is None or not satisfies(self._component, table):
            return False
        known.witness_real(table)
        return True

    def _goal(self, known: Knowledge, ends: Ints) -> Ints:
        """Value of the column (its negative for maxima) at which each end is closed."""
        closed = np.maximum(known.proved[ends], known.enough[ends])
        return np.asarray(closed - self._sign[ends] * self._shift[self._column[ends]], dtype=np.int64)

    def _solve(self, cost: Floats, low: Ints, high: Ints) -> Outcome:
        return self._solver.minimise(cost, as_floats(low), as_floats(high), self._limits.seconds_left())

    def _exact(self, point: Floats, low: Ints, high: Ints) -> Rational | None:
        """The point, moved by very little onto the equations; columns at a bound stay exactly there."""
        at_low, at_high = point - as_floats(low) < TOUCH, as_floats(high) - point < TOUCH
        rows, columns, determinant = unit_basis(self._matrix, ~(at_low | at_high))
        scale = self._scale(point, determinant)
        if scale is None:
            return None
        z = np.rint(point * scale).astype(np.int64)
        z[at_low] = low[at_low] * scale
        z[at_high] = high[at_high] * scale
        lacking = (self._right * scale - self._matrix @ z) * determinant
        z *= determinant
        if len(rows):
            from scipy.sparse.linalg import splu  # late: 0.1 s

            basis = csc_array(self._matrix[rows][:, columns].astype(np.float64))
            z[columns] += np.rint(splu(basis).solve(lacking[rows].astype(np.float64))).astype(np.int64)
        own = self._component.matrix.shape[1]
        return Rational(z[:own] + self._shift[:own] * (scale * determinant), scale * determinant)

    def _scale(self, point: Floats, determinant: int) -> int | None:
        """Multiples that columns are rounded to, as fine as 64 bits allow; None if that is too coarse."""
        size = np.abs(point) + np.abs(self._shift.astype(np.float64)) + 1.0
        most = max(float((abs(self._matrix) @ size).max(initial=1.0)), float(size.max()))
        power = min(PRECISION, 60 - ceil(log2(most) + log2(determinant)))
        return 2**power if power >= COARSEST else None


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
