"""Programs that choose secondary cells, ours and others: a table and its primaries in, a pattern out."""

import csv
import logging
from contextlib import chdir
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.benchmarks.instance import Instance
from cases.benchmarks.linked import Linked, positions, tables_of
from tableseal.audit.bounds.component import Limits
from tableseal.audit.model import Release

Pattern = NDArray[np.bool_]


@dataclass(frozen=True)
class ProcessorTime(Limits):
    """Seconds counted by the processor: other work on the machine takes nothing away. until: CPU seconds."""

    until: float = 0.0

    def seconds_left(self) -> float:
        """What is left."""
        return max(0.0, self.until - process_time())

    def out_of_time(self) -> bool:
        """Nothing is left."""
        return self.seconds_left() <= 0

    def share(self, part: float) -> "ProcessorTime":
        """The same with a part of the time that is left."""
        return self.anew(part * self.seconds_left())

    def anew(self, seconds: float) -> "ProcessorTime":
        """The same with so many seconds from now on."""
        return replace(self, until=process_time() + seconds)


def processor_time(seconds: float) -> ProcessorTime:
    """So many seconds from now on."""
    return ProcessorTime(until=process_time() + seconds)


class Tableseal:
    """Our own searches, from a release in memory to a pattern that the oracle has passed."""

    packages = ("tableseal",)
    linked = True

    def __init__(self, method: str) -> None:
        self.name, self.title, self._method = f"tableseal_{method}", f"tableseal {method}", method
        self.bound: float | None = None

    def pattern(
        self, instance: Instance | Linked, cost: NDArray[np.float64], root: Path, folder: Path, seconds: float
    ) -> Pattern:
        """The search alone; the pattern is checked by another program afterwards."""
        from cases.benchmarks.releases import to_protect
        from tableseal.audit.bounds.plan import deciding
        from tableseal.audit.decision.oracle import Oracle
        from tableseal.audit.model import Policy
        from tableseal.audit.solvers.highs import Highs
        from tableseal.suppression.problem.costs import Costs
        from tableseal.suppression.problem.problem import build_problem
        from tableseal.suppression.search.method import Tools
        from tableseal.suppression.search.methods import METHODS

        del root, folder
        limits, engine = processor_time(seconds), Highs()
        problem = build_problem(to_protect(instance, cost), Policy(), Costs(), engine)
        oracle = Oracle(problem.equations, problem.requirements, deciding(engine), engine)
        found = METHODS[self._method](problem, Tools(oracle, engine, limits))
        if found.pattern is None:
            raise TimeoutError("no safe pattern was found in time")
        self.bound = found.bound / problem.scale if self._method == "optimal" else None
        return placed(instance, problem.release, problem.cells.codes[found.pattern])


class WithInsiders:
    """Our optimal search with what single contributors could find out, and the audit that this needs."""

    name, title, packages = "tableseal_insiders", "tableseal optimal against singletons", ("tableseal",)
    linked = True
    bound: float | None = None

    def pattern(
        self, instance: Instance | Linked, cost: NDArray[np.float64], root: Path, folder: Path, seconds: float
    ) -> Pattern:
        """Audited: a contributor who is alone in a cell is among the attackers. The processor seconds are those of the
        search."""
        from cases.benchmarks.releases import to_protect
        from cases.benchmarks.unprotected import contributions
        from tableseal.suppression.suppress import suppress

        del folder
        given = contributions(root, instance)
        made = suppress(to_protect(instance, cost, given), time_limit=processor_time(seconds), explain=False)
        if made.found.pattern is None or made.report is None or made.report.verdict != "safe":
            raise TimeoutError("no safe pattern was found")
        self.bound = made.found.bound / made.problem.scale
        return placed(instance, made.problem.release, made.problem.cells.codes[made.found.pattern])


def placed(instance: Instance | Linked, made: Release, codes: NDArray[np.int32]) -> Pattern:
    """Cells of a release, given by their codes (cells x variables), as a pattern (bool) of the instance."""
    result = np.zeros(len(instance.values), np.bool_)
    position = positions(instance)
    total = {d.name: d.codes[0] for table in tables_of(instance) for d in table.dimensions}
    for row in codes:
        named = made.cell_codes(row)
        result[position[frozenset((n, c) for n, c in named.items() if c != total[n])]] = True
    return result


class Gconfid:
    """gconfid.Suppression with a constant cost function over the costs given as values of the cells."""

    name, title, packages = "gconfid", "gconfid", ("gconfid",)
    linked = True
    bound: float | None = None

    def pattern(
        self, instance: Instance | Linked, cost: NDArray[np.float64], root: Path, folder: Path, seconds: float
    ) -> Pattern:
        """It protects each sensitive cell by its `Sensitivity` upwards and downwards."""
        import gconfid
        import pandas as pd

        del cost, root, folder, seconds
        logging.getLogger("gconfid").setLevel(logging.ERROR)
        kept = instance.values > 0
        cells = pd.DataFrame(
            {
                "CellId": np.arange(1, len(instance.values) + 1).astype(np.float64),
                "Total": instance.values.astype(np.float64),
                "TotalNoise": instance.values.astype(np.float64),
                "Sensitivity": np.where(instance.primary, instance.above, -1).astype(np.float64),
                "Status": np.where(instance.primary, "S", "V"),
                "Type": "C",
            }
        )[kept]
        entries = instance.equations.tocoo()
        used = kept[entries.col]
        constraints = pd.DataFrame(
            {
                "ConstraintId": entries.row[used] + 1.0,
                "CellId": entries.col[used] + 1.0,
                "Coefficient": entries.data[used].astype(np.float64),
            }
        )
        run = gconfid.Suppression(
            incell=cells, inconstraint=constraints, constraint_scale=1, cost_function1="size", trace=logging.ERROR
        )
        found: Any = run.outsuppress if run.outsuppress is not None else run.outsuppress_failed
        frame = found.to_pandas() if hasattr(found, "to_pandas") else found
        result = instance.primary.copy()
        result[frame["CellId"][frame["OutStatus"] == "X"].to_numpy().astype(np.int64) - 1] = True
        return result


class Pytauargus:
    """The port of tau-ARGUS: its optimal or its modular method."""

    packages = ("pytauargus",)
    linked = False
    bound: float | None = None

    def __init__(self, method: str) -> None:
        self._method = method
        self.name, self.title = f"pytauargus_{method.lower()}", f"pytauargus {method}"

    def pattern(
        self, instance: Instance, cost: NDArray[np.float64], root: Path, folder: Path, seconds: float
    ) -> Pattern:
        """Costs are the values of the cells, as is its default."""
        from pytauargus.engine import run_batch

        from cases.benchmarks.competitors.pytauargus_audit import batch, cell

        del cost, root
        minutes = max(1, round(seconds / 60))
        with chdir(folder):  # it leaves files with cells where it stands
            run_batch(str(batch(instance, folder.resolve(), f"{self._method}(1,{minutes})")))
        result = instance.primary.copy()
        with (folder / "out.csv").open(newline="", encoding="utf-8") as file:
            for row in csv.reader(file):
                if row[len(instance.dimensions) + 1].strip() in WITHHELD:
                    result[cell(instance, row)] = True
        return result


WITHHELD = {"3", "4", "5", "6", "7", "8", "9", "11", "12"}
"""Statuses of withheld cells in what tau-ARGUS writes."""

SUPPRESSORS: tuple[Any, ...] = (
    Tableseal("optimal"),
    Tableseal("heuristic"),
    Tableseal("modular"),
    WithInsiders(),
    Gconfid(),
    Pytauargus("OPT"),
    Pytauargus("MOD"),
)
