"""What methods do to the values that readers see, on one scale for patterns and for changed values.

Of a withheld cell readers know an interval; they are taken to put its middle in the cell's place.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.codec.exact_json import significant
from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.linear.leaf_counts import leaf_counts
from tableseal.audit.measures.risk.assess_risk import RiskFormula, assess
from tableseal.audit.model import Amounts, Release, Status, Table
from tableseal.audit.model.count_table import aligned
from tableseal.audit.report.model import Report
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.protections.figures import MeasureChange, TableChange

Pattern = NDArray[np.bool_]

NO_LIMIT = "a withheld cell has no limit, so that readers have no middle to go by"


@dataclass(frozen=True)
class Changes:
    """What readers see instead of true values: how far off, and the risk and utility of each table of counts."""

    measures: Annotated[
        tuple[MeasureChange, ...], "Over all cells; a withheld one counts as changed to the middle of its interval."
    ]
    tables: Annotated[tuple[TableChange, ...], "Likewise, at the finest level that a table lists."]

    @property
    def worst(self) -> TableChange | None:
        """The table with the largest risk after protection; None: it is known of none."""
        known = [table for table in self.tables if table.risk_after is not None]
        return max(known, key=lambda table: table.risk_after or 0.0, default=None)


def pattern_changes(problem: Problem, pattern: Pattern, report: Report) -> Changes:
    """What a pattern does. report: the audit of the release with it."""
    twice = _twice_the_middle(problem, pattern, report)
    release = problem.as_given(problem.release)
    counts = [table.name for table in release.tables if release.measures[table.measure].kind == "count"]
    if twice is None:
        return Changes((), tuple(TableChange(name, undefined=NO_LIMIT) for name in counts))
    doubled = problem.as_given(_doubled(problem, twice))
    return Changes(
        _measure_changes(problem, pattern, twice),
        tuple(_table_change(release, doubled, name) for name in counts),
    )


def _twice_the_middle(problem: Problem, pattern: Pattern, report: Report) -> NDArray[np.int64] | None:
    """int64 (cells): twice what readers take each cell for, in units; None: a withheld cell has no limit."""
    release, cells = problem.release, problem.cells
    twice = 2 * problem.equations.value[: len(cells)]
    names = list(release.measures)
    known = {(row.measure, row.cell): (row.lower, row.upper) for row in report.cells}
    for cell in np.flatnonzero(pattern[: problem.listed]).tolist():
        measure = names[cells.measure[cell]]
        codes = tuple(release.cell_codes(cells.codes[cell]).items())
        low, high = known.get((measure, codes), (None, None))
        if low is None or high is None:
            return None
        twice[cell] = int((low + high) / release.measures[measure].unit)
    return twice


def _measure_changes(problem: Problem, pattern: Pattern, twice: NDArray[np.int64]) -> tuple[MeasureChange, ...]:
    cells, value = problem.cells, problem.equations.value[: len(problem.cells)]
    listed = np.arange(len(cells)) < problem.listed
    found = []
    for m, measured in enumerate(problem.release.measures.values()):
        own = listed & (cells.measure == m)
        if not own.any():
            continue
        moved = twice[own] - 2 * value[own]
        unit, number = measured.unit / 2, int(own.sum())
        small = own & (value >= 1) & (value <= 2) & (measured.kind == "count")
        found.append(
            MeasureChange(
                measure=measured.name,
                cells=number,
                withheld=int((own & pattern).sum()),
                changed=int((moved != 0).sum()),
                largest=int(np.abs(moved).max(initial=0)) * unit,
                mean=_mean(np.abs(moved), unit),
                bias=_mean(moved, unit),
                ones_and_twos=significant(float((small & pattern).sum() / small.sum())) if small.any() else None,
            )
        )
    return tuple(found)


def _mean(moved: NDArray[np.int64], unit: Fraction) -> float:
    return significant(float(Fraction(sum(moved.tolist()), len(moved)) * unit))


def _doubled(problem: Problem, twice: NDArray[np.int64]) -> Release:
    """The release that shows twice what readers take each cell for: whole numbers, whatever the middles are."""
    release, cells = problem.release, problem.cells
    order = np.argsort(cells.listing_table, kind="stable")
    tables: list[Table] = []
    offset = 0
    for table in release.tables:
        own = twice[cells.listing_cell[order[offset : offset + len(table.codes)]]]
        offset += len(table.codes)
        zero = table.status == Status.STRUCTURAL_ZERO
        status = np.where(zero, table.status, np.int8(Status.PUBLISHED)).astype(np.int8)
        tables.append(replace(table, status=status, value=Amounts(np.where(zero, 0, own), np.ones(len(own), np.bool_))))
    return replace(release, tables=tuple(tables))


def _table_change(before: Release, doubled: Release, table: str) -> TableChange:
    try:
        original = leaf_counts(before, table=table)
        original, shown = aligned(original, leaf_counts(doubled, published=True, table=table))
        (whole,) = assess(original, RiskFormula(), [shown.values[None] / 2], slices=False)
    except (InputError, LimitError) as error:
        return TableChange(table, undefined=str(error))
    if whole.after is None:
        return TableChange(table, undefined=whole.undefined, cells=whole.cells)
    mean = (whole.after.risk.mean, whole.after.distance.mean, whole.after.utility.mean)
    return TableChange(table, None, whole.cells, whole.risk, *mean)
