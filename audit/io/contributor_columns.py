"""Columns of a bare data file that say who contributes to a cell: how many, and the largest contributions.

They are known by their names, and taken for it only where their entries bear that out.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.advice import Advice
from tableseal.audit.io.column import Column
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.numbers import decimal, decimal_sign
from tableseal.audit.io.separators import Signs, without_separators
from tableseal.audit.io.totals import Rows
from tableseal.audit.io.value_column import may_hold_values
from tableseal.audit.model import CONTRIBUTORS_UNUSED, Note
from tableseal.audit.wording import listing

# fmt: off
_WHO = frozenset((
    "contributors", "respondents", "companies", "firms", "enterprises", "businesses", "establishments", "observations",
    "unternehmen", "betriebe", "firmen", "entreprises", "etablissements", "établissements", "bedrijven", "empresas",
    "imprese", "foretak", "bedrifter", "virksomheder", "företag",
))
_HOW_MANY = frozenset(("n", "freq", "frequency", "frequencies", "nobs", "obs", "count", "counts"))
_BESIDE = frozenset((
    "of", "no", "nr", "num", "number", "anzahl", "de", "contribution", "contributions", "contributor", "company",
    "firm", "enterprise", "value",
))
_LARGEST = frozenset(("largest", "biggest", "max", "maximum", "top", "größte", "größter", "groesste", "groesster"))
_RANKS: Mapping[str, int] = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5,
    "zweitgrößte": 2, "zweitgrößter": 2, "zweitgroesste": 2, "zweitgroesster": 2, "drittgrößte": 3, "drittgroesste": 3,
}
# fmt: on
_NUMBERED = re.compile(r"(?:max|top|largest|biggest|contributor|contribution|contrib|contr)_?([1-9])")

Numbers = Sequence[Fraction | None]


@dataclass(frozen=True)
class Contributing:
    """The columns that say so; None and nothing: there are none, or the table names them itself."""

    counting: tuple[str, ...] = ()
    """How many contribute: of several, none is used."""
    contributions: tuple[str, ...] = ()
    """The largest one first."""

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.counting, *self.contributions)

    def said(self) -> dict[str, object]:
        """What the table says of them."""
        frequency = {"frequency": self.counting[0]} if self.counting else {}
        return {**frequency, **({"contributors": list(self.contributions)} if self.contributions else {})}

    def notes(self, source: Place) -> list[Note]:
        """What is assumed of them."""
        what = [f"the number of contributors is in {listing(self.counting)}"] if self.counting else []
        what += [f"the largest contributions are in {listing(self.contributions)}"] if self.contributions else []
        text = f"{source}: {', '.join(what)}; such columns are the agency's own and do not go out."
        return [Note("assumed_contributors", text)] if what else []

    def unused(self, source: Place) -> list[Note]:
        """What is to be said where a table of counts has such columns and does not name them."""
        text = (
            f"{source}: {listing(self.names)} may be about contributors (`frequency`, `contributors`), and nothing "
            "says so: values were judged as counts."
        )
        return [Note(CONTRIBUTORS_UNUSED, text, len(self.names))] if self.names else []


def named_like_contributors(columns: Columns, said: Mapping[str, object]) -> Contributing:
    """The columns of numbers whose names say so.

    Parameters
    ----------
    columns: whose role is not said. said: of the table; what it names is not looked for.
    """
    ranked = [name for name in columns.data if rank_of(name)] if "contributors" not in said else []
    counting = [name for name in columns.data if counts_contributors(name)] if "frequency" not in said else []
    ranked, counting = ([n for n in names if may_hold_values(columns.data[n])] for names in (ranked, counting))
    return Contributing(tuple(counting), tuple(sorted(ranked, key=lambda name: rank_of(name) or 0)))


def rank_of(name: str) -> int | None:
    """Which of the largest contributions a column holds by its name (1: the largest); None: its name does not say."""
    numbered = _NUMBERED.fullmatch("_".join(_words(name)))
    if numbered is not None:
        return int(numbered[1])
    words = [word for word in _words(name) if word not in _BESIDE]
    ranks = [_RANKS[word] for word in words if word in _RANKS]
    if not words or len(ranks) > 1 or not all(word in _RANKS or word in _LARGEST for word in words):
        return None
    return ranks[0] if ranks else 1


def counts_contributors(name: str) -> bool:
    """Whether a column holds how many contribute, by its name."""
    words = [word for word in _words(name) if word not in _BESIDE]
    return bool(words) and all(word in _WHO or word in _HOW_MANY for word in words)


def check_contributors(
    columns: Columns,
    found: Contributing,
    published: Numbers,
    totals: Mapping[str, str | None],
    signs: Signs,
    advice: Advice,
) -> None:
    """Refuse columns whose entries do not bear out what their names say.

    Parameters
    ----------
    published: values that are shown, None elsewhere. totals: classification -> total, None where there is none. signs:
        in the numbers of the table.

    Raises
    ------
    InputError: names the columns and says what to write.
    """
    plain = without_separators(columns, list(found.names), signs)
    sign = decimal_sign(plain, list(found.names), signs.decimal, True)
    numbers = {name: _numbers(plain.data[name], sign) for name in found.names}
    ranks = [numbers[name] for name in found.contributions]
    in_turn = [rank_of(name) for name in found.contributions] == list(range(1, len(ranks) + 1))
    if not in_turn or not _descend([published, *(each for each in ranks if each is not None)], len(ranks)):
        raise _unclear(columns, found.contributions, "the largest contributions", advice)
    if len(found.counting) > 1 or not all(_add_up(numbers[name], columns, totals) for name in found.counting):
        raise _unclear(columns, found.counting, "the number of contributors", advice)


def _unclear(columns: Columns, names: Sequence[str], what: str, advice: Advice) -> InputError:
    seem, do = ("seems", "its entries do") if len(names) == 1 else ("seem", "their entries do")
    text = f"{listing(names)} {seem} to hold {what} by name, and {do} not bear that out"
    return InputError(text, at=columns.source, remedy=advice.contributors(names))


def _descend(columns: Sequence[Numbers], expected: int) -> bool:
    """Whether each row descends from the value to the smallest contribution that is listed."""
    if len(columns) != expected + 1:
        return False
    for row in zip(*columns, strict=True):
        known = [abs(number) for number in row if number is not None]
        gap = any(after is not None and before is None for before, after in pairwise(row[1:]))
        if gap or any(after > before for before, after in pairwise(known)):
            return False
    return True


def _add_up(numbers: Numbers | None, columns: Columns, totals: Mapping[str, str | None]) -> bool:
    """Whether these are whole numbers that add up to the totals of the table."""
    if numbers is None or any(number is not None and (number < 0 or number.denominator > 1) for number in numbers):
        return False
    rows = Rows.of({name: columns.data[name].rewritten(lambda code: code or "") for name in totals}, numbers)
    return not any(
        rows.failure(name, list(rows.codes[name]).index(total))
        for name, total in totals.items()
        if total is not None and total in rows.codes[name]
    )


def _numbers(column: Column, sign: str) -> Numbers | None:
    """The entries of a column of numbers; None: it is none."""
    try:
        found = [decimal(text.replace(sign, ".")) if text and not text.isspace() else None for text in column.texts]
    except ValueError:
        return None
    return column.each(found)


def _words(name: str) -> list[str]:
    return [word for word in re.split(r"[\W_]+", name.strip().lower()) if word]
