"""A request that was found, as a document again: to copy it, to change it, to say what was asked before."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.hypercube.model import Variable
from tableseal.audit.hypercube.question import Grouping, Question
from tableseal.audit.hypercube.request import TableRequest
from tableseal.audit.hypercube.request_document import VERSION_KEY
from tableseal.suppression.generator.nearest import Step
from tableseal.suppression.generator.table import Table, coarser, only, without_axis


def request_said(request: TableRequest, variables: Sequence[Variable]) -> dict[str, Any]:
    """The document of a request, in few words: names of levels, and codes as coarse as they may be."""
    question = request.question
    axes = [_axis(axis, variables[axis.variable]) for axis in question.axes]
    found: dict[str, Any] = {VERSION_KEY: 1}
    if request.title:
        found["title"] = request.title
    if request.areas and isinstance(axes[0], str):
        found["areas"] = axes.pop(0)
    found["by"] = axes
    if question.where:
        found["where"] = _chosen(question.where, variables)
    if request.part:
        found["share"] = _chosen(request.part, variables)
    if question.measure is not None:
        found["mean" if request.statistic == "mean" else "measure"] = question.measure
    return found


def stepped(request: TableRequest, steps: Sequence[Step], variables: Sequence[Variable]) -> TableRequest:
    """The request of a table that is near one: a level coarser, a variable fewer, areas left out."""
    question = request.question
    nothing = np.zeros(question.size, np.int64)
    table = Table(question, nothing, nothing, 1)
    for step in steps:
        at = next(k for k, axis in enumerate(table.question.axes) if variables[axis.variable].name == step.variable)
        axis = table.question.axes[at]
        match step.kind:
            case "coarser":
                levels = variables[axis.variable].levels
                table = coarser(table, at, next(level for level in levels if level.name == step.level))
            case "dropped":
                table = without_axis(table, at)
            case "left_out":
                table = only(table, at, ~np.isin(axis.codes, step.areas))
    axes = table.question.axes
    return replace(
        request, question=table.question, areas=request.areas and bool(axes) and variables[axes[0].variable].areas
    )


def question_words(question: Question, variables: Sequence[Variable]) -> str:
    """A question on one line: `district@2, sex; age: young`."""
    axes = (_axis(axis, variables[axis.variable]) for axis in question.axes)
    by = ", ".join(one if isinstance(one, str) else f"{next(iter(one))} (own groups)" for one in axes)
    where = _chosen(question.where, variables)
    return "; ".join([by or "all", *(f"{name}: {', '.join(codes)}" for name, codes in where.items())])


def _axis(axis: Grouping, variable: Variable) -> str | dict[str, Any]:
    for level in variable.levels:
        if level.codes == axis.codes and np.array_equal(level.of_leaf, axis.of_leaf):
            return variable.name if level is variable.levels[-1] else f"{variable.name}@{level.name}"
    said = _codes_of_a_level(axis, variable)
    if said is not None:
        return {variable.name: list(said)}
    groups = {code: _cover(variable, axis.of_leaf == k) for k, code in enumerate(axis.codes)}
    return {variable.name: {"groups": groups}}


def _codes_of_a_level(axis: Grouping, variable: Variable) -> tuple[str, ...] | None:
    """Its codes, if each of them is the code of that name, and all of it."""
    meant = _meant(variable)
    for level in variable.levels:
        position = {code: at for at, code in enumerate(level.codes)}
        if not all(code in position and meant[code] == level.name for code in axis.codes):
            continue
        group = np.full(len(level.codes) + 1, -1)
        group[[position[code] for code in axis.codes]] = np.arange(len(axis.codes))
        if np.array_equal(group[level.of_leaf], axis.of_leaf):
            return axis.codes
    return None


def _chosen(where: Sequence[Grouping], variables: Sequence[Variable]) -> Mapping[str, list[str]]:
    """Populations by variable; of one that is chosen twice what both choose."""
    inside: dict[int, NDArray[np.bool_]] = {}
    for one in where:
        own = one.of_leaf >= 0
        inside[one.variable] = inside[one.variable] & own if one.variable in inside else own
    return {variables[at].name: _cover(variables[at], own) for at, own in inside.items()}


def _cover(variable: Variable, inside: NDArray[np.bool_]) -> list[str]:
    """Codes that hold exactly these leaves together, the coarsest there are."""
    return list(_covering(variable, inside.copy()))


def _covering(variable: Variable, left: NDArray[np.bool_]) -> Iterator[str]:
    meant = _meant(variable)
    for level in variable.levels:
        known = level.of_leaf >= 0
        size = np.bincount(level.of_leaf[known], minlength=len(level.codes))
        mine = np.bincount(level.of_leaf[known & left], minlength=len(level.codes))
        for at in np.flatnonzero((mine == size) & (size > 0)).tolist():
            if meant[level.codes[at]] == level.name:
                yield level.codes[at]
                left &= level.of_leaf != at


def _meant(variable: Variable) -> Mapping[str, str]:
    """Code -> the level that a request means by it: the finest that has it."""
    return {code: level.name for level in variable.levels for code in level.codes}
