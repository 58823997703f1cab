"""A file with one set of figures that says itself what its columns are -> release document.

What the file does not say (totals, kind of the values) is inferred as from a bare data file, with a note.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tableseal.audit.errors import InputError
from tableseal.audit.io.advice import Advice
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.files import Folder
from tableseal.audit.io.formats.format import Letters, Reader
from tableseal.audit.io.hints import Hints
from tableseal.audit.io.init import describe
from tableseal.audit.io.trees import tree_edges
from tableseal.audit.model import Note
from tableseal.audit.model.hierarchy import Edge
from tableseal.audit.wording import quoted

MEASURE = "value"
"""What the figures are called where nothing says it."""


@dataclass(frozen=True)
class Classification:
    """What a file says of a variable.

    codes: in their order. total: None if none is said, or if the file says that there is none (`apart`). groupings:
    edges of each grouping; none: nothing is said of how codes are nested.
    """

    codes: Sequence[str]
    total: str | None = None
    groupings: Sequence[Sequence[Edge]] = ()
    apart: bool = False


@dataclass(frozen=True)
class Content:
    """What a file says of one of the things that it tells figures of. unit: as a release file says it."""

    name: str = MEASURE
    kind: str | None = None
    unit: str | None = None


@dataclass(frozen=True)
class Dataset:
    """The figures of a file, and what it says of them.

    Attributes
    ----------
    columns: a row for each figure: codes of the variables, values, flags. name: of the table.
    table: what an entry of `tables` says besides: value, status, marks, absent, ...
    contents: what the figures are of; `by`: the column that says of which, where there are several.
    advice: what to write where something is not clear.
    """

    name: str
    title: str
    columns: Columns
    variables: Mapping[str, Classification]
    table: Mapping[str, Any]
    contents: Mapping[str, Content] = field(default_factory=lambda: {"": Content()})
    by: str | None = None
    advice: Advice = field(default_factory=Advice)


def reader(dataset: Callable[[Folder, str, Letters], Dataset]) -> Reader:
    """The reader of a format whose files are datasets."""

    def read(folder: Folder, name: str, letters: Letters) -> dict[str, Any]:
        document, notes = document_of(dataset(folder, name, letters))
        folder.notes.extend(notes)
        return document

    return read


def document_of(dataset: Dataset) -> tuple[dict[str, Any], list[Note]]:
    """The release document of a dataset, a table for each of its contents, and what was assumed.

    Raises
    ------
    InputError: what is said does not fit the figures, or more than one reading is possible.
    """
    documents: list[dict[str, Any]] = []
    notes: list[Note] = []
    for code, content in dataset.contents.items():
        found, more = _described(dataset, code, content)
        documents.append(found)
        notes += more
    document = documents[0]
    document["measures"] = {
        content.name: {key: found[key] for key in ("kind", "unit") if key in found}
        for content, found in zip(dataset.contents.values(), documents, strict=True)
    }
    document["tables"] = [
        found["tables"][0] | {"measure": content.name}
        for content, found in zip(dataset.contents.values(), documents, strict=True)
    ]
    for found in documents[1:]:
        _same_variables(dataset, document["variables"], found["variables"])
        if "intruder" in found:
            document["intruder"] = found["intruder"]
    for key in ("kind", "unit"):
        document.pop(key, None)
    for name, said in dataset.variables.items():
        document["variables"][name] = _variable(said, document["variables"][name])
    return document, list(dict.fromkeys(notes))


def hinted(dataset: Dataset, hints: Hints) -> Dataset:
    """The dataset with what is said of it beside: totals, nested codes, kind and unit, and of its table marks, rounding
    and rows that are not there. All of it goes before what the file says.

    Raises
    ------
    InputError: a classification or a total that is not there.
    """
    names, columns = list(dataset.variables), dataset.columns
    totals, trees = hints.totals_of(columns, names), hints.trees_of(columns, names)
    variables: dict[str, Classification] = {}
    for name, said in dataset.variables.items():
        found = said
        if name in totals:
            found = replace(found, total=totals[name], apart=totals[name] is None)
        if name in trees:
            found = replace(found, groupings=[tree_edges(trees[name], replace(columns.source, column=name))])
        variables[name] = found
    contents = {
        code: replace(content, kind=hints.kind or content.kind, unit=hints.unit or content.unit)
        for code, content in dataset.contents.items()
    }
    marks = {**dataset.table.get("marks", {}), **_mapping(hints.table.get("marks"))}
    table = {**dataset.table, **hints.table, **({"marks": marks} if marks else {})}
    return replace(dataset, variables=variables, contents=contents, table=table)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _described(dataset: Dataset, code: str, content: Content) -> tuple[dict[str, Any], list[Note]]:
    """The document of the figures of one content."""
    columns = dataset.columns if dataset.by is None else _rows_of(dataset.columns, dataset.by, code)
    nested = {name: _tree(v) for name, v in dataset.variables.items() if v.groupings}
    said = {name: v.total for name, v in dataset.variables.items() if v.total is not None or v.apart}
    hints = Hints(
        dataset.table,
        variables=list(dataset.variables),
        totals=said,
        trees=nested,
        kind=content.kind,
        unit=content.unit,
    )
    name = dataset.name if dataset.by is None else content.name
    document, notes = describe(columns, {"name": name}, dataset.title, hints, advice=dataset.advice)
    document["tables"][0]["cells"] = columns
    return document, notes


def _rows_of(columns: Columns, by: str, code: str) -> Columns:
    column = columns.data[by]
    rows = column.spread([text == code for text in column.texts], np.bool_)
    data = {name: entries.at(rows) for name, entries in columns.data.items() if name != by}
    return replace(columns, data=data, lines=None if columns.lines is None else columns.lines[rows])


def _same_variables(dataset: Dataset, one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """Contents of one file have the same classifications; a total that only some of them show is a question."""
    for name in one:
        if one[name].get("total") != other[name].get("total"):
            totals = [quoted(found[name].get("total") or "none") for found in (one, other)]
            text = f"the total of {name} seems to be {totals[0]} for some contents and {totals[1]} for others"
            raise InputError(text, at=dataset.columns.source, remedy=dataset.advice.total(name))


def _tree(said: Classification) -> dict[str, Any]:
    """Codes as a tree, nested as the first grouping says. Those in no grouping are beside if the total is known; else
    one of them may be the total, which is found or asked for."""
    below: dict[str | None, list[str]] = {}
    parent_of: dict[str, str | None] = {}
    for parent, child in said.groupings[0]:
        if parent is not None:
            parent_of.setdefault(child, parent)
    every = dict.fromkeys(code for edges in said.groupings for edge in edges for code in edge if code is not None)
    if said.total is not None or said.apart:
        every = dict.fromkeys(said.codes) | every
    for code in every:
        below.setdefault(parent_of.get(code), []).append(code)

    def nested(code: str, above: frozenset[str]) -> dict[str, Any]:
        deeper = above | {code}
        return {child: nested(child, deeper) for child in below.get(code, ()) if child not in deeper}

    return {code: nested(code, frozenset()) for code in below.get(None, ())}


def _variable(said: Classification, found: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of a variable: its codes in the order of the file, with the total found and the groupings said."""
    total = found.get("total")
    entry: dict[str, Any] = {} if total is None else {"total": total}
    entry["codes"] = [code for code in said.codes if code != total]
    if said.groupings:
        entry["trees"] = [_edges_tree(edges, total) for edges in said.groupings]
    return entry


def _edges_tree(edges: Sequence[Edge], total: str | None) -> Any:
    """A grouping as nested codes, what is below the total at the top.

    Codes that lie below themselves end the walk where they come again; the loader finds and names them.
    """
    below: dict[str | None, list[str]] = {}
    for parent, child in edges:
        below.setdefault(None if parent == total else parent, []).append(child)
    children = {child for _, child in edges}
    tops = [*below.get(None, ()), *(p for p in below if p is not None and p not in children and p != total)]

    def nested(code: str, above: tuple[str, ...]) -> Any:
        return {child: nested(child, (*above, code)) for child in below.get(code, ())} if code not in above else {}

    return {code: nested(code, ()) for code in dict.fromkeys(tops) if code != total}
