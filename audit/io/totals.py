"""Which code of a classification is its total: by its name or by arithmetic.

A line is all rows that have the same codes in every other classification. A code may be the total if its value is the
sum of all others in each line: then it is half of the line's sum, so that one sum for each line tells it of every code.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.advice import IN_A_FILE, Advice
from tableseal.audit.io.column import Column
from tableseal.audit.io.numbers import decimal_text
from tableseal.audit.wording import cut, listing, quoted

NAMES = frozenset(
    ("total", "t", "tot", "all", "_t", "sum", "insgesamt", "gesamt", "ensemble", "totale", "i alt", "totalt")
)
"""Codes that name a total in data files, compared without regard to case."""

SAFE = 2**61
"""Sums of units below this fit into 64 bits."""


@dataclass(frozen=True)
class Rows:
    """Rows of a table as whole numbers, each combination of codes once.

    Attributes
    ----------
    codes: classification -> its codes, in the order in which they come. at: classification -> int64 (rows), the code of
        each row.
    value: int64 (rows), or Python integers where these are too small; in 1 / scale. known: bool (rows). column: that
        holds the values, for messages.
    """

    codes: Mapping[str, Sequence[str]]
    at: Mapping[str, NDArray[np.int64]]
    value: NDArray[np.int64]
    known: NDArray[np.bool_]
    scale: int
    column: str | None = None

    @staticmethod
    def of(
        classifications: Mapping[str, Column], values: Sequence[Fraction | None], column: str | None = None
    ) -> "Rows":
        """Parameters: classification -> code of each row; published values, None where one is withheld or not known. Of
        several rows with the same codes the first one counts."""
        codes = {name: [code or "" for code in column.texts] for name, column in classifications.items()}
        at = {name: column.number.astype(np.int64) for name, column in classifications.items()}
        scale = lcm(*{value.denominator for value in values if value is not None})
        whole = [0 if value is None else value.numerator * (scale // value.denominator) for value in values]
        kind: type = np.int64 if sum(map(abs, whole)) < SAFE else object
        value: NDArray[np.int64] = np.array(whole, kind)
        known = np.array([number is not None for number in values], np.bool_)
        kept = np.sort(np.unique(_groups(list(at.values()), len(value)), return_index=True)[1])
        return Rows(codes, {name: each[kept] for name, each in at.items()}, value[kept], known[kept], scale, column)

    def checks(self, variable: str) -> "Checks":
        """The sums of all lines of one classification."""
        line = _groups([column for name, column in self.at.items() if name != variable], len(self.value))
        lines = int(line.max(initial=-1)) + 1
        total = np.zeros(lines, self.value.dtype)
        np.add.at(total, line, self.value)
        whole = (np.bincount(line[~self.known], minlength=lines) == 0) & (np.bincount(line, minlength=lines) >= 3)
        own = np.flatnonzero(whole[line])
        own = own[np.argsort(line[own], kind="stable")]
        return Checks(own, self.at[variable][own], self.value[own], total[line[own]], len(self.codes[variable]))

    def failure(self, variable: str, code: int) -> str:
        """The first line in which a code is not the sum of the others, in words; empty if it is in all that can be
        checked."""
        checks = self.checks(variable)
        if not checks.failed[code]:
            return ""
        at = int(np.flatnonzero(checks.differ & (checks.code == code))[0])
        found = Fraction(int(checks.value[at]), self.scale)
        others = Fraction(int(checks.total[at]), self.scale) - found
        row = int(checks.row[at])
        line = [f"{name}={self.codes[name][int(each[row])]}" for name, each in self.at.items() if name != variable]
        where = [f"column {quoted(self.column)}"] if self.column is not None else []
        where += [f"row of {', '.join(line)}"] if line else []
        differ = f"expected {cut(decimal_text(others))}, found {cut(decimal_text(found))}"
        beside = ", while other such sums are right: a number may be wrong" if checks.agreed[code] else ""
        return f"{', '.join(where)}: {differ}{beside}" if where else f"{differ}{beside}"


@dataclass(frozen=True)
class Checks:
    """Rows of lines with three codes or more whose values are all known, line after line.

    row: int64, in `Rows`. code: int64 (rows); value, total: of the row, and of its line, in 1 / scale. codes: how many
    there are.
    """

    row: NDArray[np.int64]
    code: NDArray[np.int64]
    value: NDArray[np.int64]
    total: NDArray[np.int64]
    codes: int

    @cached_property
    def agreed(self) -> NDArray[np.int64]:
        """int64 (codes): how often a value other than 0 is the sum of the others."""
        same = (2 * self.value == self.total) & (self.value != 0)
        return np.bincount(self.code[same.astype(np.bool_)], minlength=self.codes)

    @cached_property
    def failed(self) -> NDArray[np.bool_]:
        """bool (codes): a value is not the sum of the others."""
        return np.bincount(self.code[self.differ], minlength=self.codes) > 0

    @cached_property
    def differ(self) -> NDArray[np.bool_]:
        """bool (rows): the value is not the sum of the others."""
        result: NDArray[np.bool_] = (2 * self.value != self.total).astype(np.bool_)
        return result


class FoundTotal(NamedTuple):
    """The total of a classification (None: there is none), why, and whether sums of values that are all known bear out
    that the other codes are its parts."""

    total: str | None
    reason: str
    checked: bool


def find_total(source: Place, variable: str, rows: Rows, advice: Advice = IN_A_FILE) -> FoundTotal:
    """The total of one classification, and the reason for taking it.

    Raises
    ------
    InputError: the code that is called a total is not the sum of the others, or several codes could be the total.
    """
    codes, checks, column = rows.codes[variable], rows.checks(variable), replace(source, column=variable)
    fits = (checks.agreed > 0) & ~checks.failed
    named = [at for at, code in enumerate(codes) if code.strip().casefold() in NAMES]
    fitting = [at for at in named if fits[at]] if named else np.flatnonzero(fits).tolist()
    if len(named) == 1 and checks.failed[named[0]]:
        text = f"code {quoted(codes[named[0]])} is called a total but is not the sum of the other codes "
        raise InputError(text, f"({rows.failure(variable, named[0])})", at=column, remedy=advice.wrong_total(variable))
    if len(named) == 1:
        reason = "its name" + (", and it is the sum of the others" if fitting else "; no sum could be checked")
        return FoundTotal(codes[named[0]], reason, bool(fitting))
    if len(fitting) > 1 or (len(named) > 1 and not fitting):
        text = f"several codes may be the total ({listing(codes[at] for at in fitting or named)})"
        raise InputError(text, at=column, remedy=advice.total(variable))
    if not fitting:
        return FoundTotal(None, "no code is the sum of the others", False)
    if not named and checks.agreed[fitting[0]] < 2:
        text = f"code {quoted(codes[fitting[0]])} equals the sum of the other codes, but only once, which may be chance"
        raise InputError(text, at=column, remedy=advice.total(variable))
    return FoundTotal(codes[fitting[0]], "it is the sum of the others", True)


def loose_total(variable: str, rows: Rows) -> tuple[str, str] | None:
    """A code of a classification that is said to have no total which all the same is called one, or is the sum of the
    others wherever that can be checked, and how it shows; None: there is none."""
    codes = rows.codes[variable]
    for code in codes:
        if code.strip().casefold() in NAMES - _LETTERS and len(codes) > 1:
            return code, "is called a total"
    checks = rows.checks(variable)
    fits = np.flatnonzero((checks.agreed > 0) & ~checks.failed).tolist()
    return (codes[fits[0]], "is the sum of the others") if fits else None


_LETTERS = frozenset("t")
"""Names of totals that are also codes of sections: T of NACE is households as employers."""


def _groups(columns: Sequence[NDArray[np.int64]], rows: int) -> NDArray[np.int64]:
    """int64 (rows): rows that are alike in all columns have one number, counted in the order of first appearance."""
    group = np.zeros(rows, np.int64)
    for column in columns:
        # Numbers stay below the number of rows, so that no product is too large.
        _, first, group = np.unique(
            group * (int(column.max(initial=0)) + 1) + column, return_index=True, return_inverse=True
        )
        place = np.empty(len(first), np.int64)
        place[np.argsort(first, kind="stable")] = np.arange(len(first))
        group = place[group]
    return group
