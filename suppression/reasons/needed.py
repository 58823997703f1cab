"""Why each secondary cell is withheld: which sensitive cells fail without it, and through which equations."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.method import Method
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.parts import parts
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.reasons.seen import Equation, Seen, arithmetic, in_words, seen

MOST_QUESTIONS = 1_000
"""Insiders times secondary cells beyond which only those insiders are asked again that the search had to ask."""

MOST_EXPLAINED = 400
"""Secondary cells whose equations are spelled out."""


@dataclass(frozen=True)
class Need:
    """What is not met of a sensitive cell, in whose eyes, and the equations that then show too much."""

    requirement: Requirement
    equations: tuple[Equation, ...]

    @property
    def cell(self) -> int:
        """The sensitive cell."""
        return self.requirement.cell


class Failing:
    """What a safe pattern no longer meets when cells of it are published, insiders of the rest included."""

    def __init__(
        self,
        problem: Problem,
        safe: NDArray[np.bool_],
        requirements: Sequence[Requirement],
        oracle: Oracle,
        *,
        insiders: bool,
        limits: Limits | None = None,
    ) -> None:
        """safe: bool (cells), the pattern. requirements: those of the oracle, in order, but for what it was asked when
        the pattern was found already (more than can be done, after an audit). insiders: ask all insiders of each
        pattern; else only where nothing of these fails, which has to be sure. limits: after which nothing is shown to
        be met."""
        self._problem, self._requirements = problem, requirements
        self._insiders, self._limits = insiders, limits or Limits()
        self._safe = safe
        with oracle.unwatched():  # it is about this pattern, and about nobody else
            self._parts = parts(oracle, safe)
        self._part = np.full(len(safe), -1, np.int64)
        for number, part in enumerate(self._parts):
            self._part[part.cells] = number
        self._spared: set[Requirement] = set()
        if not all(need.sure for need in requirements):
            self._spared = {r for number in range(len(self._parts)) for r in self._missed(number, safe) if not r.sure}

    def __call__(self, pattern: NDArray[np.bool_]) -> list[Requirement]:
        """What a pattern within the safe one is not shown to meet; of each cell and insider only one."""
        found = []
        for number in np.unique(self._part[self._safe & ~pattern]).tolist():
            missed = [need for need in self._missed(number, pattern) if need not in self._spared]
            found += [need for need in missed if not (self._insiders and need.attacker.who)]
        if self._insiders or not found:
            found += [unmet.requirement for unmet in self._problem.insiders.unmet(pattern, self._limits, exact=True)]
        return list({(need.cell, need.attacker.known, need.attacker.shares): need for need in found}.values())

    def _missed(self, number: int, pattern: NDArray[np.bool_]) -> list[Requirement]:
        """What a pattern is not shown to meet of a part."""
        part = self._parts[number]
        with part.oracle.unwatched():
            protected = part.oracle.decide(pattern[part.cells], self._limits).protected
        missed = [q for q, shown in zip(part.asked, protected.tolist(), strict=True) if not shown]
        return [self._requirements[q] for q in missed if q < len(self._requirements)]


def needs(
    problem: Problem, pattern: NDArray[np.bool_], failing: Failing, method: Method, limits: Limits
) -> dict[int, tuple[Need, ...]]:
    """For each secondary cell what fails if it is published, and why; nothing for cells withheld for nothing. Cells
    that are not decided within the limits are left out."""
    found: dict[int, tuple[Need, ...]] = {}
    equations = problem.equations
    hanging = equations.groups(equations.opened(pattern))
    for cell, without in _without_each(problem, pattern):
        if limits.out_of_time():
            break
        missed = failing(without)
        explained: list[tuple[Equation, ...]] = [()] * len(missed)
        if missed and len(found) < MOST_EXPLAINED:
            views = seen(equations, without, missed, method, limits, sharp=False, hanging=hanging)
            explained = [_explained(problem, cell, need.cell, view) for need, view in zip(missed, views, strict=True)]
        if limits.out_of_time():  # what was not shown in time need not fail
            break
        found[cell] = tuple(Need(r, e) for r, e in zip(missed, explained, strict=True))
    return found


def given_back(
    problem: Problem, pattern: NDArray[np.bool_], idle: Sequence[int], safe: Callable[[NDArray[np.bool_]], bool]
) -> tuple[int, ...]:
    """Of cells each of which could be published, as many as can be published together, dearest first."""
    kept, returned = pattern.copy(), []
    for cell in sorted(idle, key=lambda c: (-int(problem.cost[c]), c)):
        kept[cell] = False
        if safe(kept):
            returned.append(cell)
        else:
            kept[cell] = True
    return tuple(sorted(returned))


def _without_each(problem: Problem, pattern: NDArray[np.bool_]) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    for cell in problem.secondary(pattern):
        without = pattern.copy()
        without[cell] = False
        yield cell, without


def _explained(problem: Problem, cell: int, target: int, view: Seen) -> tuple[Equation, ...]:
    """The arithmetic that shows too much, where it is a sum of cells; then its equations: those with the published cell
    first, of these the ones of nothing but cells, short ones first."""
    found = [in_words(problem.release, problem.cells, problem.equations, r) for r in view.relations]

    def order(equation: Equation) -> tuple[bool, bool, int]:
        cells = [c for _, c in equation.terms]
        return cell not in cells, None in cells, len(cells)

    result = sorted(found, key=order)
    if len(found) > 1 and view.combination:
        result.insert(0, arithmetic(problem.release, problem.cells, view.combination, target))
    return tuple(result)
