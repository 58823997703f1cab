"""What insiders require of a pattern: the contributors that the audit will ask about, in a search.

What contributors of one cell find out about each other needs nothing but the interval that outsiders are left with, so
it is asked of every pattern from the start. Who knows other withheld cells depends on the pattern: only contributors
of withheld cells know something that others do not. These are asked for when a pattern is at hand: whoever knows cells
sees what outsiders would see if these were published, so that a table which leaves them alone answers for all of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.asked import any_secret, hidden_and_own
from tableseal.audit.attackers.attacker import OUTSIDER, Attacker
from tableseal.audit.attackers.contributors import Contributors
from tableseal.audit.attackers.insiders import all_contributors, insiders, may_know_cells
from tableseal.audit.attackers.question import question
from tableseal.audit.attackers.ranks import required_by_ranks
from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.cuts import Cut
from tableseal.audit.decision.directions import Directions
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.model import Models
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.watch import Broken
from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import Policy, Release
from tableseal.audit.solvers.protocol import Solver
from tableseal.suppression.attackers.neighbourhood import PatternNeighbourhood
from tableseal.suppression.problem.places import Places

ALIKE = 1
"""Insiders who are asked about a cell of which neither tables nor cuts show anything: what protects it from them mostly
does from others, too, and each takes as long (f3d_20: 10 such cells for each of 984 insiders, 4 s each time)."""

Shares = tuple[tuple[int, int], ...]
"""See `Attacker.shares`."""


@dataclass(frozen=True)
class Unmet:
    """A requirement that a pattern does not meet, or is not shown to meet.

    cut: of patterns that meet it; None: it is not proved that this one does not. shared: the attacker has a share in
    the cell.
    """

    requirement: Requirement
    cut: Cut | None
    shared: bool


@dataclass(frozen=True)
class _Asked:
    """What one attacker is asked about, whatever the pattern: each sensitive cell (int64, ascending) that can be secret
    to it. What it must not find out is told by positions among the requirements that all attackers with the same shares
    have in common: of a cell in which it has no share the position of the cell, which is what nobody must find out.

    hidden: positions of sensitive cells that cannot be secret; own: position of a sensitive cell in which it has a
    share -> position of the requirement. (Hundreds of cells would be too much to keep for each of thousands.)
    """

    attacker: Attacker
    sensitive: NDArray[np.int64]
    hidden: NDArray[np.int64]
    own: Mapping[int, int]

    @property
    def any(self) -> bool:
        """It is asked about something."""
        return len(self.hidden) < len(self.sensitive)

    @property
    def cells(self) -> NDArray[np.int64]:
        """int64, the sensitive cells that it is asked about."""
        return np.delete(self.sensitive, self.hidden)

    @property
    def needs(self) -> NDArray[np.int64]:
        """int64 (cells), requirements."""
        needs = np.arange(len(self.sensitive))
        needs[list(self.own)] = list(self.own.values())
        return np.delete(needs, self.hidden)

    @property
    def plain(self) -> NDArray[np.bool_]:
        """bool (cells), it has no share there."""
        plain = np.ones(len(self.sensitive), np.bool_)
        plain[list(self.own)] = False
        return np.delete(plain, self.hidden)

    def has(self, need: int, place: int) -> bool:
        """Whether a requirement about the sensitive cell at a place is its."""
        return self.own.get(place, place) == need and place not in self.hidden

    def unmet(self, need: Requirement, cut: Cut | None, *, shared: bool) -> Unmet:
        """One of the requirements in its eyes, in whose cut what it knows counts for nothing."""
        known = self.attacker.known
        return Unmet(replace(need, attacker=self.attacker), None if cut is None else cut.without(known), shared)


class _Common:
    """Requirements that attackers with the same shares have in common, and an oracle of them."""

    def __init__(self, equations: Equations, plain: Sequence[Requirement], solver: Solver, models: Models) -> None:
        """equations: as they see them. plain: what nobody must find out who has no share in a cell. models: of all
        attackers; one for each would be hundreds, where many contribute to several cells."""
        self._equations, self._solver, self._models = equations, solver, models
        self._place = {need: place for place, need in enumerate(plain)}
        self._sent = 0
        self._oracle: Oracle | None = None

    def place(self, need: Requirement) -> int:
        """The position of a requirement."""
        return self._place.setdefault(need, len(self._place))

    @property
    def oracle(self) -> Oracle:
        """Of all requirements so far."""
        fresh = list(self._place)[self._sent :]
        if self._oracle is None:
            method, solver = deciding(self._solver), self._solver
            self._oracle = Oracle(self._equations, fresh, method, solver, models=self._models)
        elif fresh:
            self._oracle.ask([Broken(need, None) for need in fresh])
        self._sent = len(self._place)
        return self._oracle


class InsiderRequirements:
    """What the insiders of a release require, over all its cells."""

    def __init__(
        self,
        release: Release,
        cells: Cells,
        policy: Policy,
        equations: Equations,
        primary: NDArray[np.bool_],
        solver: Solver,
    ) -> None:
        """primary: bool (cells), the sensitive cells, the only ones that insiders count for."""
        all_cells, nonnegative = np.arange(len(cells)), release.intruder.nonnegative
        self._release, self._policy, self._equations, self._solver = release, policy, equations, solver
        self._contributors = Contributors(release, cells, all_cells, all_cells, all_cells, nonnegative=nonnegative)
        self._primary, self._sensitive = primary, np.flatnonzero(primary)
        self._models = Models(equations, solver)
        self._asked: dict[Attacker, _Asked] = {}
        self._common: dict[Shares, _Common] = {}
        self._places = Places(release, cells)
        self._made: tuple[bytes, list[_Asked]] | None = None
        self._latest: tuple[bytes, PatternNeighbourhood] | None = None

    @property
    def any(self) -> bool:
        """Somebody is asked about who may know other cells."""
        return may_know_cells(self._release.intruder)

    def by_ranks(self) -> tuple[Mapping[int, tuple[int, int]], tuple[int, ...]]:
        """(cell -> what it must be able to fall and rise to, because of its own contributors; cells whose contributors
        are too close to each other whatever is withheld)."""
        contributors, p = self._contributors, self._policy.insider_p
        found = {cell: required_by_ranks(contributors, cell, p) for cell in self._sensitive.tolist()}
        needed = {cell: ends for cell, (ends, _) in found.items() if ends is not None}
        return needed, tuple(cell for cell, (_, hopeless) in found.items() if hopeless)

    def unmet(
        self,
        pattern: NDArray[np.bool_],
        limits: Limits,
        *,
        counts: Callable[[Unmet], bool] = lambda _: True,
        first: bool = False,
        exact: bool = False,
        helper: Oracle | None = None,
    ) -> list[Unmet]:
        """What insiders require that a pattern is not shown to meet; of what is asked of one cell and nothing is proved
        of either, the first (see ALIKE).

        counts: whether one is of interest; first: one of these is enough. exact: leave nothing open, whatever that
        takes. helper: an oracle whose tables may answer, and which gets to know those that were found.
        """
        by_shares: dict[Shares, list[_Asked]] = {}
        for asked in self._attackers(pattern):
            by_shares.setdefault(asked.attacker.shares, []).append(asked)
        if not by_shares:
            return []
        told = self._told(pattern, limits, exact, helper)
        found: list[Unmet] = []
        for shares, alike in by_shares.items():
            oracle = self._common[shares].oracle
            oracle.shun(np.unique(np.concatenate([np.array(a.attacker.known, np.int64) for a in alike])))
            if helper is not None:
                oracle.learn_from(helper)
            for unmet in self._unmet(alike, oracle, pattern, told, limits, exact, counts):
                found.append(unmet)
                if first:
                    break
            if helper is not None and not shares:
                helper.learn_from(oracle)
            if first and found:
                break
        return found

    def doubts(self, pattern: NDArray[np.bool_], helper: Oracle) -> Iterator[Unmet]:
        """What no table in hand shows that insiders without shares do not find out, though tables show that outsiders
        do not. Nothing is solved: a pattern may well meet much of it."""
        asked = [one for one in self._attackers(pattern) if not one.attacker.shares]
        if not asked:
            return
        oracle = self._in_common(OUTSIDER).oracle
        oracle.learn_from(helper)
        label = self._equations.groups(self._equations.opened(pattern))
        lost = oracle.lost_without(pattern, [one.attacker.known for one in asked])
        for number, q in zip(*(part.tolist() for part in lost), strict=True):
            one, need = asked[number], oracle.requirements[q]
            place = int(np.searchsorted(self._sensitive, need.cell))
            if one.has(q, place) and label[need.cell] in label[list(one.attacker.involved)]:
                yield one.unmet(need, None, shared=place in one.own)

    def untold(self, pattern: NDArray[np.bool_], helper: Oracle) -> Iterator[Unmet]:
        """What insiders without shares in cells whose value they do not know must not find out, and of which no table
        in hand shows that even outsiders do not: it may be more than rules ask against outsiders."""
        asked = [one for one in self._attackers(pattern) if not one.attacker.shares]
        if not asked:
            return
        oracle, label = self._in_common(OUTSIDER).oracle, self._equations.groups(self._equations.opened(pattern))
        oracle.learn_from(helper)
        protected = oracle.protected(pattern)
        involved = np.unique(label[np.concatenate([one.attacker.involved for one in asked])])
        for q in np.flatnonzero(~protected[: len(self._plain)]).tolist():
            if label[self._plain[q].cell] in involved:
                yield Unmet(self._plain[q], None, shared=False)
        for one in asked:
            for q in one.own.values():
                need = oracle.requirements[q]
                if not protected[q] and label[need.cell] in label[list(one.attacker.involved)]:
                    yield one.unmet(need, None, shared=True)

    def spread(self, pattern: NDArray[np.bool_], helper: Oracle, limits: Limits) -> None:
        """Let an oracle know tables that show as much as possible of what insiders without shares do not find out."""
        asked = [one for one in self._attackers(pattern) if not one.attacker.shares]
        if not asked:
            return
        oracle = self._in_common(OUTSIDER).oracle
        oracle.learn_from(helper)
        wanted = self._hanging_together(asked, oracle, pattern)
        oracle.spread(pattern, [one.attacker.known for one in asked], wanted, limits)
        helper.learn_from(oracle)

    def held(self, pattern: NDArray[np.bool_], spared: NDArray[np.int64]) -> Iterator[Unmet]:
        """What insiders without shares find out from relations alone, each with its cut, whether or not the audit would
        ask them about it. No program is solved. spared: see `Directions.cuts`."""
        asked = [one for one in self._attackers(pattern) if not one.attacker.shares]
        if not asked:
            return
        directions = Directions(self._equations, pattern)
        pairs = [
            (asked[number], place)
            for number, cells in directions.held([one.attacker.known for one in asked], self._sensitive)
            for place in np.setdiff1d(np.searchsorted(self._sensitive, cells), asked[number].hidden).tolist()
        ]
        needs = self._in_common(OUTSIDER).oracle.requirements
        cuts = directions.cuts([(int(self._sensitive[place]), one.attacker.known) for one, place in pairs], spared)
        for (one, place), cut in zip(pairs, cuts, strict=True):
            if cut is not None:
                yield one.unmet(needs[one.own.get(place, place)], cut, shared=place in one.own)

    def sole(self, pattern: NDArray[np.bool_]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Of the contributors of cells, together or alone: (cells of a pattern that nobody else has a share in,
        sensitive cells of which the question differs from that of somebody without a share); int64.

        Whichever of the cells a narrower pattern withholds, they know these: each cell has as many contributors as they
        are. Empty parts of a cell are left out, because they are told only by the cell around them.
        """
        contributors = self._contributors.aimed_at(np.flatnonzero(pattern))
        for attacker in all_contributors(contributors):
            known = np.array(attacker.known, np.int64)
            known = known[pattern[known] & (contributors.number[known] == attacker.members)]
            held = [contributors.held_by(cell) for cell in known.tolist()]
            if len(known) and all(np.array_equal(held[0], other) for other in held):
                hidden, own = hidden_and_own(contributors, attacker, self._sensitive)
                own = own[~contributors.is_count[self._sensitive[own]]]
                yield known, self._sensitive[np.union1d(hidden, own)]

    @property
    def plain(self) -> Sequence[Requirement]:
        """What somebody must not find out who has no share in a cell, of each sensitive cell."""
        return self._plain

    def with_shares(self, pattern: NDArray[np.bool_]) -> bool:
        """Whether somebody has a share in a cell of a pattern and does not know its value."""
        return any(one.attacker.shares for one in self._attackers(pattern))

    def _hanging_together(
        self, asked: Sequence[_Asked], oracle: Oracle, pattern: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """bool (asked x requirements): what each must not find out of cells that hang together with those that it knows
        or has a share in. What outsiders do not find out it finds out only of these."""
        label = self._equations.groups(self._equations.opened(pattern))
        result = np.zeros((len(asked), len(oracle.requirements)), np.bool_)
        for place, one in enumerate(asked):
            joined = np.isin(label[one.cells], label[list(one.attacker.involved)])
            result[place, one.needs[joined]] = True
        return result

    def _told(
        self, pattern: NDArray[np.bool_], limits: Limits, exact: bool, helper: Oracle | None
    ) -> Mapping[int, Cut | None]:
        """Sensitive cells of which even outsiders find out what nobody must who has no share in them, and cuts of the
        patterns under which they do not (None: none is known)."""
        oracle = self._in_common(OUTSIDER).oracle
        if helper is not None:
            oracle.learn_from(helper)
        among = np.arange(len(oracle.requirements))[None, :] < len(self._plain)
        for _, decision in oracle.without(pattern, [()], among, limits, exact=exact):
            cuts = dict(zip(np.flatnonzero(decision.failing).tolist(), decision.cuts, strict=True))
            return {oracle.requirements[q].cell: cuts.get(q) for q in np.flatnonzero(~decision.protected).tolist()}
        return {}

    def _unmet(
        self,
        asked: list[_Asked],
        oracle: Oracle,
        pattern: NDArray[np.bool_],
        told: Mapping[int, Cut | None],
        limits: Limits,
        exact: bool,
        counts: Callable[[Unmet], bool],
    ) -> Iterator[Unmet]:
        """Of attackers with the same shares, what counts.

        Of what outsiders do find out (see `_told`) insiders are asked only where it hangs together in the audit's eyes.
        """
        open_needs = self._hanging_together(asked, oracle, pattern)
        for place, one in enumerate(asked):
            cells, needs = one.cells, one.needs
            exposed = one.plain & np.isin(cells, list(told))
            if exposed.any():
                open_needs[place, needs[exposed]] = False
                near = self._near(one.attacker, pattern)
                for at in np.flatnonzero(exposed & np.isin(cells, near)).tolist():
                    need = oracle.requirements[int(needs[at])]
                    unmet = one.unmet(need, told[need.cell], shared=False)
                    if counts(unmet):
                        yield unmet
        unproved = np.zeros(len(oracle.requirements), np.int64)
        known = [one.attacker.known for one in asked]
        oracle.spread(pattern, known, open_needs, limits)
        for place, decision in oracle.without(pattern, known, open_needs, limits, exact=exact):
            one, counted = asked[place], 0
            cuts = dict(zip(np.flatnonzero(decision.failing).tolist(), decision.cuts, strict=True))
            shares = set(one.own.values())
            for q in np.flatnonzero(~decision.protected).tolist():
                need, shared = oracle.requirements[q], q in shares
                if not shared and need.cell not in self._near(one.attacker, pattern):
                    continue
                unmet = one.unmet(need, cuts.get(q), shared=shared)
                if counts(unmet):
                    yield unmet
                    counted += 1
                    unproved[q] += q not in cuts
            open_needs[place + 1 :, unproved >= ALIKE] = False
            if counted and limits.out_of_time():
                break

    def _near(self, attacker: Attacker, pattern: NDArray[np.bool_]) -> NDArray[np.int64]:
        """int64, sensitive cells that hang together with what an attacker knows under a pattern; of the latest one what
        was found out stays."""
        key = pattern.tobytes()
        if self._latest is None or self._latest[0] != key:
            found = PatternNeighbourhood(self._release, self._contributors.cells, self._places, self._primary, pattern)
            self._latest = key, found
        return self._latest[1].near(attacker.involved)

    def known(self, pattern: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Cells of a pattern that some insider knows."""
        contributors = self._contributors.aimed_at(np.flatnonzero(pattern))
        known: set[int] = set()
        for attacker in insiders(contributors):
            if not known.issuperset(attacker.known) and any_secret(contributors, attacker, self._sensitive):
                known.update(attacker.known)
        return np.array(sorted(known), np.int64)

    def count(self, pattern: NDArray[np.bool_]) -> int:
        """How many insiders know something of a pattern."""
        return len(self._attackers(pattern))

    def _attackers(self, pattern: NDArray[np.bool_]) -> list[_Asked]:
        """The attackers that a pattern makes, with all that they may have to be asked; of the latest pattern, about
        which several questions are put, they stay."""
        key = pattern.tobytes()
        if self._made is None or self._made[0] != key:
            found = []
            for attacker in insiders(self._contributors.aimed_at(np.flatnonzero(pattern))):
                nameless = replace(attacker, who="")
                if nameless not in self._asked:
                    self._asked[nameless] = self._asked_of(attacker)
                if self._asked[nameless].any:
                    found.append(self._asked[nameless])
            self._made = key, found
        return self._made[1]

    def _asked_of(self, attacker: Attacker) -> _Asked:
        common = self._in_common(attacker)
        hidden, own = hidden_and_own(self._contributors, attacker, self._sensitive)
        needs = [common.place(self._requirement(attacker, cell)) for cell in self._sensitive[own].tolist()]
        return _Asked(attacker, self._sensitive, hidden, dict(zip(own.tolist(), needs, strict=True)))

    def _in_common(self, attacker: Attacker) -> _Common:
        """What an attacker has in common with others."""
        shares = attacker.shares
        if shares not in self._common:
            seen = self._equations.seen_by(attacker)
            self._common[shares] = _Common(seen, self._plain, self._solver, self._models)
        return self._common[shares]

    @cached_property
    def _plain(self) -> list[Requirement]:
        """What somebody must not find out who has no share in a cell, of each sensitive cell."""
        return [self._requirement(OUTSIDER, cell) for cell in self._sensitive.tolist()]

    def _requirement(self, attacker: Attacker, cell: int) -> Requirement:
        """What somebody must not find out who has the shares of an attacker, whatever cells it knows."""
        return Requirement(cell, *question(self._contributors, attacker, cell, self._policy.insider_p).reach())
