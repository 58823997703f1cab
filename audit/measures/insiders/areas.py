"""Parts of a release that hang together through what knowers know: what is shown in one says nothing of another."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from audit.bounds.component import Component
from audit.linear.integers import NO_LOWER, NO_UPPER
from audit.linear.reduce import Reduced
from audit.measures.insiders.asking import Asking

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class View:
    """A knower in an area, by positions among the area's forms; amounts as their columns there give them.

    exact, value: forms that it knows. own, least: forms to which it gave so much. targets: forms that it asks about;
    low, high: how far down and up each must be able to go (NO_UPPER, NO_LOWER: any change will do). asking, test:
    int64, which question each target is (position among all knowers, position among the knower's tests).
    """

    exact: Ints
    value: Ints
    own: Ints
    least: Ints
    targets: Ints
    low: Ints
    high: Ints
    asking: int
    test: Ints


@dataclass(frozen=True)
class Area:
    """A component with all forms of interest as targets.

    value, known: int64, bool (forms), true values as far as they are known. views: of each knower.
    """

    component: Component
    value: Ints
    known: NDArray[np.bool_]
    views: tuple[View, ...]


def areas(
    reduced: Reduced, forms: csr_array, truth: Ints, known: NDArray[np.bool_], asked: Sequence[Asking]
) -> list[Area]:
    """Areas in which some knower asks about something that is not settled by what outsiders know.

    forms: int64 csr (forms x columns); truth, known: int64, bool (forms), their true values as far as they are known.
    """
    involved = sorted({k for a in asked for k in (*a.knower.exact, *a.knower.own, *(t.cell for t in a.tests))})
    if not involved:
        return []
    which = np.array(involved, np.int64)
    local = csr_array(forms[which])
    constant = local @ np.where(reduced.fixed, reduced.value, 0)
    # Forms and components are the two sides of a graph.
    form = np.repeat(np.arange(len(which)), np.diff(local.indptr))
    component = reduced.component[local.indices]
    open_entries = component >= 0
    nodes = len(which) + reduced.components
    edges = (form[open_entries], len(which) + component[open_entries])
    _, label = connected_components(coo_array((np.ones(len(edges[0]), np.int8), edges), shape=(nodes, nodes)), False)
    of_form = label[: len(which)]
    of_column = np.where(reduced.component >= 0, label[len(which) + reduced.component], -1)
    of_row = of_column[reduced.matrix.indices[reduced.matrix.indptr[:-1]]]
    label_of = dict(zip(involved, of_form.tolist(), strict=True))
    views: dict[int, list[tuple[int, Sequence[int]]]] = {}
    for number, asking in enumerate(asked):
        tests: dict[int, list[int]] = {}
        for position in np.flatnonzero(asking.doubtful).tolist():
            tests.setdefault(label_of[asking.tests[position].cell], []).append(position)
        for area, own in tests.items():
            views.setdefault(area, []).append((number, own))
    found = []
    for area in sorted(views):
        inside = np.flatnonzero(of_form == area)
        columns, rows = np.flatnonzero(of_column == area), np.flatnonzero(of_row == area)
        at = {int(which[i]): (n, int(constant[i])) for n, i in enumerate(inside.tolist())}
        found.append(
            Area(
                Component(
                    csr_array(reduced.matrix[rows][:, columns]),
                    reduced.lower[rows],
                    reduced.upper[rows],
                    reduced.column_lower[columns],
                    reduced.column_upper[columns],
                    csr_array(local[inside][:, columns]),
                ),
                truth[which[inside]] - constant[inside],
                known[which[inside]],
                tuple(_view(asked[number], number, tests, at) for number, tests in views[area]),
            )
        )
    return found


def _view(asking: Asking, number: int, tests: Sequence[int], at: dict[int, tuple[int, int]]) -> View:
    """A knower in the area whose forms are at some positions, with what is constant in them."""
    exact, value = _placed(asking.knower.exact.items(), at)
    own, least = _placed(asking.knower.own.items(), at)
    rows: list[tuple[int, int, int]] = []
    for test in (asking.tests[t] for t in tests):
        position, constant = at[test.cell]
        down, up = test.reach
        rows.append(
            (position, NO_UPPER if down is None else down - constant, NO_LOWER if up is None else up - constant)
        )
    targets, low, high = np.array(rows, np.int64).T
    return View(exact, value, own, least, targets, low, high, number, np.array(tests, np.int64))


def _placed(amounts: Iterable[tuple[int, int]], at: dict[int, tuple[int, int]]) -> tuple[Ints, Ints]:
    inside = [(at[k][0], amount - at[k][1]) for k, amount in amounts if k in at]
    pairs = np.array(inside, np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]
