"""Insiders as attackers: the contributors that the audit will ask about, as requirements of a search.

What contributors of one cell find out about each other needs nothing but the interval that outsiders are left with, so
it is asked of every pattern from the start. Who knows other withheld cells depends on the pattern: only contributors
of withheld cells know something that others do not. These are asked for when a pattern is at hand.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.bounds.component import Limits
from audit.decision.cuts import Requirement
from audit.decision.equations import Equations
from audit.decision.oracle import Oracle
from audit.linear.cells import Cells
from audit.measures.insiders.audit import KINDS
from audit.measures.insiders.data import Data
from audit.measures.insiders.knowers import Knower, knowers
from audit.measures.insiders.nearness import Nearness, all_its_own
from audit.measures.insiders.within import needed_within
from audit.model import Policy, Release
from audit.solvers.protocol import Solver
from suppression.attacks import Attack, oracle_for


@dataclass(frozen=True)
class _View:
    """What one knower asks about a pattern: attacks of the usual kind (by cell) and others."""

    who: str
    known: tuple[int, ...]
    usual: tuple[int, ...]
    others: tuple[Attack, ...]


class Insiders:
    """The insiders of a release, over all its cells."""

    def __init__(
        self, release: Release, cells: Cells, policy: Policy, equations: Equations, primary: NDArray[np.bool_]
    ) -> None:
        """primary: bool (cells), the sensitive cells, the only ones that insiders count for."""
        everything = np.arange(len(cells))
        self._release, self._policy, self._equations = release, policy, equations
        self._data = Data(release, cells, everything, everything, nonnegative=release.intruder.nonnegative)
        self._kinds = KINDS if release.intruder.insiders is None else release.intruder.insiders
        self._primary = primary
        self._usual: dict[int, Attack] = {}
        self._asked: dict[tuple[tuple[int, ...], tuple[tuple[int, int], ...], int], Attack | None] = {}
        self._oracle: Oracle | None = None
        self._places: dict[int, int] = {}

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

    def broken(self, pattern: NDArray[np.bool_], solver: Solver, limits: Limits) -> list[Attack]:
        """The attacks of insiders that a pattern does not withstand."""
        failing: list[Attack] = []
        others: dict[tuple[tuple[int, int], ...], list[Attack]] = {}
        for view in self._views(pattern):
            for attack in view.others:
                others.setdefault(attack.own, []).append(attack)
            if view.usual:
                failing += self._failing_usual(view, pattern, solver, limits)
        for attacks in others.values():
            decision = oracle_for(self._equations, attacks, solver).decide(pattern, limits)
            failing += [attacks[q] for q in np.flatnonzero(decision.failing).tolist()]
        return failing

    def count(self, pattern: NDArray[np.bool_]) -> int:
        """How many insiders know something of a pattern."""
        return sum(1 for _ in self._views(pattern))

    def _failing_usual(
        self, view: _View, pattern: NDArray[np.bool_], solver: Solver, limits: Limits
    ) -> Iterator[Attack]:
        """Whoever knows cells sees what outsiders would see if these were published: one oracle answers for all."""
        if self._oracle is None:
            cells = np.flatnonzero(self._primary).tolist()
            self._places = {cell: q for q, cell in enumerate(cells)}
            self._oracle = oracle_for(self._equations, [self._usual_attack(cell) for cell in cells], solver)
        seen = pattern.copy()
        seen[list(view.known)] = False
        failing = self._oracle.decide(seen, limits).failing
        for cell in view.usual:
            if failing[self._places[cell]]:
                need = self._usual_attack(cell).requirement
                yield Attack(Requirement(cell, need.lower, need.upper, need.width, view.known), (), view.who)

    def _usual_attack(self, cell: int) -> Attack:
        """Of somebody who has no share in a cell."""
        if cell not in self._usual:
            nobody = Knower("", {}, {}, 1)
            self._usual[cell] = Attack(self._requirement(Nearness(self._data, nobody, cell, self._policy.insider_p)))
        return self._usual[cell]

    def _requirement(self, test: Nearness, known: tuple[int, ...] = ()) -> Requirement:
        low, high = test.reach()
        return Requirement(test.cell, low, high, known_to=known)

    def _views(self, pattern: NDArray[np.bool_]) -> Iterator[_View]:
        """What every knower of a pattern asks, as the audit does: of sensitive cells that hang together with what it
        knows."""
        data = self._data.aimed_at(np.flatnonzero(pattern))
        opened = self._equations.always_open.copy()
        opened[: self._equations.cells] |= pattern
        label = self._equations.groups(opened)
        sensitive = np.flatnonzero(self._primary & pattern)
        for knower in knowers(data, self._kinds, self._release.intruder.coalition):
            known, own = tuple(sorted(knower.exact)), tuple(sorted(knower.own.items()))
            involved = np.unique(label[[*known, *(c for c, _ in own)]])
            usual: list[int] = []
            others: list[Attack] = []
            for cell in sensitive[np.isin(label[sensitive], involved)].tolist():
                attack = self._attack(data, knower, known, own, cell)
                if attack is self._usual_attack(cell):
                    usual.append(cell)
                elif attack is not None:
                    others.append(attack)
            if usual or others:
                yield _View(knower.who, known, tuple(usual), tuple(others))

    def _attack(
        self, data: Data, knower: Knower, known: tuple[int, ...], own: tuple[tuple[int, int], ...], cell: int
    ) -> Attack | None:
        """What a knower must not find out about a cell: the usual, something of its own, or nothing (None)."""
        key = (known, own, cell)
        if key not in self._asked:
            found: Attack | None = None
            if cell not in knower.exact and not all_its_own(data, knower, cell):
                found = self._usual_attack(cell)
                need = self._requirement(Nearness(data, knower, cell, self._policy.insider_p), known)
                plain = found.requirement
                if own or (need.lower, need.upper) != (plain.lower, plain.upper):
                    found = Attack(need, own, knower.who)
            self._asked[key] = found
        return self._asked[key]
