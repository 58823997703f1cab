"""One attack: what must stay possible for a cell, and what the attacker has that outsiders have not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from audit.bounds.component import Limits
from audit.bounds.method import Method
from audit.decision.cuts import Cut, Requirement
from audit.decision.equations import Equations
from audit.decision.oracle import Decision, Oracle


@dataclass(frozen=True)
class Attack:
    """A requirement against one attacker.

    own: (cell, what the attacker gave to it) for cells to which others contribute too, in units: the cell holds at
    least that much. who: the insider in words; empty for outsiders.
    """

    requirement: Requirement
    own: tuple[tuple[int, int], ...] = ()
    who: str = ""


def oracle_of(equations: Equations, attacks: Sequence[Attack], method: Method) -> Oracle:
    """An oracle for these attacks; its requirements are theirs, in order."""
    requirements = [a.requirement for a in attacks]
    if not any(a.own for a in attacks):
        return Oracle(equations, requirements, method)
    return _JointOracle(equations, attacks, method)


class _JointOracle(Oracle):
    """Attackers with shares in withheld cells see other bounds than outsiders: an oracle for each of them.

    Cuts stay valid: each of them holds for every pattern that meets its own requirement.
    """

    def __init__(self, equations: Equations, attacks: Sequence[Attack], method: Method) -> None:
        super().__init__(equations, [a.requirement for a in attacks], method)
        members: dict[tuple[tuple[int, int], ...], list[int]] = {}
        for place, attack in enumerate(attacks):
            members.setdefault(attack.own, []).append(place)
        self._parts = [
            (places, Oracle(with_shares(equations, own), [attacks[q].requirement for q in places], method))
            for own, places in members.items()
        ]

    def decide(self, pattern: NDArray[np.bool_], limits: Limits | None = None) -> Decision:
        """Which requirements a pattern meets, each against its own attacker."""
        protected = np.zeros(len(self.requirements), np.bool_)
        failing = protected.copy()
        cuts: dict[int, Cut] = {}
        for places, oracle in self._parts:
            found = oracle.decide(pattern, limits)
            protected[places], failing[places] = found.protected, found.failing
            cuts |= dict(zip(np.array(places)[found.failing].tolist(), found.cuts, strict=True))
        self.solved = sum(oracle.solved for _, oracle in self._parts)
        return Decision(protected, failing, tuple(cuts[q] for q in sorted(cuts)))


def with_shares(equations: Equations, own: Sequence[tuple[int, int]]) -> Equations:
    """The equations as somebody sees them who gave so much to these cells; no value is negative."""
    if not own:
        return equations
    lower = equations.column_lower.copy()
    for cell, amount in own:
        lower[cell] = max(int(lower[cell]), amount)
    return replace(equations, column_lower=lower)
