"""A-priori files (.hst): statuses, costs and protection that somebody sets cell by cell.

Source: `code1;code2;...;CHANGE;arguments` (manual of tau-ARGUS 4.1, and its reader APriori).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus.records import split_line
from tableseal.audit.io.argus.words import lines_of
from tableseal.audit.io.numbers import decimal
from tableseal.audit.wording import listing, quoted

_ARGUMENTS: Final = {"S": 0, "U": 0, "P": 0, "M": 0, "ML": 0, "C": 1, "W": 1, "PL": 2, "AB": 2}
"""Change -> how many numbers stand behind it."""


@dataclass(frozen=True)
class Change:
    """What is to change of one cell: kind S (safe), U (unsafe), P (to be published), M (secondary), C (cost), PL
    (protection below and above) or AB (bounds); the numbers behind it."""

    codes: tuple[str, ...]
    kind: str
    numbers: tuple[Fraction, ...]
    at: Place


def read_changes(text: str, separator: str, dimensions: int, source: str) -> list[Change]:
    """All lines of an a-priori file. dimensions: number of codes on each line.

    Raises
    ------
    InputError: a separator that is not in the file, too few entries, an unknown change, a number that is none or
        negative.
    """
    changes = []
    for number, line in enumerate(lines_of(text), start=1):
        if not line.strip() or line.lstrip().startswith("//"):
            continue
        place = Place(source, line=number)
        entries = split_line(line, separator, place)
        if len(entries) <= dimensions:
            text = (
                f"has {len(entries)} entries separated by {quoted(separator)}, expected {dimensions} codes and a change"
            )
            raise InputError(f"{text} ({', '.join(_ARGUMENTS)}).", at=place)
        said = entries[dimensions].upper()
        if said not in _ARGUMENTS:
            raise InputError(found=quoted(entries[dimensions]), expected=f"one of {listing(_ARGUMENTS)}", at=place)
        wanted = _ARGUMENTS[said]
        given = entries[dimensions + 1 : dimensions + 1 + wanted]
        if len(given) < wanted:
            behind = "1 number" if wanted == 1 else f"{wanted} numbers"
            raise InputError(f"{said} has {behind} behind it, found {len(given)}.", at=place)
        kind = {"W": "C", "ML": "M"}.get(said, said)
        numbers = tuple(_number(entry, place, positive=kind == "C") for entry in given)
        changes.append(Change(tuple(entries[:dimensions]), kind, numbers, place))
    if not changes:
        raise InputError("changes nothing.", at=source)
    return changes


def _number(text: str, place: Place, *, positive: bool) -> Fraction:
    try:
        number = decimal(text.replace(",", "."))
    except ValueError:
        number = Fraction(-1)
    if number < 0 or (positive and not number):
        raise InputError(
            found=quoted(text), expected="a number above 0" if positive else "a number of at least 0", at=place
        )
    return number
