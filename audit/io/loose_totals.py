"""Classifications that are said to have no total, and of which a code is one all the same."""

from collections.abc import Iterable, Mapping

import numpy as np

from tableseal.audit.errors import Place
from tableseal.audit.io.periods import are_periods
from tableseal.audit.io.totals import SAFE, Rows, loose_total
from tableseal.audit.model import SUMS_UNCHECKED, Hierarchy, Note, Table
from tableseal.audit.wording import quoted


def loose_totals(variables: Mapping[str, Hierarchy], tables: Iterable[Table], top: Place) -> list[Note]:
    """What is to be said of codes that seem to be totals and that nothing adds up: readers subtract what the audit does
    not. Values that are rounded, and periods, take no part.

    Parameters
    ----------
    top: of the document.
    """
    found: dict[tuple[str, str], str] = {}
    for table in tables:
        for name in table.named:
            doubtful = variables[name].total is None and not are_periods(variables[name].codes)
            if doubtful and (seen := loose_total(name, _rows(variables, table, name))) is not None:
                found.setdefault((name, seen[0]), seen[1])
    return [
        Note(
            SUMS_UNCHECKED,
            f"{top / 'variables' / name}: {quoted(code)} {why}, but nothing says that it is the total, so that it is "
            "never added up (`total:`, `tree:`).",
        )
        for (name, code), why in found.items()
    ]


def _rows(variables: Mapping[str, Hierarchy], table: Table, variable: str) -> Rows:
    """Rows of a table at the codes of a classification that lie below no other."""
    hierarchy, names = variables[variable], list(variables)
    below = np.zeros(len(hierarchy.codes), np.bool_)
    for parents in hierarchy.parents:
        below |= parents >= 0
    at = table.codes[:, names.index(variable)].astype(np.int64)
    kept = ~below[at]
    # Codes that the table does not have are none that it calls a total.
    listed, place = np.unique(at[kept], return_inverse=True)
    codes = {name: variables[name].codes for name in names} | {variable: [hierarchy.codes[c] for c in listed.tolist()]}
    columns = {name: table.codes[kept, k].astype(np.int64) for k, name in enumerate(names)} | {variable: place}
    known, units = table.value.known[kept] & (table.rounding is None), table.value.units[kept]
    large = float(np.abs(units).astype(np.float64).sum()) > SAFE
    return Rows(codes, columns, units.astype(object) if large else units, known, 1)
