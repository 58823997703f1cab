"""What a table says without a row, spelled out for readers of the canonical form."""

from typing import Any

from tableseal.audit.io.numbers import decimals_of
from tableseal.audit.linear.absent import complete, finest_axes
from tableseal.audit.linear.keys import KeySpace
from tableseal.audit.model import Release, Table


def without_rows(table: Table, release: Release) -> dict[str, Any]:
    """What follows from `absent`, empty if nothing does.

    Returns
    -------
    zeros: variable -> codes; combinations of these that have no row are zero and known to everyone.
    totals: [code of every variable, value] of every sum that has no row and that everyone can add up.

    Raises
    ------
    LimitError: more than 20 million combinations (`totals: compute` only).
    """
    hierarchies = list(release.variables.values())
    found: dict[str, Any] = {}
    if len(table.codes) and table.absent.leaves == "zero":
        found["zeros"] = {
            h.name: [h.codes[c] for c in axis.tolist()]
            for h, axis in zip(hierarchies, finest_axes(table, release), strict=True)
        }
    # Sums of true values behind rounded ones are refused by every audit.
    if table.absent.totals == "compute" and table.rounding is None:
        done = complete(table, release, KeySpace.of(release))
        values = decimals_of(done.sums, release.measures[table.measure].unit)
        found["totals"] = [
            [*(h.codes[c] for h, c in zip(hierarchies, row, strict=True)), value]
            for row, value in zip(done.sum_codes.tolist(), values, strict=True)
        ]
    return found
