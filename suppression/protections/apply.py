"""A pattern put into the release: what is withheld loses its published value, which stays as agency knowledge."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.absent import complete
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.keys import KeySpace
from tableseal.audit.model import COLUMNS_LEFT_OUT, Amounts, Consent, Release, Status, Table
from tableseal.suppression.problem.places import Places
from tableseal.suppression.problem.statistics import given_back


def protected_release(
    release: Release, cells: Cells, primary: NDArray[np.bool_], pattern: NDArray[np.bool_]
) -> Release:
    """The release with exactly the cells of a pattern withheld, in every table that lists or computes them.

    Columns of a bare file that were left out are not in it, and no note speaks of them.
    What a rounded table withholds of other cells stays withheld there: it must not show their true value, and what it
    would show is not known. So does what an exact table withholds of a cell that is shown rounded elsewhere.

    primary: bool (cells), sensitive ones; pattern: bool (cells), all withheld ones.
    """
    order = np.argsort(cells.listing_table, kind="stable")
    places, space = Places(release, cells), KeySpace.of(release)
    tables, offset = [], 0
    for table in release.tables:
        cell = cells.listing_cell[order[offset : offset + len(table.codes)]]
        offset += len(table.codes)
        computed = _computed(table, release, space, places)
        computed = computed[pattern[computed]]
        listed = with_rows(table, cells.codes[computed])
        tables.append(_protected(listed, cells, np.concatenate([cell, computed]), primary, pattern))
    consents = (*release.consents, *_without_reason(release, cells, pattern))
    notes = tuple(note for note in release.notes if note.code != COLUMNS_LEFT_OUT)
    release = replace(release, tables=tuple(tables), consents=consents, notes=notes)
    return given_back(release, cells, pattern) if release.statistics else release


def _without_reason(release: Release, cells: Cells, pattern: NDArray[np.bool_]) -> list[Consent]:
    """Agreements that only the status of a cell states, which loses it now: no rule judges the cell all the same."""
    stated = {(c.measure, c.codes) for c in release.consents}
    names = list(release.measures)
    withheld = [
        (names[int(cells.measure[c])], tuple(cells.codes[c].tolist())) for c in np.flatnonzero(pattern & cells.consent)
    ]
    return [Consent(*cell, "status consent", "not stated") for cell in withheld if cell not in stated]


def _computed(table: Table, release: Release, space: KeySpace, places: Places) -> NDArray[np.int64]:
    """Cells that a table releases without listing them, because they are sums that it computes."""
    if table.absent.totals != "compute" or table.rounding is not None:
        return np.empty(0, np.int64)
    measure = list(release.measures).index(table.measure)
    codes = complete(table, release, space).sum_codes.tolist()
    return np.array([places.at(measure, tuple(row)) for row in codes], dtype=np.int64)


def with_rows(table: Table, codes: NDArray[np.int32]) -> Table:
    """The table with further rows, about which nothing is known yet. codes: int32 (rows x variables)."""
    more = len(codes)
    if not more:
        return table

    def longer(amounts: Amounts | None) -> Amounts | None:
        if amounts is None:
            return None
        none = Amounts.none(more)
        return Amounts(np.concatenate([amounts.units, none.units]), np.concatenate([amounts.known, none.known]))

    def filled(amounts: Amounts) -> Amounts:
        found = longer(amounts)
        assert found is not None
        return found

    return replace(
        table,
        codes=np.concatenate([table.codes, codes]).astype(np.int32),
        status=np.concatenate([table.status, np.full(more, Status.PUBLISHED, np.int8)]),
        value=filled(table.value),
        truth=filled(table.truth),
        lower=filled(table.lower),
        upper=filled(table.upper),
        frequency=longer(table.frequency),
        weighted=longer(table.weighted),
        contributors=tuple(filled(c) for c in table.contributors),
        protection_lower=longer(table.protection_lower),
        protection_upper=longer(table.protection_upper),
        protection_sliding=longer(table.protection_sliding),
        cost=None if table.cost is None else np.concatenate([table.cost, np.full(more, np.nan)]),
        impossible=None if table.impossible is None else np.pad(table.impossible, (0, more)),
        reason=None if table.reason is None else (*table.reason, *[""] * more),
        cell_key=None if table.cell_key is None else (*table.cell_key, *[""] * more),
        rows=None if table.rows is None else np.concatenate([table.rows, np.zeros(more, np.int64)]),
    )


def _protected(
    table: Table, cells: Cells, cell: NDArray[np.int64], primary: NDArray[np.bool_], pattern: NDArray[np.bool_]
) -> Table:
    withheld = pattern[cell]
    given_back = ~withheld & (table.status >= Status.SECONDARY) & ~cells.rounded[cell] & (table.rounding is None)
    status = table.status.copy()
    status[withheld] = np.where(primary[cell[withheld]], Status.PRIMARY, Status.SECONDARY)
    status[given_back] = Status.PUBLISHED
    # One true value for all tables, so that what is given back is the same everywhere.
    truth = Amounts(
        np.where(cells.truth.known[cell], cells.truth.units[cell], table.truth.units),
        table.truth.known | cells.truth.known[cell],
    )
    units = np.where(given_back, truth.units, table.value.units)
    known = (table.value.known | given_back) & ~withheld
    return replace(table, status=status, value=Amounts(np.where(known, units, 0), known), truth=truth)
