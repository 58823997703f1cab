"""`transition` of a release: probabilities with which states become others -> Transition, exactly."""

from dataclasses import replace
from fractions import Fraction

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.agency_document import TransitionDocument
from tableseal.audit.io.delimited import read_rows
from tableseal.audit.io.files import Folder
from tableseal.audit.io.numbers import decimal_text, places, rational
from tableseal.audit.model import Note, Transition
from tableseal.audit.wording import quoted

LARGEST = 1_000
"""States of a matrix."""

TRANSITION_SCALED = "transition_scaled"
"""Code of the note that rows sum to 1 within their printed digits only, and were scaled."""

_MOST_OFF = Fraction(1, 1000)


def read_transition(document: TransitionDocument, folder: Folder, where: Place) -> tuple[Transition, list[Note]]:
    """The matrix, its rows scaled to sum to exactly 1 where printed digits leave a little.

    Raises
    ------
    InputError: not one of `file` and `rows`, rows of different lengths, text for numbers, a negative probability, a row
        that sums to something else, fewer columns than rows, a cycle beyond the rows.
    """
    if (document.file is None) == (document.rows is None):
        raise InputError("give one of `file` and `rows`.", at=where)
    if document.rows is not None:
        given, at = document.rows, [where / "rows" / k for k in range(len(document.rows))]
    else:
        assert document.file is not None
        given, at = _read(folder.text(document.file, where), document.file)
    if not given or not given[0]:
        raise InputError("is empty.", at=where)
    for row, place in zip(given, at, strict=True):
        if len(row) != len(given[0]):
            raise InputError(found=f"{len(row)} entries", expected=f"{len(given[0])} as in the first row", at=place)
    if len(given[0]) < len(given) or len(given[0]) > LARGEST:
        text = f"{len(given)} rows and {len(given[0])} columns"
        raise InputError(found=text, expected=f"a column for every row, and at most {LARGEST:,}", at=where)
    if not 1 <= document.cycle <= len(given):
        raise InputError(expected=f"1 to {len(given)}, the number of rows", at=where / "cycle")
    scaled = [_scaled(row, place) for row, place in zip(given, at, strict=True)]
    off = sum(new != tuple(old) for new, old in zip(scaled, given, strict=True))
    text = "rows of the transition matrix sum to 1 only within their printed digits, and were scaled"
    notes = [Note(TRANSITION_SCALED, text, off)] if off else []
    return Transition(tuple(scaled), document.cycle, where), notes


def _read(text: str, file: str) -> tuple[list[list[Fraction]], list[Place]]:
    rows, lines = read_rows(text, file)
    places_of = [Place(file, row=k, line=line) for k, line in enumerate(lines, 1)]
    found = []
    for row, place in zip(rows, places_of, strict=True):
        numbers = []
        for column, entry in enumerate(row, 1):
            try:
                numbers.append(rational(entry.replace(",", ".")))
            except ValueError:
                at = replace(place, column=column)
                raise InputError(found=quoted(entry), expected="a number", at=at) from None
        found.append(numbers)
    return found, places_of


def _scaled(row: list[Fraction], place: Place) -> tuple[Fraction, ...]:
    for column, p in enumerate(row, 1):
        if p < 0:
            raise InputError(found=decimal_text(p), expected="a probability", at=replace(place, column=column))
    total = sum(row, Fraction(0))
    digits = [places(p) for p in row]
    off = Fraction(0) if None in digits else Fraction(len(row), 2 * 10 ** max(d or 0 for d in digits))
    if abs(total - 1) > min(off, _MOST_OFF):
        raise InputError(
            found=f"a row that sums to {decimal_text(total)}", expected="probabilities that sum to 1", at=place
        )
    return tuple(p / total for p in row)
