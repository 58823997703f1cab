"""Programs that round a table so that it adds up, ours and others: a table in, multiples of a base out."""

import contextlib
import io
import logging
from fractions import Fraction
from itertools import chain, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.benchmarks.instance import Dimension, Instance
from cases.benchmarks.linked import Linked, positions, tables_of

Ints = NDArray[np.int64]


class Tableseal:
    """Our controlled rounding, from a release in memory."""

    name, title, packages, linked = "tableseal", "tableseal", ("tableseal",), True

    def __init__(self) -> None:
        self.bound: float | None = None

    def rounded(self, instance: Instance | Linked, base: int, seconds: float) -> Ints:
        """int64 (cells)."""
        from cases.benchmarks.releases import to_protect
        from cases.benchmarks.suppressors import processor_time
        from tableseal.suppression.protections.controlled_rounding import ControlledRounding, round_controlled
        from tableseal.suppression.protections.method import Tools
        from tableseal.suppression.protections.subject import subject_of

        subject = subject_of(to_protect(instance, np.ones(len(instance.values))))
        limits = processor_time(seconds)
        changed = round_controlled(subject, ControlledRounding(Fraction(base)), Tools(limits=limits))
        self.bound = None if changed.optimised is None else float(changed.optimised.bound)
        place, result = positions(instance), instance.values.copy()
        totals = {d.name: d.codes[0] for table in tables_of(instance) for d in table.dimensions}
        for codes, value in zip(subject.cells.codes, changed.shown.units.tolist(), strict=True):
            named = subject.release.cell_codes(codes).items()
            result[place[frozenset((n, c) for n, c in named if c != totals[n])]] = value
        return result


class OptRounding:
    """gconfid.OptRounding by HiGHS, each cell kept between its two neighbouring multiples."""

    name, title, packages = "gconfid_optrounding", "gconfid OptRounding", ("gconfid", "pulp", "pandas")
    linked = True
    bound: float | None = None

    def rounded(self, instance: Instance | Linked, base: int, seconds: float) -> Ints:
        """int64 (cells)."""
        import gconfid
        import pandas as pd
        import pulp

        logging.disable(logging.CRITICAL)
        matrix = instance.equations.tocoo()
        low = instance.values // base * base
        cells = pd.DataFrame(
            {
                "CellId": np.arange(1, len(instance.values) + 1).astype(np.float64),
                "Total": instance.values.astype(np.float64),
                "Weight": 1.0,
                "CellLB": low.astype(np.float64),
                "CellUB": (low + base * (instance.values % base > 0)).astype(np.float64),
            }
        )
        entries = {"ConstraintId": matrix.row + 1, "CellId": matrix.col + 1.0, "Coefficient": matrix.data * 1.0}
        done = gconfid.OptRounding(
            incell=cells,
            additive_con=pd.DataFrame(entries),
            additive_bound=pd.DataFrame(
                {"ConstraintId": np.arange(1, matrix.shape[0] + 1), "ConstraintLB": 0.0, "ConstraintUB": 0.0}
            ),
            base=base,
            custom_solver=pulp.HiGHS(msg=False, timeLimit=seconds, threads=1),
            outround="pyarrow",
            skip_validation=True,
        )
        found = done.outround
        shown = np.asarray(found["RoundedTotal"].to_pylist(), np.float64)
        return np.round(shown).astype(np.int64)


class CtrlRound:
    """CtrlRound (Statistics Canada), best first; nested classifications are columns for each level."""

    name, title, packages = "ctrlround", "CtrlRound", ("CtrlRound", "pandas")
    linked = False
    bound: float | None = None

    def rounded(self, instance: Instance, base: int, seconds: float) -> Ints:
        """int64 (cells), added up from its inner cells, as it does itself."""
        import pandas as pd
        from CtrlRound import ctrl_round

        del seconds
        leaves = [[k for k in range(len(d.codes)) if k not in d.children] for d in instance.dimensions]
        paths = [[_path(d, k) for k in range(len(d.codes))] for d in instance.dimensions]
        columns: dict[str, list[str]] = {}
        levels = []
        rows = list(product(*leaves))
        for axis, d in enumerate(instance.dimensions):
            deep = max(len(path) for path in paths[axis])
            names = [f"{d.name}_{k}" for k in range(deep)]
            levels.append([names[:k] for k in range(deep + 1)])
            for k, name in enumerate(names):
                columns[name] = [paths[axis][row[axis]][min(k, len(paths[axis][row[axis]]) - 1)] for row in rows]
        whole = list(columns)
        margins = [list(chain(*chosen)) for chosen in product(*levels)]
        cube = instance.values.reshape(instance.shape)
        data = pd.DataFrame(columns | {"value": [int(cube[row]) for row in rows]})
        with contextlib.redirect_stdout(io.StringIO()):
            kept = [m for m in margins if m != whole]
            found = ctrl_round(data, whole, "value", margins=kept, rounding_base=base)
        shown = {
            tuple(row[:-1]): int(row[-1]) for row in found["rounded_table"][[*whole, "value"]].itertuples(index=False)
        }
        keys = zip(*(columns[name] for name in whole), strict=True)
        table = np.zeros(instance.shape, np.int64)
        for row, key in zip(rows, keys, strict=True):
            table[row] = shown[tuple(key)]
        for axis, d in enumerate(instance.dimensions):
            swapped = np.moveaxis(table, axis, 0)
            for group in sorted(d.children, key=lambda g: -len(_path(d, g))):
                swapped[group] = swapped[d.children[group]].sum(axis=0)
        return table.ravel()


PROTECTORS: tuple[Any, ...] = (Tableseal(), OptRounding(), CtrlRound())
"""Ours first."""


def _path(d: Dimension, code: int) -> list[str]:
    """Codes from below the total down to one."""
    path: list[str] = []
    while d.parents[code] >= 0:
        path.insert(0, d.codes[code])
        code = d.parents[code]
    return path
