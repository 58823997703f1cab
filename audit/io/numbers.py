"""Numbers as text -> exact multiples of a measure's unit.

Nothing passes through binary floating point: 9007199254740993 and 0.1 stay what they are.
"""

import re
from collections.abc import Callable, Collection, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.io.column import NOTHING
from tableseal.audit.io.columns import Columns
from tableseal.audit.model import Amounts
from tableseal.audit.model.amounts import LIMIT
from tableseal.audit.said import InFile, Said
from tableseal.audit.wording import quoted

Round = Literal["nearest", "up", "down", "away"]
Secret = NDArray[np.bool_] | bool
"""Rows whose entries must not be shown in messages (True: all): they are agency knowledge."""

NOISE = Fraction(1, 1000)
"""A value this close (in units) to a whole multiple of the unit counts as that multiple."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_RATIO = re.compile(r"([+-]?[0-9]+)/([0-9]+)")
_GROUPS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]{1,3})?")
_NUMBER_LIKE = re.compile(r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]{1,2})?")
_MAX_LENGTH = 400


def looks_like_number(text: str) -> bool:
    """True for a number with a point or a comma, whatever the comma may mean."""
    return _NUMBER_LIKE.fullmatch(text) is not None


def decimal(text: str) -> Fraction:
    """The exact number that a text such as `12`, `-0.5` or `1e-4` says.

    Raises
    ------
    ValueError: the text is no number, or longer than 400 characters.
    """
    stripped = text.strip()
    if len(stripped) > _MAX_LENGTH or not _NUMBER.fullmatch(stripped):
        raise ValueError("not a number")
    return Fraction(Decimal(stripped))


def rational(text: str) -> Fraction:
    """As `decimal`, and ratios such as `1/3` too."""
    ratio = _RATIO.fullmatch(text.strip())
    if ratio is None or len(text) > _MAX_LENGTH or not int(ratio[2]):
        return decimal(text)
    return Fraction(int(ratio[1]), int(ratio[2]))


def places(unit: Fraction) -> int | None:
    """Decimal places of a number with a finite decimal expansion, None for others (such as 1/3)."""
    denominator, digits = unit.denominator, 0
    while denominator % 10 == 0:
        denominator, digits = denominator // 10, digits + 1
    factor = 2 if denominator % 2 == 0 else 5
    while denominator % factor == 0:
        denominator, digits = denominator // factor, digits + 1
    return digits if denominator == 1 else None


def decimal_text(value: Fraction) -> str:
    """The shortest exact text: `406`, `3.3`, or `1/3` where no decimal is exact."""
    digits = places(value)
    if digits is None:
        return f"{value.numerator}/{value.denominator}"
    return _with_point(value.numerator * 10**digits // value.denominator, digits)


def exact(value: Fraction) -> int | str:
    """The value in a document: a whole number, else its exact text."""
    return value.numerator if value.denominator == 1 else decimal_text(value)


def _with_point(scaled: int, digits: int) -> str:
    """scaled / 10**digits as text, all digits shown."""
    if not digits:
        return str(scaled)
    text = str(abs(scaled)).zfill(digits + 1)
    return f"{'-' if scaled < 0 else ''}{text[:-digits]}.{text[-digits:]}"


def decimal_sign(
    columns: Columns, names: Sequence[str], stated: str | None, secret: Secret, *, published: Collection[str] = ()
) -> str:
    """`.` or `,`: the decimal sign of the numbers in a table, from all its columns of numbers together.

    Parameters
    ----------
    stated: the sign, where the document says it.
    secret: rows whose entries are not shown; published: columns that say what is published: entries of the other ones
        are the agency's own and never shown.

    Raises
    ------
    InputError: commas that may be decimal commas or separators of thousands (1,234), or both signs in one number.
    """
    if stated is not None:
        return stated
    doubtful: tuple[str, int, str] | None = None
    comma = False
    for name in names:
        hidden = secret if name in published else True
        column = columns.data.get(name, NOTHING)
        for entry in column.texts:
            if entry is None or "," not in entry:
                continue
            text = entry.strip()
            if _GROUPS.fullmatch(text):
                doubtful = doubtful or (name, column.first(entry), text)
            elif _COMMA.fullmatch(text):
                comma = True
            else:
                expected = Said(
                    "a number without separators of thousands (",
                    InFile("thousands"),
                    " of the table says that there are some, ",
                    InFile("marks", keyword="marks"),
                    " what a text that is no number means)",
                )
                raise wrong(columns, name, column.first(entry), hidden, expected, "thousands", "marks")
    if doubtful is not None and not comma:
        name, row, text = doubtful
        hidden = secret if name in published else True
        raise InputError(
            f"found {shown(text, row, hidden)}, which may be a number with a decimal comma or one with a separator of "
            "thousands; write ",
            Said(InFile("decimal", '","'), " in the table for decimal commas, ", InFile("thousands", '","')),
            " for separators of thousands.",
            at=columns.place(row, name),
            keys=("decimal", "thousands"),
        )
    return "," if comma else "."


def read_amounts(
    columns: Columns,
    name: str,
    unit: Fraction,
    *,
    role: str,
    sign: str = ".",
    rounding: Round = "nearest",
    secret: Secret = False,
    off_unit: str | None = None,
    advice: Callable[[str], str] | None = None,
) -> tuple[Amounts, NDArray[np.bool_]]:
    """One column as multiples of `unit`; an empty entry is not known.

    Parameters
    ----------
    role: what the column holds, for messages.
    sign: the decimal sign, `.` or `,`.
    rounding: of what is no multiple of the unit: to the nearest, up, down, or away from 0 (but for noise).
    off_unit: what was expected, if a shown value that is no multiple of the unit is an error; None: it is rounded.
    advice: what else may be done about a shown entry that is no number.

    Returns
    -------
    The amounts, and bool (n,): entries off by more than a thousandth of the unit.

    Raises
    ------
    InputError: an entry that is no number, one beyond 2**60 units, or one off the unit where that is an error.
    """
    column = columns.column(name, role)
    quick = _quick(column.texts, unit, sign)
    units: list[int | None] = [quick.get(text) for text in column.texts]
    odd, off = np.zeros(len(units), np.bool_), np.zeros(len(units), np.bool_)
    for at, entry in enumerate(column.texts):
        if units[at] is not None or not entry or entry.isspace():
            continue
        try:
            exact = decimal(_point(entry.strip(), sign)) / unit
        except ValueError:
            odd[at] = True
            continue
        units[at] = _whole(exact, rounding)
        off[at] = abs(exact - _whole(exact, "nearest")) > NOISE
    off_rows = off[column.number]
    refused = odd[column.number] | (off_rows & ~np.asarray(secret) if off_unit is not None else False)
    if refused.any():
        row = int(np.argmax(refused))
        if not odd[column.number[row]]:
            raise wrong(columns, name, row, secret, str(off_unit), "unit")
        more = "" if advice is None or _hidden(row, secret) else f", or {advice((column[row] or '').strip())}"
        expected = f"a number ({role}); leave the entry empty where there is no value{more}"
        raise wrong(columns, name, row, secret, expected, *(["marks"] if more else []))
    whole = [value or 0 for value in units]
    _refuse_huge(whole, columns, name, unit)
    known = column.spread([value is not None for value in units], np.bool_)
    return Amounts(column.spread(whole, np.int64), known), off_rows


def decimals_of(amounts: Amounts, unit: Fraction) -> list[int | str | None]:
    """The values in the measure's decimals: whole numbers as int, others as exact text, None where not known."""
    digits = places(unit) or 0
    power = 10**digits
    factor = int(unit * power)

    def written(units: int) -> int | str:
        scaled = units * factor
        return _with_point(scaled, digits).rstrip("0") if scaled % power else scaled // power

    units, known = amounts.units.tolist(), amounts.known.tolist()
    texts = {value: written(value) for value in set(units)}  # the same few values come again and again
    return [texts[value] if is_known else None for value, is_known in zip(units, known, strict=True)]


