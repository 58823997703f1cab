"""Insiders as what an oracle watches for: attacks that are asked about once a pattern does not withstand them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.decision.cuts import Cut
from tableseal.audit.decision.oracle import Broken, Oracle
from tableseal.suppression.attackers.attacks import Attack, stronger
from tableseal.suppression.attackers.insiders import Unmet
from tableseal.suppression.attackers.lasting import Lasting
from tableseal.suppression.problem.problem import Problem


class InsiderWatch:
    """Remembers the attacks behind the requirements of an oracle.

    attacks: all that the oracle is asked about, in order. given_up: those that nothing withstands and that need not be
    withstood, because the attacker was taken to know more than it does.
    """

    def __init__(self, problem: Problem, attacks: Sequence[Attack], given_up: set[Attack]) -> None:
        self._problem, self.attacks, self.given_up = problem, list(attacks), given_up
        self._known = set(self.attacks) | given_up
        never = problem.primary | problem.stays | problem.equations.always_open[: len(problem.cells)]
        self._lasting = Lasting(problem.requirements, never, problem.equations.value)

    def __call__(self, oracle: Oracle, pattern: NDArray[np.bool_], limits: Limits, *, first: bool) -> list[Broken]:
        """New attacks that a pattern does not withstand."""
        found: list[Broken] = []
        broken = self._problem.insiders.broken
        for unmet in broken(pattern, limits, counts=self._is_new, first=first, helper=oracle):
            for attack, cut in self._posed(unmet):
                if attack in self._known:
                    continue
                if not first:
                    self._known.add(attack)
                    self.attacks.append(attack)
                found.append(Broken(attack.requirement, cut, sure=not attack.assumed))
        return found

    def content(self, oracle: Oracle, pattern: NDArray[np.bool_], limits: Limits) -> bool:
        """Whether a pattern withstands all insiders as they are."""
        broken = self._problem.insiders.broken
        return not broken(pattern, limits, counts=self._counts, first=True, helper=oracle) and not limits.out_of_time()

    def _is_new(self, unmet: Unmet) -> bool:
        return any(attack not in self._known for attack, _ in self._posed(unmet))

    def _counts(self, unmet: Unmet) -> bool:
        return any(attack not in self.given_up for attack, _ in self._posed(unmet))

    def _posed(self, unmet: Unmet) -> list[tuple[Attack, Cut | None]]:
        """As it can be asked in every pattern: where not every safe pattern withstands it, also what every one does."""
        attack, cut = stronger(unmet.attack), None if unmet.attack.own else unmet.cut
        if attack.assumed or self._lasting(unmet):
            return [(attack, cut)]
        part = replace(attack, requirement=self._lasting.part(attack.requirement))
        return [(part, None), (replace(attack, assumed=True), cut)]
