"""Combinations of codes that cannot occur, such as children who are married: zeros that everybody knows."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import chain
from math import prod

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, LimitError, Place, unknown
from tableseal.audit.hypercube.model import BaseCells, Hypercube, Ints, Variable
from tableseal.audit.hypercube.question import Question
from tableseal.audit.wording import listing, quoted, suggestion

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
    names = [variable.name for variable in about.variables]
    found: dict[tuple[int, ...], NDArray[np.bool_]] = {}
    for row, statement in enumerate(about.impossible):
        place = where / row
        if not statement:
            raise InputError("names no variable; everything would be impossible.", at=place)
        chosen: dict[int, Ints] = {}
        for name, codes in statement.items():
            if name not in names:
                raise unknown("variable", name, names, place)
            at = names.index(name)
            chosen[at] = np.concatenate([leaves_of(about.variables[at], code, place / name) for code in codes])
        axes = tuple(sorted(chosen))
        shape = tuple(len(about.variables[at].leaves) for at in axes)
        if prod(shape) > _MOST:
            raise LimitError(f"{prod(shape):,} combinations of leaves, more than {_MOST:,}.", at=place)
        found.setdefault(axes, np.zeros(shape, np.bool_))[np.ix_(*(chosen[at] for at in axes))] = True
    return [Zeros(axes, impossible) for axes, impossible in found.items()]


def leaves_of(variable: Variable, code: str, where: Place) -> Ints:
    """int64: the leaves below a code of any level.

    Raises
    ------
    InputError: there is no such code.
    """
    for level in reversed(variable.levels):
        if code in level.codes:
            return np.flatnonzero(level.of_leaf == level.codes.index(code))
    known = list(dict.fromkeys(chain.from_iterable(level.codes for level in variable.levels)))
    expected = f"a code of {variable.name}: {listing(known)}"
    raise InputError(found=f"{quoted(code)}{suggestion(code, known)}", expected=expected, at=where)


def occurring(zeros: list[Zeros], cells: BaseCells) -> Ints:
    """int64: cells that have units although they cannot."""
    wrong = np.zeros(len(cells), np.bool_)
    for one in zeros:
        wrong |= one.impossible[tuple(cells.codes[at] for at in one.axes)]
    return np.flatnonzero(wrong)


def impossible_cells(question: Question, zeros: list[Zeros], sizes: tuple[int, ...]) -> NDArray[np.bool_]:
    """bool (cells of the table, row by row): those of which every base cell is impossible by what is said of one set of
    variables. (A cell that only statements on different variables make impossible together is not among them.)

    sizes: leaves of each variable.
    """
    shape = question.shape
    found = np.zeros(shape, np.bool_)
    for one in zeros:
        # Base cells of the population by the variables of the statement, group by group of the table.
        inside: dict[int, NDArray[np.bool_]] = {at: np.ones(sizes[at], np.bool_) for at in one.axes}
        spanning: dict[int, list[int]] = defaultdict(list)
        for chosen in question.where:
            if chosen.variable in inside:
                inside[chosen.variable] &= chosen.of_leaf >= 0
        for at, axis in enumerate(question.axes):
            spanning[axis.variable].append(at)
        possible = ~one.impossible
        table_axes: list[int] = []
        for dimension, variable in enumerate(one.axes):
            groups = [question.axes[at] for at in spanning.get(variable, [])]
            if groups:
                (axis,) = groups  # a table has a variable once
                member = (axis.of_leaf[None, :] == np.arange(len(axis.codes))[:, None]) & inside[variable]
                table_axes += spanning[variable]
            else:
                member = inside[variable][None, :]
                table_axes.append(-1)
            possible = np.moveaxis(np.tensordot(member, possible, (1, dimension)) > 0, 0, dimension)
        # What is left: an axis for each variable of the statement; those that the table lacks have one entry.
        kept = [at for at in table_axes if at >= 0]
        none = ~possible.reshape([n for n, at in zip(possible.shape, table_axes, strict=True) if at >= 0])
        order = np.argsort(kept)
        broadcast = [shape[at] if at in kept else 1 for at in range(len(shape))]
        found |= none.transpose(order).reshape(broadcast)
    return found.ravel()
