"""What an audience holds of one base cell, and what it would take to learn its count: for the agency alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np

from tableseal.audit.hypercube.model import BaseCells, Variable
from tableseal.suppression.generator.memory.answers import Remembered
from tableseal.suppression.generator.memory.contributors import Contributors, Known
from tableseal.suppression.generator.memory.memory import Memory


@dataclass(frozen=True)
class Change:
    """A base cell that gets or loses units in another table."""

    codes: tuple[str, ...]
    units: int


@dataclass(frozen=True)
class Contribution:
    """What all sums of an audience together say of a single contribution to a measure.

    Attributes
    ----------
    several: of a contributor with records in other base cells, too; else the largest of those with records here alone.
    protected: a set of units that a rule protects may be known by it.
    error: no estimate of it has a smaller standard error, as a share of it; None: no sum that is told holds it. least:
        the policy allows none below it; None: any.
    span: values of it that stay possible with all others known span so much, as a share of it; None: any are possible.
        width: the policy allows no less.
    """

    measure: str
    several: bool
    protected: bool
    error: float | None
    least: float | None
    span: float | None
    width: float


@dataclass(frozen=True)
class Holding:
    """What all answers of an audience together say of one base cell.

    Attributes
    ----------
    small: its count is one of those that are protected. occupied: it is known not to be empty, for two cells that
        differ in it alone are shown differently. views: it is known as by the mean of so many independent changes at
        most; None: it is not looked at, for its count is not small.
    up, down: units that it may get and lose alone, up to width, the number of further counts that have to stay
        possible. moves: other tables in hand, in which it changes together with others.
    answers: numbers of the answers that hold it, from 0.
    contributions: to measures of which sums are given: the largest one, and those of contributors with records in other
        base cells, too.
    """

    small: bool
    occupied: bool
    views: float | None
    up: int
    down: int
    width: int
    moves: tuple[tuple[Change, ...], ...]
    answers: tuple[int, ...]
    contributions: tuple[Contribution, ...] = ()


def base_cell(base: BaseCells, variables: Sequence[Variable], codes: Sequence[str]) -> int | None:
    """The position of the base cell with these finest codes, one of each variable; None: nobody is counted there, or
    there is no such code."""
    found = np.ones(len(base), np.bool_)
    for variable, column, code in zip(variables, base.codes, codes, strict=True):
        if code not in variable.leaves:
            return None
        found &= column == variable.leaves.index(code)
    return int(np.flatnonzero(found)[0]) if found.any() else None


def _holds(answer: Remembered, base: BaseCells, cell: int) -> bool:
    """Whether the base cell is in some cell of an answer."""
    return all(
        one.of_leaf[base.codes[one.variable][cell]] >= 0 for one in (*answer.question.axes, *answer.question.where)
    )


def holding(memory: Memory, cell: int, variables: Sequence[Variable]) -> Holding:
    """What is held of the base cell at this position."""
    ground, moves = memory.ground, memory.moves
    seen = np.flatnonzero(ground.small == cell)

    def change(member: int, units: int) -> Change:
        pairs = zip(variables, ground.base.codes, strict=True)
        return Change(tuple(v.leaves[int(column[member])] for v, column in pairs), units)

    found = [
        tuple(
            change(int(member), int(sign) * int(moves.units[k]))
            for member, sign in zip(moves.members[k], moves.signs[k], strict=True)
            if member >= 0
        )
        for k in np.flatnonzero(moves.at == cell).tolist()
    ]
    return Holding(
        small=bool(ground.base.count[cell] < ground.threshold),
        occupied=bool(memory.occupied[cell]),
        views=float(memory.estimates.known[seen[0]]) if len(seen) else None,
        up=int(memory.up[cell]),
        down=int(memory.down_alone[cell]),
        width=ground.rule.width,
        moves=tuple(found),
        answers=tuple(k for k, one in enumerate(memory.answers) if _holds(one, ground.base, cell)),
        contributions=tuple(
            one for measure in ground.contributors for one in _contributions(memory, ground.contributors[measure], cell)
        ),
    )


def _contributions(memory: Memory, of: Contributors, cell: int) -> Iterator[Contribution]:
    """What is known of the largest contribution in a base cell, and of those of contributors with records elsewhere."""
    subjects, rule, every = of.subjects, of.rule, of.base.contributions
    known = memory.known.get(of.measure) or Known.nothing(subjects)
    assert every is not None
    several = len(subjects.gives) + np.searchsorted(subjects.numbers, every.contributor[every.cell == cell])
    for at in [*([cell] if subjects.gives[cell] else []), *several.tolist()]:
        precision, span = float(known.precision[at]), float(known.more[at] + known.less[at])
        yield Contribution(
            measure=of.measure,
            several=at != cell,
            protected=bool(subjects.protected[at]),
            error=1 / sqrt(precision) if precision else None,
            least=None if rule.error is None else float(rule.error),
            span=span if isfinite(span) else None,
            width=float(rule.width),
        )
