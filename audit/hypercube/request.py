"""A request -> the question that it asks of a hypercube, or all that is wrong with it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal, TypeVar

import numpy as np

from tableseal.audit.errors import InputError, Place, TablesealError, at_once, unknown
from tableseal.audit.hypercube.codes import VariableCodes, Vocabulary
from tableseal.audit.hypercube.model import Codes
from tableseal.audit.hypercube.question import Grouping, Question
from tableseal.audit.hypercube.request_document import GroupsDocument, RequestDocument, request_document
from tableseal.audit.io.yaml_text import Document
from tableseal.audit.wording import listing, quoted

T = TypeVar("T")

Statistic = Literal["count", "sum", "mean", "share"]


@dataclass(frozen=True)
class TableRequest:
    """A table that is asked for, with every name found.

    Attributes
    ----------
    title: of the table, or empty. question: its cells; the measure is that of sums and means. areas: the first variable
        is one of places, each of which is judged by itself. statistic: what is shown of each cell.
    part: of a share, whom it counts among the units of a cell.
    """

    title: str
    question: Question
    areas: bool
    statistic: Statistic
    part: tuple[Grouping, ...] = ()

    @property
    def of_part(self) -> Question | None:
        """The question of the units that a share counts; None: it is no share."""
        if self.statistic != "share":
            return None
        return replace(self.question, where=(*self.question.where, *self.part))


def read_request(parsed: Document, vocabulary: Vocabulary, top: Place) -> TableRequest:
    """The request in a parsed document.

    Raises
    ------
    InputError: all that is wrong at once: keys and types, or else unknown variables, levels, codes and measures, with
        the nearest names; variables that stand twice; groups that overlap, or are empty.
    """
    return found_request(request_document(parsed, top), vocabulary, top)


def found_request(document: RequestDocument, vocabulary: Vocabulary, top: Place) -> TableRequest:
    """The same of a document whose shape is right."""
    wrong: list[TablesealError] = []

    def tried(work: Callable[..., T], *given: Any) -> list[T]:
        try:
            return [work(*given)]
        except TablesealError as error:
            wrong.extend(error.several or [error])
            return []

    def chosen(codes: Mapping[str, str | list[str]], key: str) -> tuple[Grouping, ...]:
        found = (tried(_population, name, said, vocabulary, top / key) for name, said in codes.items())
        return tuple(chain.from_iterable(found))

    axes: list[Grouping] = []
    if document.areas is not None:
        axes += tried(_areas, document.areas, vocabulary, top / "areas")
    for at, entry in enumerate(document.by):
        axes += tried(_axis, entry, vocabulary, top / "by" / at)
    spanning = [axis.variable for axis in axes]
    for variable in sorted({at for at in spanning if spanning.count(at) > 1}):
        name = quoted(vocabulary.about.variables[variable].name)
        wrong.append(InputError(f"the variable {name} stands twice.", at=top / "by"))
    where, part = chosen(document.where, "where"), chosen(document.share or {}, "share")
    statistic, measure = _statistic(document, vocabulary, top, wrong)
    if wrong:
        raise at_once(wrong)
    question = Question(tuple(axes), where, measure)
    return TableRequest(document.title, question, document.areas is not None, statistic, part)


def _statistic(
    document: RequestDocument, vocabulary: Vocabulary, top: Place, wrong: list[TablesealError]
) -> tuple[Statistic, str | None]:
    said = [key for key in ("count", "measure", "mean", "share") if getattr(document, key) not in (None, False)]
    if len(said) > 1:
        text = f"a table has one of {listing(said)}; ask for several tables."
        wrong.append(InputError(text, at=top / said[1]))
    known = vocabulary.about.measures
    for key in said:
        measure = getattr(document, key)
        if key == "share" and not measure:
            wrong.append(InputError("a share is of units with some codes; it names none.", at=top / key))
        if key in ("measure", "mean") and measure not in known:
            nothing = InputError("this hypercube has no measures; it counts units.", at=top / key)
            wrong.append(unknown("measure", measure, known, top / key) if known else nothing)
    if document.share is not None:
        return "share", None
    if document.mean is not None:
        return "mean", document.mean
    return ("count" if document.measure is None else "sum"), document.measure


def _areas(said: str, vocabulary: Vocabulary, where: Place) -> Grouping:
    axis = _level(said, vocabulary, where)
    variable = vocabulary.about.variables[axis.variable]
    if not variable.areas:
        known = [v.name for v in vocabulary.about.variables if v.areas]
        expected = f"a variable of places ({listing(known)})" if known else "no `areas`: no variable is one of places"
        raise InputError(found=quoted(said), expected=expected, at=where)
    return axis


def _level(said: str, vocabulary: Vocabulary, where: Place) -> Grouping:
    """`variable`, or `variable@level`."""
    name, sign, level = said.partition("@")
    known = vocabulary.variable(name.strip(), where)
    found = known.level(level.strip(), where) if sign else known.variable.levels[-1]
    return Grouping(vocabulary.position[known.variable.name], found.codes, found.of_leaf)


def _axis(entry: str | Mapping[str, Any], vocabulary: Vocabulary, where: Place) -> Grouping:
    if isinstance(entry, str):
        return _level(entry, vocabulary, where)
    ((name, said),) = entry.items()
    if isinstance(said, str):
        return _level(f"{name}@{said}", vocabulary, where)
    known = vocabulary.variable(name, where)
    groups = said.groups if isinstance(said, GroupsDocument) else {code: [code] for code in said}
    return Grouping(vocabulary.position[name], tuple(groups), _grouped(groups, known, where / name))


def _grouped(groups: Mapping[str, Sequence[str]], known: VariableCodes, where: Place) -> Codes:
    wrong: list[TablesealError] = []
    of_leaf = np.full(len(known.variable.leaves), -1, np.int32)
    if not groups:
        wrong.append(InputError("there are no groups.", at=where))
    for at, (name, codes) in enumerate(groups.items()):
        if not codes:
            wrong.append(InputError(f"the group {quoted(name)} is empty.", at=where))
        for code in codes:
            try:
                leaves = known.leaves(code, where)
            except TablesealError as error:
                wrong.append(error)
                continue
            taken = leaves[(of_leaf[leaves] >= 0) & (of_leaf[leaves] != at)]
            if len(taken):
                other, leaf = list(groups)[of_leaf[taken[0]]], known.variable.leaves[taken[0]]
                text = f"the groups {quoted(other)} and {quoted(name)} overlap: both have {quoted(leaf)}."
                wrong.append(InputError(text, at=where))
            of_leaf[leaves] = at
    if wrong:
        raise at_once(wrong)
    return of_leaf


def _population(name: str, said: str | Sequence[str], vocabulary: Vocabulary, where: Place) -> Grouping:
    known = vocabulary.variable(name, where)
    codes = [said] if isinstance(said, str) else said
    group = "+".join(codes)
    return Grouping(vocabulary.position[name], (group,), _grouped({group: codes}, known, where / name))
