"""Insiders as attackers: the contributors that the audit will ask about, as requirements of a search.

What contributors of one cell find out about each other needs nothing but the interval that outsiders are left with, so
it is asked of every pattern from the start. Who knows other withheld cells depends on the pattern: only contributors
of withheld cells know something that others do not. These are asked for when a pattern is at hand: whoever knows cells
sees what outsiders would see if these were published, so that a table which leaves them alone answers for all of them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from audit.bounds.component import Limits
from audit.decision.cuts import Cut, Requirement
from audit.decision.equations import Equations
from audit.decision.oracle import Broken, Oracle
from audit.linear.cells import Cells
from audit.measures.insiders.audit import KINDS
from audit.measures.insiders.data import Data
from audit.measures.insiders.knowers import Knower, knowers, own_alone, shares
from audit.measures.insiders.nearness import Nearness
from audit.measures.insiders.within import needed_within
from audit.model import Policy, Release
from audit.solvers.protocol import Solver
from suppression.attacks import Attack, oracle_for


@dataclass(frozen=True)
class Unmet:
    """An attack that a pattern does not withstand, or is not shown to withstand. cut: of patterns that withstand it."""

    attack: Attack
    cut: Cut | None


@dataclass(frozen=True)
class _View:
    """What one knower asks, whatever the pattern.

    known: cells that it knows; own: its contributions to others. cells, needs: sensitive cells (int64) and what it must
    not find out about each, as positions among the requirements that all knowers with the same `own` share.
    """

    who: str
    known: tuple[int, ...]
    own: tuple[tuple[int, int], ...]
    cells: NDArray[np.int64]
    needs: NDArray[np.int64]


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
        self._data = Data(release, cells, everything, everything, nonnegative=release.intruder.nonnegative)
        self._kinds = KINDS if release.intruder.insiders is None else release.intruder.insiders
        self._primary = primary
        self._viewed: dict[tuple[tuple[int, ...], tuple[tuple[int, int], ...]], _View] = {}
        self._asked: dict[tuple[tuple[int, int], ...], _Asked] = {}
        self._plain: list[Requirement] = []

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
        self, pattern: NDArray[np.bool_], limits: Limits, *, first: bool = False, helper: Oracle | None = None
    ) -> list[Unmet]:
        """The attacks of insiders that a pattern is not shown to withstand.

        first: those of one insider are enough. helper: an oracle whose tables may answer, and which gets to know those
        that were found.
        """
        views: dict[tuple[tuple[int, int], ...], list[_View]] = {}
        for view in self._views(pattern):
            views.setdefault(view.own, []).append(view)
        found: list[Unmet] = []
        for own, alike in views.items():
            oracle = self._asked[own].oracle
            oracle.shun(np.unique(np.concatenate([np.array(v.known, np.int64) for v in alike])))
            if helper is not None:
                oracle.learn_from(helper)
            found += self._unmet(alike, oracle, pattern, limits, first)
            if helper is not None and not own:
                helper.learn_from(oracle)
            if first and found:
                break
        return found

    def _unmet(
        self, views: list[_View], oracle: Oracle, pattern: NDArray[np.bool_], limits: Limits, first: bool
    ) -> list[Unmet]:
        """Of knowers with the same contributions."""
        opened = self._equations.always_open.copy()
        opened[: self._equations.cells] |= pattern
        label = self._equations.groups(opened)
        asked = np.zeros((len(views), len(oracle.requirements)), np.bool_)
        for place, view in enumerate(views):
            involved = label[[*view.known, *(c for c, _ in view.own)]]
            asked[place, view.needs[np.isin(label[view.cells], involved)]] = True
        found: list[Unmet] = []
        for place, decision in oracle.without(pattern, [v.known for v in views], asked, limits):
            view = views[place]
            cuts = dict(zip(np.flatnonzero(decision.failing).tolist(), decision.cuts, strict=True))
            for q in np.flatnonzero(~decision.protected).tolist():
                need = replace(oracle.requirements[q], known_to=view.known)
                cut = cuts.get(q)
                found.append(Unmet(Attack(need, view.own, view.who), None if cut is None else cut.without(view.known)))
            if first or limits.out_of_time():
                break
        return found

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
        return _View(knower.who, known, own, cells[kept], needs[kept])

    def _of_nobody(self, asked: _Asked, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Positions of what somebody must not find out who has no share in a cell."""
        nobody = Knower("", {}, {}, 1)
        if not self._plain:
            self._plain = [self._requirement(self._data, nobody, cell) for cell in cells.tolist()]
        return np.array([asked.place(need) for need in self._plain], np.int64)

    def _requirement(self, data: Data, knower: Knower, cell: int) -> Requirement:
        low, high = Nearness(data, knower, cell, self._policy.insider_p).reach()
        return Requirement(cell, low, high)
