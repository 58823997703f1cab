"""Files of SAS, SPSS and Stata -> columns of text (needs the extra `stats`).

A code is its label where every value of the column has one. A system missing value is nothing: without a status it is
withheld. A tagged one (`.c`, `.B`) and one that SPSS calls user-missing (`-99`) become marks (`.c`, `user-missing
-99`), never a number or nothing: what they mean is said, or asked.
"""

import os
import tempfile
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import PurePath
from typing import Any, Final

from tableseal.audit.errors import InputError, LimitError, Place, TablesealError
from tableseal.audit.io.columns import Columns, check_width
from tableseal.audit.io.entries import check_entries
from tableseal.audit.io.scalars import scalar_text
from tableseal.audit.model import Note
from tableseal.audit.wording import listing

READERS: Final[Mapping[str, str]] = {
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
}
"""Ending of the name -> function of pyreadstat."""
_TAGGED: Final = (".dta", ".sas7bdat")
"""Formats with tagged missing values."""
_CARD: Final = 80
"""Bytes of a record of a transport file, which has as many of them as it needs and no end."""
_MOST_ROWS: Final = 5_000_000


def statistical_columns(content: bytes, source: str, notes: list[Note]) -> Columns:
    """The columns of a file.

    Raises
    ------
    InputError: the extra is not installed, no such file, no rows. LimitError: too many rows or columns.
    """
    ending = PurePath(source).suffix.lower()
    if ending == ".xpt" and len(content) % _CARD:
        text = f"has {len(content):,} bytes, and such files are made of records of {_CARD}; it seems to be cut off."
        raise InputError(text, at=source)
    frame, tagged, about = _read(content, source, ending)
    if len(frame) > _MOST_ROWS:
        raise LimitError(f"has {len(frame):,} rows, more than the limit of {_MOST_ROWS:,}.", at=source)
    check_width(len(frame.columns), source)
    if not len(frame):
        raise InputError("has no rows.", at=source)
    data: dict[str, list[str | None]] = {}
    numbers: list[str] = []
    labelled: list[str] = []
    marked: list[str] = []
    for name in frame.columns:
        values = frame[name].tolist()
        ranges = about.missing_ranges.get(name, ()) if about.missing_ranges else ()
        texts = [_text(value, tag, ranges) for value, tag in zip(values, tagged[name].tolist(), strict=True)]
        if any(text is not None and _is_mark(text) for text in texts):
            marked.append(str(name))
        labels = about.variable_value_labels.get(name) or {}
        known = {_plain(value): label for value, label in labels.items()}
        shown = [text for text in texts if text is not None and not _is_mark(text)]
        if shown and all(text in known for text in shown):
            labelled.append(str(name))
            texts = [known.get(text, text) if text is not None else None for text in texts]
        elif any(isinstance(value, int | float) for value in values):
            numbers.append(str(name))
        data[str(name)] = texts
    _tell(source, labelled, marked, notes)
    return Columns(Place(source), Columns.of(Place(source), data).data, None, frozenset(numbers))


def _read(content: bytes, source: str, ending: str) -> tuple[Any, Any, Any]:
    """The values with every missing one as none, the same with tags, and what the file says of its columns."""
    try:
        import pyreadstat
    except ImportError:
        text = "files of SAS, SPSS and Stata need an extra package: pip install 'tableseal[stats]'."
        raise InputError(text, at=source) from None
    read = getattr(pyreadstat, READERS[ending])
    handle, path = tempfile.mkstemp(suffix=ending)  # the package reads files alone
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        _, about = read(path, metadataonly=True)
        entries = (about.number_rows or 0) * max(1, about.number_columns or 0)
        check_entries(entries, len(content), source)
        plain, about = read(path)
        if ending in _TAGGED:
            return plain, read(path, user_missing=True)[0], about
        if READERS[ending] == "read_sav":
            raw, about = read(path, user_missing=True)
            return raw, raw, about
        return plain, plain, about
    except TablesealError:
        raise
    except Exception as error:  # its error types share no base
        raise InputError(f"is not a readable {ending} file ({type(error).__name__}).", at=source) from None
    finally:
        os.unlink(path)


def _text(value: Any, tag: Any, ranges: Sequence[Mapping[str, Any]]) -> str | None:
    """The text of an entry. Where the plain value is missing, what stands with tags counts only if it is a letter: the
    package gives 0 for a system missing whole number beside tagged ones."""
    if scalar_text(value) is None:
        return f".{tag}" if isinstance(tag, str) and tag.strip() else None
    text = _plain(value)
    if any(_is_within(value, each) for each in ranges):
        return f"{_USER} {text}"
    return text or None


_USER: Final = "user-missing"


def _is_mark(text: str) -> bool:
    return text.startswith(_USER) or (len(text) == 2 and text[0] == "." and text[1].isalpha())


def _is_within(value: Any, limits: Mapping[str, Any]) -> bool:
    try:
        return bool(limits["lo"] <= value <= limits["hi"])
    except TypeError:
        return False


def _plain(value: Any) -> str:
    """A value as text: whole numbers without point, others to 15 digits."""
    if isinstance(value, float):
        text = format(Decimal(format(value, ".15g")), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(value, date):
        return value.isoformat()
    return scalar_text(value) or ""


def _tell(source: str, labelled: Sequence[str], marked: Sequence[str], notes: list[Note]) -> None:
    if labelled:
        text = f"{source}: codes of {listing(labelled)} are read as their labels."
        notes.append(Note("labels_used", text, len(labelled)))
    if marked:
        text = (
            f"{source}: {listing(marked)} have missing values with a tag, which are marks: `marks` says what they mean."
        )
        notes.append(Note("tagged_missing", text, len(marked)))
