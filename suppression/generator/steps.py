"""The five steps of a table generator: rules, risk, protection, risk again, answer with utility or refusal; and memory.

Source: Shlomo, Antal & Elliot 2015, section 2.3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.hypercube.model import Ints, Variable
from tableseal.audit.hypercube.question import Question
from tableseal.audit.measures.risk.requirement import NOISE
from tableseal.suppression.generator.figures import (
    Figures,
    expected_utility,
    kept_of_sums,
    risk_after,
    risk_before,
    utility_of,
)
from tableseal.suppression.generator.memory.answers import Remembered
from tableseal.suppression.generator.memory.memory import NEAR, USUAL, Against, Memory, judge
from tableseal.suppression.generator.memory.moves import Effort
from tableseal.suppression.generator.nearest import nearest
from tableseal.suppression.generator.policy import GeneratorPolicy
from tableseal.suppression.generator.protection import Protection
from tableseal.suppression.generator.result import Answer, MemoryFound, Refusal, RiskAbove
from tableseal.suppression.generator.rules import Judged, areas_of, judge_asked, judge_held
from tableseal.suppression.generator.sums import Sums, sensitive_sums
from tableseal.suppression.generator.table import Table, only


@dataclass(frozen=True)
class Generator:
    """What is the same for all tables of a hypercube. sums: how sums are changed; None: none are given.
    units: measure -> its unit."""

    variables: Sequence[Variable]
    policy: GeneratorPolicy
    protection: Protection
    sums: Sums | None = None
    units: Mapping[str, Fraction] = field(default_factory=dict)


EFFORT, EFFORT_WITH_MEMORY = 40, 12
"""Tables that are judged for nearest ones, at most; with a memory each takes longer."""


def refused_as_asked(question: Question, generator: Generator) -> Refusal | None:
    """Before anything is computed: may this be asked at all? None: it may."""
    found = judge_asked(question, generator.variables, generator.policy.rules)
    if found:
        return Refusal("asked", asked=found)
    return Refusal("measure") if question.measure is not None and generator.sums is None else None


def answered(
    table: Table, generator: Generator, memory: Memory | None = None, effort: int | None = None
) -> tuple[Answer | Refusal, Memory | None]:
    """The answer to a question, or its refusal with the nearest tables that pass; and the memory after it.

    table: the true counts of what was asked. memory: of the audience; None: it has none. effort: tables that are judged
    to find nearest ones, at most; None: as usual.
    """
    found = _judged(table, generator, memory)
    if isinstance(found, _Passed):
        return found.answer, found.memory
    if found.refusal.reason == "asked":
        return found.refusal, memory

    def judged(one: Table) -> tuple[bool, NDArray[np.bool_] | None]:
        own = found if one is table else _judged(one, generator, memory, NEAR)
        if isinstance(own, _Refused):
            return False, own.areas
        if memory is not None and own.memory is not None and own.memory is not memory:
            memory.forget(own.memory)
        return True, None

    if effort is None:
        effort = EFFORT if memory is None else EFFORT_WITH_MEMORY
    return replace(found.refusal, nearest=nearest(table, generator.variables, judged, effort=effort)), memory


@dataclass(frozen=True)
class _Passed:
    answer: Answer
    memory: Memory | None


@dataclass(frozen=True)
class _Refused:
    """areas: bool, those that rules block, where they can be left out."""

    refusal: Refusal
    areas: NDArray[np.bool_] | None = None


def _judged(table: Table, generator: Generator, memory: Memory | None, effort: Effort = USUAL) -> _Passed | _Refused:
    """One table by all steps. effort: see `judge`."""
    policy, protection = generator.policy, generator.protection
    asked = refused_as_asked(table.question, generator)
    if asked is not None:
        return _Refused(asked)
    sensitive = None if table.question.measure is None else _sensitive(table, table.question.measure, policy)
    areas = areas_of(table.question, table.count, generator.variables, sensitive)
    judged = judge_held(areas, policy)
    left_out: tuple[str, ...] = ()
    if judged.blocked_areas.any() and not judged.blocked_areas.all() and len(areas.axes) == 1:
        if policy.rules.blocked == "refused":
            return _Refused(_held(judged), judged.blocked_areas)
        axis = areas.axes[0]
        codes = table.question.axes[axis].codes
        left_out = tuple(codes[k] for k in np.flatnonzero(judged.blocked_areas).tolist())
        table = only(table, axis, ~judged.blocked_areas)
    elif judged.blocked_areas.any():
        return _Refused(_held(judged))
    if judged.whole:
        return _Refused(_held(judged))
    if table.question.measure is not None:
        return _summed(table, table.question.measure, left_out, generator, memory, effort)
    before = risk_before(table.count, policy.risk)
    if (refusal := _above("before", before, policy.risk.most_before)) is not None:
        return _Refused(refusal)
    shown = protection.shown(table.count, table.key)
    after = risk_after(table.count, shown, before, protection, policy.risk)
    if (refusal := _above("after", after, policy.risk.most)) is not None:
        return _Refused(refusal)
    if memory is not None:
        found = judge(memory, Remembered(table.question, shown), effort)
        if isinstance(found, Against):
            return _Refused(Refusal("memory", memory=_against(found, memory)))
        memory = found
    figures = Figures(before, after, utility_of(table.count, shown), expected_utility(shown, protection.variance))
    return _Passed(_answer(table.question, shown, figures, left_out, generator), memory)


def _summed(
    table: Table, measure: str, left_out: tuple[str, ...], generator: Generator, memory: Memory | None, effort: Effort
) -> _Passed | _Refused:
    """Sums that the rules let pass, changed and judged with all earlier answers."""
    sums = generator.sums
    assert sums is not None
    assert table.total is not None
    assert table.contributions is not None
    shown = sums.shown(measure, table.total, table.contributions.largest(measure)[:, 0], table.key)
    if memory is not None:
        found = judge(memory, Remembered(table.question, shown, sums.change), effort)
        if isinstance(found, Against):
            return _Refused(Refusal("memory", memory=_against(found, memory)))
        memory = found
    figures = Figures(None, None, kept_of_sums(table.total, shown), within=sums.change.reach)
    return _Passed(_answer(table.question, shown, figures, left_out, generator), memory)


def _sensitive(table: Table, measure: str, policy: GeneratorPolicy) -> NDArray[np.bool_]:
    assert policy.measures is not None
    assert table.contributions is not None
    return sensitive_sums(table.contributions, measure, policy.measures)


def _answer(
    question: Question, shown: Ints, figures: Figures, left_out: tuple[str, ...], generator: Generator
) -> Answer:
    names = tuple(generator.variables[axis.variable].name for axis in question.axes)
    unit = None if question.measure is None else generator.units[question.measure]
    codes = tuple(axis.codes for axis in question.axes)
    return Answer(names, codes, shown, figures, left_out, question, question.measure, unit)


def _held(judged: Judged) -> Refusal:
    return Refusal("held", held=judged.areas + judged.whole, areas=int(judged.blocked_areas.sum()))


def _above(which: Literal["before", "after"], risk: float | None, limit: Fraction | None) -> Refusal | None:
    if risk is None or limit is None or risk <= float(limit) * (1 + NOISE):
        return None
    return Refusal("risk", risk=RiskAbove(which, risk, float(limit)))


def _against(found: Against, memory: Memory) -> MemoryFound:
    codes = memory.ground.base.codes
    bare = tuple(tuple(int(code[b]) for code in codes) for b in found.bare.tolist())
    return MemoryFound(bare, len(found.seen), len(found.contributors))
