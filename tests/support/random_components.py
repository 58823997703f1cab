"""Random components of every kind, and what is true of them by brute force and by a solver of other origin."""

from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from random import Random

import numpy as np
from glpk import minimise
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Component
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError, propagate

MOST = 4


@dataclass(frozen=True)
class Truth:
    """What is true of a component.

    tables: every integer solution (bounded components only, else None); feasible: some real solution exists.
    lp: for each minimum (targets, then their negatives) the value by GLPK, None: no limit.
    """

    tables: np.ndarray | None
    feasible: bool
    lp: list[float | None]


def random_component(seed: int) -> Component:
    """A small component; may have no solution, no limits, negative columns, targets of several columns."""
    random = Random(seed)
    kind = random.choice(["two-way", "nested", "any", "any"])
    matrix = {"two-way": _two_way, "nested": _nested, "any": _any}[kind](random)
    rows, columns = matrix.shape
    nonnegative = random.random() < 0.8
    table = np.array([random.randint(0 if nonnegative else -2, MOST) for _ in range(columns)])
    middle = matrix @ table
    lower, upper = middle.copy(), middle.copy()
    for r in range(rows):
        if random.random() < 0.25:
            lower[r] -= random.randint(0, 2)
            upper[r] += random.randint(0, 2)
            if random.random() < 0.3:
                lower[r] = NO_LOWER
            elif random.random() < 0.3:
                upper[r] = NO_UPPER
    if random.random() < 0.1:  # most likely no solution
        r = random.randrange(rows)
        lower[r] = upper[r] = (0 if lower[r] == NO_LOWER else lower[r]) + random.choice([-3, -1, 1, 3])
    low = np.full(columns, 0 if nonnegative else NO_LOWER)
    high = np.full(columns, NO_UPPER)
    if random.random() < 0.2:  # bounds that do not follow from the rows
        high[random.randrange(columns)] = random.randint(0, MOST)
        low[random.randrange(columns)] = random.choice([-1, 0])
    matrix = csr_array(matrix.astype(np.int64))
    with suppress(InfeasibleError):
        low, high = propagate(matrix, lower, upper, low, high, integer=False)
    return Component(matrix, lower, upper, low, high, _targets(random, columns))


def _two_way(random: Random) -> np.ndarray:
    m, n = random.randint(2, 3), random.randint(2, 3)
    return np.array(
        [[i // n == r for i in range(m * n)] for r in range(m)] + [[i % n == c for i in range(m * n)] for c in range(n)]
    ).astype(np.int64)


def _nested(random: Random) -> np.ndarray:
    """Sums of cells of a cube, so that cells can be part of three sums and vertices need not be whole."""
    cells = list(product(range(2), range(2), range(2)))
    rows = []
    for _ in range(random.randint(3, 7)):
        fixed = random.sample(range(3), random.randint(1, 2))
        rows.append([all(c[f] == random_bit for f in fixed for random_bit in [random.randint(0, 1)]) for c in cells])
    chosen = np.array([r for r in rows if any(r)] or [[True] * 8]).astype(np.int64)
    return chosen[:, : random.randint(5, 8)]


def _any(random: Random) -> np.ndarray:
    rows, columns = random.randint(1, 4), random.randint(1, 5)
    return np.array([[random.choice([0, 0, 1, 1, 1, -1, 2]) for _ in range(columns)] for _ in range(rows)])


def _targets(random: Random, columns: int) -> csr_array:
    single = np.eye(columns, dtype=np.int64)[sorted(random.sample(range(columns), random.randint(1, columns)))]
    several = np.array([[random.choice([0, 1, 1, 2]) for _ in range(columns)] for _ in range(random.randint(0, 2))])
    several = several.reshape(-1, columns)
    several = several[(several > 0).sum(axis=1) > 1]
    return csr_array(np.concatenate([single, several]).astype(np.int64))


def truth_of(component: Component) -> Truth:
    """Brute force and GLPK."""
    matrix, columns = component.matrix.toarray(), component.matrix.shape[1]
    bounds = np.eye(columns, dtype=np.int64)
    lower = _floats(np.concatenate([component.lower, component.column_lower]))
    upper = _floats(np.concatenate([component.upper, component.column_upper]))
    system = np.concatenate([matrix, bounds]), lower, upper, np.full(columns, -np.inf)
    forms = np.concatenate([component.targets.toarray(), -component.targets.toarray()])
    try:
        lp = [minimise(*system, form) for form in forms]
        feasible = True
    except ValueError:
        lp, feasible = [], False
    return Truth(_tables(component, matrix), feasible, lp)


def _tables(component: Component, matrix: np.ndarray) -> np.ndarray | None:
    low, high = component.column_lower, component.column_upper
    if (low == NO_LOWER).any() or (high == NO_UPPER).any():
        return None
    sizes = np.maximum(high - low + 1, 0).astype(float)
    if sizes.prod() > 200_000:
        return None
    x = np.array(list(product(*(range(a, b + 1) for a, b in zip(low.tolist(), high.tolist(), strict=True)))))
    x = x.reshape(-1, len(low))
    value = x @ matrix.T
    return x[((value >= component.lower) & (value <= component.upper)).all(axis=1)]


def _floats(bound: np.ndarray) -> np.ndarray:
    result = bound.astype(float)
    result[bound == NO_LOWER], result[bound == NO_UPPER] = -np.inf, np.inf
    return result


def permuted(component: Component, seed: int) -> Component:
    """The same component with rows and columns in another order (targets as they are)."""
    source = np.random.default_rng(seed)
    rows, columns = (source.permutation(n) for n in component.matrix.shape)
    return Component(
        csr_array(component.matrix[rows][:, columns]),
        component.lower[rows],
        component.upper[rows],
        component.column_lower[columns],
        component.column_upper[columns],
        csr_array(component.targets[:, columns]),
    )


def table_component(shape: tuple[int, ...], seed: int) -> Component:
    """A table of several variables of which all margins but one dimension are known for about half of the cells."""
    source = np.random.default_rng(seed)
    size = int(np.prod(shape))
    where = np.indices(shape).reshape(len(shape), -1)
    cells = np.flatnonzero(source.random(size) < 0.5)
    x = source.integers(0, 6, len(cells))
    rows = []
    for k in range(len(shape)):
        other = np.ravel_multi_index(
            [where[i] for i in range(len(shape)) if i != k], [s for i, s in enumerate(shape) if i != k]
        )[cells]
        rows += [other == value for value in np.unique(other)]
    matrix = csr_array(np.array(rows).astype(np.int64))
    value = matrix @ x
    low, high = propagate(
        matrix, value, value, np.zeros(len(cells), np.int64), np.full(len(cells), NO_UPPER), integer=False
    )
    targets = csr_array(np.eye(len(cells), dtype=np.int64))
    return Component(matrix, value, value, low, high, targets)
