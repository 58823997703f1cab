"""Insiders as what an oracle watches for: their requirements, asked once a pattern does not meet them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.watch import Blamed, Broken
from tableseal.suppression.attackers.lasting import Lasting
from tableseal.suppression.attackers.requirements import Unmet
from tableseal.suppression.problem.problem import Problem


class InsiderWatch:
    """Tells an oracle what it is not asked about yet.

    given_up: requirements that nothing meets and that need not be met, because they are not sure.
    """

    def __init__(self, problem: Problem, given_up: frozenset[Requirement]) -> None:
        self._insiders, self.given_up = problem.insiders, given_up
        self._withheld = problem.primary | problem.may | problem.stays
        self._blamed: Blamed | None = None
        may = np.flatnonzero(problem.may)
        self._cheapest_first = may[np.argsort(problem.cost[may], kind="stable")]
        never = problem.primary | problem.stays | problem.equations.always_open[: len(problem.cells)]
        self._lasting = Lasting(problem.requirements, never, problem.equations.value)

    def __call__(self, oracle: Oracle, pattern: NDArray[np.bool_], limits: Limits, *, first: bool) -> list[Broken]:
        """New requirements that a pattern does not meet."""
        held = [broken for broken in self.held(pattern) if not oracle.asks(broken.requirement)]
        if held:
            return held

        def is_new(unmet: Unmet) -> bool:
            return any(True for _ in self._new(oracle, unmet))

        unmet = self._insiders.unmet(pattern, limits, counts=is_new, first=first, helper=oracle)
        return _each_once(posed for one in unmet for posed in self._new(oracle, one))

    def doubts(self, oracle: Oracle, pattern: NDArray[np.bool_]) -> list[Broken]:
        """New requirements of which no table in hand shows that a pattern meets them."""
        doubts = self._insiders.doubts(pattern, oracle)
        return _each_once(posed for one in doubts for posed in self._new(oracle, one))

    def held(self, pattern: NDArray[np.bool_]) -> list[Broken]:
        """Requirements that relations alone show a pattern not to meet, of those that every safe pattern meets."""
        held = (
            one for one in self._insiders.held(pattern, self._cheapest_first) if self._lasting.implied(one.requirement)
        )
        return [Broken(one.requirement, one.cut) for one in held]

    def blamed(self) -> Blamed:
        """Contributors of cells, and what must be kept from them and from outsiders alike."""
        if self._blamed is None:
            sole = list(self._insiders.sole(self._withheld))
            known, spared = [cells for cells, _ in sole], [cells for _, cells in sole]
            self._blamed = Blamed(self.shared(), known, spared)
        return self._blamed

    def shared(self) -> Mapping[int, Requirement]:
        """Of sensitive cells, what must be kept from contributors without a share and from outsiders alike."""
        needs = [self._lasting.part(need) for need in self._insiders.plain]
        return {need.cell: need for need in needs if not need.either}

    def spread(self, oracle: Oracle, pattern: NDArray[np.bool_], limits: Limits) -> None:
        """Let an oracle know tables that show as much as possible of what insiders do not find out."""
        self._insiders.spread(pattern, oracle, limits)

    def untold(self, oracle: Oracle, pattern: NDArray[np.bool_]) -> list[Broken]:
        """New requirements of which no table in hand shows that even outsiders do not find it out."""
        untold = self._insiders.untold(pattern, oracle)
        return _each_once(posed for one in untold for posed in self._new(oracle, one))

    def content(self, oracle: Oracle, pattern: NDArray[np.bool_], limits: Limits) -> bool:
        """Whether a pattern withstands all insiders as they are."""
        unmet = self._insiders.unmet(pattern, limits, counts=self._counts, first=True, helper=oracle)
        return not unmet and not limits.out_of_time()

    def _new(self, oracle: Oracle, unmet: Unmet) -> Iterator[Broken]:
        """What an oracle can be asked of an unmet requirement that it was not asked yet."""
        for posed in self._posed(unmet):
            if posed.requirement not in self.given_up and not oracle.asks(posed.requirement):
                yield posed

    def _counts(self, unmet: Unmet) -> bool:
        return any(posed.requirement not in self.given_up for posed in self._posed(unmet))

    def _posed(self, unmet: Unmet) -> list[Broken]:
        """As it can be asked in every pattern: where not every safe pattern meets it, also what every one does."""
        need = unmet.requirement
        if need.attacker.shares:
            return [Broken(of_cells(need), None)]
        if self._lasting(unmet):
            return [Broken(need, unmet.cut)]
        return [Broken(self._lasting.part(need), None), Broken(replace(need, sure=False), unmet.cut)]


def _each_once(found: Iterable[Broken]) -> list[Broken]:
    """Of several with the same requirement the first."""
    once: dict[Requirement, Broken] = {}
    for broken in found:
        once.setdefault(broken.requirement, broken)
    return list(once.values())


def of_cells(need: Requirement) -> Requirement:
    """The same in the eyes of somebody who knows the cells in which this attacker has a share, which is more than it
    knows: what a search can be asked for, and not sure."""
    attacker, cells = need.attacker, {*need.attacker.involved} - {need.cell}
    return replace(need, attacker=replace(attacker, known=tuple(sorted(cells)), shares=(), inside=()), sure=False)
