"""A release document for a bare file of records: the tables that are made of them, and what their columns hold."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import Path
from typing import Any

import numpy as np

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.advice import Advice
from tableseal.audit.io.column import Column
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.document import TableDocument
from tableseal.audit.io.files import Folder
from tableseal.audit.io.hierarchies import level_edges
from tableseal.audit.io.hints import Hints
from tableseal.audit.io.levels import nested_columns
from tableseal.audit.io.microdata import of_records
from tableseal.audit.io.numbers import wrong
from tableseal.audit.io.sources import is_data_file, read_columns
from tableseal.audit.io.totals import NAMES
from tableseal.audit.io.trees import tree_of
from tableseal.audit.io.value_column import is_numeric, read_value_column
from tableseal.audit.io.yaml_text import Document
from tableseal.audit.model import Note
from tableseal.audit.wording import listing, quoted

TOTALS = ("Total", "All", "T", "Total of all")
"""Codes of totals of tables that are made of records: the first that no record has."""

LEVELS = "/"
"""Between columns that are levels of one classification, the broadest first."""


@dataclass(frozen=True)
class AboutRecords:
    """What is said of records of single units. None and nothing: there is none, or it is left to be seen.

    Attributes
    ----------
    by: a table each: columns of codes, or `region/district` for columns that are levels of one classification.
    value: column that is added up; None: records are counted. id, holding, weight: columns of the records.
    total: code of the totals, of all classifications or by classification (None: it is never added up).
    variables: classification -> `tree` or `file` of its nested codes, as in a release file.
    kind, unit: what the values are.
    """

    by: Sequence[Sequence[str]]
    value: str | None = None
    id: str | None = None
    holding: str | None = None
    weight: str | None = None
    total: Mapping[str, str | None] | str | None = None
    variables: Mapping[str, Mapping[str, Document]] = field(default_factory=dict)
    kind: str | None = None
    unit: str | None = None


def records_document(
    columns: Columns, records: Mapping[str, Any], title: str, about: AboutRecords, advice: Advice
) -> tuple[dict[str, Any], list[Note]]:
    """A release document whose tables are made of records, and what was assumed.

    Parameters
    ----------
    columns: the records. records: how the document says where they are (`file` or `cells`).
    advice: what messages say is to be done.

    Raises
    ------
    InputError: columns that are not there or are named for two things; a total that is a code of records; tables that
        are the same.
    """
    tables = [[_levels(columns, name) for name in names] for names in about.by]
    levels = {each[-1]: each for names in tables for each in names}
    named = {
        each: role
        for each, role in (
            (about.value, "the values"),
            (about.id, "the identity of the unit"),
            (about.holding, "the holding of the unit"),
            (about.weight, "the weights"),
        )
        if each is not None
    }
    for column, role in named.items():
        columns.column(column, role)
    _refuse_twice(columns, tables, named)
    scale, signs, notes = _values(columns, about, advice)
    for said in (*about.variables, *(about.total if isinstance(about.total, Mapping) else ())):
        if said not in levels:
            raise InputError(
                found=quoted(said), expected=f"a classification of the tables: {listing(levels)}", at=columns.source
            )
    variables = {name: _variable(columns, name, each, about) for name, each in levels.items()}
    totals = {name: variable.get("total") for name, variable in variables.items()}
    notes.append(Note("assumed_total", f"{columns.source}: totals are called {_called(totals)}."))
    if about.id is None and about.holding is None:
        text = f"{columns.source}: no column says whose a record is, so that each is of a contributor of its own."
        notes.append(Note("assumed_contributors", text))
    notes += _like_totals(columns, levels)
    notes += nested_columns(columns, list(levels), totals)
    own = {"id": about.id, "holding": about.holding, "weight": about.weight}
    return {
        "tableseal": 1,
        "title": title or f"{about.value or 'records'} by {listing(levels)}",
        **scale,
        "variables": variables,
        "tables": [
            {"name": "_by_".join(each[-1] for each in names), "by": [each[-1] for each in names]} for names in tables
        ],
        "microdata": {
            **records,
            **({} if about.value is None else {"values": {"value": about.value}}),
            **{key: column for key, column in own.items() if column is not None},
            **signs,
        },
    }, notes


def read_records(path: Path) -> Columns:
    """The columns of a bare file of records.

    Raises
    ------
    InputError: no file of columns, or one that cannot be read.
    """
    if not is_data_file(path):
        expected = (
            "a file with a row for each record, as CSV, Parquet, ...; a release file says itself what is made of its"
        )
        found = "a folder" if path.is_dir() else "standard input" if str(path) == "-" else "a document"
        raise InputError(found=found, expected=f"{expected} records", at=path.name or str(path))
    return read_columns(of_records(Folder(path.parent)), path.name, Place(path.name))


def new_total(codes: Collection[str]) -> str:
    """A code for the total that is none of these."""
    return next(code for code in chain(TOTALS, map("Total of all {}".format, count(2))) if code not in codes)


def _levels(columns: Columns, name: str) -> tuple[str, ...]:
    """The columns of a classification, the broadest first: itself, or those that its name is put together of."""
    found = (name,) if name in columns.data else tuple(part.strip() for part in name.split(LEVELS))
    for each in found:
        columns.column(each, "codes of a classification" if len(found) == 1 else "a level of a classification")
    return found


def _refuse_twice(columns: Columns, tables: Sequence[Sequence[tuple[str, ...]]], named: Mapping[str, str]) -> None:
    seen: list[set[str]] = []
    levels: dict[str, tuple[str, ...]] = {}
    for names in tables:
        if not names:
            raise InputError("a table of no columns; expected at least one column of codes.", at=columns.source)
        flat = [column for each in names for column in each]
        twice = [column for at, column in enumerate(flat) if column in flat[:at]]
        if twice:
            raise InputError(f"the column {quoted(twice[0])} stands twice in one table.", at=columns.source)
        for column in flat:
            if column in named:
                raise InputError(
                    f"the column {quoted(column)} is to hold codes and {named[column]}; name another for one of them.",
                    at=columns.source,
                )
        if set(flat) in seen:
            raise InputError(f"the table by {listing(flat)} is asked for twice.", at=columns.source)
        seen.append(set(flat))
        for each in names:
            known = levels.setdefault(each[-1], each)
            if known != each:
                text = f"the levels of {quoted(each[-1])} are {LEVELS.join(known)} in one table and "
                raise InputError(f"{text}{LEVELS.join(each)} in another.", at=columns.source)


def _values(columns: Columns, about: AboutRecords, advice: Advice) -> tuple[dict[str, Any], dict[str, str], list[Note]]:
    """Kind and unit as a release says them, how numbers are written, and what was assumed of that."""
    if about.value is None:
        if about.kind == "magnitude":
            text = "magnitudes are sums of a column of the records; say which (`value`)."
            raise InputError(text, at=columns.source)
        return {"kind": "count"}, {}, []
    entries = columns.data[about.value]
    odd = [text for text in entries.texts if not is_numeric(Column.of([text]))]
    hidden = np.ones(len(columns), np.bool_)  # a contribution stands in no message
    if odd:
        row = int(entries.rows_with(odd)[0])
        raise wrong(columns, about.value, row, hidden, "a number, as each record is to have")
    given = TableDocument(name="t", file="t", value=about.value)
    hints = Hints(kind=about.kind or "magnitude", unit=about.unit, numbers=columns.numbers)
    values = read_value_column(columns, about.value, hidden, given, hints, advice)
    return dict(values.scale), dict(values.said), list(values.notes)


def _variable(columns: Columns, name: str, levels: Sequence[str], about: AboutRecords) -> dict[str, Any]:
    """A classification as a release document has it."""
    place = replace(columns.source, column=name)
    codes = _in_order([code for code in columns.data[name].texts if code and code.strip()])
    said = dict(about.variables.get(name, {}))
    if len(levels) > 1:
        if said:
            raise InputError("its levels are columns, and nested codes are given, too; say one of both.", at=place)
        edges = level_edges(columns, levels)
        known = {code for edge in edges for code in edge if code is not None}
        said = {"tree": tree_of(sorted(edges, key=lambda edge: _key(edge[1])), place)}
    else:
        known = set(codes)
        said = said or {"codes": list(codes)}
    free = new_total(known)
    total = (
        about.total.get(name, free)
        if isinstance(about.total, Mapping)
        else free
        if about.total is None
        else about.total
    )
    if total is not None and not total.strip():
        raise InputError(found=quoted(total), expected="a code of the total that readers can see", at=place)
    if total in known:
        raise InputError(
            f"records have the code {quoted(total)}, which is to be that of the total; say another one; or, if rows "
            "are cells of a finished table, audit the file as it is, without `by`.",
            at=place,
        )
    return said if total is None else {"total": total, **said}


def _like_totals(columns: Columns, names: Iterable[str]) -> list[Note]:
    """A note for each classification with a code that is called as totals are: rows may be cells and no records."""
    notes = []
    for name in names:
        called = [code for code in columns.data[name].texts if (code or "").strip().casefold() in NAMES]
        if called:
            text = (
                f"{columns.source}: {quoted(name)} has the code {quoted(called[0])}, as totals are called, and it is "
                "added up with the others. If rows are cells of a finished table, audit the file as it is, without "
                "`by`."
            )
            notes.append(Note("like_totals", text))
    return notes


def _called(totals: Mapping[str, str | None]) -> str:
    different = dict.fromkeys(quoted(code) for code in totals.values() if code is not None)
    return listing(different) if different else "nothing, as there are none"


def _in_order(codes: Sequence[str]) -> list[str]:
    """Codes as a reader expects them: numbers by size, texts by the alphabet; not as records come."""
    return sorted(codes, key=_key)


def _key(code: str) -> tuple[bool, int, str, str]:
    """A number of any length is compared by its digits: too many are no int."""
    digits = code.strip().lstrip("0") if code.strip().isdecimal() else None
    return (True, 0, "", code) if digits is None else (False, len(digits), digits, code)