def _quick(entries: Sequence[str | None], unit: Fraction, sign: str) -> dict[str | None, int]:
    """Entry -> multiple of the unit, where it is a plain decimal and needs no rounding."""
    digits = places(unit)
    if digits is None or unit * 10**digits != 1:
        return {}
    point = re.escape(sign)
    plain = re.compile(rf"[+-]?[0-9]{{1,18}}(?:{point}[0-9]{{1,{digits}}})?" if digits else r"[+-]?[0-9]{1,18}")
    match = plain.fullmatch

    def units(entry: str) -> int:
        whole, _, decimals = entry.partition(sign)
        return int(whole + decimals.ljust(digits, "0"))

    return {entry: units(entry) for entry in entries if entry and match(entry)}


def _point(text: str, sign: str) -> str:
    """The text with a decimal point; what the stated sign does not allow is left to fail."""
    if sign == ".":
        return text
    return "" if "." in text else text.replace(",", ".")


def _whole(value: Fraction, rounding: Round) -> int:
    if rounding == "away":
        nearest = _whole(value, "nearest")
        rounding = "nearest" if abs(value - nearest) <= NOISE else "up" if value > 0 else "down"
    if rounding == "up":
        return ceil(value)
    return floor(value) if rounding == "down" else floor(value + Fraction(1, 2))


def _refuse_huge(units: list[int], columns: Columns, name: str, unit: Fraction) -> None:
    if units and (max(units) > LIMIT or min(units) < -LIMIT):
        column = columns.data[name]
        row = column.first(next(text for text, u in zip(column.texts, units, strict=True) if abs(u) > LIMIT))
        text = f"the number is larger than 2**60 times the unit {decimal_text(unit)}, the largest that can be audited; "
        raise InputError(text, "choose a larger unit.", at=columns.place(row, name), keys=("unit",))


def _hidden(row: int, secret: Secret) -> bool:
    return secret if isinstance(secret, bool) else bool(secret[row])


def wrong(columns: Columns, name: str, row: int, secret: Secret, expected: str, *keys: str) -> InputError:
    """An entry that is not what was expected; keys: of the release file, that would settle it."""
    found = shown((columns.data[name][row] or "").strip(), row, secret)
    return InputError(found=found, expected=expected, at=columns.place(row, name), keys=keys)


def shown(text: str, row: int, secret: Secret) -> str:
    """The text in quotes, unless it may tell the value of a withheld cell."""
    if _hidden(row, secret) and any(c.isdigit() for c in text):
        return "an entry that is not shown here because it is confidential"
    return quoted(text)
