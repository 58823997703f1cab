"""The key of each cell of a release: from its records, or as its tables give it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.errors import InputError, Place
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.naming import place_of, places_of
from tableseal.audit.model import Microdata, Note, Release
from tableseal.audit.rules.memberships import memberships
from tableseal.suppression.protections.cell_keys.keys import (
    RecordKeys,
    cell_keys,
    key_notes,
    keys_from_column,
)


@dataclass(frozen=True)
class CellKeys:
    """key: int64 (cells), 0 to modulus - 1. notes: what to know of them."""

    key: NDArray[np.int64]
    modulus: int
    notes: tuple[Note, ...] = ()


def keys_of_cells(
    release: Release,
    cells: Cells,
    counts: NDArray[np.int64],
    modulus: int | None = None,
    *,
    missing_keys: bool = False,
) -> CellKeys:
    """The keys of a release of counts.

    From the records (`microdata`), if these have keys; else from the tables (`cell_key`).

    Parameters
    ----------
    counts: int64 (cells), the true counts. modulus: of whole keys; None: keys are decimals from 0 to below 1.
    missing_keys: records may lack a key; they are counted and change no cell key.

    Raises
    ------
    InputError: there are no keys; keys that are none, or lacking; a cell whose count is not the number of its records,
        or of whose records it is open whether they belong to it; tables that disagree on a key.
    """
    data = release.microdata
    if data is not None and data.key is not None:
        keys = keys_from_column(data.key, modulus, data.source)
        notes = key_notes(keys, data.source, missing_keys=missing_keys)
        return replace(_from_records(release, cells, counts, data, keys), notes=notes)
    if any(table.cell_key is not None for table in release.tables):
        return _from_tables(release, cells, counts, modulus)
    text = "cell keys need keys: say `key` (or `id` and `secret_file`) of the microdata, or `cell_key` of the tables."
    raise InputError(text, keys=("microdata.key", "tables.cell_key"))


def _from_records(
    release: Release, cells: Cells, counts: NDArray[np.int64], data: Microdata, keys: RecordKeys
) -> CellKeys:
    cell, record, covered = memberships(release, cells, data)
    open_cells = "it is open whether some records belong to it, because of a code that is missing or too coarse"
    _refuse(release, cells, ~covered, open_cells)
    number = np.bincount(cell, minlength=len(cells))
    _refuse(release, cells, number != counts, "its count is not the number of its records in the microdata")
    ones = np.ones(len(cell), np.int64)
    members = csr_array((ones, (cell, record)), shape=(len(cells), len(data.codes)))
    return CellKeys(cell_keys(keys, members), keys.modulus)


def _from_tables(release: Release, cells: Cells, counts: NDArray[np.int64], modulus: int | None) -> CellKeys:
    """One key of each cell, which all tables that have a key of it agree on; cells of count 0 need none."""
    entries: list[str] = []
    for table in release.tables:
        entries += table.cell_key or [""] * len(table.codes)
    given = keys_from_column(entries, modulus, _where(release))
    order = np.argsort(cells.listing_table, kind="stable")
    cell = cells.listing_cell[order]
    own, units = cell[given.known], given.units[given.known]
    key = np.zeros(len(cells), np.int64)
    key[own] = units
    differs = np.zeros(len(cells), np.bool_)
    differs[own[key[own] != units]] = True
    _refuse(release, cells, differs, "it has two keys; every cell has one, in all tables")
    known = np.zeros(len(cells), np.bool_)
    known[own] = True
    _refuse(release, cells, ~known & (counts != 0), "it has no key")
    return CellKeys(key, given.modulus)


def _where(release: Release) -> Place | None:
    """The only table with keys; None: there are several."""
    found: Sequence[Place] = [table.where for table in release.tables if table.cell_key is not None]
    return found[0] if len(found) == 1 and len(release.tables) == 1 else None


def _refuse(release: Release, cells: Cells, wrong: NDArray[np.bool_], text: str) -> None:
    at = np.flatnonzero(wrong)
    if len(at):
        more = f" ({len(at)} such cells)" if len(at) > 1 else ""
        places = places_of(release, cells, at[:8].tolist())
        raise InputError(f"{text}{more}.", at=place_of(release, cells, int(at[0])), places=places)
