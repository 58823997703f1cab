"""Reconstruction: many tables by groups of one's own, and least squares over all that was answered.

Every answered cell is a sum of base cells and a change of known variance. Tables by ever other groups of two variables
are as many equations as one likes, and least squares take them all together: sums, totals, and whatever combination of
them is best (Dinur & Nissim 2003; with tables of a census, arXiv 2312.11283). Changes of different units are
independent, those of the same units are one. A count is claimed once three times its standard error is below a half.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.hypercube.model import Ints
from tableseal.audit.hypercube.question import Grouping, Question
from tableseal.suppression.generator.attacks.user import Claim, Target, User, chosen

TABLES = 300
"""That are asked for one part of the population."""


def reconstruction(user: User, targets: Sequence[Target], random: np.random.Generator) -> list[Claim]:
    """Tables by the two variables with most codes, of all who are in the target's codes of the others."""
    sizes = [len(variable.leaves) for variable in user.variables]
    free = sorted(np.argsort([-size for size in sizes], kind="stable")[:2].tolist())
    found = list[Claim]()
    for fixed in sorted({tuple(code for v, code in enumerate(t) if v not in free) for t in targets}):
        others = [v for v in range(len(sizes)) if v not in free]
        where = tuple(chosen(user, v, [code]) for v, code in zip(others, fixed, strict=True))
        equations, shown = _answers(user, free, where, random)
        own = [t for t in targets if tuple(t[v] for v in others) == fixed]
        at = [int(np.ravel_multi_index([t[v] for v in free], [sizes[v] for v in free])) for t in own]
        found += _claims(user, own, at, equations, shown)
    return found


def _answers(
    user: User, free: Sequence[int], where: tuple[Grouping, ...], random: np.random.Generator
) -> tuple[NDArray[np.float64], Ints]:
    """float64 (cells x combinations of codes): which each answered cell adds up; and what is shown of it."""
    rows, values, seen = list[NDArray[np.float64]](), list[int](), set[bytes]()
    for _ in range(TABLES):
        axes = tuple(_groups(v, len(user.variables[v].leaves), random) for v in free)
        shown = user.ask(Question(axes, where))
        if shown is None:
            continue
        cell = axes[0].of_leaf
        for axis in axes[1:]:
            cell = (cell[:, None] * len(axis.codes) + axis.of_leaf).ravel()
        for k, value in enumerate(shown.tolist()):
            inside = cell == k
            if inside.tobytes() not in seen:
                seen.add(inside.tobytes())
                rows.append(inside.astype(np.float64))
                values.append(value)
    return np.array(rows), np.array(values, np.int64)


def _groups(v: int, leaves: int, random: np.random.Generator) -> Grouping:
    """The codes of a variable in groups, drawn."""
    _, of_leaf = np.unique(random.integers(0, random.integers(1, leaves + 1), leaves), return_inverse=True)
    return Grouping(v, tuple(f"part {k + 1}" for k in range(int(of_leaf.max()) + 1)), of_leaf.astype(np.int32))


def _claims(
    user: User, targets: Sequence[Target], at: Sequence[int], equations: NDArray[np.float64], shown: Ints
) -> list[Claim]:
    if not len(equations):
        return []
    gram = equations.T @ equations
    inverse = np.linalg.pinv(gram, hermitian=True)
    estimate = inverse @ (equations.T @ shown)
    known = np.abs(inverse @ gram - np.eye(len(gram)))[at].max(axis=1) < 1e-6
    error = np.sqrt(user.protection.variance * np.diag(inverse)[at])
    return [
        Claim(target, max(0, round(float(estimate[k]))))
        for target, k, one, sure in zip(targets, at, error.tolist(), known.tolist(), strict=True)
        if sure and 3 * one < 0.5
    ]
