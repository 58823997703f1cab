"""One entry of `tables` -> Table."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tableseal.audit.errors import InputError, Place, unknown
from tableseal.audit.io.codes import Variables, fill_codes, position, variable_columns
from tableseal.audit.io.columns import Columns, inline_columns
from tableseal.audit.io.contributor_columns import counts_contributors, named_like_contributors
from tableseal.audit.io.decided import with_fixed_rows, with_partial_sums
from tableseal.audit.io.document import StatusDocument, TableDocument
from tableseal.audit.io.files import Folder
from tableseal.audit.io.numbers import decimal_sign
from tableseal.audit.io.rounding import read_scheme
from tableseal.audit.io.separators import Signs, refuse_points, stated_signs, without_separators
from tableseal.audit.io.sources import read_columns
from tableseal.audit.io.statuses.column import NONE, StatusSource, read_statuses, status_word, unnamed_source
from tableseal.audit.io.statuses.marks import Mark, check_within, read_marks, replace_marks, within
from tableseal.audit.io.table_values import (
    Context,
    check_bounds,
    read_bound,
    read_contributors,
    read_costs,
    read_knowledge,
    read_values,
)
from tableseal.audit.model import WEIGHT_UNIT, Absent, Amounts, Headings, Measure, Note, Status, Table
from tableseal.audit.wording import listing, quoted

FREQUENCY = Measure("frequency", "count")
"""Frequencies are whole numbers, whatever the measure."""
WEIGHTED = Measure("weighted", "magnitude", WEIGHT_UNIT)
"""Sums of weights have up to six decimals."""


@dataclass(frozen=True)
class Setting:
    """What the tables of a release share.

    stated_units: measures whose unit the release says. status_map: flags explained on the command line.
    named: file -> columns that some entry says hold numbers or codes.
    """

    measures: Mapping[str, Measure]
    stated_units: frozenset[str]
    variables: Variables
    nonnegative: bool
    status_map: Mapping[str, Status]
    named: Mapping[str, Collection[str]] = field(default_factory=dict)


def read_table(
    document: TableDocument, fixed: Mapping[str, str], setting: Setting, folder: Folder, where: Place
) -> tuple[Table, list[Note]]:
    """The table that an entry describes, with what was noticed while reading it.

    Parameters
    ----------
    fixed: variable -> code, from `where`.
    where: place of the entry in the document, for messages.

    Raises
    ------
    InputError: whatever in the entry or its data cannot be used; see the functions this calls.
    """
    measure = choose_measure(document.measure, setting.measures, where)
    columns = data_columns(document.file, document.cells, folder, where)
    if document.rows is not None and len(columns) != document.rows:
        text = f"has {len(columns):,} rows, but {where / 'rows'} says {document.rows:,}; the file may be cut off"
        raise InputError(text, at=columns.source, found=str(len(columns)), expected=str(document.rows))
    columns = replace(columns, source=replace(columns.source, table=document.name))
    number_columns = number_columns_of(document)
    sources = status_sources(document, where)
    taken = {*number_columns, *(source.column for source in sources)}
    named = variable_columns(columns, document.columns, setting.variables, taken, where)
    codes = fill_codes(columns, named, fixed, setting.variables, where)
    notes: list[Note] = []
    if document.status is None:
        said = {*taken, *named.values(), *setting.named.get(document.file or "", ())}
        found = unnamed_source(columns, {*said, *filter(None, (document.reason, document.cell_key))})
        if found is not None:
            sources.append(found)
            text = f"{columns.source}: the status is in column {quoted(found.column)}."
            notes.append(Note("status_column_used", text))
    unsaid = document.frequency is None and not document.contributors
    if measure.kind == "count" and unsaid and not counts_contributors(document.value):
        said = {*taken, *named.values(), *setting.named.get(document.file or "", ())}
        free = {name: entries for name, entries in columns.data.items() if name not in said}
        notes += named_like_contributors(replace(columns, data=free), {}).unused(columns.source)
    status = read_statuses(columns, sources, setting.status_map, where)
    marks = read_marks(document.marks, where)
    marked = replace_marks(columns, document.value, marks, status, measure)
    signs = stated_signs(document.decimal, document.thousands, where)
    if signs == Signs() and document.value in columns.numbers:
        signs = Signs(".")
    columns, status = without_separators(marked.columns, number_columns, signs), marked.status
    secret = status > Status.FROZEN
    context = Context(
        columns,
        measure,
        measure.name in setting.stated_units,
        setting.nonnegative,
        decimal_sign(columns, number_columns, signs.decimal, secret, published=(document.value,)),
        secret,
    )
    if context.sign == "." and signs == Signs():
        refuse_points(columns, document.value, measure.unit, secret, "write")
    scheme = None
    if document.rounding is not None:
        place = where / "rounding"
        scheme = read_scheme(document.rounding, measure, folder, place, nonnegative=setting.nonnegative)
    values = read_values(context, status, document.value, document.truth, scheme)
    notes += values.notes
    lower = read_bound(context, document.lower, upper=False)
    upper = read_bound(context, document.upper, upper=True)
    if document.lower is not None and document.upper is not None:
        check_bounds(columns, lower, upper, (document.lower, document.upper))
    lower, upper = within(lower, upper, marked)
    check_within(columns, document.value, lower, upper)
    contributors, more = read_contributors(context, document.contributors)
    notes += more
    frequency = None
    if document.frequency is not None:
        frequency, more = read_knowledge(context, document.frequency, FREQUENCY, "the frequency")
        notes += more
    weighted = None
    if document.weighted is not None:
        weighted, more = read_knowledge(context, document.weighted, WEIGHTED, "the sum of weights")
        notes += more
    below, above, sliding = _protection(document, context, measure)
    table = Table(
        name=document.name,
        measure=measure.name,
        codes=codes,
        named=tuple(name for name in setting.variables if name in named),
        status=values.status,
        value=values.value,
        truth=values.truth,
        lower=lower,
        upper=upper,
        frequency=frequency,
        weighted=weighted,
        contributors=contributors,
        protection_lower=below,
        protection_upper=above,
        protection_sliding=sliding,
        cost=None if document.cost is None else read_costs(context, document.cost),
        rounding=values.rounding,
        impossible=values.impossible,
        reason=None if document.reason is None else _texts(columns, document.reason, "the reason"),
        cell_key=None if document.cell_key is None else _texts(columns, document.cell_key, "the key of the cell"),
        absent=Absent(document.absent.leaves, document.absent.totals),
        source=columns.source,
        rows=np.arange(1, len(columns) + 1, dtype=np.int64),
        headings=Headings(named, document.value, _mark_of_withheld(marks)),
    )
    table = with_fixed_rows(table, document.fixed, setting.variables, where / "fixed")
    place = where / "partial_sums"
    table, more = with_partial_sums(
        table, document.partial_sums, measure, setting.variables, place, nonnegative=setting.nonnegative
    )
    notes += more
    for array in (table.codes, table.status, table.rows, table.cost, table.impossible):
        if array is not None:
            array.setflags(write=False)
    return table, notes


def data_columns(file: str | None, cells: object, folder: Folder, where: Place) -> Columns:
    """The data of an entry, from its file or inline.

    Raises
    ------
    InputError: neither or both are given.
    """
    if (file is None) == (cells is None):
        problem = "neither `file` nor `cells` is" if file is None else "both `file` and `cells` are"
        raise InputError(f"{problem} given; expected one of them.", at=where)
    if isinstance(cells, Columns):  # read already
        return cells
    if file is not None:
        return folder.once(file, where / "file", lambda: read_columns(folder, file, where / "file"))
    return inline_columns(cells, where / "cells")


def choose_measure(name: str | None, measures: Mapping[str, Measure], where: Place) -> Measure:
    """The measure of that name, or the only one there is of this period.

    Raises
    ------
    InputError: no such measure, or no name where there are several.
    """
    if name is None:
        own = [measure for measure in measures.values() if measure.previous is None]
        if len(own) != 1:
            raise InputError(f"say which `measure` it is of; measures are {listing(measures)}.", at=where)
        return own[0]
    if name not in measures:
        raise unknown("measure", name, measures, where / "measure")
    return measures[name]


def cell_positions(cell: Mapping[str, str], variables: Variables, where: Place) -> tuple[int, ...]:
    """Code positions of a cell that the release itself names; a variable that it does not name stands at its total.

    Raises
    ------
    InputError: an unknown variable or code, a variable without total that is not named.
    """
    for name in cell:
        if name not in variables:
            raise unknown("variable", name, variables, where)
    codes: list[int] = []
    for name, hierarchy in variables.items():
        if name in cell:
            codes.append(position(cell[name], hierarchy, where / name))
        elif hierarchy.total is None:
            raise InputError(f"the variable {quoted(name)} has no total, so it must be named.", at=where)
        else:
            codes.append(hierarchy.total_index)
    return tuple(codes)


def _texts(columns: Columns, name: str, role: str) -> tuple[str, ...]:
    """A column as it is written; empty where there is nothing."""
    return tuple((text or "").strip() for text in columns.column(name, role))


def _mark_of_withheld(marks: Mapping[str, Mark]) -> str | None:
    """The first mark that says nothing but that a value is withheld."""
    return next((text for text, mark in marks.items() if mark == Mark(Status.WITHHELD)), None)


def number_columns_of(document: TableDocument) -> list[str]:
    """Columns that the entry of a table says hold numbers."""
    protection = document.protection
    optional: Sequence[str | None] = (
        document.truth,
        document.frequency,
        document.weighted,
        document.lower,
        document.upper,
        protection.lower if protection else None,
        protection.upper if protection else None,
        protection.sliding if protection else None,
        document.cost,
    )
    return [document.value, *(name for name in optional if name is not None), *document.contributors]


def status_sources(document: TableDocument, where: Place) -> list[StatusSource]:
    """The status columns that the entry of a table names."""
    given = document.status
    items = [] if given in (None, NONE) else given if isinstance(given, list) else [given]
    sources: list[StatusSource] = []
    for at, item in enumerate(items):
        if isinstance(item, StatusDocument):
            place = (where / "status" / at if isinstance(given, list) else where / "status") / "map"
            explained = {flag.strip(): status_word(word, place / flag) for flag, word in item.map.items()}
            sources.append(StatusSource(item.column, item.scheme, explained))
        else:
            sources.append(StatusSource(item))
    return sources


def _protection(
    document: TableDocument, context: Context, measure: Measure
) -> tuple[Amounts | None, Amounts | None, Amounts | None]:
    """Required distances below and above the true value, and the required width."""
    given = document.protection
    if given is None:
        return None, None, None

    def read(name: str | None, role: str) -> Amounts | None:
        return None if name is None else read_knowledge(context, name, measure, role, rounding_up=True)[0]

    return (
        read(given.lower, "the required distance below the true value"),
        read(given.upper, "the required distance above the true value"),
        read(given.sliding, "the required width"),
    )
