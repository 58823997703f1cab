"""JSON-stat files (.json): a cube of figures with statuses and nested categories.

Source: the JSON-stat format 2.0 (json-stat.org/full); of 1.x what differs is read too (one `dataset`, `id` and `size`
inside of `dimension`). A figure that is not there is no zero: without a status it is withheld.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

from tableseal.audit.codec.exact_json import Json, dumps
from tableseal.audit.errors import InputError, LimitError, Place
from tableseal.audit.io.column import Column
from tableseal.audit.io.columns import Columns, check_width
from tableseal.audit.io.entries import check_entries
from tableseal.audit.io.files import Folder
from tableseal.audit.io.formats.dataset import MEASURE, Classification, Content, Dataset, reader
from tableseal.audit.io.formats.format import Letters, file_and_part
from tableseal.audit.io.formats.grid import MOST_CELLS, codes_of_cells, cube_of, free, pairs_of
from tableseal.audit.io.formats.nested import groupings_of, total_of
from tableseal.audit.io.formats.said import Symbols, letters_meaning, said_meaning
from tableseal.audit.io.numbers import decimal, decimal_text
from tableseal.audit.io.statuses.marks import ZERO
from tableseal.audit.io.totals import NAMES
from tableseal.audit.io.yaml_text import Document, parse_document
from tableseal.audit.model import Note, Release, Status
from tableseal.audit.model.hierarchy import Edge
from tableseal.audit.wording import listing, quoted, repeated

OWN = "tableseal"
"""Key in `extension` of what JSON-stat has no place for."""


def dataset(folder: Folder, name: str, letters: Letters) -> Dataset:
    """The dataset in a file.

    Raises
    ------
    InputError: no dataset, or several; sizes, categories, values or statuses that do not fit each other. Names the key.
    """
    name, wanted = file_and_part(name)
    text = folder.text(name, Place(name))
    found, where = _dataset(parse_document(text, name, json_only=True), Place(name), wanted)
    sizes = _sizes(found, where)
    cells = prod(sizes.values())
    if cells > MOST_CELLS:
        raise LimitError(f"has {cells:,} cells, more than the limit of {MOST_CELLS:,}.", at=where)
    check_entries(cells, len(text), where)
    categories = {variable: _categories(found, variable, size, where) for variable, size in sizes.items()}
    value = free("value", categories)
    status = free("status", [*categories, value])
    values = Column.of(_cells(found.get("value"), cells, where / "value"))
    flags = Column.of(_statuses(found.get("status"), cells, where / "status"))
    _note_absent(values, flags, name, folder)
    columns = Columns(where, {**codes_of_cells(categories), value: values, status: flags})
    declared = _declared(found)
    explained = {flag: word for flag, label in declared.items() if (word := _status_of(label)) is not None}
    explained |= letters_meaning(letters)
    flagged = any(flag for flag in flags.texts)
    by = _metric(found, sizes, where)
    own = _own(found)
    totals = _mapping(own.get("totals", {}), where / "extension" / OWN / "totals")
    table: dict[str, Any] = {"value": value, "decimal": ".", "status": "none"}
    if flagged:
        table["status"] = {"column": status, "map": {f: explained[f] for f in flags.texts if f and f in explained}}
    return Dataset(
        _text(own.get("name")) or name.partition(".")[0],
        _text(found.get("label")) or "",
        columns,
        {v: _classification(found, v, codes, totals, where) for v, codes in categories.items() if v != by},
        table,
        _contents(found, by, categories, own, where),
        by,
        Symbols(name, declared),
    )


read = reader(dataset)


def _dataset(document: Document, top: Place, wanted: str | None) -> tuple[Mapping[str, Any], Place]:
    """The dataset of a document, and where it stands; of several the one with a label (before version 2.0: a key)."""
    if not isinstance(document, Mapping):
        raise InputError(expected="an object with the class dataset", at=top)
    kind = document.get("class")
    if "dimension" in document and kind in (None, "dataset") and wanted is None:
        return document, top
    if kind not in (None, "collection") or (kind is None and wanted is None and "dimension" in document):
        raise InputError(found=f"the class {quoted(str(kind))}", expected="a dataset", at=top)
    inside = _collected(document, top) if kind == "collection" else _bundled(document, top)
    chosen = [each for each in inside if wanted is None or each[0] == wanted]
    if len(chosen) == 1:
        return chosen[0][1:]
    labels = listing(quoted(label) for label, _, _ in inside)
    if not inside and kind is None:
        raise InputError(expected="a dataset (an object with `dimension` and `value`)", at=top)
    if not inside:
        raise InputError("is a collection of links only", at=top, remedy="save the dataset as a file of its own")
    if wanted is not None:
        raise InputError(found=f"no dataset {quoted(wanted)}", expected=f"one of {labels}", at=top)
    one = f"`{top.source}#{min((label for label, _, _ in inside), key=len)}`"
    raise InputError(f"holds {len(inside)} datasets ({labels})", at=top, remedy=f"say which, as in {one}")


def _collected(document: Mapping[str, Any], top: Place) -> list[tuple[str, Mapping[str, Any], Place]]:
    """Datasets inside of a collection: label, dataset and place."""
    items = document.get("link")
    items = items.get("item") if isinstance(items, Mapping) else None
    return [
        (_text(item.get("label")) or str(at + 1), item, top / "link" / "item" / at)
        for at, item in enumerate(items if isinstance(items, list) else [])
        if isinstance(item, Mapping) and "dimension" in item
    ]


def _bundled(document: Mapping[str, Any], top: Place) -> list[tuple[str, Mapping[str, Any], Place]]:
    """Datasets of a response before version 2.0, which has a key for each."""
    return [
        (key, each, top / key)
        for key, each in document.items()
        if isinstance(each, Mapping) and "dimension" in each and "value" in each
    ]


def _mapping(value: object, where: Place) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(found="nothing" if value is None else "no object", expected="an object", at=where)
    return value


def _texts(value: object, where: Place) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(found="nothing" if value is None else "no list of texts", expected="a list of texts", at=where)
    return [str(item) for item in value]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _sizes(found: Mapping[str, Any], where: Place) -> dict[str, int]:
    """Variable -> number of its categories."""
    dimension = _mapping(found.get("dimension"), where / "dimension")
    old = "id" not in found and "id" in dimension
    holder, place = (dimension, where / "dimension") if old else (found, where)
    names = _texts(holder.get("id"), place / "id")
    sizes = _texts(holder.get("size"), place / "size")
    check_width(len(names), where)
    if twice := repeated(names):
        raise InputError(f"{quoted(twice[0])} is there twice.", at=place / "id")
    if len(sizes) != len(names) or not names:
        raise InputError(f"has {len(sizes)} entries, but `id` has {len(names)}.", at=place / "size")
    for at, size in enumerate(sizes):
        if not re.fullmatch(r"[1-9][0-9]{0,8}", size):
            raise InputError(found=quoted(size[:40]), expected="a whole number above 0", at=place / "size" / at)
    return dict(zip(names, map(int, sizes), strict=True))


def _category(found: Mapping[str, Any], variable: str, where: Place) -> tuple[Mapping[str, Any], Place]:
    place = where / "dimension" / variable
    dimension = _mapping(_mapping(found["dimension"], where / "dimension").get(variable), place)
    return _mapping(dimension.get("category"), place / "category"), place / "category"


def _categories(found: Mapping[str, Any], variable: str, size: int, where: Place) -> list[str]:
    """Codes of a variable in the order of the cells."""
    category, place = _category(found, variable, where)
    index = category.get("index")
    if index is None:
        codes = list(_mapping(category.get("label"), place / "index"))
        if len(codes) != 1:
            raise InputError("is missing; it says the order of the categories.", at=place / "index")
    elif isinstance(index, Mapping):
        positions = {str(at): code for code, at in index.items()}
        codes = [positions[str(at)] for at in range(len(index)) if str(at) in positions]
        if len(codes) != len(index):
            raise InputError(f"does not give each position from 0 to {len(index) - 1} once.", at=place / "index")
    else:
        codes = _texts(index, place / "index")
    if len(codes) != size:
        raise InputError(f"has {len(codes)} categories, but `size` says {size}.", at=place / "index")
    if twice := repeated(codes):
        raise InputError(f"{quoted(twice[0])} is there twice.", at=place / "index")
    if not all(code.strip() for code in codes):
        raise InputError(found="an empty code", expected="codes", at=place / "index")
    return codes


def _cells(values: object, cells: int, where: Place) -> list[str | None]:
    """An entry for each cell, from a list or from an object by position; None where there is nothing."""
    found: list[str | None] = [None] * cells
    for at, value in _entries(values, cells, where):
        if isinstance(value, Mapping | list):
            raise InputError(found="an object or a list", expected="one value", at=where / at)
        found[at] = value
    return found


def _entries(values: object, cells: int, where: Place) -> Iterator[tuple[int, Any]]:
    if isinstance(values, list):
        if len(values) != cells:
            text = f"has {len(values):,} entries, but the sizes of the dimensions make {cells:,} cells."
            raise InputError(text, at=where)
        yield from enumerate(values)
    elif isinstance(values, Mapping):
        for key, value in values.items():
            if not re.fullmatch(r"0|[1-9][0-9]{0,8}", key) or int(key) >= cells:
                expected = f"a position from 0 to {cells - 1:,}"
                raise InputError(found=quoted(key[:40]), expected=expected, at=where)
            yield int(key), value
    else:
        raise InputError(found="nothing" if values is None else "a text", expected="a list or an object", at=where)


def _statuses(given: object, cells: int, where: Place) -> list[str | None]:
    """The flag of each cell: one for all, a list, or an object by position."""
    if given is None:
        return [None] * cells
    if isinstance(given, str):
        return [given] * cells
    if isinstance(given, Mapping) and "value" in given:  # as Eurostat wrote before version 2.0
        given, where = given["value"], where / "value"
    if isinstance(given, list) and len(given) == 1 < cells:
        return _cells(given, 1, where) * cells
    return _cells(given, cells, where)


def _note_absent(values: Column, flags: Column, name: str, folder: Folder) -> None:
    bare = sum(value is None and not flag for value, flag in zip(values, flags, strict=True))
    if bare:
        text = f"{name}: figures that are missing without a status are no zeros; they are read as withheld."
        folder.notes.append(Note("no_value_withheld", text, bare))


def _declared(found: Mapping[str, Any]) -> dict[str, str]:
    """Flag -> what the file says of it (`extension.status.label`, as Eurostat does; before version 2.0
    `status.category.label`)."""
    own = found.get("extension") if isinstance(found.get("extension"), Mapping) else found
    status = _entry(own, "status")
    labels = _entry(status, "label") or _entry(_entry(status, "category"), "label")
    if not isinstance(labels, Mapping):
        return {}
    return {flag: label for flag, label in labels.items() if isinstance(label, str)}


def _entry(found: object, key: str) -> object:
    """An entry of an object; None: there is none."""
    return found.get(key) if isinstance(found, Mapping) else None


def _status_of(label: str) -> str | None:
    """What a label says in a status column, where nothing stands for a zero."""
    meaning = said_meaning(label)
    return None if meaning == ZERO else meaning


def _own(found: Mapping[str, Any]) -> Mapping[str, Any]:
    extension = found.get("extension")
    own = extension.get(OWN) if isinstance(extension, Mapping) else None
    return own if isinstance(own, Mapping) else {}


def _metric(found: Mapping[str, Any], sizes: Mapping[str, int], where: Place) -> str | None:
    """The variable that says what the figures are of."""
    role = found.get("role")
    if role is None and "role" in _mapping(found["dimension"], where):
        role = found["dimension"]["role"]
    metric = role.get("metric") if isinstance(role, Mapping) else None
    names = [] if metric is None else _texts(metric, where / "role" / "metric")
    for name in names:
        if name not in sizes:
            raise InputError(f"there is no dimension {quoted(name)}.", at=where / "role" / "metric")
    if len(names) > 1:
        raise InputError("names several dimensions, expected one.", at=where / "role" / "metric")
    return names[0] if names and len(sizes) > 1 else None


def _contents(
    found: Mapping[str, Any],
    by: str | None,
    categories: Mapping[str, Sequence[str]],
    own: Mapping[str, Any],
    where: Place,
) -> dict[str, Content]:
    kind, own_unit = _text(own.get("kind")), _text(own.get("unit"))
    place = where / "extension" / OWN
    if kind not in (None, "count", "magnitude"):
        raise InputError(found=quoted(kind), expected="count or magnitude", at=place / "kind")
    if own_unit is not None and not _is_unit(own_unit):
        raise InputError(found=quoted(own_unit[:40]), expected="a number above 0, such as 0.1", at=place / "unit")
    if by is None:
        return {"": Content(_text(own.get("measure")) or MEASURE, kind, own_unit)}
    category, _ = _category(found, by, where)
    labels, units = category.get("label"), category.get("unit")
    names = [str(labels.get(code, code)) if isinstance(labels, Mapping) else code for code in categories[by]]
    if len(set(names)) < len(names):
        names = list(categories[by])
    found_units = [_unit(units.get(code)) if isinstance(units, Mapping) else None for code in categories[by]]
    return {
        code: Content(label, kind, unit) for code, label, unit in zip(categories[by], names, found_units, strict=True)
    }


def _is_unit(text: str) -> bool:
    try:
        return decimal(text) > 0
    except ValueError:
        return False


def _unit(said: object) -> str | None:
    decimals = said.get("decimals") if isinstance(said, Mapping) else None
    if not isinstance(decimals, str) or not re.fullmatch(r"[1-9]|1[0-5]", decimals):
        return None
    return decimal_text(Fraction(1, 10 ** int(decimals)))


def _classification(
    found: Mapping[str, Any], variable: str, codes: Sequence[str], totals: Mapping[str, Any], where: Place
) -> Classification:
    """Codes with their groups (`child`); the total is what all lie below, or the only category that is called so."""
    category, place = _category(found, variable, where)
    edges: list[Edge] = []
    if category.get("child") is not None:
        for parent, below in _mapping(category["child"], place / "child").items():
            edges += [(parent, child) for child in _texts(below, place / "child" / parent)]
    for code in (code for edge in edges for code in edge if code is not None):
        if code not in codes:
            raise InputError(f"there is no category {quoted(code)}.", at=place / "child")
    labels = category.get("label")
    names = {code: str(labels.get(code, code)) if isinstance(labels, Mapping) else code for code in codes}
    called = [code for code, label in names.items() if label.strip().casefold() in NAMES]
    if variable in totals:
        total = _text(totals[variable])
        if total is not None and total not in codes:
            raise InputError(
                f"there is no category {quoted(total)}.", at=where / "extension" / OWN / "totals" / variable
            )
        return Classification(codes, total, groupings_of(edges), apart=total is None)
    total = total_of(edges, codes) or (called[0] if len(called) == 1 else None)
    return Classification(codes, total, groupings_of(edges))


def write(release: Release, name: str) -> dict[str, bytes]:
    """The table of a release as a dataset; every value that is not told has a status.

    Raises
    ------
    InputError: see `cube_of`.
    """
    (table,) = release.tables
    cube = cube_of(release, table)
    measure = release.measures[table.measure]
    own: dict[str, Json] = {"name": table.name, "measure": measure.name, "kind": measure.kind}
    own |= {"unit": decimal_text(measure.unit)} if measure.unit != 1 else {}
    totals = {v: release.variables[v].total for v in cube.codes}
    own["totals"] = {v: total if total in cube.codes[v] else None for v, total in totals.items()}
    shown = [v if t is None else t for v, t in zip(cube.value, cube.truth, strict=True)]
    statuses = {str(at): Status(word).word for at, word in enumerate(cube.status.tolist()) if word != Status.PUBLISHED}
    document: dict[str, Json] = {
        "version": "2.0",
        "class": "dataset",
        "label": release.title,
        "id": list(cube.codes),
        "size": [len(codes) for codes in cube.codes.values()],
        "dimension": {v: {"category": _written(release, v, codes)} for v, codes in cube.codes.items()},
        "value": [None if text is None else Fraction(text) for text in shown],
    }
    if statuses:
        document["status"] = statuses
    document["extension"] = {OWN: own}
    return {name: (dumps(document, indent=1) + "\n").encode()}


def _written(release: Release, variable: str, codes: Sequence[str]) -> dict[str, Json]:
    """A category object: codes, and what is below them."""
    child: dict[str, list[Json]] = {}
    for parent, below in pairs_of(release.variables[variable], codes):
        child.setdefault(parent, []).append(below)
    found: dict[str, Json] = {"index": list(codes)}
    return found | {"child": child} if child else found
