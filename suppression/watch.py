"""Insiders as what an oracle watches for: attacks that are asked about once a pattern does not withstand them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from audit.bounds.component import Limits
from audit.decision.cuts import Cut, Requirement
from audit.decision.oracle import Broken, Oracle
from suppression.attacks import Attack, stronger
from suppression.insiders import Unmet
from suppression.problem import Problem


class InsiderWatch:
    """Remembers the attacks behind the requirements of an oracle.

    attacks: all that the oracle is asked about, in order. given_up: those that nothing withstands and that need not be
    withstood, because the attacker was taken to know more than it does.
    """

    def __init__(self, problem: Problem, attacks: Sequence[Attack], given_up: set[Attack]) -> None:
        self._problem, self.attacks, self.given_up = problem, list(attacks), given_up
        self._known = set(self.attacks) | given_up
        self._outsiders = {need.cell: need for need in problem.requirements}

    def __call__(self, oracle: Oracle, pattern: NDArray[np.bool_], limits: Limits, *, first: bool) -> list[Broken]:
        """New attacks that a pattern does not withstand."""
        found: list[Broken] = []
        for unmet in self._problem.insiders.broken(pattern, limits, first=first, helper=oracle):
            attack, cut = self._posed(unmet)
            if attack in self._known:
                continue
            if not first:
                self._known.add(attack)
                self.attacks.append(attack)
            found.append(Broken(attack.requirement, None if first and attack.assumed else cut))
        return found

    def _posed(self, unmet: Unmet) -> tuple[Attack, Cut | None]:
        """As it can be asked in every pattern."""
        attack = stronger(unmet.attack)
        cut = None if unmet.attack.own else unmet.cut
        return (attack if attack.assumed or self._always(attack) else replace(attack, assumed=True)), cut

    def _always(self, attack: Attack) -> bool:
        """Whether all safe patterns withstand an attack: the attacker always knows its cells, or whoever does not know
        them must not get so far either."""
        need = attack.requirement
        other = self._outsiders[need.cell]
        implied = need.width <= max(other.width, _span(other))
        implied &= need.lower is None or (other.lower is not None and other.lower <= need.lower)
        implied &= need.upper is None or (other.upper is not None and other.upper >= need.upper)
        return implied or bool(self._problem.primary[list(need.known_to)].all())


def _span(need: Requirement) -> int:
    return 0 if need.lower is None or need.upper is None else need.upper - need.lower
