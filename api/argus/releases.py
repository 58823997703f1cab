"""Tables of a job -> one release, judged as their rules say."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

from tableseal.api.argus.tables import Built
from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus.document import release_document
from tableseal.audit.io.argus.microdata import Tabulated, microdata_entry, request_codes
from tableseal.audit.io.argus.table import ArgusTable, Row
from tableseal.audit.io.release_file import release_of_tables
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import Note, Policy, Release, Status
from tableseal.audit.rules.assess import assess

JOB = Place("job")


def release_of(built: Sequence[Built], notes: list[Note], names: Sequence[str], *, keyed: bool = False) -> Release:
    """The release of these tables, linked by variables of the same name.

    Rules are the release's policy where all tables have the same; else, and where they are applied to a shadow
    variable, they are applied table by table, and the cells that they find are marked.

    names: of the tables, each once. keyed: with the keys of records, of microdata.

    Raises
    ------
    InputError: see `release_document` and `release_of_tables`; a rule without its data.
    """
    alike = all(one.settings.primary == built[0].settings.primary for one in built)
    apart = [not alike or one.table.has_own_shadow for one in built]
    if any(apart):
        tables = [_marked(one, notes) for one in built]
        return _release(tables, built, (), notes, names, keyed=keyed)
    return _release([one.table for one in built], built, built[0].settings.primary, notes, names, keyed=keyed)


def _release(
    tables: Sequence[ArgusTable],
    built: Sequence[Built],
    primary: Sequence[dict[str, Any]],
    notes: list[Note],
    names: Sequence[str],
    tabulated: Sequence[Tabulated | None] | None = None,
    *,
    keyed: bool = False,
) -> Release:
    document = release_document(tables, notes, names)
    made = [found for found in tabulated or [one.tabulated for one in built] if found is not None]
    if made and (keyed or any(found.values is not None for found in made)):
        first = built[0]
        assert first.records is not None
        asked = request_codes(first.records.metadata) if any(one.settings.request for one in built) else ()
        weighted = any(one.settings.weighted for one in built)
        document["microdata"] = microdata_entry(first.records, made, notes, weighted=weighted, asked=asked, keyed=keyed)
    if primary:
        document["policy"] = {"primary": [_texts(rule) for rule in primary]}
    return release_of_tables(document, JOB)


def _texts(value: Any) -> Any:
    """Numbers as text, as documents have them."""
    if isinstance(value, dict):
        return {key: _texts(entry) for key, entry in value.items()}
    return str(value)


def _marked(built: Built, notes: list[Note]) -> ArgusTable:
    """The table with the cells that its rules find marked as sensitive, and what they require as distances. Rules are
    applied to the shadow variable, if there is one; its distances count as shares of it."""
    table, settings = built.table, built.settings
    if not settings.primary:
        return table
    own = table.has_own_shadow
    rows = tuple(
        replace(row, value=_judged_by(row), status=_by_hand(row), lower=None, upper=None) for row in table.rows
    )
    tabulated = built.shadow if own and built.shadow is not None else built.tabulated
    asking = replace(table, rows=rows)
    release = _release([asking], [built], settings.primary, notes, [table.title], [tabulated])
    cells, _ = merge_cells(release)
    found = assess(release, cells, release.policy or Policy())
    cell = cells.listing_cell[np.argsort(cells.listing_table, kind="stable")].tolist()
    unit = release.measures[table.response].unit
    marked = []
    for at, row in enumerate(table.rows):
        if not found.sensitive[cell[at]] or row.status == Status.CONSENT.word:
            marked.append(row)
            continue
        if row.status == Status.MUST_PUBLISH.word:
            text = f"the cell {', '.join(row.codes)} is sensitive by a rule and must be published by hand (P)."
            raise InputError(text, at=table.place(row))
        low, high = found.required_lower.get(cell[at]), found.required_upper.get(cell[at])
        marked.append(_sensitive(row, _judged_by(row), low, high, unit))
    if own:
        text = (
            f"{table.source}: rules were applied to the shadow variable; what they require is taken as a share of it."
        )
        notes.append(Note("argus_shadow_rules", text))
    return replace(table, rows=tuple(marked))


def _judged_by(row: Row) -> Fraction | None:
    return row.value if row.shadow is None else row.shadow


def _by_hand(row: Row) -> str:
    """Rules judge all but what is safe by hand."""
    return row.status if row.status == Status.CONSENT.word else ""


def _sensitive(row: Row, judged: Fraction | None, low: int | None, high: int | None, unit: Fraction) -> Row:
    share = Fraction(1)
    if judged and row.value is not None:
        share = abs(row.value) / abs(judged)

    def distance(given: Fraction | None, end: int | None) -> Fraction | None:
        if end is None or judged is None:
            return given
        needed = ceil(abs(judged - end * unit) * share / unit) * unit
        return needed if given is None else max(given, needed)

    return replace(row, status=Status.PRIMARY.word, lower=distance(row.lower, low), upper=distance(row.upper, high))
