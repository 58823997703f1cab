"""Marks that statistical offices and programs write where a number would stand, and what they mean.

Only what has one meaning is taken without being asked: a mark is read as `withheld` where no usual reading is a zero,
because a withheld cell is judged and one that is merely missing is not. Sources: Analysis Function (UK), symbols in
tables; Eurostat, special values; Statistics Canada, standard table symbols; Destatis, Zeichenerklaerung; Census Bureau;
Stats NZ; Australian Bureau of Statistics; R and pandas (missing values).
"""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

from tableseal.audit.io.numbers import decimal, decimal_text
from tableseal.audit.io.statuses.marks import Range

_CONFIDENTIAL = "withheld (confidential)"
_NO_VALUE = "withheld (where it means not available: missing)"

# fmt: off
_KNOWN: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("*", "**", "***", "#", "c", "[c]", "(c)", ":c", ": c", "..c", "x", "s", "(s)", "(d)", "np",
                     "n.p.", "suppressed", "confidential", "withheld", "masked", "redacted"),
                    ("withheld", _CONFIDENTIAL)),
    **dict.fromkeys((":", "na", "<na>", "nan", "null", "none"), ("withheld", _NO_VALUE)),
    "[x]": ("missing", "missing (not available)"),
}
"""Mark in lower case -> (meaning, in words)."""

_OPEN: dict[str, str] = {
    **dict.fromkeys(("-", "--", "---", "–", "—", "nil"), "a zero, a value rounded to zero, or none at all"),
    **dict.fromkeys((".", "..", "...", "....", "…"), "not available, not applicable (a zero) or confidential"),
    **dict.fromkeys(("n/a", "n.a.", "(na)", "(x)", "[z]", "z", ":z", ": z", "/", "[w]"),
                    "not available or not applicable (a zero)"),
    **dict.fromkeys(("[low]", "0*", "0s", "(z)", "~", "~0"), "a value that is rounded to zero"),
}
# fmt: on
"""Mark in lower case -> what it may mean."""

_N = r"([0-9]+(?:\.[0-9]+)?)"
_BELOW = re.compile(rf"(?:<|less than |fewer than |under |below ) ?{_N}")
_AT_MOST = re.compile(rf"(?:(?:<=|≤|=<|up to ) ?{_N}|{_N} or (?:less|fewer))")
_ABOVE = re.compile(rf"(?:>|more than |over |above ) ?{_N}")
_AT_LEAST = re.compile(rf"(?:(?:>=|≥|at least ) ?{_N}|{_N} ?\+|{_N} or more)")
_BETWEEN = re.compile(rf"{_N} ?(?:-|–|—|to) ?{_N}")


@dataclass(frozen=True)
class Usual:
    """A usual mark. meaning: a word or a range, None where it is open; words: what it is taken for, or may mean."""

    meaning: str | Range | None
    words: str


def usual_mark(text: str, unit: Fraction = Fraction(1), *, least: Fraction | None = Fraction(0)) -> Usual | None:
    """What a text usually means, None if it is no usual mark.

    Parameters
    ----------
    unit: of the values: `<10` is at most 10 minus the unit. least: the smallest value that a mark such as `<10` may
        stand for; None: no limit.
    """
    mark = " ".join(text.lower().split())
    if mark in _KNOWN:
        return Usual(*_KNOWN[mark])
    if mark in _OPEN:
        return Usual(None, _OPEN[mark])
    found = _range(mark, unit, least)
    if found is None:
        return None
    low, high = found
    if low is not None and high is not None and low > high:
        return None
    ends = ["" if end is None else decimal_text(end) for end in found]
    words = f"{ends[0]} to {ends[1]}" if all(ends) else f"{ends[0]} or more" if ends[0] else f"{ends[1]} or less"
    return Usual(found, f"withheld, known to be {words}")


def how_to_say(texts: Collection[str]) -> str:
    """What to write in a table for marks: what is usual of them, `withheld` for the first other one."""
    said = []
    for text in texts:
        usual = usual_mark(text)
        meaning = meaning_text(usual.meaning) if usual else "..."
        said.append(f"{json.dumps(text.strip(), ensure_ascii=False)}: {meaning}")
    return (
        f"`marks: {{{', '.join(said)}}}` (withheld, primary, secondary, missing, zero, structural_zero, or a range "
        "such as [1, 9])"
    )


def meaning_text(meaning: str | Range | None) -> str:
    """A meaning as a release file says it."""
    if meaning is None or isinstance(meaning, str):
        return meaning or "..."
    return f"[{', '.join('null' if end is None else decimal_text(end) for end in meaning)}]"


def _range(mark: str, unit: Fraction, least: Fraction | None) -> Range | None:
    def number(found: re.Match[str]) -> Fraction:
        return decimal(next(group for group in found.groups() if group is not None))

    if found := _BELOW.fullmatch(mark):
        return least, number(found) - unit
    if found := _AT_MOST.fullmatch(mark):
        return least, number(found)
    if found := _ABOVE.fullmatch(mark):
        return number(found) + unit, None
    if found := _AT_LEAST.fullmatch(mark):
        return number(found), None
    if found := _BETWEEN.fullmatch(mark):
        return decimal(found[1]), decimal(found[2])
    return None
