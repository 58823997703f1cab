"""One attack: what must stay possible for a cell, and what the attacker has that outsiders have not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.cuts import Requirement
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.oracle import Oracle, Watch
from tableseal.audit.solvers.protocol import Solver


@dataclass(frozen=True)
class Attack:
    """A requirement against one attacker.

    own: (cell, what the attacker gave to it) for cells to which others contribute too, in units: the cell holds at
    least that much. who: the insider in words; empty for outsiders.
    assumed: the attacker is taken to know more than it does (see `stronger`): that nothing protects against it proves
    nothing.
    """

    requirement: Requirement
    own: tuple[tuple[int, int], ...] = ()
    who: str = ""
    assumed: bool = False


def stronger(attack: Attack) -> Attack:
    """The attack of somebody who knows the cells in which this one has a share: what a search can be asked for."""
    if not attack.own:
        return attack
    need = attack.requirement
    known = {*need.known_to, *(cell for cell, _ in attack.own)} - {need.cell}
    return Attack(replace(need, known_to=tuple(sorted(known))), (), attack.who, assumed=True)


def oracle_for(equations: Equations, attacks: Sequence[Attack], solver: Solver, watch: Watch | None = None) -> Oracle:
    """An oracle for these attacks, all with the same shares; its requirements are theirs, in order."""
    own = attacks[0].own if attacks else ()
    oracle = Oracle(with_shares(equations, own), [a.requirement for a in attacks], deciding(solver), solver, watch)
    oracle.unsure.update(q for q, attack in enumerate(attacks) if attack.assumed)
    return oracle


def with_shares(equations: Equations, own: Sequence[tuple[int, int]]) -> Equations:
    """The equations as somebody sees them who gave so much to these cells; no value is negative."""
    if not own:
        return equations
    lower = equations.column_lower.copy()
    for cell, amount in own:
        lower[cell] = max(int(lower[cell]), amount)
    return replace(equations, column_lower=lower)
