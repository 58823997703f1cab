"""Parts of a release that hang together through what attackers know: what is shown in one says nothing of another."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attackers.asked import Asked
from tableseal.audit.bounds.component import Component
from tableseal.audit.bounds.components import Components
from tableseal.audit.in_hand.tables import Table
from tableseal.audit.linear.graph import joined
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.sparse import entries, row_of_entries, rows_at

Ints = NDArray[np.int64]

MOST = 2_000_000
"""Pairs of attackers and cells of one area that are looked at together (16 MB for each number of a pair)."""


@dataclass(frozen=True)
class View:
    """An attacker in an area, by positions among the area's forms; amounts as their columns there give them.

    known, value: forms that it knows. shares, least: forms to which it gave so much. targets: forms that it is asked
    about; low, high: how far down and up each must be able to go (NO_UPPER, NO_LOWER: any change will do). attacker,
    cell: int64, which question each target is (position among all attackers, among the cells that it is asked about).
    """

    known: Ints
    value: Ints
    shares: Ints
    least: Ints
    targets: Ints
    low: Ints
    high: Ints
    attacker: int
    cell: Ints


@dataclass(frozen=True)
class Area:
    """A component with all forms of interest as targets.

    value, known: int64, bool (forms), true values as far as they are known. views: of each attacker. table: int64
    (columns), a table in hand that has these true values; None: there is none.
    """

    component: Component
    value: Ints
    known: NDArray[np.bool_]
    views: tuple[View, ...]
    table: Ints | None


def areas(
    reduced: Reduced,
    forms: csr_array,
    truth: Ints,
    known: NDArray[np.bool_],
    asked: Sequence[Asked],
    in_hand: Table | None,
) -> list[Area]:
    """Areas in which some attacker is asked about something that is not settled by what outsiders know.

    forms: int64 csr (forms x columns); truth, known: int64, bool (forms), their true values as far as they are known.
    in_hand: a table, as far as one is known.
    """
    if not asked:
        return []
    involved = np.zeros(forms.shape[0], np.bool_)
    for a in asked:
        involved[list(a.attacker.involved)] = involved[a.cells] = True
    which = np.flatnonzero(involved)
    local = rows_at(forms, which)
    constant = local @ np.where(reduced.fixed, reduced.value, 0)
    local = entries(local, reduced.component[local.indices] >= 0)
    of_form, of_component, count = _areas(local, reduced)
    order = np.argsort(of_form, kind="stable")
    which, constant, of_form, local = which[order], constant[order], of_form[order], rows_at(local, order)
    start = np.searchsorted(of_form, np.arange(count + 1))
    places = _Places(*(np.full(forms.shape[0], -1, np.int64) for _ in range(3)))
    places.area[which], places.place[which] = of_form, np.arange(len(which)) - start[of_form]
    places.constant[which] = constant
    views: dict[int, list[View]] = {}
    for number, a in enumerate(asked):
        doubtful = np.flatnonzero(a.doubtful)
        of_test = places.area[a.cells[doubtful]]
        for area in np.unique(of_test).tolist():
            views.setdefault(area, []).append(_view(a, truth, number, doubtful[of_test == area], area, places))
    label = np.where(reduced.component >= 0, of_component[reduced.component], -1)
    parts = Components(replace(reduced, component=label, components=count))
    found = []
    for area, seen in sorted(views.items()):
        first, last = int(start[area]), int(start[area + 1])
        component = parts.component(area, local, first, last)
        inside = which[first:last]
        value = truth[inside] - constant[first:last]
        together = max(1, MOST // len(inside))
        table = _in_hand(in_hand, parts.columns(area), component, value, known[inside])
        found += [
            Area(component, value, known[inside], tuple(seen[k : k + together]), table)
            for k in range(0, len(seen), together)
        ]
    return found


def _in_hand(
    table: Table | None, columns: Ints, component: Component, truth: Ints, known: NDArray[np.bool_]
) -> Ints | None:
    """What a table has in an area (columns), if all of it is known and the forms have their true values."""
    if table is None or not table.known[columns].all():
        return None
    value = table.value[columns]
    return value if ((component.targets @ value == truth) | ~known).all() else None


@dataclass(frozen=True)
class _Places:
    """int64 (forms): the area that each is in (-1: none), its place there, and what is constant in it."""

    area: Ints
    place: Ints
    constant: Ints


def _areas(local: csr_array, reduced: Reduced) -> tuple[Ints, Ints, int]:
    """(area of each form, area of each component, number of areas): forms and components as two sides of a graph."""
    forms = local.shape[0]
    label = joined(forms + reduced.components, row_of_entries(local), forms + reduced.component[local.indices])
    return label[:forms], label[forms:], int(label.max(initial=-1)) + 1


def _view(asked: Asked, truth: Ints, number: int, tests: Ints, area: int, places: _Places) -> View:
    """An attacker in an area."""
    cells, low, high = asked.cells[tests], asked.low[tests], asked.high[tests]
    constant = places.constant[cells]
    known = np.array(asked.attacker.known, np.int64)
    shares = np.array(asked.attacker.shares, np.int64).reshape(-1, 2)
    return View(
        *_placed(known, truth[known], area, places),
        *_placed(shares[:, 0], shares[:, 1], area, places),
        places.place[cells],
        np.where(low == NO_UPPER, NO_UPPER, low - constant),
        np.where(high == NO_LOWER, NO_LOWER, high - constant),
        number,
        tests,
    )


def _placed(cells: Ints, units: Ints, area: int, places: _Places) -> tuple[Ints, Ints]:
    """(places of those of some forms that are in an area, their amounts without what is constant)."""
    inside = places.area[cells] == area
    return places.place[cells[inside]], units[inside] - places.constant[cells[inside]]
