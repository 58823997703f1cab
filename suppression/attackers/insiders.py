"""Insiders as attackers: the contributors that the audit will ask about, as requirements of a search.

What contributors of one cell find out about each other needs nothing but the interval that outsiders are left with, so
it is asked of every pattern from the start. Who knows other withheld cells depends on the pattern: only contributors
of withheld cells know something that others do not. These are asked for when a pattern is at hand: whoever knows cells
sees what outsiders would see if these were published, so that a table which leaves them alone answers for all of them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.audit import KINDS
from tableseal.audit.attackers.contributors import Data
from tableseal.audit.attackers.knowers import Knower, knowers, own_alone, shares
from tableseal.audit.attackers.nearness import Nearness
from tableseal.audit.attackers.within import needed_within
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.cuts import Cut, Requirement
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.oracle import Broken, Oracle
from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import Policy, Release
from tableseal.audit.solvers.protocol import Solver
from tableseal.suppression.attackers.attacks import Attack, oracle_for
from tableseal.suppression.attackers.together import Together
from tableseal.suppression.problem.places import Places

ALIKE = 1
"""Insiders who are asked about a cell of which neither tables nor cuts show anything: what protects it from them mostly
does from others, too, and each takes as long (f3d_20: 10 such cells for each of 984 insiders, 4 s each time)."""


@dataclass(frozen=True)
class Unmet:
    """An attack that a pattern does not withstand, or is not shown to withstand.

    cut: of patterns that withstand it; None: it is not proved that this one does not. shared: the attacker has a share
    in the cell.
    """

    attack: Attack
    cut: Cut | None
    shared: bool


@dataclass(frozen=True)
class _View:
    """What one knower asks, whatever the pattern.

    known: cells that it knows; own: its contributions to others. cells, needs: sensitive cells (int64) and what it must
    not find out about each, as positions among the requirements that all knowers with the same `own` share. plain: bool
    (of these), it is what somebody must not find out who has no share in the cell.
    """

    who: str
    known: tuple[int, ...]
    own: tuple[tuple[int, int], ...]
    cells: NDArray[np.int64]
    needs: NDArray[np.int64]
    plain: NDArray[np.bool_]

    @property
    def involved(self) -> list[int]:
        """All cells of which it knows something."""
        return [*self.known, *(cell for cell, _ in self.own)]


class _Asked:
    """Requirements of knowers with the same contributions to cells that they do not know, and an oracle of them."""

    def __init__(self, equations: Equations, own: tuple[tuple[int, int], ...], solver: Solver) -> None:
        self._equations, self._own, self._solver = equations, own, solver
        self._place: dict[Requirement, int] = {}
        self._sent = 0
        self._oracle: Oracle | None = None

    def place(self, need: Requirement) -> int:
        """The position of a requirement."""
        return self._place.setdefault(need, len(self._place))

    def __len__(self) -> int:
        return len(self._place)

    @property
    def oracle(self) -> Oracle:
        """Of all requirements so far."""
        fresh = list(self._place)[self._sent :]
        if self._oracle is None:
            self._oracle = oracle_for(self._equations, [Attack(need, self._own) for need in fresh], self._solver)
        elif fresh:
            self._oracle.ask([Broken(need, None) for need in fresh])
        self._sent = len(self._place)
        return self._oracle


class Insiders:
    """The insiders of a release, over all its cells."""

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
        everything = np.arange(len(cells))
        self._release, self._policy, self._equations, self._solver = release, policy, equations, solver
        self._data = Data(release, cells, everything, everything, everything, nonnegative=release.intruder.nonnegative)
        self._kinds = KINDS if release.intruder.insiders is None else release.intruder.insiders
        self._primary = primary
        self._viewed: dict[tuple[tuple[int, ...], tuple[tuple[int, int], ...]], _View] = {}
        self._asked: dict[tuple[tuple[int, int], ...], _Asked] = {}
        self._plain: list[Requirement] = []
        self._places = Places(release, cells)
        self._latest: tuple[bytes, Together] | None = None

    @property
    def any(self) -> bool:
        """Somebody is asked about who may know other cells."""
        return bool({"singletons", "holdings"} & set(self._kinds)) or self._release.intruder.coalition > 1

    def within(self) -> tuple[Mapping[int, tuple[int, int]], tuple[int, ...]]:
        """(cell -> what it must be able to fall and rise to, because of its own contributors; cells whose contributors
        are too close to each other whatever is withheld)."""
        needed: dict[int, tuple[int, int]] = {}
        hopeless = []
        if self._data.nonnegative:
            together = self._release.intruder.coalition
            for cell in np.flatnonzero(self._primary).tolist():
                ends, always = needed_within(self._data, cell, self._policy.insider_p, self._kinds, together)
                if ends is not None:
                    needed[cell] = ends
                if always:
                    hopeless.append(cell)
        return needed, tuple(hopeless)

    def broken(
        self,
        pattern: NDArray[np.bool_],
        limits: Limits,
        *,
        counts: Callable[[Unmet], bool] = lambda _: True,
        first: bool = False,
        exact: bool = False,
        helper: Oracle | None = None,
    ) -> list[Unmet]:
        """The attacks of insiders that a pattern is not shown to withstand; of those on one cell of which nothing is
        proved either, the first (see ALIKE).

        counts: whether an attack is of interest; first: one of these is enough. exact: leave nothing open, whatever
        that takes. helper: an oracle whose tables may answer, and which gets to know those that were found.
        """
        views: dict[tuple[tuple[int, int], ...], list[_View]] = {}
        for view in self._views(pattern):
            views.setdefault(view.own, []).append(view)
        if not views:
            return []
        told = self._told(pattern, limits, exact, helper)
        found: list[Unmet] = []
        for own, alike in views.items():
            oracle = self._asked[own].oracle
            oracle.shun(np.unique(np.concatenate([np.array(v.known, np.int64) for v in alike])))
            if helper is not None:
                oracle.learn_from(helper)
            for unmet in self._unmet(alike, oracle, pattern, told, limits, exact, counts):
                found.append(unmet)
                if first:
                    break
            if helper is not None and not own:
                helper.learn_from(oracle)
            if first and found:
                break
        return found

    def _told(
        self, pattern: NDArray[np.bool_], limits: Limits, exact: bool, helper: Oracle | None
    ) -> Mapping[int, Cut | None]:
        """Sensitive cells of which even outsiders find out what nobody must who has no share in them, and cuts of the
        patterns under which they do not (None: none is known)."""
        asked = self._asked.setdefault((), _Asked(self._equations, (), self._solver))
        cells = np.flatnonzero(self._primary)
        needs = self._of_nobody(asked, cells)
        oracle = asked.oracle
        if helper is not None:
            oracle.learn_from(helper)
        among = np.zeros((1, len(oracle.requirements)), np.bool_)
        among[0, needs] = True
        cell_of = dict(zip(needs.tolist(), cells.tolist(), strict=True))
        for _, decision in oracle.without(pattern, [()], among, limits, exact=exact):
            cuts = dict(zip(np.flatnonzero(decision.failing).tolist(), decision.cuts, strict=True))
            return {cell_of[q]: cuts.get(q) for q in np.flatnonzero(~decision.protected).tolist()}
        return {}

    def _unmet(
        self,
        views: list[_View],
        oracle: Oracle,
        pattern: NDArray[np.bool_],
        told: Mapping[int, Cut | None],
        limits: Limits,
        exact: bool,
        counts: Callable[[Unmet], bool],
    ) -> Iterator[Unmet]:
        """Of knowers with the same contributions, those that count.

        What outsiders do not find out an insider finds out only of what hangs together with what it knows. Of what
        outsiders do find out (see `_told`) insiders are asked only where it hangs together in the audit's eyes.
        """
        opened = self._equations.always_open.copy()
        opened[: self._equations.cells] |= pattern
        label = self._equations.groups(opened)
        asked = np.zeros((len(views), len(oracle.requirements)), np.bool_)
        for place, view in enumerate(views):
            exposed = view.plain & np.isin(view.cells, list(told))
            asked[place, view.needs[np.isin(label[view.cells], label[view.involved]) & ~exposed]] = True
            if exposed.any():
                near = self._together(pattern, oracle).near(view.involved, limits)
                for place_of in np.flatnonzero(exposed & np.isin(view.cells, near)).tolist():
                    cell, q = int(view.cells[place_of]), int(view.needs[place_of])
                    unmet = _unmet_by(view, oracle.requirements[q], told[cell], shared=False)
                    if counts(unmet):
                        yield unmet
        unproved = np.zeros(len(oracle.requirements), np.int64)
        for place, decision in oracle.without(pattern, [v.known for v in views], asked, limits, exact=exact):
            view, counted = views[place], 0
            cuts = dict(zip(np.flatnonzero(decision.failing).tolist(), decision.cuts, strict=True))
            shares = set(view.needs[~view.plain].tolist())
            for q in np.flatnonzero(~decision.protected).tolist():
                need = oracle.requirements[q]
                if q not in shares and need.cell not in self._together(pattern, oracle).near(view.involved, limits):
                    continue
                unmet = _unmet_by(view, need, cuts.get(q), shared=q in shares)
                if counts(unmet):
                    yield unmet
                    counted += 1
                    unproved[q] += q not in cuts
            asked[place + 1 :, unproved >= ALIKE] = False
            if counted and limits.out_of_time():
                break

    def _together(self, pattern: NDArray[np.bool_], oracle: Oracle) -> Together:
        """What hangs together under a pattern; what was found out last stays. oracle: has tables of it in hand."""
        key = pattern.tobytes()
        if self._latest is None or self._latest[0] != key:
            method = deciding(self._solver)
            moved = oracle.moved(pattern)
            found = Together(self._release, self._data.cells, self._places, self._primary, pattern, moved, method)
            self._latest = key, found
        return self._latest[1]

    def known(self, pattern: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Cells of a pattern that some insider knows."""
        return np.array(sorted({c for view in self._views(pattern) for c in view.known}), np.int64)

    def count(self, pattern: NDArray[np.bool_]) -> int:
        """How many insiders know something of a pattern."""
        return sum(1 for _ in self._views(pattern))

    def _views(self, pattern: NDArray[np.bool_]) -> Iterator[_View]:
        """What every knower of a pattern asks, as the audit does: of sensitive cells that hang together with what it
        knows."""
        data = self._data.aimed_at(np.flatnonzero(pattern))
        for knower in knowers(data, self._kinds, self._release.intruder.coalition):
            key = tuple(sorted(knower.exact)), tuple(sorted(knower.own.items()))
            if key not in self._viewed:
                self._viewed[key] = self._view(data, knower, *key)
            if len(self._viewed[key].cells):
                yield self._viewed[key]

    def _view(self, data: Data, knower: Knower, known: tuple[int, ...], own: tuple[tuple[int, int], ...]) -> _View:
        asked = self._asked.setdefault(own, _Asked(self._equations, own, self._solver))
        cells = np.flatnonzero(self._primary)
        needs = self._of_nobody(asked, cells)
        share = np.isin(cells, list(knower.own))
        for s in shares(data, knower):
            share |= data.nested_with(s, cells)
        kept = ~np.isin(cells, [*known, *own_alone(data, knower)])
        for place in np.flatnonzero(share & kept).tolist():
            needs[place] = asked.place(self._requirement(data, knower, int(cells[place])))
        return _View(knower.who, known, own, cells[kept], needs[kept], ~share[kept])

    def _of_nobody(self, asked: _Asked, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Positions of what somebody must not find out who has no share in a cell."""
        nobody = Knower("", {}, {}, 1)
        if not self._plain:
            self._plain = [self._requirement(self._data, nobody, cell) for cell in cells.tolist()]
        return np.array([asked.place(need) for need in self._plain], np.int64)

    def _requirement(self, data: Data, knower: Knower, cell: int) -> Requirement:
        low, high = Nearness(data, knower, cell, self._policy.insider_p).reach()
        return Requirement(cell, low, high)


def _unmet_by(view: _View, need: Requirement, cut: Cut | None, *, shared: bool) -> Unmet:
    attack = Attack(replace(need, known_to=view.known), view.own, view.who)
    return Unmet(attack, None if cut is None else cut.without(view.known), shared)
