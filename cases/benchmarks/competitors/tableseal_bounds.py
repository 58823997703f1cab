"""Our bounds alone: from cells in memory to both ends of every withheld cell, exact and proved."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from cases.benchmarks.competitors.protocol import Answer, Relation, Task
from cases.benchmarks.families import FAMILIES, generate
from cases.benchmarks.instance import Instance
from cases.benchmarks.releases import release

if TYPE_CHECKING:
    from tableseal.audit.bounds.component import End
    from tableseal.audit.bounds.engine import CellBounds
    from tableseal.audit.linear.cells import Cells
    from tableseal.audit.model import Release
    from tableseal.audit.prepare import Prepared

DETERMINED = "equations alone"
OPEN = "not closed"


class TablesealBounds:
    """The steps of `audit.pipeline.audit` between its cells and its insiders, and nothing else."""

    packages = ("tableseal",)
    relation: Relation = "equal"

    def __init__(self, *, integer: bool = True) -> None:
        self._integer = integer
        self.name = "tableseal" if integer else "tableseal_lp"
        self.title = "tableseal: bounds alone" if integer else "tableseal: linear bounds alone, as the others give"

    def available(self) -> bool:
        """It is always there."""
        return True

    def task(self, instance: Instance, folder: Path, budget: float) -> Task:
        """Reading and merging cells is not part of the bounds; building and checking the system is."""
        del folder, budget
        _load_kernels()
        from tableseal.audit.linear.merge import merge_cells
        from tableseal.audit.rules import completed

        read = release(instance)
        cells = completed(read, merge_cells(read)[0])
        return Task(lambda: _bounds(read, cells, self._integer), lambda found: _answer(instance, *found))


def _load_kernels() -> None:
    """Instances large enough for every compiled kernel, once; what is loaded is used for small components too."""
    from tableseal.audit.linear.merge import merge_cells

    _load_central()
    for name in ("2d100", "hierM"):
        read = release(generate(name, FAMILIES[name]))
        _bounds(read, merge_cells(read)[0], integer=True)


def _load_central() -> None:
    """What only cubes are asked by."""
    from tableseal.audit.bounds.dense.unimodular import unit_basis
    from tableseal.audit.solvers.central import Central
    from tableseal.audit.solvers.concave import Concave
    from tableseal.audit.solvers.protocol import Problem

    one, two = np.ones(1), np.ones(2)
    problem = Problem(csr_array(np.ones((1, 2), np.int64)), one, one, 0 * two, two)
    rows, _, _ = unit_basis(problem.matrix, np.ones(2, np.bool_))
    for path in (Central(problem), Concave(problem, rows)):
        path.minimise(np.array([1.0, 0.5]))


def _bounds(read: "Release", cells: "Cells", integer: bool) -> "tuple[Prepared, CellBounds]":
    from tableseal.audit.bounds.component import Limits
    from tableseal.audit.bounds.engine import bound_forms
    from tableseal.audit.bounds.plan import full
    from tableseal.audit.linear.reduce import reduce
    from tableseal.audit.prepare import prepare
    from tableseal.audit.progress import silent
    from tableseal.audit.solvers.highs import Highs

    prepared = prepare(read, cells)
    reduced = reduce(prepared.differenced, nonnegative=prepared.system.nonnegative)
    limits = Limits(integer=integer, values=False)
    found = bound_forms(reduced, prepared.system.forms, full(Highs()), limits, silent)
    _ = found.bounds  # every single end is in hand when the clock stops
    return prepared, found


def _answer(instance: Instance, prepared: "Prepared", found: "CellBounds") -> Answer:
    codes = prepared.cells.codes[prepared.system.open_cells]
    cell = np.zeros(len(codes), np.int64)
    for axis, d in enumerate(instance.dimensions):
        ours = np.array([d.position[code] for code in prepared.release.variables[d.name].codes])
        cell = cell * len(d.codes) + ours[codes[:, axis]]
    ends = np.full((3, 2, len(instance.values)), np.nan)
    for at, both in zip(cell.tolist(), found.bounds, strict=True):
        ends[:, 0, at] = _numbers(both.lower, -np.inf)
        ends[:, 1, at] = _numbers(both.upper, np.inf)
    linear, outer, attained = ends[:, :, instance.withheld]
    return Answer(linear, outer, attained, _shares(found))


def _numbers(end: "End", limitless: float) -> tuple[float, float, float]:
    """Linear, outer and attained value; NaN: not known."""
    if end.unlimited:
        return limitless, limitless, limitless
    lp, outer, attained = end.lp, end.outer, end.attained
    return (
        np.nan if lp is None else float(lp),
        limitless if outer is None else float(outer),
        np.nan if attained is None else float(attained),
    )


def _shares(found: "CellBounds") -> dict[str, float]:
    """Share of the different ends that each step closed."""
    closed = Counter({DETERMINED: 2 * int(found.determined.sum())})
    for use in found.used:
        closed[use.step] += use.closed
    ends = [end for both in found.bounds for end in (both.lower, both.upper)]
    closed[OPEN] = sum(not end.unlimited and (end.outer is None or end.outer != end.attained) for end in ends)
    total = sum(closed.values())
    return {step: count / total for step, count in closed.items() if count}
