"""Columns of a data file that a release names, by its format: how its name ends. A new format is an entry here."""

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any, Final

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.columns import Columns, inline_columns
from tableseal.audit.io.delimited import read_delimited, read_rows
from tableseal.audit.io.files import Folder, decode, note_open_end
from tableseal.audit.io.formats.registry import format_in
from tableseal.audit.io.frames import columns_from_parquet
from tableseal.audit.io.numbers import looks_like_number
from tableseal.audit.io.periods import are_periods
from tableseal.audit.model import Note
from tableseal.audit.plugins import blaming, load

Reader = Callable[[bytes, str, list[Note]], Columns]
"""(content of the file, its name for messages, notes of what is to be told) -> its columns."""


def _delimited(content: bytes, source: str, notes: list[Note]) -> Columns:
    text, found = decode(content, source)
    notes.extend(found)
    note_open_end(text, source, notes)
    refused: InputError | None = None
    file, crossed = _file_and_sheet(source)
    if crossed is not None:
        from tableseal.audit.io.titled import cross_table

        cross = cross_table(text, file, notes)
        if cross is None:
            raise InputError("is no cross table: expected codes along the top and down the side.", at=file)
        return cross
    try:
        columns = read_delimited(text, source)
        if len(columns.data) > 1:  # of one column there is no table; it may be the title of one
            return columns
    except InputError as error:
        refused = error
    from tableseal.audit.io.titled import between_titles  # late: few files have titles

    _refuse_unnamed(text, source)
    titled = between_titles(text, source, notes)
    if titled is None and refused is not None:
        raise refused
    return columns if titled is None else titled


def _refuse_unnamed(text: str, source: str) -> None:
    """Refuse a text whose first row names some columns and not those of its numbers: it is no title above a table."""
    try:
        first, *others = read_rows(text, source, limit=_LOOKED_AT)[0]
    except InputError:
        return
    if len(first) < 2 or not first[0].strip() or any(len(row) != len(first) for row in others):
        return
    for at, name in enumerate(first):
        entries = [row[at].strip() for row in others]
        if not name.strip() and entries and looks_like_number(entries[0]) and not are_periods(entries[:1]):
            text = f"column {at + 1} has no name in the first row, and there are numbers below it"
            raise InputError(text, at=Place(source, line=1), remedy="give it a name")


def _parquet(content: bytes, source: str, notes: list[Note]) -> Columns:
    return columns_from_parquet(content, source)


def _excel(content: bytes, source: str, notes: list[Note]) -> Columns:
    from tableseal.audit.io.excel.workbook import excel_columns  # late: most read no workbook

    name, sheet = _file_and_sheet(source)
    return excel_columns(content, name, sheet, notes)


def _statistical(content: bytes, source: str, notes: list[Note]) -> Columns:
    from tableseal.audit.io.statistical import statistical_columns  # late, as above

    return statistical_columns(content, source, notes)


STATISTICAL = (".sas7bdat", ".xpt", ".sav", ".zsav", ".por", ".dta")
"""Endings of files of SAS, SPSS and Stata."""

EXCEL = (".xlsx", ".xlsm")
"""Endings of workbooks; `NAME.xlsx#SHEET` is one of their sheets."""


TEXT_FORMATS = (".csv", ".tsv", ".txt")

_LOOKED_AT: Final = 50
"""Rows at the beginning of a text without a usable first row."""

CROSS: Final = "#cross"
"""`NAME.csv#cross` is a text with codes along the top, where its headings could be those of a plain table, too."""


def _file_and_sheet(name: str) -> tuple[str, str | None]:
    file, sign, sheet = name.rpartition("#")
    if sign and (file.lower().endswith(EXCEL) or (file.lower().endswith(TEXT_FORMATS) and f"#{sheet}" == CROSS)):
        return file, sheet
    return name, None


READERS: Mapping[str, Reader] = {
    **dict.fromkeys(TEXT_FORMATS, _delimited),
    **dict.fromkeys((".parquet", ".pq"), _parquet),
    **dict.fromkeys(EXCEL, _excel),
    **dict.fromkeys(STATISTICAL, _statistical),
}
"""Ending of the name -> reader. Files that end otherwise are taken for delimited text."""

_DOCUMENTS = (".yaml", ".yml", ".json", "")

GROUP: Final = "tableseal.readers"


def is_data_file(path: PurePath) -> bool:
    """True for files that hold bare data and no release document."""
    ending = _ending(str(path))
    return ending not in _DOCUMENTS and _reader(ending) is not None


def read_columns(folder: Folder, name: str, where: Place) -> Columns:
    """The columns of a data file inside the folder; `where` names it in the document.

    Raises
    ------
    InputError: the file cannot be read. PluginError: a package that is to read it cannot.
    """
    ending = _ending(name)
    found = None if ending in READERS else format_in(folder, name)
    if found is not None and found.columns:
        columns: Columns = found.dataset(folder, name, {}).columns
        return columns
    reader = _reader(ending) or _delimited
    return reader(folder.content(_file_and_sheet(name)[0], where), name, folder.notes)


def _ending(name: str) -> str:
    return PurePath(_file_and_sheet(name)[0]).suffix.lower()


def _reader(ending: str) -> Reader | None:
    """One of ours, or one that an installed package adds: a function of content and name of a file whose result is
    checked."""
    if ending in READERS or not ending:
        return READERS.get(ending)
    added: Any = load(GROUP, ending[1:], [known[1:] for known in READERS])
    if added is None:
        return None

    def read(content: bytes, source: str, notes: list[Note]) -> Columns:
        with blaming(GROUP, ending[1:]):
            found = added(content, source)
        return inline_columns(found, Place(source))

    return read
