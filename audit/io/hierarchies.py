"""Classifications from a release file and from the files it names -> Hierarchy."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.document import VariableDocument
from tableseal.audit.io.files import Folder
from tableseal.audit.io.sources import read_columns
from tableseal.audit.io.trees import tree_edges
from tableseal.audit.io.yaml_text import Document, parse_document
from tableseal.audit.model import Hierarchy, build_hierarchy
from tableseal.audit.model.hierarchy import Edge
from tableseal.audit.wording import listing, quoted, repeated

LEADING = "@"
"""Default leading string of .hrc files."""
_DIMENSION_LISTS = (("levels", "codes"), ("level", "name"))
"""Columns of levels and codes in lists of sdcTable, and as sdcHierarchies exports them."""


def read_hierarchy(name: str, document: VariableDocument, folder: Folder, where: Place) -> Hierarchy:
    """The classification that a variable's entry describes.

    Every form it gives is one grouping: `tree`, `file` (.hrc, columns code and parent, or `levels`) and each of
    `trees`. `codes` lists codes in their order; those in no grouping stand directly below the total.

    `where` is the place of the entry in the document, for messages.

    Raises
    ------
    InputError: no form given, an unreadable file, a code placed twice, a cycle.
    """
    groupings: list[list[Edge]] = []
    levels: Mapping[str, tuple[str, ...]] = {}
    if document.tree is not None:
        groupings.append(tree_edges(document.tree, where / "tree"))
    if document.file is not None:
        groupings.append(_file_edges(document.file, document, folder, where / "file"))
        if document.levels is not None:
            levels = codes_of_levels(read_columns(folder, document.file, where / "file"), document.levels)
    elif document.levels is not None or document.leading is not None:
        raise InputError("`levels` and `leading` say how to read a `file`; there is none.", at=where)
    for at, tree in enumerate(document.trees or ()):
        place = where / "trees" / at
        inline = not isinstance(tree, str)
        groupings.append(tree_edges(tree, place) if inline else _file_edges(tree, VariableDocument(), folder, place))
    codes = document.codes or ()
    twice = repeated(codes)
    if twice:
        raise InputError(f"the code {quoted(twice[0])} is listed twice.", at=where / "codes")
    if document.codes is None and not groupings:
        raise InputError("give its codes: one of `codes`, `tree`, `trees` or `file`.", at=where)
    found = build_hierarchy(
        name, document.total, groupings, order=codes, source=Place(document.file) if document.file else where
    )
    for name_of, named in (("selections", document.selections), ("combined", document.combined)):
        for code in named:
            if code not in found.index:
                raise InputError(f"the variable has no code {quoted(code)}.", at=where / name_of)
    if document.combined and len(found.parents) > 1:
        raise InputError("goes with a classification of one grouping.", at=where / "combined")
    return replace(
        found, selections=frozenset(document.selections), combined=frozenset(document.combined), levels=levels
    )


def hrc_edges(text: str, leading: str, source: str) -> list[Edge]:
    """Edges of a tree in which each line is one code, with as many leading strings before it as it lies deep.

    Blanks before a code belong to it, blanks after it do not.

    Raises
    ------
    InputError: a line more than one level deeper than the line before, or with no code (names the line).
    """
    found: list[tuple[int, str, Place]] = []
    for number, raw in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        code, level = raw.rstrip(), 0
        if not code:
            continue
        while code.startswith(leading):
            code, level = code[len(leading) :], level + 1
        place = Place(source, line=number)
        if not code:
            raise InputError(found=quoted(raw), expected=f"a code after {quoted(leading)}", at=place)
        found.append((level, code, place))
    return _depth_edges(found)


def sign_edges(columns: Columns, level: str, code: str) -> list[Edge]:
    """Edges of a dimension list of sdcTable or sdcHierarchies: a column of levels (`@` for the total in the first row,
    `@@` below it, ...) and one of codes.

    Raises
    ------
    InputError: another level, a code that is missing, a row more than one level deeper than the row before.
    """
    found: list[tuple[int, str, Place]] = []
    rows = zip(columns.column(level, "the levels"), columns.column(code, "the codes"), strict=True)
    for row, (signs, name) in enumerate(rows):
        if not signs or signs.strip("@"):
            raise InputError(found=quoted(signs or ""), expected="@, @@, ...", at=columns.place(row, level))
        if not name:
            raise InputError("is empty, expected a code.", at=columns.place(row, code))
        found.append((len(signs) - 1, name, columns.place(row, level)))
    return _depth_edges(found)


def node_edges(document: Document, where: Place) -> list[Edge]:
    """Edges of a hierarchy that sdcHierarchies exports as JSON: nodes with `id` and `parent` (`#`: the total).

    Raises
    ------
    InputError: no such list.
    """
    if not isinstance(document, list):
        raise InputError(expected="a list of nodes with id and parent", at=where)
    edges: list[Edge] = []
    for at, node in enumerate(document):
        code, parent = (node.get(key) if isinstance(node, Mapping) else None for key in ("id", "parent"))
        if not isinstance(code, str) or not isinstance(parent, str) or not code:
            raise InputError(expected="a node with the texts id and parent", at=where / at)
        edges.append((None if parent == "#" else parent, code))
    return edges


def _depth_edges(listed: Sequence[tuple[int, str, Place]]) -> list[Edge]:
    """Edges of codes in the order of their tree, each with its depth (0: top) and its place."""
    edges: list[Edge] = []
    path: list[str] = []
    for level, code, place in listed:
        if level > len(path):
            text = f"code {quoted(code)} is at level {level + 1}, but the line before is at level {len(path)}; a code "
            raise InputError(f"{text}lies at most one level deeper than the one before it.", at=place)
        del path[level:]
        edges.append((path[-1] if path else None, code))
        path.append(code)
    return edges


def parent_edges(columns: Columns) -> list[Edge]:
    """Edges of a table with columns code and parent; no parent: a top code, or the total itself."""
    codes = columns.column("code", "the codes")
    parents = columns.column("parent", "the code above each code")
    edges: list[Edge] = []
    for row, (code, parent) in enumerate(zip(codes, parents, strict=True)):
        if not code:
            raise InputError("is empty, expected a code.", at=columns.place(row, "code"))
        edges.append((parent or None, code))
    return edges


def level_edges(columns: Columns, levels: Sequence[str]) -> list[Edge]:
    """Edges of a table with a column per level, the broadest first.

    A code repeated on the next level is the same code; an empty level is passed over.

    Raises
    ------
    InputError: a row without a code; a code that stands below another one than in an earlier row.
    """
    edges: dict[Edge, int] = {}
    above: dict[str, Edge] = {}
    entries = [columns.column(level, "a level of the classification") for level in levels]
    different = np.zeros(len(columns), np.int64)
    for column in entries:
        different = np.unique(different * len(column.texts) + column.number, return_inverse=True)[1]
    for row in np.sort(np.unique(different, return_index=True)[1]).tolist():
        codes = [column[row] for column in entries]
        parent: str | None = None
        for level, code in zip(levels, codes, strict=True):
            if code:
                if code != parent:
                    edge = (parent, code)
                    first = above.setdefault(code, edge)
                    if first != edge:
                        raise InputError(
                            found=f"{quoted(code)} {_below(parent)}",
                            expected=f"it {_below(first[0])}, as in row {edges[first] + 1}; give codes that several "
                            f"have in common names of their own, such as {quoted(f'{parent or first[0]} {code}')}",
                            at=columns.place(row, level),
                        )
                    edges.setdefault(edge, row)
                parent = code
        if parent is None:
            raise InputError(f"no code on any level ({listing(levels)}).", at=columns.place(row, levels[0]))
    return list(edges)


def _below(parent: str | None) -> str:
    return "directly below the total" if parent is None else f"below {quoted(parent)}"


def codes_of_levels(columns: Columns, levels: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Level -> its codes, of a table with a column per level."""
    return {level: tuple(code for code in columns.data[level].texts if code) for level in levels}


