"""Tables of tau-ARGUS (.tab with its .rda) -> release documents, and what jobs make of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import PurePath
from typing import Any, Final

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus.classification import Classification, classification
from tableseal.audit.io.argus.document import release_document
from tableseal.audit.io.argus.entries import Numbers, Statuses
from tableseal.audit.io.argus.intermediate import hrc_name, intermediate_files
from tableseal.audit.io.argus.lookup import beside
from tableseal.audit.io.argus.metadata import Metadata, Role, read_metadata
from tableseal.audit.io.argus.records import Record, read_records
from tableseal.audit.io.argus.shown import shown_table
from tableseal.audit.io.argus.table import ArgusTable, Row
from tableseal.audit.io.column import Column
from tableseal.audit.io.files import Folder, note_open_end
from tableseal.audit.io.numbers import places
from tableseal.audit.io.statuses.flags import looks_like_flags
from tableseal.audit.io.statuses.schemes import SCHEMES
from tableseal.audit.model import COLUMNS_LEFT_OUT, Note, Release, Status
from tableseal.audit.wording import listing, quoted, suggestion

DATA, METADATA = ".tab", ".rda"

_MOST_DECIMALS = 9


@dataclass(frozen=True)
class Specified:
    """What a job wants of a data file: variables, response (None: the only one; FREQUENCY: the number of contributors),
    shadow and cost variable, in any letter case."""

    variables: tuple[str, ...] = ()
    response: str | None = None
    shadow: str | None = None
    cost: str | None = None


FREQUENCY: Final = "<FREQ>"
"""Stands for the number of contributors as response."""


def read(folder: Folder, name: str, letters: Mapping[str, str]) -> dict[str, Any]:
    """The release that a .tab file is with the .rda file beside it; either may be named.

    letters: flag -> status word, before what the metadata say.

    Raises
    ------
    InputError: a file that is not there or cannot be read, several responses.
    """
    is_data = PurePath(name).suffix.lower() == DATA
    data, described = (name, beside(folder, name, METADATA)) if is_data else (beside(folder, name, DATA), name)
    if PurePath(data).stem != PurePath(described).stem:
        folder.notes.append(Note("argus_metadata", f"{data} is read by what {described} says, the only one beside it."))
    table = read_table(folder, data, described, Specified(), Place(name), letters)
    return release_document([table], folder.notes)


def write(release: Release, name: str) -> dict[str, bytes]:
    """The files of a release of one table, the .tab file last.

    Raises
    ------
    InputError: several tables, or something that the format cannot hold (see `shown_table`).
    """
    if len(release.tables) != 1 or release.statistics:
        count = len(release.tables) + len(release.statistics)
        raise InputError(f"the release has {count} tables, and a .tab file holds one.", at=name)
    stem = PurePath(name).stem
    files = intermediate_files(shown_table(release, 0), stem)
    tab = files.pop(f"{stem}.tab")
    return {file: text.encode() for file, text in files.items()} | {name: tab.encode()}


def companions(release: Release, name: str) -> tuple[str, ...]:
    """The metadata, and a hierarchy for each variable that needs one."""
    stem = PurePath(name).stem
    return (f"{stem}.rda", *(hrc_name(stem, variable) for variable in release.variables))


def read_table(
    folder: Folder, data: str, described: str, wanted: Specified, where: Place, letters: Mapping[str, str] | None = None
) -> ArgusTable:
    """The table in a data file.

    Parameters
    ----------
    data, described: names of the .tab and the .rda file. wanted: of a job. where: what names the files.
    letters: flag -> status word, before what the metadata say.

    Raises
    ------
    InputError: anything in the files that cannot be used; names file and line.
    """
    metadata = read_metadata(folder.text(described, where), described, tabular=True)
    text = folder.text(data, where)
    note_open_end(text, data, folder.notes)
    records = read_records(text, metadata, data)
    _left_out(metadata, records, folder)
    dimensions = _dimensions(metadata, wanted, where)
    response = _response(metadata, wanted, where)
    numbers = Numbers(data)
    classes = {
        at: classification(metadata.variables[at], (r.entries[at] for r in records), folder) for at in dimensions
    }
    columns = _Columns.of(metadata, wanted, response, where)
    statuses = Statuses(metadata, letters or {}, columns.status, data)
    rows = _rows(records, dimensions, classes, columns, numbers, statuses, data)
    told = metadata.variables[response].decimals
    found = max((places(row.value) or 0 for row in rows if row.value is not None), default=0)
    counts = metadata.variables[response].role == "frequency"
    decimals = 0 if counts else min(found, _MOST_DECIMALS) if told is None else told
    if told is None and found and not counts:
        text = f"{described}: {metadata.variables[response].name} has no <DECIMALS>; the values have {decimals}."
        folder.notes.append(Note("argus_decimals", text))
    _note_distances(metadata, dimensions, folder)
    variables = {metadata.variables[at].name: classes[at] for at in dimensions}
    name = metadata.variables[response].name
    return ArgusTable(variables, name, "count" if counts else "magnitude", decimals, tuple(rows), data)


@dataclass(frozen=True)
class _Columns:
    """Positions of columns; None: there is none."""

    value: int
    frequency: int | None
    shadow: int | None
    cost: int | None
    lower: int | None
    upper: int | None
    status: int | None
    tops: tuple[int, ...]

    @staticmethod
    def of(metadata: Metadata, wanted: Specified, response: int, where: Place) -> "_Columns":
        def named(name: str | None, role: Role) -> int | None:
            if name is None:
                return _one(metadata, role)
            return named_variable(metadata, name, where)

        return _Columns(
            response,
            _one(metadata, "frequency"),
            named(wanted.shadow, "shadow"),
            named(wanted.cost, "cost"),
            _one(metadata, "lower"),
            _one(metadata, "upper"),
            _one(metadata, "status"),
            metadata.of_role("top"),
        )


def _rows(
    records: Sequence[Record],
    dimensions: Sequence[int],
    classes: Mapping[int, Classification],
    columns: _Columns,
    numbers: Numbers,
    statuses: Statuses,
    source: str,
) -> list[Row]:
    rows: list[Row] = []
    seen: dict[tuple[str, ...], int] = {}
    for record in records:
        codes = []
        for at in dimensions:
            code = classes[at].code(record.entries[at])
            if code is None:
                raise classes[at].unknown(record.entries[at], Place(source, line=record.line, column=at + 1))
            codes.append(code)
        key = tuple(codes)
        if key in seen:
            text = f"the cell {', '.join(key)} is there twice; it is in line {seen[key]} already."
            raise InputError(text, at=Place(source, line=record.line))
        seen[key] = record.line
        frequency = numbers.read(record, columns.frequency)
        if frequency is not None and (frequency.denominator != 1 or frequency < 0):
            place = Place(source, line=record.line, column=(columns.frequency or 0) + 1)
            raise InputError(expected="a whole number of contributors of at least 0", at=place)
        status, value = statuses.read(record), numbers.read(record, columns.value)
        if value is None and _is_empty(record, columns, status, frequency):
            value = Fraction(0)
        tops = tuple(number for at in columns.tops if (number := numbers.read(record, at)) is not None)
        rows.append(
            Row(
                key,
                value,
                status,
                None if frequency is None else int(frequency),
                numbers.read(record, columns.shadow),
                numbers.read(record, columns.cost),
                tops,
                numbers.read(record, columns.lower),
                numbers.read(record, columns.upper),
                record.line,
            )
        )
    return rows


def _left_out(metadata: Metadata, records: Sequence[Record], folder: Folder) -> None:
    """Tell of columns of which the metadata say nothing; refuse one that may say which cells are withheld."""
    declared = (*SCHEMES["tau-argus"], metadata.safe, metadata.unsafe, metadata.protect)
    letters = {letter for letter in declared if letter and not letter.isdigit()}
    nothing = metadata.of_role("none")
    for at in nothing:
        variable = metadata.variables[at]
        entries = Column.of(record.entries[at].strip() for record in records)
        said = {text for text in entries.texts if text}
        if looks_like_flags(variable.name, entries) or (said and said <= letters):
            text = f"{quoted(variable.name)} seems to say which cells are withheld, and nothing says what it holds"
            raise InputError(text, at=variable.at, remedy="write <STATUS> below it, or take it out of both files")
    if nothing:
        names = listing(metadata.variables[at].name for at in nothing)
        text = f"{metadata.source}: variables of which nothing is said are left out: {names}."
        folder.notes.append(Note(COLUMNS_LEFT_OUT, text, len(nothing)))


def _is_empty(record: Record, columns: _Columns, status: str, frequency: Fraction | None) -> bool:
    """A cell without a value that says itself that nobody contributes to it: E, or nobody is counted. A cell that is
    withheld is never one."""
    if status and Status[status.upper()].withheld:
        return False
    letter = "" if columns.status is None else record.entries[columns.status].strip().upper()
    said = letter in ("E", "13", "14") or frequency == 0
    return said and record.entries[columns.value].strip() in ("", "-")


def named_variable(metadata: Metadata, name: str, where: Place) -> int:
    """Position of a variable that a job names.

    Raises
    ------
    InputError: there is none; says which there are.
    """
    at = metadata.position(name)
    if at is None:
        names = [variable.name for variable in metadata.variables]
        text = f"{metadata.source} has no variable {quoted(name)}{suggestion(name, names)}; variables are "
        raise InputError(f"{text}{listing(names)}.", at=where, found=quoted(name), expected=listing(names))
    return at


def _dimensions(metadata: Metadata, wanted: Specified, where: Place) -> tuple[int, ...]:
    """Positions of the variables of the table: all of the file, in the order that is wanted."""
    codes = metadata.of_role("code")
    if not codes:
        raise InputError("no variable is <RECODEABLE>, so that nothing spans a table.", at=metadata.source)
    if not wanted.variables:
        return codes
    found = tuple(named_variable(metadata, name, where) for name in wanted.variables)
    left = [metadata.variables[at].name for at in codes if at not in found]
    wrong = [metadata.variables[at].name for at in found if at not in codes]
    if wrong or len(set(found)) < len(found):
        text = f"found {listing(wrong or wanted.variables)}, expected variables that are <RECODEABLE>, each once."
        raise InputError(text, at=where)
    if left:
        text = f"a table that is read is taken as it is: {listing(left)} must be named, too."
        raise InputError(text, at=where)
    return found


def _response(metadata: Metadata, wanted: Specified, where: Place) -> int:
    if wanted.response is not None and wanted.response.upper() == FREQUENCY:
        at = _one(metadata, "frequency")
        if at is None:
            raise InputError(f"{metadata.source} has no variable with <FREQUENCY>.", at=where)
        return at
    if wanted.response is not None:
        at = named_variable(metadata, wanted.response, where)
        if metadata.variables[at].role in ("code", "status", "none"):
            raise InputError(f"variable {quoted(wanted.response)} is not <NUMERIC>.", at=where)
        return at
    found = metadata.of_role("response") or metadata.of_role("frequency")
    if len(found) != 1:
        names = [metadata.variables[at].name for at in found]
        text = f"has {len(names)} responses ({listing(names)}); a job says which: <SPECIFYTABLE>."
        raise InputError(text if names else "has no response: no variable is <NUMERIC>.", at=metadata.source)
    return found[0]


def _one(metadata: Metadata, role: Role) -> int | None:
    found = metadata.of_role(role)
    if len(found) > 1:
        names = [metadata.variables[at].name for at in found]
        at = metadata.variables[found[1]].at
        raise InputError(f"several variables are {role}: {listing(names)}; expected one.", at=at)
    return found[0] if found else None


def _note_distances(metadata: Metadata, dimensions: Sequence[int], folder: Folder) -> None:
    names = [metadata.variables[at].name for at in dimensions if metadata.variables[at].distance]
    if names:
        text = f"{metadata.source}: <DISTANCE> of {listing(names)} is read and used for nothing: distances are counted "
        folder.notes.append(Note("argus_distance", text + "in steps of the hierarchy (cost -3, `--cost distance`)."))
