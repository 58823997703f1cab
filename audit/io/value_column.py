"""Which column of a bare data file holds the values, how its numbers are written, and what its marks mean."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.advice import Advice
from tableseal.audit.io.column import Column
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.document import TableDocument
from tableseal.audit.io.hints import Hints
from tableseal.audit.io.numbers import (
    decimal,
    decimal_sign,
    decimal_text,
    exact,
    looks_like_number,
    places,
    shown,
    wrong,
)
from tableseal.audit.io.separators import Signs, recognised, refuse_points, stated_signs, without_separators
from tableseal.audit.io.statuses.marks import Range
from tableseal.audit.io.statuses.usual_marks import Usual, usual_mark
from tableseal.audit.model import Note
from tableseal.audit.wording import listing, quoted

# fmt: off
VALUE_NAMES = frozenset((
    "value", "values", "obs_value", "n", "count", "counts", "freq", "frequency", "turnover", "sales", "amount",
    "number", "persons", "population", "ant", "antall",
))
# fmt: on


@dataclass(frozen=True)
class ReadValues:
    """The numbers of a value column, None where there is a mark or nothing.

    scale: kind and unit, as a release says them. said: what the table says of the column besides its name.
    """

    numbers: tuple[Fraction | None, ...]
    scale: Mapping[str, Any]
    said: Mapping[str, Any]
    notes: tuple[Note, ...]


def is_numeric(entries: Column) -> bool:
    """True for a column of numbers, with or without separators of thousands."""
    found = _texts(entries)
    return bool(found) and all(map(_is_number, found))


def may_hold_values(entries: Column) -> bool:
    """True for a column of numbers, or of numbers with usual marks between them."""
    found = _texts(entries)
    return any(map(_is_number, found)) and all(_is_number(text) or usual_mark(text) for text in found)


def value_column(
    columns: Columns,
    numeric: Sequence[str],
    withheld: NDArray[np.bool_],
    fits: Callable[[str, Sequence[str]], bool],
    advice: Advice,
) -> str:
    """The only column of numbers, or the only one with a usual name; marks may stand between the numbers.

    Parameters
    ----------
    numeric: columns of nothing but numbers. withheld: rows whose entries are not shown.
    fits: could the other columns be the codes of a table of these values, given the columns that look like numbers?
        Asked where columns have marks, because classifications may look like that (0, 1-4, 5+).

    Raises
    ------
    InputError: no such column, or several.
    """
    marked = [name for name, entries in columns.data.items() if name not in numeric and may_hold_values(entries)]
    usual = [name for name in columns.data if name in (*numeric, *marked) and name.lower() in VALUE_NAMES]
    candidates = usual or [*numeric, *marked]
    if marked and len(candidates) > 1:
        candidates = [name for name in candidates if fits(name, [*numeric, *marked])] or candidates
    if not candidates:
        _refuse_odd_entry(columns, withheld, advice)
        nothing = [name for name, entries in columns.data.items() if not any(map(bool, entries.texts))]
        said = "Leave the values of withheld cells empty."
        if nothing:
            said = f"The column {quoted(nothing[0])} is empty, so no value is published that others could come from."
        text = f"no column holds numbers only; columns found: {listing(columns.data)}. {said}"
        raise InputError(text, at=columns.source)
    if len(candidates) > 1:
        raise InputError(
            f"several columns may hold the values ({listing(candidates)})",
            at=columns.source,
            remedy=advice.value(columns, candidates),
        )
    return candidates[0]


def read_value_column(
    columns: Columns, name: str, withheld: NDArray[np.bool_], given: TableDocument, hints: Hints, advice: Advice
) -> ReadValues:
    """The numbers and marks of the value column, as far as it is not said (given, hints) how they are written.

    Raises
    ------
    InputError: a number or a mark that can be read in two ways.
    """
    entries = columns.data[name]
    stated = stated_signs(given.decimal, given.thousands, columns.source)
    if stated == Signs() and (name in hints.numbers or name in columns.numbers):
        stated = Signs(".")
    signs = recognised(entry for entry in entries.texts if not _is_mark(entry)) if stated == Signs() else stated
    plain = without_separators(columns, [name], signs)
    bare = replace(plain, data={name: plain.data[name].rewritten(lambda entry: None if _is_mark(entry) else entry)})
    if signs == Signs():
        refuse_points(bare, name, Fraction(1), withheld, advice.signs())
    sign = decimal_sign(bare, [name], signs.decimal, withheld, published=(name,))
    different = _numbers(bare, name, sign, withheld)
    if hints.unit is not None:
        unit = _unit(hints.unit)
        different = [None if number is None else round(number / unit) * unit for number in different]
    scale, text = _scale(replace(columns.source, column=name), different, hints, advice)
    notes = [Note("assumed_kind", f"{columns.source}: {text}")] if text else []
    if signs != stated and signs.thousands is not None:
        what = {" ": "a blank", "'": "an apostrophe"}.get(signs.thousands, quoted(signs.thousands))
        notes.append(Note("assumed_thousands", f"{columns.source}, column {quoted(name)}: {what} separates thousands."))
    marks, more = _marks(columns, name, withheld, scale, different, given, advice)
    said = {"decimal": signs.decimal, "thousands": signs.thousands, "marks": marks}
    numbers = tuple(bare.data[name].each(different))
    return ReadValues(numbers, scale, {key: meaning for key, meaning in said.items() if meaning}, (*notes, *more))


def marks_of(entries: Column) -> list[str]:
    """Entries of a value column that are no numbers, each once, in their order."""
    return list(dict.fromkeys((entry or "").strip() for entry in entries.texts if _is_mark(entry)))


def usual_marks(texts: Sequence[str], scale: Mapping[str, Any], *, zeros: bool) -> dict[str, Usual | None]:
    """What marks usually mean beside values of this kind and unit; zeros: zeros are shown among them."""
    unit = Fraction(str(scale.get("unit") or "1"))  # ours, so it may be longer than what is read
    least = None if "intruder" in scale else unit if zeros else Fraction(0)
    return {text: usual_mark(text, unit, least=least) for text in texts}


def meaning_document(meaning: str | Range) -> Any:
    """A meaning as it stands in a release document."""
    if isinstance(meaning, str):
        return meaning
    return [end if end is None else exact(end) for end in meaning]


def _marks(
    columns: Columns,
    name: str,
    withheld: NDArray[np.bool_],
    scale: Mapping[str, Any],
    numbers: Sequence[Fraction | None],
    given: TableDocument,
    advice: Advice,
) -> tuple[dict[str, Any], list[Note]]:
    entries = columns.data[name]
    unsaid = [text for text in marks_of(entries) if text not in given.marks]
    usual = usual_marks(unsaid, scale, zeros=any(number == 0 for number in numbers))
    found: dict[str, Any] = {}
    notes: list[Note] = []
    for text, taken in usual.items():
        rows = entries.rows_with([entry for entry in entries.texts if entry and entry.strip() == text]).tolist()
        if taken is None or taken.meaning is None:
            problem = f"may mean {taken.words}" if taken else "is no number and no mark that is known"
            raise InputError(
                f"{shown(text, rows[0], withheld)} {problem}",
                at=columns.place(rows[0], name),
                remedy=advice.marks(_free_marks(entries, withheld)),
            )
        found[text] = meaning_document(taken.meaning)
        from_zero = not isinstance(taken.meaning, str) and taken.meaning[0] == 0
        hint = f"; {advice.mark()} if a zero is not among them" if from_zero else ""
        notes.append(
            Note(
                "assumed_mark",
                f"{columns.source}, column {quoted(name)}: {quoted(text)} is read as {taken.words}{hint}.",
                len(rows),
            )
        )
    return found, notes


def _free_marks(entries: Column, withheld: NDArray[np.bool_]) -> list[str]:
    """Marks that may be shown: what may be a value that is withheld is left out."""
    return marks_of(entries.at(~withheld)) or ["*"]


def _texts(entries: Column) -> set[str]:
    return {entry.strip() for entry in entries.texts if entry and not entry.isspace()}


def _is_number(text: str) -> bool:
    return looks_like_number(text) or recognised([text]) != Signs()


def _is_mark(entry: str | None) -> bool:
    text = (entry or "").strip()
    return bool(text) and not _is_number(text)


def _refuse_odd_entry(columns: Columns, withheld: NDArray[np.bool_], advice: Advice) -> None:
    """InputError if a column holds numbers and a few texts that are no known marks; names the first of these."""
    for name, entries in columns.data.items():
        written = [entry for entry in entries.texts if entry and not entry.isspace()]
        odd = [t for t in written if not _is_number(t.strip()) and usual_mark(t.strip()) is None]
        rows = entries.rows_with(odd)
        if odd and (2 if name.lower() in VALUE_NAMES else 4) * len(rows) <= len(entries.rows_with(written)):
            row = int(rows[0])
            raise InputError(
                f"{shown(odd[0].strip(), row, withheld)} is no number and no mark that is known; if the column holds "
                f"the values, {advice.marks(_free_marks(entries, withheld))}.",
                at=columns.place(row, name),
            )


def _unit(text: str) -> Fraction:
    """A unit that is said; where it is none, that is found when the release is read."""
    try:
        return decimal(text) or Fraction(1)
    except ValueError:
        return Fraction(1)


def _numbers(columns: Columns, name: str, sign: str, withheld: NDArray[np.bool_]) -> list[Fraction | None]:
    """The number that each different entry says.

    Raises
    ------
    InputError: one that is no number with this decimal sign.
    """
    found: list[Fraction | None] = []
    for entry in columns.data[name].texts:
        text = (entry or "").strip().replace(sign, ".")
        try:
            found.append(decimal(text) if text else None)
        except ValueError:
            row, expected = columns.data[name].first(entry), f"a number with the decimal sign {quoted(sign)}"
            raise wrong(columns, name, row, withheld, expected, "decimal") from None
    return found


def _scale(where: Place, values: Sequence[Fraction | None], hints: Hints, advice: Advice) -> tuple[dict[str, Any], str]:
    """Kind and unit, from the decimals seen where they are not said, and the words that say what was seen."""
    numbers = [number for number in values if number is not None]
    negative = min(numbers, default=Fraction(0)) < 0
    below = {"intruder": {"nonnegative": False}} if negative else {}
    if hints.kind == "count" and hints.unit is None:
        return {"kind": "count"}, ""
    if hints.unit is not None:
        return {"kind": hints.kind or "magnitude", "unit": hints.unit, **below}, ""
    digits = max((places(number) or 0 for number in numbers), default=0)
    if any(number.denominator > 1 and len(str(number.numerator)) > DIGITS for number in numbers):
        raise InputError(
            f"holds numbers with more than {DIGITS} digits, up to {digits} of them decimals, as computers leave behind "
            "where they add up",
            at=where,
            remedy=advice.unit(),
            keys=("unit",),
        )
    unit = decimal_text(Fraction(1, 10**digits))
    scale = {"kind": "magnitude", "unit": unit, **below}
    if negative:
        return scale, f"the values are magnitudes with the unit {unit}, which may be negative, as some are."
    if hints.kind is None and hints.magnitude is not None:
        return scale, f"the values are magnitudes with the unit {unit}, {hints.magnitude}."
    if digits or hints.kind == "magnitude":
        return scale, f"the values are magnitudes with the unit {unit}, as seen."
    return {"kind": "count"}, "the values are counts, as all are whole and none is negative."


DIGITS = 15
"""Decimal digits that a binary fraction of 64 bits holds for sure."""
