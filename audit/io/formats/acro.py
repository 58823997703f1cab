"""Outputs of a research session that ACRO (SACRO) kept: `results.json` and a CSV file for each table -> one release.

All tables of counts and of sums together, linked by the names of their variables, are what a reader can subtract. An
empty cell is withheld: ACRO leaves empty what it suppresses, and what nobody is in. Its flags say which of them are
sensitive; `config.json` beside says the threshold. Means, models and plots add up to nothing and are left out (noted).

Source: ACRO 1.0.2, `record.py` (files) and `acro_tables.py` (commands, rounding).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import PurePath
from typing import Any, Final

import numpy as np

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.delimited import read_rows
from tableseal.audit.io.files import Folder, note_open_end
from tableseal.audit.io.formats.dataset import Classification, Dataset
from tableseal.audit.io.formats.format import Letters, file_and_part
from tableseal.audit.io.formats.grid import free
from tableseal.audit.io.numbers import decimal, decimal_text, places
from tableseal.audit.io.yaml_text import parse_document
from tableseal.audit.model import Note
from tableseal.audit.model.amounts import LIMIT
from tableseal.audit.wording import listing, quoted

ALL: Final = "All"
"""What pandas calls totals."""
_SUM = re.compile(r"aggfunc\s*=\s*\[?\s*['\"]?(?:np\.|numpy\.)?sum\b")
_VALUES = re.compile(r"\bvalues\s*=|\baggfunc\s*=")
_CHECKS: Final = ("MinimumThresholdCheck", "NKCheck", "PPercentCheck", "PresenceOfZeroCheck")
"""Checks of single cells. (Older versions: threshold, nk-rule, p-ratio.)"""
_OLD_CHECKS: Final = ("threshold", "nk-rule", "p-ratio")
_DIGITS: Final = 6
"""Decimals that sums have at most: further ones are what floating point leaves."""
_COUNT: Final = "count"


@dataclass(frozen=True)
class _Output:
    """One file of an output. measure: of its values; base: to which they are rounded (None: they are not). flagged:
    (row, column) that a check found, from 0. rows: how many the outcome lists, if it lists them."""

    name: str
    file: str
    variables: tuple[str, ...]
    measure: str
    base: int | None
    flagged: frozenset[tuple[int, int]]
    across: int
    rows: int | None


@dataclass
class _Session:
    """Outputs that are tables, and what is left out: why -> names."""

    outputs: list[_Output] = field(default_factory=list)
    left_out: dict[str, list[str]] = field(default_factory=dict)


def read(folder: Folder, name: str, letters: Letters) -> dict[str, Any]:
    """The release of all outputs that add up, or of the one that `name` names (`results.json#output_1`).

    Raises
    ------
    InputError: no table among them, a table whose variables are not told or whose file does not fit them, a number that
        is none; names the file and the line.
    """
    del letters  # such files have no flags
    outputs, prefix, top = _session(folder, name)
    tables = [_table(output, folder, prefix + output.file, top) for output in outputs]
    return _document(outputs, tables, folder, prefix)


def dataset(folder: Folder, name: str, letters: Letters) -> Dataset:
    """The columns of one output, for a release file that names it.

    Raises
    ------
    InputError: as `read`; several outputs.
    """
    del letters
    outputs, prefix, top = _session(folder, name)
    if len(outputs) > 1:
        one = f"`{top.source}#{outputs[0].name}`"
        raise InputError(f"holds {len(outputs)} tables", at=top, remedy=f"say which, as in {one}")
    table = _table(outputs[0], folder, prefix + outputs[0].file, top)
    cells: Columns = table.pop("cells")
    codes = {name: [text or "" for text in cells.data[name].texts] for name in outputs[0].variables}
    variables = {name: Classification(own, ALL if ALL in own else None) for name, own in codes.items()}
    return Dataset(outputs[0].name, "", cells, variables, table)


def _session(folder: Folder, name: str) -> tuple[list[_Output], str, Place]:
    """Outputs that are tables (the one that is named, if one is), the folder of their files, and the place of the
    session; what is left out is told."""
    name, wanted = file_and_part(name)
    top = Place(name)
    document = _object(parse_document(folder.text(name, top), name, json_only=True), top)
    results = _object(document.get("results"), top / "results")
    if wanted is not None and wanted not in results:
        found, expected = f"no output {quoted(wanted)}", f"one of {listing(map(quoted, results))}"
        raise InputError(found=found, expected=expected, at=top / "results")
    session = _Session()
    for key, entry in results.items():
        if wanted in (None, key):
            _sorted(key, _object(entry, top / "results" / key), session, top / "results" / key)
    for why, names in session.left_out.items():
        text = f"{name}: outputs that are left out, {why}: {listing(names)}."
        folder.notes.append(Note("acro_left_out", text, len(names)))
    if not session.outputs:
        raise InputError(
            "has no output that is a table of counts or sums.",
            at=top / "results" if wanted is None else top / "results" / wanted,
        )
    parent = str(PurePath(name).parent)
    return session.outputs, "" if parent == "." else f"{parent}/", top


def _document(
    outputs: Sequence[_Output], tables: Sequence[dict[str, Any]], folder: Folder, prefix: str
) -> dict[str, Any]:
    codes: dict[str, dict[str, None]] = {}
    digits: dict[str, int] = {}
    negative = False
    for output, table in zip(outputs, tables, strict=True):
        cells: Columns = table["cells"]
        for variable in output.variables:
            codes.setdefault(variable, {}).update(dict.fromkeys(t or "" for t in cells.data[variable].texts))
        numbers = [decimal(text) for text in cells.data[table["value"]].texts if text]
        digits[output.measure] = max([digits.get(output.measure, 0), *(places(n) or 0 for n in numbers)])
        negative |= any(number < 0 for number in numbers)
    document: dict[str, Any] = {
        "tableseal": "1",
        "title": "",
        "measures": {
            name: {"kind": "count"}
            if name == _COUNT
            else {"kind": "magnitude", "unit": decimal_text(Fraction(1, 10**own))}
            for name, own in digits.items()
        },
        "variables": {
            name: {"total": ALL, "codes": [code for code in own if code != ALL]} for name, own in codes.items()
        },
        "tables": list(tables),
        "intruder": {"nonnegative": not negative},
    }
    threshold = _threshold(folder, f"{prefix}config.json")
    if threshold is not None and set(digits) != {_COUNT}:
        text = f"the threshold of {threshold} in config.json judges nothing here: sums tell no numbers of contributors."
        folder.notes.append(Note("acro_threshold", text))
    elif threshold is not None:
        document["policy"] = {"primary": [{"threshold": str(threshold)}]}
    return document


def _sorted(key: str, entry: Mapping[str, Any], session: _Session, where: Place) -> None:
    """An output among those that are read, or those that are left out."""
    if entry.get("type") != "table":
        kind = entry.get("type")
        session.left_out.setdefault("which are no tables", []).append(f"{key} ({kind})")
        return
    command = _text(entry.get("command"))
    fair = entry.get("fair") if isinstance(entry.get("fair"), Mapping) else {}
    assert isinstance(fair, Mapping)
    barn = fair.get("statbarn")
    counts = barn == "Frequencies" if barn else not _VALUES.search(command)
    if not counts and not _SUM.search(command):
        session.left_out.setdefault("whose values are no counts and no sums", []).append(key)
        return
    variables = fair.get("independent")
    if not isinstance(variables, list) or not variables or not all(isinstance(v, str) for v in variables):
        text = f"says no variables of {key} (`fair.independent`); ACRO 1.0 and later do."
        raise InputError(text, at=where)
    if len(set(variables)) < len(variables):
        text = f"names a variable twice: {listing(map(quoted, variables))}; expected each once."
        raise InputError(text, at=where / "fair" / "independent")
    dependent = _text(fair.get("dependent"))
    measure = _COUNT if counts else dependent if dependent not in ("", "unknown") else "value"
    if measure in variables:
        raise InputError(f"a variable is called {quoted(measure)}, as the values are.", at=where)
    properties = entry.get("properties")
    base = _base(properties if isinstance(properties, Mapping) else {}, where / "properties")
    for at, (file, flagged) in enumerate(_files(entry, where)):
        name = key if at == 0 else f"{key} ({at + 1})"
        session.outputs.append(
            _Output(name, file, tuple(variables), measure, base, flagged, _across(entry), _rows(entry))
        )


def _base(properties: Mapping[str, Any], where: Place) -> int | None:
    if properties.get("mitigation") != "round":
        return None
    said = _text(properties.get("round_base"))
    if not (_is_number(said) and int(said) > 1):
        raise InputError(found=quoted(said), expected="the base of the rounding", at=where / "round_base")
    if int(said) % 2 == 0:
        text = "is even, and ACRO rounds halves to either side; say in a release file what its values stand for."
        raise InputError(text, at=where / "round_base")
    return int(said)


def _files(entry: Mapping[str, Any], where: Place) -> list[tuple[str, frozenset[tuple[int, int]]]]:
    """Files of an output, with the cells that checks found."""
    files = entry.get("files")
    if not isinstance(files, list) or not files:
        raise InputError(expected="a list of files", at=where / "files")
    found = []
    for at, file in enumerate(files):
        place = where / "files" / at
        name = _text(_object(file, place).get("name"))
        if not name:
            raise InputError(expected="a file with its name", at=place)
        found.append((name, _flagged(file, place)))
    return found


def _flagged(file: Mapping[str, Any], where: Place) -> frozenset[tuple[int, int]]:
    sdc = file.get("sdc")
    cells = sdc.get("cells") if isinstance(sdc, Mapping) else None
    found: set[tuple[int, int]] = set()
    for check in (*_CHECKS, *_OLD_CHECKS):
        pairs = cells.get(check, []) if isinstance(cells, Mapping) else []
        for pair in pairs if isinstance(pairs, list) else []:
            if not isinstance(pair, list) or len(pair) != 2 or not all(_is_number(_text(p)) for p in pair):
                raise InputError(expected="pairs of a row and a column", at=where / "sdc" / "cells" / check)
            found.add((int(pair[0]), int(pair[1])))
    return frozenset(found)


def _across(entry: Mapping[str, Any]) -> int:
    """How many variables stand along the top: as many as the keys of the outcome have parts."""
    outcome = entry.get("outcome")
    keys = list(outcome) if isinstance(outcome, Mapping) else []
    if keys and all(key.startswith("(") and key.endswith(")") for key in keys):
        return str(keys[0]).count("', '") + 1
    return 1


def _rows(entry: Mapping[str, Any]) -> int | None:
    """How many rows the outcome has; None: it does not say."""
    outcome = entry.get("outcome")
    columns = list(outcome.values()) if isinstance(outcome, Mapping) else []
    sizes = {len(column) for column in columns if isinstance(column, Mapping)}
    return sizes.pop() if len(sizes) == 1 and sizes != {0} else None


def _table(output: _Output, folder: Folder, file: str, top: Place) -> dict[str, Any]:
    """The table of an output, a row for each cell."""
    if not file.lower().endswith(".csv"):
        raise InputError(f"{output.name} is a table in {quoted(file)}; expected a .csv file.", at=top)
    content = folder.text(file, top / "results" / output.name / "files")
    note_open_end(content, file, folder.notes)
    rows, lines = read_rows(content, file)
    down, headings = len(output.variables) - output.across, 1 if output.across == 1 else output.across + 1
    if down < 1 or len(rows) <= headings:
        text = f"has {len(rows)} rows, and {output.name} has the variables {listing(output.variables)}."
        raise InputError(text, at=Place(file))
    listed = len(rows) - headings
    if output.rows not in (None, listed):
        text = f"{file}: has {listed} rows, and the outcome in {top} lists {output.rows}; it may be cut off."
        folder.notes.append(Note("acro_rows", text))
    width = len(rows[0])
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            text = f"has {len(row)} entries, but the first row has {width}."
            raise InputError(text, at=Place(file, line=line))
    named = rows[headings - 1][:down]
    if named != list(output.variables[:down]):
        found, expected = listing(map(quoted, named)), listing(map(quoted, output.variables[:down]))
        raise InputError(found=found, expected=expected, at=Place(file, line=lines[headings - 1]))
    top_codes = [tuple(rows[at][column] for at in range(output.across)) for column in range(down, width)]
    data: dict[str, list[str | None]] = {variable: [] for variable in output.variables}
    shown_as = free("value", data)
    status = free("status", [*data, shown_as])
    data |= {shown_as: [], status: []}
    ends: list[int] = []
    shown: list[tuple[int, int]] = []
    for at, (row, line) in enumerate(zip(rows[headings:], lines[headings:], strict=True)):
        for column, across in enumerate(top_codes):
            codes = [*_codes(row[:down]), *_codes(across)]
            for variable, code in zip(output.variables, codes, strict=True):
                if not code:
                    raise InputError(f"a code of {quoted(variable)} is empty.", at=Place(file, line=line))
                data[variable].append(code)
            value = _number(row[down + column], file, line, whole=output.measure == _COUNT)
            data[shown_as].append(value)
            withheld = "primary" if (at, column) in output.flagged else "withheld"
            data[status].append("published" if value is not None else withheld)
            ends.append(line)
            shown += [(at, column)] * (value is not None)
    found_by_checks = sum((at, column) in output.flagged for at, column in shown)
    if found_by_checks:
        text = f"{output.name}: cells that a check of ACRO found are shown."
        folder.notes.append(Note("acro_shown", text, found_by_checks))
    cells = replace(Columns.of(Place(file), data), lines=np.array(ends, dtype=np.int64))
    table: dict[str, Any] = {"name": output.name, "measure": output.measure, "value": shown_as, "status": status}
    table |= {"decimal": ".", "cells": cells}
    if output.base is not None:
        table["rounding"] = {"base": str(output.base), "method": "conventional"}
    return table


def _codes(codes: Sequence[str]) -> list[str]:
    """Codes of one side; in the row (or column) of the total those behind the first are empty."""
    return [ALL if code == "" and codes[0] == ALL else code for code in codes]


def _number(text: str, file: str, line: int, *, whole: bool) -> str | None:
    """A number as text; None: the cell is empty. Counts may be written with decimals (3.0)."""
    if text.strip() == "" or text.strip().lower() == "nan":
        return None
    try:
        number = decimal(text.strip())
    except ValueError:
        raise InputError(found=quoted(text), expected="a number", at=Place(file, line=line)) from None
    if abs(number) > LIMIT:
        raise InputError(found=quoted(text), expected="a number of at most 2**60", at=Place(file, line=line))
    if whole and number.denominator != 1:
        raise InputError(found=quoted(text), expected="a whole number, as counts are", at=Place(file, line=line))
    return decimal_text(round(number, _DIGITS))


def _threshold(folder: Folder, name: str) -> int | None:
    """The least frequency that ACRO was told to let through; None: nothing is beside that says it."""
    if not folder.beginning(name, 1):
        return None
    config = parse_document(folder.text(name, Place(name)), name, json_only=True)
    said = _text(config.get("safe_threshold")) if isinstance(config, Mapping) else ""
    return int(said) if _is_number(said) and 0 < int(said) < 10**6 else None


def _object(found: object, where: Place) -> Mapping[str, Any]:
    if not isinstance(found, Mapping):
        raise InputError(found="nothing" if found is None else "no object", expected="an object", at=where)
    return found


def _is_number(text: str) -> bool:
    """A whole number of at most nine digits."""
    return text.isascii() and text.isdigit() and len(text) < 10


def _text(found: object) -> str:
    return found if isinstance(found, str) else ""
