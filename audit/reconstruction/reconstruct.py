"""How much of small areas can be reconstructed: for each one how many tables fit, and which records are certain."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse.csgraph import connected_components

from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.plan import full
from tableseal.audit.compiling import Runner
from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.hypercube.model import Ints
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.progress import Progress, silent
from tableseal.audit.reconstruction.area import Area, area_of, contradiction
from tableseal.audit.reconstruction.search import Sums, explore
from tableseal.audit.reconstruction.tables import AreaTables
from tableseal.audit.solvers.highs import Highs
from tableseal.audit.sparse import csr, transposed

TOGETHER = 250
"""Areas that are sent to a worker at once."""

WORTH_COMPILING = 60
"""Published counts above 0 from which the search is compiled: loading it takes 0.7 s, and an area with 25 of them takes
0.14 s as it stands, 2 ms compiled."""


@dataclass(frozen=True)
class Effort:
    """tables: of each part of an area that are counted, at least 2. nodes: values that a search tries before linear and
    integer programs take over."""

    tables: int = 1000
    nodes: int = 20_000

    def __post_init__(self) -> None:
        if self.tables < 2:
            raise ValueError("at least 2 tables are counted")


MOST_TABLES = 10**15
"""A number of tables beyond it is not told."""


@dataclass(frozen=True)
class Reconstructed:
    """An area.

    Attributes
    ----------
    units: counted in it. cells: inner cells that no published zero excludes. tables: that fit; exact: whether that
        are all, or at least so many. unique: only one fits; None: it could not be found out.
    certain: records whose inner cell is known (the least count that each inner cell can have, added up); proved to be
        at least the first and at most the second number.
    known: (inner cell, numbered row by row; its least count) where that is above 0.
    """

    units: int
    cells: int
    tables: int
    exact: bool
    unique: bool | None
    certain: tuple[int, int]
    known: tuple[tuple[int, int], ...] = ()


def reconstruct(
    tables: AreaTables, effort: Effort = Effort(), *, executor: Executor = HERE, progress: Progress = silent
) -> tuple[Reconstructed, ...]:
    """Every area, in order.

    Raises
    ------
    InputError: tables that contradict each other. LimitError: an area with too many combinations.
    """
    number = len(tables.areas)
    batches = [tables.part(k, min(k + TOGETHER, number)) for k in range(0, number, TOGETHER)]
    counts = sum(len(margin.cell) for margin in tables.margins)
    work = partial(_several, effort=effort, compiled=counts >= WORTH_COMPILING)
    found: list[Reconstructed] = []
    for some in executor.map(work, batches):
        found += some
        progress("areas", len(found), number)
    return tuple(found)


def _several(tables: AreaTables, effort: Effort, compiled: bool) -> list[Reconstructed]:
    run = Runner(compiled)
    return [_one(tables, area, effort, run) for area in range(len(tables.areas))]


def _one(tables: AreaTables, at: int, effort: Effort, run: Runner) -> Reconstructed:
    area = area_of(tables, at)
    cells = len(area.inner)
    if not cells:
        return Reconstructed(0, 0, 1, True, True, (0, 0))
    sums = _sums(area, run)
    part, starts, found, complete, minimum, open_cells = (run.full(cells + 1, 0) for _ in range(6))
    number = run(
        explore, sums, effort.tables, effort.nodes, part, starts, found, complete, minimum, open_cells,
        run.full(3 * cells, 0),
    )  # fmt: skip
    if number < 0:
        raise contradiction(tables, at)
    counts, whole = run.numbers(found)[:number], run.numbers(complete)[:number].astype(np.bool_)
    least = run.numbers(minimum)[:cells]
    most = least.copy()
    still = np.flatnonzero(run.numbers(open_cells)[:cells])
    unknown = bool((~whole & (counts < 2)).any())
    if len(still):
        low = run.numbers(sums.low)
        least[still] = low[still]
        if not _programs(area, still, least, most):
            raise contradiction(tables, at)
    total, exact = 1, True
    for count, all_of_them in zip(counts.tolist(), whole.tolist(), strict=True):
        total *= max(count, 1)
        exact &= all_of_them
    certain = int(least.sum()), int(most.sum())
    unique: bool | None = total == 1
    if unknown and total == 1:
        # All tables have the same sum, so there is one only where the least values have it, too.
        unique = True if certain[0] == area.units else False if certain[1] < area.units else None
        total, exact = 2 if unique is False else 1, unique is True
    if total > MOST_TABLES:
        total, exact = MOST_TABLES, False
    sure = np.flatnonzero(least)
    known = tuple(sorted(zip(area.inner[sure].tolist(), least[sure].tolist(), strict=True)))
    return Reconstructed(area.units, cells, total, exact, unique, certain, known)


def _sums(area: Area, run: Runner) -> Sums:
    cells, margins = area.rows.shape
    rows = len(area.value)
    flat = area.rows.ravel()
    order = np.argsort(flat, kind="stable")
    high = area.value[area.rows].min(axis=1)
    room = int(high.sum()) + 2 * cells + rows + 16
    return Sums(
        run.array(np.concatenate([[0], np.cumsum(np.bincount(flat, minlength=rows))])),
        run.array(order // margins),
        run.array(np.arange(cells + 1) * margins),
        run.array(flat),
        run.array(area.value),
        run.array(np.zeros(cells, np.int64)),
        run.array(high),
        run.array(np.zeros(rows, np.int64)),
        run.array(np.bincount(flat, np.repeat(high, margins), rows).astype(np.int64)),
        run.full(room, 0),
        run.full(room, 0),
        run.full(room, 0),
        run.full(1, 0),
        run.full(rows, 0),
        run.full(rows, 0),
    )


def _programs(area: Area, still: Ints, least: Ints, most: Ints) -> bool:
    """Least values of the cells that the search left open, in place, by linear and integer programs; False: no table
    fits."""
    cells, margins = area.rows.shape
    by_cell = csr(
        np.ones(area.rows.size, np.int64),
        area.rows.ravel(),
        np.arange(cells + 1) * margins,
        (cells, len(area.value)),
    )
    _, label = connected_components(by_cell @ by_cell.T, directed=False)
    matrix = transposed(by_cell)
    for part in np.unique(label[still]).tolist():
        own = np.flatnonzero(label == part)
        asked = still[label[still] == part]
        rows = np.unique(area.rows[own])
        targets = csr(
            np.ones(len(asked), np.int64),
            np.searchsorted(own, asked),
            np.arange(len(asked) + 1),
            (len(asked), len(own)),
        )
        value = area.value[rows]
        high = area.value[area.rows[own]].min(axis=1)
        component = Component(matrix[rows][:, own], value, value, np.zeros(len(own), np.int64), high, targets)
        try:
            answer = full(Highs()).bounds(component, Limits(values=False))
        except InfeasibleError:
            return False
        for cell, bounds in zip(asked.tolist(), answer.targets, strict=True):
            least[cell] = max(int(least[cell]), bounds.lower.outer or 0)
            if bounds.lower.attained is not None:
                most[cell] = min(int(most[cell]), bounds.lower.attained)
    return True
