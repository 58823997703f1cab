"""Tables near one that is refused: a level coarser, a variable fewer, blocked areas left out.

Each of these is a sum or a part of the table that was asked for, so that nothing is read again. The search goes on from
the table that keeps most cells, and ends after a number of tables that were judged.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.codec.declared import HIDDEN, PUBLIC
from tableseal.audit.hypercube.model import Variable
from tableseal.audit.hypercube.question import Question
from tableseal.suppression.generator.table import Table, coarser, levels_above, only, without_axis


@dataclass(frozen=True)
class Step:
    """A change of what was asked."""

    kind: Annotated[Literal["coarser", "dropped", "left_out"], PUBLIC]
    variable: Annotated[str, PUBLIC]
    level: Annotated[str | None, "Of a coarser one, its level.", PUBLIC] = None
    areas: Annotated[tuple[str, ...], "Areas that are left out.", PUBLIC] = ()


@dataclass(frozen=True)
class Nearest:
    """A table that passes."""

    steps: Annotated[tuple[Step, ...], PUBLIC]
    cells: Annotated[int, PUBLIC]
    question: Annotated[Question, HIDDEN, PUBLIC]


@dataclass(frozen=True)
class _Tried:
    steps: tuple[Step, ...]
    table: Table

    @property
    def cells(self) -> int:
        return self.table.question.size

    def then(self, step: Step, table: Table) -> "_Tried":
        return _Tried((*self.steps, step), table)


Judge = Callable[[Table], tuple[bool, NDArray[np.bool_] | None]]
"""Whether a table passes; if not, bool (groups of its only axis of places): the areas that are in the way."""


def nearest(
    table: Table, variables: Sequence[Variable], judge: Judge, *, wanted: int = 3, effort: int = 40
) -> tuple[Nearest, ...]:
    """Up to so many tables that pass, those that keep most cells first; none that follows from another by more steps.

    effort: tables that are judged, at most.
    """
    order, found = count(), list[Nearest]()
    begin = _Tried((), table)
    heap: list[tuple[int, int, int, _Tried]] = []
    seen: set[tuple[tuple[int, tuple[str, ...]], ...]] = {_identity(table)}
    _, areas = judge(table)
    for one in _changed(begin, variables, areas):
        heappush(heap, (-one.cells, len(one.steps), next(order), one))
    while heap and effort and len(found) < wanted:
        *_, one = heappop(heap)
        if (key := _identity(one.table)) in seen or any(set(f.steps) <= set(one.steps) for f in found):
            continue
        seen.add(key)
        effort -= 1
        passes, areas = judge(one.table)
        if passes:
            found.append(Nearest(one.steps, one.cells, one.table.question))
            continue
        for further in _changed(one, variables, areas):
            heappush(heap, (-further.cells, len(further.steps), next(order), further))
    return tuple(found)


def _identity(table: Table) -> tuple[tuple[int, tuple[str, ...]], ...]:
    return tuple((axis.variable, axis.codes) for axis in table.question.axes + table.question.where)


def _changed(one: _Tried, variables: Sequence[Variable], areas: NDArray[np.bool_] | None) -> Iterator[_Tried]:
    axes = one.table.question.axes
    for k, axis in enumerate(axes):
        variable = variables[axis.variable]
        for level in levels_above(axis, variable)[:1]:
            yield one.then(Step("coarser", variable.name, level.name), coarser(one.table, k, level))
        if len(axes) > 1:
            yield one.then(Step("dropped", variable.name), without_axis(one.table, k))
        if variable.areas and areas is not None and len(areas) == len(axis.codes) and not areas.all() and areas.any():
            codes = tuple(code for code, out in zip(axis.codes, areas.tolist(), strict=True) if out)
            yield one.then(Step("left_out", variable.name, areas=codes), only(one.table, k, ~areas))
