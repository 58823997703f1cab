"""Our bounds alone: from cells in memory to both ends of every withheld cell, exact and proved."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.benchmarks.competitors.protocol import Answer, Relation, Task
from cases.benchmarks.instance import Instance
from cases.benchmarks.releases import release

DETERMINED = "equations alone"


class TablesealBounds:
    """The steps of `audit.pipeline.audit` between its cells and its insiders, and nothing else."""

    name = "tableseal"
    title = "tableseal, bounds alone"
    packages = ("tableseal",)
    relation: Relation = "equal"

    def available(self) -> bool:
        """It is always there."""
        return True

    def task(self, instance: Instance, folder: Path, budget: float) -> Task:
        """Reading and merging cells is not part of the bounds; building and checking the system is."""
        del folder, budget
        from audit.linear.merge import merge_cells
        from audit.rules import completed

        read = release(instance)
        cells = completed(read, merge_cells(read)[0])
        return Task(lambda: _bounds(read, cells), lambda found: _answer(instance, *found))


def _bounds(read: Any, cells: Any) -> Any:
    from audit.bounds.component import Limits
    from audit.bounds.engine import bound_forms
    from audit.bounds.simplex import Simplex
    from audit.linear.reduce import reduce
    from audit.prepare import prepare
    from audit.progress import silent
    from audit.solvers.highs import Highs

    prepared = prepare(read, cells)
    reduced = reduce(prepared.differenced, nonnegative=prepared.system.nonnegative)
    return prepared, bound_forms(reduced, prepared.system.forms, Simplex(Highs()), Limits(), silent)


def _answer(instance: Instance, prepared: Any, found: Any) -> Answer:
    system = prepared.system
    codes = prepared.cells.codes[system.open_cells]
    cell = np.zeros(len(codes), np.int64)
    for axis, d in enumerate(instance.dimensions):
        hierarchy = prepared.release.variables[d.name]
        ours = np.array([d.position[code] for code in hierarchy.codes])
        cell = cell * len(d.codes) + ours[codes[:, axis]]
    bounds = found.bounds
    return Answer(
        *(place(instance, cell, pairs) for pairs in ends_of(bounds)),
        methods=shares(len(bounds), int(found.determined.sum()), found.used),
    )


def ends_of(bounds: Sequence[Any]) -> list[list[tuple[float, float]]]:
    """Linear, outer and attained ends as floats; NaN: not known, inf: no limit."""
    both = [(b.lower, b.upper) for b in bounds]
    linear = [tuple(_number(e.lp, e.unlimited, sign) for e, sign in zip(b, (-1, 1), strict=True)) for b in both]
    outer = [tuple(sign * np.inf if e.outer is None else float(e.outer) for e, sign in zip(b, (-1, 1), strict=True)) for b in both]
    attained = [tuple(_number(e.attained, e.unlimited, sign) for e, sign in zip(b, (-1, 1), strict=True)) for b in both]
    return [linear, outer, attained]
