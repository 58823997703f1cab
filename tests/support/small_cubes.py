"""Small hypercubes for the tests of the table generator, and questions about them."""

from collections.abc import Sequence

import numpy as np

from tableseal.audit.hypercube.model import BaseCells, Level, Variable
from tableseal.audit.hypercube.question import Grouping, Question
from tableseal.suppression.generator.table import Table, table_of

MODULUS = 2**16


def variable(name: str, size: int, *coarser: Sequence[int], areas: bool = False) -> Variable:
    """A variable of so many leaves; each of `coarser` is a level: the group of each leaf, the coarsest first."""
    leaves = tuple(f"{name}{k}" for k in range(size))
    levels = []
    for at, groups in enumerate((*coarser, range(size))):
        number = max(groups) + 1
        codes = leaves if number == size else tuple(f"{name}-{at}-{k}" for k in range(number))
        levels.append(Level(f"level{at}", codes, np.array(groups, np.int32)))
    return Variable(name, leaves, tuple(levels), areas)


def base_of(cube: np.ndarray, seed: int = 0) -> BaseCells:
    """The cells of a cube that are not empty, with keys that are drawn: sums over units are random, too."""
    at = np.flatnonzero(cube.ravel())
    codes = tuple(code.astype(np.int32) for code in np.unravel_index(at, cube.shape))
    keys = np.random.default_rng(seed).integers(0, MODULUS, cube.size)[at]
    return BaseCells(codes, cube.ravel()[at].astype(np.int64), keys.astype(np.int64))


def by(variables: Sequence[Variable], v: int, level: int = -1) -> Grouping:
    """All codes of a level (the leaves)."""
    found = variables[v].levels[level]
    return Grouping(v, found.codes, found.of_leaf)


def groups(v: int, of_leaf: Sequence[int]) -> Grouping:
    """Groups of one's own: the group of each leaf, -1 for none."""
    return Grouping(v, tuple(f"g{k}" for k in range(max(of_leaf) + 1)), np.array(of_leaf, np.int32))


def one_of(variables: Sequence[Variable], v: int, code: int, level: int = -1) -> Grouping:
    """A population: a code of a level."""
    found = variables[v].levels[level]
    return Grouping(v, (found.codes[code],), np.where(found.of_leaf == code, 0, -1).astype(np.int32))


def tabulated(question: Question, base: BaseCells) -> Table:
    """The true table."""
    return table_of(question, base, MODULUS)


def random_question(variables: Sequence[Variable], random: np.random.Generator, axes: int = 3) -> Question:
    """Up to so many variables by some level or by groups of one's own, perhaps of a part of the population."""
    chosen = random.choice(len(variables), int(random.integers(1, min(axes, len(variables)) + 1)), replace=False)
    found = []
    for v in chosen.tolist():
        size = len(variables[v].leaves)
        if random.random() < 0.3:
            own = random.integers(-1, max(2, size // 2), size)
            _, own = np.unique(own, return_inverse=True)
            found.append(groups(v, (own - (1 if random.random() < 0.5 and own.max() > 0 else 0)).tolist()))
        else:
            found.append(by(variables, v, int(random.integers(len(variables[v].levels)))))
    where: list[Grouping] = []
    others = [v for v in range(len(variables)) if v not in chosen]
    if others and random.random() < 0.5:
        v = int(random.choice(others))
        where.append(one_of(variables, v, int(random.integers(len(variables[v].leaves)))))
    return Question(tuple(found), tuple(where))
