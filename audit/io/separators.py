"""Separators of thousands in columns of numbers: taken out where they are said, recognised where nothing else fits."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.column import NOTHING
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.numbers import Secret, places, shown

Sign = Literal[".", ","]
Thousands = Literal[".", ",", " ", "'"]

_SAME = {".": ".", ",": ",", " ": " \u00a0\u202f\u2007\u2009", "'": "'\u2019\u02bc"}
"""Separator -> the characters that are written for it: blanks that do not break and thin ones, apostrophes of fonts."""


_PAIRS: tuple[tuple[Thousands, Sign], ...] = ((".", ","), (",", "."), (" ", "."), (" ", ","), ("'", "."), ("'", ","))


@dataclass(frozen=True)
class Signs:
    """How numbers are written: decimal sign (None: decided by the numbers) and separator of thousands (None: none)."""

    decimal: Sign | None = None
    thousands: Thousands | None = None


def stated_signs(decimal: Sign | None, thousands: Thousands | None, where: Place) -> Signs:
    """The signs that a document states; a point or comma that separates thousands leaves the other one for decimals.

    Raises
    ------
    InputError: one sign for both.
    """
    if decimal is not None and decimal == thousands:
        raise InputError("`decimal` and `thousands` are the same sign, expected two.", at=where)
    if decimal is None and thousands in (".", ","):
        decimal = "," if thousands == "." else "."
    return Signs(decimal, thousands)


def without_separators(columns: Columns, names: Iterable[str], signs: Signs) -> Columns:
    """The columns with plain numbers where separators stand between groups of three digits; the rest as it is."""
    if signs.thousands is None:
        return columns
    grouped = _grouped(signs.thousands, signs.decimal)
    drop = str.maketrans("", "", _SAME[signs.thousands])
    data = dict(columns.data)
    for name in names:
        entries = data.get(name)
        if entries is None:
            continue
        plain = {entry: entry.translate(drop) for entry in entries.texts if entry and grouped.fullmatch(entry.strip())}
        if plain:
            data[name] = entries.rewritten(lambda entry, plain=plain: plain.get(entry, entry))  # type: ignore[misc]
    return replace(columns, data=data)


def recognised(entries: Iterable[str | None]) -> Signs:
    """The signs of numbers that can only be read in one way: 1.234.567,8, 1,234,567 or 1 234.

    Numbers such as 1,234 and 1.234 can be read in two ways and say nothing.
    """
    texts = {entry.strip() for entry in entries if entry and not entry.isspace()}
    fits = [
        Signs(decimal, thousands)
        for thousands, decimal in _PAIRS
        if all(_grouped(thousands, decimal, plain=True).fullmatch(text) for text in texts)
        and any(_sure(text, thousands, decimal) for text in texts)
    ]
    if not fits:
        return Signs()
    decimals = {signs.decimal for signs in fits}
    return Signs(fits[0].decimal if len(decimals) == 1 else None, fits[0].thousands)


def refuse_points(columns: Columns, name: str, unit: Fraction, secret: Secret, advice: str) -> None:
    """Refuse a column of numbers whose points may separate thousands: all that have one are like 1.234.

    Parameters
    ----------
    unit: three decimals are what is expected where the unit has as many. secret: rows whose entries are not shown.
    advice: beginning of what to do.

    Raises
    ------
    InputError: names the first such number.
    """
    entries = columns.data.get(name, NOTHING)
    pointed = {entry for entry in entries.texts if entry and "." in entry}
    if not pointed or (places(unit) or 0) >= _DIGITS or not all(_POINT_GROUP.fullmatch(e.strip()) for e in pointed):
        return
    row = int(entries.rows_with(pointed)[0])
    raise InputError(
        f"found {shown((entries[row] or '').strip(), row, secret)}, which may be a number with three decimals or one "
        "with a separator of thousands, like all others with a point",
        at=columns.place(row, name),
        remedy=f'{advice} `decimal: "."` or `thousands: "."`',
        keys=("decimal", "thousands"),
    )


_DIGITS = 3
"""Digits between separators of thousands."""

_POINT_GROUP = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")


def _grouped(thousands: str, decimal: str | None, *, plain: bool = False) -> re.Pattern[str]:
    """Numbers with groups of three digits; plain: numbers without groups too."""
    sign = "[.,]" if decimal is None else re.escape(decimal)
    group = f"[{re.escape(_SAME[thousands])}]"
    whole = rf"[0-9]{{1,3}}(?:{group}[0-9]{{3}})+"
    return re.compile(rf"[+-]?(?:{whole}{'|[0-9]+' if plain else ''})(?:{sign}[0-9]+)?")


def _sure(text: str, thousands: str, decimal: str) -> bool:
    """True for a number that is no number if its separator means something else."""
    if not any(sign in text for sign in _SAME[thousands]):
        return False
    return thousands not in ".," or text.count(thousands) > 1 or decimal in text
