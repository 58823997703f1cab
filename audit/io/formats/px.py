"""PC-Axis files (.px): a cube of figures with its classifications, as PxWeb and other programs publish it.

Source: PX-file format, axis-version 2013 (Statistics Sweden). A dot symbol (`..`) has no meaning of its own: what
DATASYMBOL says of it counts where that is clear, and who reads the file says the rest.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, LimitError, Place
from tableseal.audit.io.column import Column
from tableseal.audit.io.columns import Columns, check_width
from tableseal.audit.io.entries import check_entries
from tableseal.audit.io.files import Folder
from tableseal.audit.io.formats import px_out
from tableseal.audit.io.formats.dataset import MEASURE, Classification, Content, Dataset, reader
from tableseal.audit.io.formats.format import Letters
from tableseal.audit.io.formats.grid import MOST_CELLS, codes_of_cells, free
from tableseal.audit.io.formats.nested import groupings_of, total_of
from tableseal.audit.io.formats.px_text import Keyword, Text, decoded, parse
from tableseal.audit.io.formats.said import Symbols, letters_meaning, said_meaning
from tableseal.audit.io.numbers import decimal, decimal_text, places
from tableseal.audit.io.totals import NAMES
from tableseal.audit.model import Note
from tableseal.audit.wording import listing, quoted, repeated, suggestion

SYMBOLS: Mapping[str, str] = {
    **{"." * dots: f"DATASYMBOL{dots}" for dots in range(1, 7)},
    "-": "DATASYMBOLNIL",
    "SUM": "DATASYMBOLSUM",
}
"""What stands in the data -> the keyword that says what it means."""

_TOKEN = re.compile(r'"([^"]*+)"|([^\s"]++)')
_KEY = re.compile(r'"([^"]*+)"\s*,')
_ROW = re.compile(r'\s*+((?:"[^"]*+"\s*+,\s*+)++)((?:[^"]++|"[^"]*+"(?!\s*+,))*+)')
"""Of a file with KEYS: the keys of a row, and its figures up to the next key."""
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?|[+-]?\.[0-9]+(?:[eE][+-]?[0-9]{1,3})?")
_STARTS = re.compile(
    rb'\s*(?:\xef\xbb\xbf)?\s*(?:CHARSET|AXIS-VERSION|CODEPAGE|LANGUAGE|MATRIX)\s*=\s*"', re.IGNORECASE
)


def dataset(folder: Folder, name: str, letters: Letters) -> Dataset:
    """The cube in a file.

    Raises
    ------
    InputError: what is no PC-Axis file, lacks a keyword, has more or fewer figures than its classifications say, or
        text that is no figure and no symbol; names line and keyword.
    """
    text, notes = decoded(folder.content(name, Place(name)), name)
    folder.notes.extend(notes)
    file = parse(text, name)
    variables = _variables(file)
    by = _contents_variable(file, variables)
    value = free("value", variables)
    values, lines = _values(file, variables)
    codes = [_values_of(file, variable)[1] for variable in variables]
    columns = Columns(
        Place(name),
        {**codes_of_cells(dict(zip(variables, codes, strict=True))), value: values},
        lines,
    )
    declared = _declared(file)
    symbols = [t for t in values.texts if t is not None and not _NUMBER.fullmatch(t)]
    said = {symbol: meaning for symbol, text in declared.items() if (meaning := said_meaning(text)) is not None}
    said |= {symbol: word for symbol, word in letters_meaning(letters).items() if symbol in symbols}
    marks = {symbol: said[symbol] for symbol in symbols if symbol in said}
    _note_confidential(file, folder)
    unsaid = [symbol for symbol in symbols if symbol not in marks]
    return Dataset(
        _text(file, "MATRIX") or name.rpartition(".")[0] or name,
        _text(file, "DESCRIPTION") or _text(file, "TITLE") or "",
        columns,
        {variable: _classification(file, variable) for variable in variables if variable != by},
        {"value": value, "status": "none", "decimal": ".", "marks": marks},
        _contents(file, by, values),
        by,
        Symbols(name, declared, unsaid=unsaid),
    )


read = reader(dataset)
write = px_out.write


def _variables(file: Text) -> list[str]:
    """Names of the variables, the last one running fastest."""
    found: list[str] = []
    for name in ("STUB", "HEADING"):
        keyword = file.one(name)
        found += [] if keyword is None else keyword.values
    if not found:
        raise InputError("has neither STUB nor HEADING, which name the variables.", at=file.source)
    check_width(len(found), file.source)
    if twice := repeated(found):
        raise InputError(f"the variable {quoted(twice[0])} is in STUB and HEADING twice.", at=file.source)
    return found


def _values_of(file: Text, variable: str) -> tuple[Sequence[str], Sequence[str]]:
    """Labels and codes of a variable; the labels are the codes where there are no others."""
    keyword = file.one("VALUES", variable)
    codes = file.one("CODES", variable)
    if keyword is None and codes is None:
        named = [subject[0] for subject in file.each("VALUES") if subject]
        text = f'there is no VALUES("{variable}"){suggestion(variable, named)}.'
        raise InputError(text, at=file.source)
    used = codes or keyword
    assert used is not None
    if keyword is not None and len(keyword.values) != len(used.values):
        text = f"has {len(used.values)} codes, but VALUES({quoted(variable)}) has {len(keyword.values)} values."
        raise InputError(text, at=file.place(used))
    if twice := repeated(used.values):
        raise InputError(f"{quoted(twice[0])} is there twice.", at=file.place(used))
    if not used.values or not all(code.strip() for code in used.values):
        raise InputError(found="an empty code" if used.values else "nothing", expected="codes", at=file.place(used))
    return (keyword or used).values, used.values


def _contents_variable(file: Text, variables: Sequence[str]) -> str | None:
    keyword = file.one("CONTVARIABLE")
    if keyword is None or not keyword.values:
        return None
    if keyword.values[0] not in variables:
        text = (
            f"there is no variable {quoted(keyword.values[0])}{suggestion(keyword.values[0], variables)}; variables are"
        )
        raise InputError(f"{text} {listing(variables)}.", at=file.place(keyword))
    if len(variables) == 1:
        raise InputError("the only variable says what the figures are of; there is no other.", at=file.place(keyword))
    return keyword.values[0]


def _contents(file: Text, by: str | None, values: Column) -> dict[str, Content]:
    """Code of the contents -> what it says; the unit follows from the decimals that are declared or seen."""
    keyword = file.one("DECIMALS")
    declared = 0 if keyword is None else _count(file, keyword)
    seen = (places(decimal(text)) or 0 for text in values.texts if text and _NUMBER.fullmatch(text))
    digits = max((declared, *seen))
    unit = None if digits == 0 else decimal_text(Fraction(1, 10**digits))
    if by is None:
        return {"": Content(_text(file, "CONTENTS") or MEASURE, unit=unit)}
    labels, codes = _values_of(file, by)
    names = labels if len(set(labels)) == len(labels) else codes
    return {code: Content(label, unit=unit) for label, code in zip(names, codes, strict=True)}


def _count(file: Text, keyword: Keyword) -> int:
    if len(keyword.values) != 1 or not re.fullmatch(r"[0-9]|1[0-5]", keyword.values[0]):
        found = ", ".join(keyword.values)[:40]
        raise InputError(found=quoted(found), expected="a number of decimals, at most 15", at=file.place(keyword))
    return int(keyword.values[0])


def _text(file: Text, name: str) -> str | None:
    keyword = file.one(name)
    return ", ".join(keyword.values) if keyword is not None else None


def _classification(file: Text, variable: str) -> Classification:
    """Codes, total (ELIMINATION, or the only value that is called one) and groups (HIERARCHIES)."""
    labels, codes = _values_of(file, variable)
    code_of = {**dict(zip(labels, codes, strict=True)), **{code: code for code in codes}}
    total = None
    elimination = file.one("ELIMINATION", variable)
    if elimination is not None and elimination.values and elimination.values[0].upper() not in ("YES", "NO"):
        total = code_of.get(elimination.values[0])
        if total is None:
            near = suggestion(elimination.values[0], labels)
            text = f"{quoted(elimination.values[0])} is no value of {quoted(variable)}{near}."
            raise InputError(text, at=file.place(elimination))
    called = [code for label, code in zip(labels, codes, strict=True) if label.strip().casefold() in NAMES]
    if total is None and len(called) == 1:
        total = called[0]
    groups = file.one("HIERARCHIES", variable)
    if groups is None:
        return Classification(codes, total)
    edges = [(None if p is None else code_of.get(p, p), code_of.get(c, c)) for p, c in groups.pairs]
    return Classification(codes, total or total_of(edges, codes), groupings_of(edges))


def _declared(file: Text) -> dict[str, str]:
    """Symbol -> what the file says that it means."""
    found = {symbol: _text(file, keyword) for symbol, keyword in SYMBOLS.items()}
    return {symbol: text for symbol, text in found.items() if text}


def _note_confidential(file: Text, folder: Folder) -> None:
    keyword = file.one("CONFIDENTIAL")
    if keyword is not None and keyword.values != ("0",):
        text = (
            f"{file.source}: CONFIDENTIAL={' '.join(keyword.values)[:20]} asks the program that shows the file to hide "
            "or round figures; what is audited are the figures that stand in the file."
        )
        folder.notes.append(Note("px_confidential", text))


def _values(file: Text, variables: Sequence[str]) -> tuple[Column, NDArray[np.int64]]:
    """The figure or symbol of each cell, and the line in which it stands."""
    codes = {variable: _values_of(file, variable) for variable in variables}
    sizes = [len(each) for _, each in codes.values()]
    cells = prod(sizes)
    if cells > MOST_CELLS:
        raise LimitError(f"has {cells:,} cells, more than the limit of {MOST_CELLS:,}.", at=file.source)
    check_entries(cells, len(file.data), file.source)
    keyed = _keyed(file, variables)
    if keyed:
        return _sparse(file, codes, keyed, cells)
    where = Place(file.source, line=file.line, column="DATA")
    texts: list[str] = []
    lines: list[int] = []
    for line, quote, bare in _tokens(file.data, file.line):
        if len(texts) < cells:
            texts.append(_figure(quote, bare, Place(file.source, line=line, column="DATA")))
            lines.append(line)
        else:
            lines.append(line)
    if len(lines) != cells:
        sides = " x ".join(map(str, sizes))
        text = f"has {len(lines):,} figures, but the classifications have {sides} = {cells:,} cells"
        few = len(lines) < cells
        remedy = "the file seems to be cut off, or a figure is missing" if few else "a value is missing in VALUES"
        raise InputError(text, at=where, remedy=remedy)
    return Column.of(texts), np.array(lines, np.int64)


def _tokens(data: str, line: int) -> Iterator[tuple[int, str | None, str | None]]:
    """(line, text in quotation marks, bare text) of everything in the data that begin in a line."""
    at = 0
    for found in _TOKEN.finditer(data):
        line += data.count("\n", at, found.start())
        at = found.start()
        yield line, found[1], found[2]


def _figure(quote: str | None, bare: str | None, place: Place) -> str:
    """A number as it stands, or a symbol.

    Raises
    ------
    InputError: anything else.
    """
    text = (bare if quote is None else quote) or ""
    if quote is None and _NUMBER.fullmatch(text):
        return text
    plain = text.strip()
    if plain in SYMBOLS or (quote is not None and plain and not any(c.isdigit() for c in plain)):
        return plain
    expected = 'a number with a decimal point, or a symbol such as ".."'
    if quote is not None and any(c.isdigit() for c in plain):
        expected = 'a number without quotation marks, or a symbol such as ".."'
    raise InputError(found=quoted(text[:40]), expected=expected, at=place)


def _keyed(file: Text, variables: Sequence[str]) -> dict[str, bool]:
    """Variables whose codes stand before the figures of a row (KEYS) -> by code (else by value)."""
    found: dict[str, bool] = {}
    for subject, keyword in file.each("KEYS").items():
        word = keyword.values[0].upper() if len(keyword.values) == 1 else ""
        if len(subject) != 1 or subject[0] not in variables or word not in ("VALUES", "CODES"):
            expected = 'KEYS("variable")=VALUES; or =CODES;'
            raise InputError(found=quoted(" ".join(keyword.values)[:40]), expected=expected, at=file.place(keyword))
        found[subject[0]] = word == "CODES"
    first = list(variables[: len(found)])
    if found and set(found) != set(first):
        text = f"KEYS are for {listing(found)}, but the first variables of the table are {listing(first)}."
        raise InputError(text, at=file.source)
    return {variable: found[variable] for variable in first}


def _sparse(
    file: Text, codes: Mapping[str, tuple[Sequence[str], Sequence[str]]], keyed: Mapping[str, bool], cells: int
) -> tuple[Column, NDArray[np.int64]]:
    """The figures of a file that lists rows by their keys; a row that is not listed is zero."""
    names = [codes[variable][1] if by_code else codes[variable][0] for variable, by_code in keyed.items()]
    rows = {key: at for at, key in enumerate(product(*names))}
    width = cells // len(rows)
    texts = ["0"] * cells
    lines = np.full(cells, file.line, np.int64)
    listed: dict[int, int] = {}
    at, line, end = 0, file.line, len(file.data.rstrip())
    while at < end:
        row = _ROW.match(file.data, at)
        line += file.data.count("\n", at, end if row is None else row.start(1))
        where = Place(file.source, line=line, column="DATA")
        if row is None:
            expected = "keys in quotation marks, each with a comma behind it, and figures"
            raise InputError(found=quoted(file.data[at:end].strip()[:40]), expected=expected, at=where)
        key = tuple(_KEY.findall(row[1]))
        place = rows.get(key)
        if place is None:
            raise InputError(f"there is no row {listing(key)} in {_lists(keyed)}.", at=where)
        if place in listed:
            raise InputError(f"the row {listing(key)} is there twice (first in line {listed[place]}).", at=where)
        listed[place] = line
        figures = list(_tokens(row[2], line + row[1].count("\n")))
        if len(figures) != width:
            text = f"the row {listing(key)} has {len(figures):,} figures, expected {width:,}."
            raise InputError(text, at=where)
        for cell, (found, quote, bare) in enumerate(figures, place * width):
            texts[cell] = _figure(quote, bare, Place(file.source, line=found, column="DATA"))
            lines[cell] = found
        line += file.data.count("\n", row.start(1), row.end())
        at = row.end()
    return Column.of(texts), lines


def _lists(keyed: Mapping[str, bool]) -> str:
    return listing(f"{'CODES' if by_code else 'VALUES'}({quoted(variable)})" for variable, by_code in keyed.items())
