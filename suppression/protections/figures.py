"""What changed values cost readers and leave intruders, in a few figures."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.codec.exact_json import significant
from tableseal.audit.codec.kinds import Count, Rounded
from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.linear.leaf_counts import leaf_counts
from tableseal.audit.measures.risk.measure import RiskSettings, measure
from tableseal.audit.model import Amounts, Release
from tableseal.suppression.protections.subject import Subject


@dataclass(frozen=True)
class MeasureChange:
    """How far the shown values of the distinct cells of one measure are from the true ones."""

    measure: str
    cells: Annotated[Count, "Distinct cells that are shown."]
    withheld: Annotated[Count, "Cells that the method does not show."]
    changed: Annotated[Count, "Cells whose shown value is not the true one."]
    largest: Annotated[Fraction, "Largest absolute change."]
    mean: Annotated[Rounded, "Mean absolute change, over all cells that are shown."]
    bias: Annotated[Rounded, "Mean change, over all cells that are shown."]
    ones_and_twos: Annotated[
        Rounded | None, "Share of the cells with a true count of 1 or 2 that are shown otherwise; null: no such cell."
    ]


@dataclass(frozen=True)
class TableChange:
    """Risk and utility of one table, at the finest level that it lists."""

    table: str
    undefined: Annotated[str | None, "Why the measures are not defined here."] = None
    cells: Annotated[Count | None, "K."] = None
    risk_before: Annotated[Rounded | None, "R1 (Antal, Shlomo and Elliot 2014)."] = None
    risk_after: Annotated[Rounded | None, "R2."] = None
    hellinger: Annotated[Rounded | None, "Hellinger distance of the counts."] = None
    utility: Annotated[Rounded | None, "1 - Hellinger distance / sqrt N."] = None


def changes(subject: Subject, shown: Amounts) -> tuple[MeasureChange, ...]:
    """Measure by measure. shown: (cells)."""
    found = []
    for m, measured in enumerate(subject.release.measures.values()):
        own = subject.cells.measure == m
        there = own & shown.known
        if own.any():
            moved = shown.units[there] - subject.value[there]
            small = there & (subject.value >= 1) & (subject.value <= 2) & (measured.kind == "count")
            found.append(
                MeasureChange(
                    measure=measured.name,
                    cells=int(there.sum()),
                    withheld=int((own & ~shown.known).sum()),
                    changed=int((moved != 0).sum()),
                    largest=int(np.abs(moved).max(initial=0)) * measured.unit,
                    mean=_mean(np.abs(moved), measured.unit),
                    bias=_mean(moved, measured.unit),
                    ones_and_twos=_share(small, shown.units != subject.value),
                )
            )
    return tuple(found)


def _mean(moved: NDArray[np.int64], unit: Fraction) -> float:
    return significant(float(Fraction(sum(moved.tolist()), max(1, len(moved))) * unit))


def _share(of: NDArray[np.bool_], which: NDArray[np.bool_]) -> float | None:
    return significant(float((of & which).sum() / of.sum())) if of.any() else None


def table_changes(before: Release, after: Release) -> tuple[TableChange, ...]:
    """Table by table, of those with counts. after: the same tables, as they are shown."""
    return tuple(
        _table_change(before, after, table.name)
        for table in before.tables
        if before.measures[table.measure].kind == "count"
    )


def _table_change(before: Release, after: Release, table: str) -> TableChange:
    try:
        original = leaf_counts(before, table=table)
        protected = leaf_counts(after, published=True, table=table)
        (whole,) = measure(original, RiskSettings(protected=protected, slices=False)).parts
    except (InputError, LimitError) as error:
        return TableChange(table, undefined=str(error))
    if whole.undefined is not None or whole.after is None:
        return TableChange(table, undefined=whole.undefined, cells=whole.cells)
    mean = (whole.after.risk.mean, whole.after.distance.mean, whole.after.utility.mean)
    return TableChange(table, None, whole.cells, whole.risk, *mean)
