"""Risk and utility of a redesigned table of counts: readers spread the sum of combined cells evenly over them."""

import numpy as np

from tableseal.audit.codec.exact_json import significant
from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.linear.absent import finest_axes
from tableseal.audit.linear.leaf_counts import leaf_counts
from tableseal.audit.measures.risk.hellinger import hellinger_counts, utility
from tableseal.audit.measures.risk.measure import RiskSettings, measure
from tableseal.audit.model import Release
from tableseal.suppression.protections.figures import TableChange
from tableseal.suppression.protections.redesign.recoded import Recodings


def table_figures(before: Release, spelled: Release, readers: Release, by: Recodings) -> tuple[TableChange, ...]:
    """R1 of each table of counts before and after, and what even spreading of the combined cells is off.

    before: as it was given. spelled: with a row for every cell. readers: as it goes out.
    """
    return tuple(
        _figures(before, spelled, readers, by, table.name)
        for table in before.tables
        if before.measures[table.measure].kind == "count"
    )


def _figures(before: Release, spelled: Release, readers: Release, by: Recodings, name: str) -> TableChange:
    settings = RiskSettings(slices=False)
    try:
        (whole,) = measure(leaf_counts(before, table=name), settings).parts
        (after,) = measure(leaf_counts(readers, published=True, table=name), settings).parts
    except (InputError, LimitError) as error:
        return TableChange(name, undefined=str(error))
    if whole.undefined is not None or after.undefined is not None:
        return TableChange(name, undefined=whole.undefined or after.undefined, cells=whole.cells)
    table = next(table for table in spelled.tables if table.name == name)
    axes = finest_axes(table, spelled)
    fine = np.all([np.isin(table.codes[:, v], axis) for v, axis in enumerate(axes)], axis=0)
    true = table.truth.units[fine]
    moved = np.stack([one.to[table.codes[fine, v]] for v, one in enumerate(by)], axis=1)
    _, cell = np.unique(moved, axis=0, return_inverse=True)
    together = np.bincount(cell.ravel(), weights=true) / np.bincount(cell.ravel())
    distance = float(hellinger_counts(true.astype(float), together[cell.ravel()]))
    useful = float(utility(np.array(distance), np.array(true.sum(), np.float64)))
    return TableChange(name, None, whole.cells, whole.risk, after.risk, significant(distance), significant(useful))
