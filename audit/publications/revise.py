"""Revisions: a cell that was published with another value."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import ContradictionError, InputError
from tableseal.audit.linear.causes import PART, PERIODS
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.keys import KeySpace, Lookup
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.linear.naming import interval_words
from tableseal.audit.model import Policy, Release
from tableseal.audit.publications.known import NEW, Shelf, full_name
from tableseal.audit.publications.publication import Entry, Publication, Revision, TableName
from tableseal.audit.said import Said
from tableseal.audit.together import parts
from tableseal.audit.wording import listing, quoted


@dataclass(frozen=True)
class _Changed:
    """Cells of which a table and the new release cannot both be right; the first one in words."""

    table: TableName
    count: int
    text: str


def superseded(publication: Publication, new: Release, revises: Sequence[Revision] = ()) -> tuple[TableName, ...]:
    """The tables that a new release replaces: those named by it, and those of entries named by it with changed values.

    Raises
    ------
    InputError: it revises what is not there; a changed value that it does not say it revises (names the cell, both
        tables and both values); releases that do not fit together.
    """
    (*_, live) = publication.vintages()
    named = {revision: _revised(publication, live, revision) for revision in revises}
    whole = {revision.entry for revision in revises if revision.table is None}
    gone = {table for revision, table in named.items() if table is not None}
    changed = _changed(publication, new, [table for table in live if table not in gone])
    for found in changed:
        if found.table.entry not in whole:
            more = f" ({found.count} such cells)" if found.count > 1 else ""
            text = (
                f"{found.text}{more}. A changed value is a revision: say that the release revises entry "
                f"{found.table.entry}, or mend it. A value of another period is no revision; "
            )
            raise ContradictionError(Said(text, PERIODS, " of both releases; ", PART, "."))
    gone |= {found.table for found in changed}
    return tuple(table for table in live if table in gone)


def _revised(publication: Publication, live: Sequence[TableName], revision: Revision) -> TableName | None:
    """The table that is revised; None: a whole entry is. A table of a member of the entry (`sales: by size`) may be
    named without that member, if no other member has one of its name.

    Raises
    ------
    InputError: it is not there; says which tables are.
    """
    tables = [table for table in live if table.entry == publication.entry(revision.entry).number]
    if tables and revision.table is None:
        return None
    said = revision.table or ""
    found = [table for table in tables if table.table == said]
    found = found or [table for table in tables if table.table.endswith(f": {said}")]
    if len(found) == 1:
        return found[0]
    what = f"entry {revision.entry}" + ("" if revision.table is None else f', table "{said}"')
    text = f'revises: {what} of publication "{publication.name}" is not there, or revised already'
    if found:
        text = f"revises: {what} may be one of several"
    there = f"; its tables are {listing(quoted(table.table) for table in tables)}." if tables else "."
    raise InputError(text + there)


def publish(
    publication: Publication,
    release: Release,
    *,
    revises: Sequence[Revision] = (),
    at: str = "",
    by: str = "",
    despite: str | None = None,
) -> Publication:
    """The publication with one more entry. Whether it may go out is not asked here: see `assess`.

    Raises
    ------
    InputError: as for `superseded`.
    """
    gone = superseded(publication, release, revises)
    entry = Entry(
        number=len(publication.entries) + 1,
        at=at,
        by=by,
        despite=despite,
        revises=tuple(revises),
        supersedes=gone,
        release=replace(release, files=()),
    )
    return replace(publication, entries=(*publication.entries, entry))


def _changed(publication: Publication, new: Release, live: Sequence[TableName]) -> list[_Changed]:
    if not live:
        return []
    shelf = Shelf(publication, new)
    together = shelf.release([*live, *shelf.tables(NEW)], Policy())
    now = _cells(together, shelf.tables(NEW))
    lookup = Lookup.of(_keys(together, now))
    found = []
    for table in live:
        then = _cells(together, [table])
        at = lookup.find(_keys(together, then))
        rows = np.flatnonzero(at >= 0)
        low, high = _interval(then)
        new_low, new_high = _interval(now)
        apart = (low[rows] > new_high[at[rows]]) | (new_low[at[rows]] > high[rows])
        if apart.any():
            row = int(rows[np.argmax(apart)])
            found.append(_Changed(table, int(apart.sum()), _words(together, table, then, row, now, int(at[row]))))
    return found


def _cells(release: Release, tables: Sequence[TableName]) -> Cells:
    """What some of the tables say; `table` of the cells counts among all of them."""
    names = {part for table in tables for part in parts(full_name(table))}
    places = [at for at, table in enumerate(release.tables) if table.name in names]
    cells = merge_cells(replace(release, tables=tuple(release.tables[at] for at in places)))[0]
    return replace(cells, table=np.array(places, np.int32)[cells.table])


def _keys(release: Release, cells: Cells) -> NDArray[np.int64] | NDArray[np.void]:
    return KeySpace.of(release).keys(cells.measure, cells.codes)


def _interval(cells: Cells) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return (
        np.where(cells.lower.known, cells.lower.units, NO_LOWER),
        np.where(cells.upper.known, cells.upper.units, NO_UPPER),
    )


def _words(release: Release, table: TableName, then: Cells, row: int, now: Cells, at: int) -> str:
    unit = list(release.measures.values())[int(then.measure[row])].unit
    low, high = _interval(then)
    new_low, new_high = _interval(now)
    cell = ", ".join(f"{v}={c}" for v, c in release.cell_codes(then.codes[row]).items())
    said = interval_words(int(low[row]), int(high[row]), unit)
    says = interval_words(int(new_low[at]), int(new_high[at]), unit)
    other = release.tables[int(now.table[at])].name
    return f'cell {cell}: table "{full_name(table)}" says {said}, but table "{other}" says {says}'
