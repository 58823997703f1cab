"""Cells that no row lists as cells that are asked about, for searches and for systems of several releases."""

from dataclasses import replace

import numpy as np

from tableseal.audit.implied.find import Implied
from tableseal.audit.model import Absent, Amounts, Release, Status, Table

NAME = "not listed"
"""Name of the tables that list them; with a number where it is taken."""


def with_implied(release: Release, implied: Implied) -> Release:
    """The release with one more table for each measure, which lists the cells that were found.

    They stand as `missing` without a value: open, asked about, and not withheld (`nonempty` does not concern them).
    With their true values, numbers of contributors and sums of weights beside them, and the release's microdata, rules
    judge them like any other cell (`assess` calls them sensitive and says what interval they require), and the linear
    system has a form for each. The classifications have a code for what no code stood for (`implied.named.added`: its
    leaves); base cells stay what they are, and so do positions of all older codes and tables. `release`: the one that
    was looked at, or one that differs in what is published.

    A search takes what is found with everything published (`find_implied` of the release with no cell withheld):
    withholding tells less, so no other cell can become one that is given away.
    """
    if not len(implied):
        return release
    cells, tables = implied.cells, list(release.tables)
    taken = {table.name for table in tables}
    for m, measure in enumerate(release.measures):
        at = np.flatnonzero(cells.measure == m)
        if not len(at):
            continue
        name, number = NAME, 2
        while name in taken:
            name, number = f"{NAME} ({number})", number + 1
        taken.add(name)
        nothing = Amounts.none(len(at))
        tables.append(
            Table(
                name=name,
                measure=measure,
                codes=cells.codes[at],
                named=tuple(release.variables),
                status=np.full(len(at), Status.MISSING, np.int8),
                value=nothing,
                truth=cells.truth.take(at),
                lower=nothing,
                upper=nothing,
                frequency=cells.frequency.take(at),
                weighted=cells.weighted.take(at),
                absent=Absent("not_released", "not_released"),
            )
        )
    return replace(release, variables=implied.named.release.variables, tables=tuple(tables))
