"""Why each secondary cell is withheld: which sensitive cells fail without it, and through which equations."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.method import Method
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.parts import parts
from tableseal.suppression.attackers.attacks import Attack
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.reasons.seen import Equation, Seen, arithmetic, in_words, seen

MOST_QUESTIONS = 1_000
"""Insiders times secondary cells beyond which only those insiders are asked again that the search had to ask."""

MOST_EXPLAINED = 400
"""Secondary cells whose equations are spelled out."""


@dataclass(frozen=True)
class Need:
    """A sensitive cell that fails, against whom, and the equations that then show too much."""

    attack: Attack
    equations: tuple[Equation, ...]

    @property
    def cell(self) -> int:
        """The sensitive cell."""
        return self.attack.requirement.cell


class Failing:
    """What a safe pattern no longer withstands when cells of it are published, insiders of the rest included."""

    def __init__(
        self,
        problem: Problem,
        safe: NDArray[np.bool_],
        attacks: Sequence[Attack],
        oracle: Oracle,
        *,
        insiders: bool,
        limits: Limits | None = None,
    ) -> None:
        """safe: bool (cells), the pattern. attacks: those of the oracle, in order, but for what it was asked when the
        pattern was found already (more than can be done, after an audit). insiders: ask all insiders of each pattern;
        else only where nothing of these fails, which has to be sure. limits: after which nothing is shown to be
        withstood."""
        self._problem, self._attacks = problem, attacks
        self._insiders, self._limits = insiders, limits or Limits()
        self._safe = safe
        with oracle.unwatched():  # it is about this pattern, and about no more attacks
            self._parts = parts(oracle, safe)
        self._part = np.full(len(safe), -1, np.int64)
        for number, part in enumerate(self._parts):
            self._part[part.cells] = number
        # A safe pattern need not withstand somebody who is taken to know more than it does.
        self._spared: set[Attack] = set()
        if any(a.assumed for a in attacks):
            self._spared = {a for number in range(len(self._parts)) for a in self._missed(number, safe) if a.assumed}

    def __call__(self, pattern: NDArray[np.bool_]) -> list[Attack]:
        """Attacks that a pattern within the safe one is not shown to withstand; of each cell and insider only one."""
        found = []
        for number in np.unique(self._part[self._safe & ~pattern]).tolist():
            missed = [a for a in self._missed(number, pattern) if a not in self._spared]
            found += [a for a in missed if not (self._insiders and a.who)]
        if self._insiders or not found:
            found += [unmet.attack for unmet in self._problem.insiders.broken(pattern, self._limits, exact=True)]
        return list({(a.requirement.cell, a.requirement.known_to, a.own): a for a in found}.values())

    def _missed(self, number: int, pattern: NDArray[np.bool_]) -> list[Attack]:
        """Attacks on a part that a pattern is not shown to withstand."""
        part = self._parts[number]
        with part.oracle.unwatched():
            protected = part.oracle.decide(pattern[part.cells], self._limits).protected
        missed = [q for q, shown in zip(part.asked, protected.tolist(), strict=True) if not shown]
        return [self._attacks[q] for q in missed if q < len(self._attacks)]


def needs(
    problem: Problem, pattern: NDArray[np.bool_], failing: Failing, method: Method, limits: Limits
) -> dict[int, tuple[Need, ...]]:
    """For each secondary cell what fails if it is published, and why; nothing for cells withheld for nothing. Cells
    that are not decided within the limits are left out."""
    found: dict[int, tuple[Need, ...]] = {}
    equations = problem.equations
    opened = equations.always_open.copy()
    opened[: equations.cells] |= pattern
    hanging = equations.groups(opened)
    for cell, without in _without_each(problem, pattern):
        if limits.out_of_time():
            break
        attacks = failing(without)
        explained: list[tuple[Equation, ...]] = [()] * len(attacks)
        if attacks and len(found) < MOST_EXPLAINED:
            views = seen(equations, without, attacks, method, limits, sharp=False, hanging=hanging)
            explained = [_explained(problem, cell, a, view) for a, view in zip(attacks, views, strict=True)]
        if limits.out_of_time():  # what was not shown in time need not fail
            break
        found[cell] = tuple(Need(a, e) for a, e in zip(attacks, explained, strict=True))
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
    for cell in np.flatnonzero(pattern & ~problem.primary).tolist():
        without = pattern.copy()
        without[cell] = False
        yield cell, without


def _explained(problem: Problem, cell: int, attack: Attack, view: Seen) -> tuple[Equation, ...]:
    """The arithmetic that shows too much, where it is a sum of cells; then its equations: those with the published cell
    first, of these the ones of nothing but cells, short ones first."""
    found = [in_words(problem.release, problem.cells, problem.equations, r) for r in view.relations]

    def order(equation: Equation) -> tuple[bool, bool, int]:
        cells = [c for _, c in equation.terms]
        return cell not in cells, None in cells, len(cells)

    result = sorted(found, key=order)
    if len(found) > 1 and view.combination:
        target = attack.requirement.cell
        result.insert(0, arithmetic(problem.release, problem.cells, view.combination, target))
    return tuple(result)
