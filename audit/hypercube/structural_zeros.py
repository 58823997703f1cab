"""Combinations of codes that cannot occur, such as children who are married: zeros that everybody knows."""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, LimitError, Place
from tableseal.audit.hypercube.codes import Vocabulary
from tableseal.audit.hypercube.model import BaseCells, Hypercube, Ints
from tableseal.audit.hypercube.question import Question

_MOST = 50_000_000
"""Combinations of leaves of the variables that a statement names."""


@dataclass(frozen=True)
class Zeros:
    """What cannot occur of some variables. axes: their positions, ascending. impossible: bool (leaves of each)."""

    axes: tuple[int, ...]
    impossible: NDArray[np.bool_]


def structural_zeros(about: Hypercube, where: Place) -> list[Zeros]:
    """Those of a hypercube, one entry for all statements that name the same variables.

    Raises
    ------
    InputError: unknown variables and codes, a statement that names none. LimitError: too many combinations.
    """
    vocabulary = Vocabulary(about)
    found: dict[tuple[int, ...], NDArray[np.bool_]] = {}
    for row, statement in enumerate(about.impossible):
        place = where / row
        if not statement:
            raise InputError("names no variable; everything would be impossible.", at=place)
        chosen: dict[int, Ints] = {}
        for name, codes in statement.items():
            known = vocabulary.variable(name, place)
            chosen[vocabulary.position[name]] = np.concatenate([known.leaves(code, place / name) for code in codes])
        axes = tuple(sorted(chosen))
        shape = tuple(len(about.variables[at].leaves) for at in axes)
        if prod(shape) > _MOST:
            raise LimitError(f"{prod(shape):,} combinations of leaves, more than {_MOST:,}.", at=place)
        found.setdefault(axes, np.zeros(shape, np.bool_))[np.ix_(*(chosen[at] for at in axes))] = True
    return [Zeros(axes, impossible) for axes, impossible in found.items()]


def occurring(zeros: list[Zeros], cells: BaseCells) -> Ints:
    """int64: cells that have units although they cannot."""
    wrong = np.zeros(len(cells), np.bool_)
    for one in zeros:
        wrong |= one.impossible[tuple(cells.codes[at] for at in one.axes)]
    return np.flatnonzero(wrong)


def impossible_cells(question: Question, zeros: list[Zeros], sizes: tuple[int, ...]) -> NDArray[np.bool_]:
    """bool (cells of the table, row by row): those that have no base cell in the population, and those of which every
    base cell is impossible by what is said of one set of variables. (A cell that only statements on different variables
    make impossible together is not among them.)

    sizes: leaves of each variable.
    """
    everywhere = Zeros(tuple(range(len(sizes))), np.zeros((1,) * len(sizes), np.bool_))
    population = [np.ones(size, np.bool_) for size in sizes]
    for chosen in question.where:
        population[chosen.variable] &= chosen.of_leaf >= 0
    member = [inside[None, :] for inside in population]
    position = [-1] * len(sizes)
    for at, axis in enumerate(question.axes):
        own = axis.of_leaf[None, :] == np.arange(len(axis.codes))[:, None]
        member[axis.variable], position[axis.variable] = own & population[axis.variable], at
    found = np.zeros(question.shape, np.bool_)
    for one in [everywhere, *zeros]:
        possible = ~one.impossible
        for dimension, variable in enumerate(one.axes):
            groups = member[variable].any(axis=1, keepdims=True) if one is everywhere else member[variable]
            possible = np.moveaxis(np.tensordot(groups, possible, (1, dimension)), 0, dimension)
        # An axis for each variable of the statement, in the order of the table; those that it lacks have one entry.
        order = sorted(range(len(one.axes)), key=lambda dimension: position[one.axes[dimension]])
        spanned = {position[variable] for variable in one.axes}
        shape = [size if at in spanned else 1 for at, size in enumerate(question.shape)]
        found |= ~possible.transpose(order).reshape(shape)
    return found.ravel()