def _file_edges(file: str, document: VariableDocument, folder: Folder, where: Place) -> list[Edge]:
    if file.lower().endswith(".hrc"):
        if document.levels is not None:
            raise InputError("`levels` are for a table with a column per level, not for an .hrc file.", at=where)
        leading = LEADING if document.leading is None else document.leading
        if not leading:
            raise InputError(f"`leading` is empty, expected a text such as {quoted(LEADING)}.", at=where)
        return hrc_edges(folder.text(file, where), leading, file)
    if document.leading is not None:
        raise InputError(f"`leading` is for .hrc files, but the file is {quoted(file)}.", at=where)
    name, _, wanted = file.partition("#")
    if name.lower().endswith((".xml", ".json")):
        from tableseal.audit.io.sdmx_structure import edges_of_json, edges_of_xml  # late: few files are of these kinds

    if name.lower().endswith(".xml"):
        return edges_of_xml(folder.content(name, where), name, wanted or None)
    if name.lower().endswith(".json"):
        found = parse_document(folder.text(name, where), name, json_only=True)
        nodes = isinstance(found, list)
        return node_edges(found, Place(name)) if nodes else edges_of_json(found, name, wanted or None)
    columns = read_columns(folder, file, where)
    if document.levels is not None:
        return level_edges(columns, document.levels)
    listed = next((pair for pair in _DIMENSION_LISTS if set(pair) <= set(columns.data)), None)
    if listed is not None:
        return sign_edges(columns, *listed)
    if not {"code", "parent"} <= set(columns.data):
        text = (
            f"{file} has the columns {listing(columns.data)}; expected the columns code and parent, levels and codes, "
        )
        raise InputError(text, "or `levels: [...]` naming a column per level, the broadest first.", at=where)
    return parent_edges(columns)
