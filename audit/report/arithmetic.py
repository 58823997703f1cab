"""The arithmetic that reveals a cell, in words and as terms over released cells."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from tableseal.audit.bounds.reveal import Argument
from tableseal.audit.bounds.unfold import Multipliers
from tableseal.audit.linear.naming import cell_name, codes_name, decimal
from tableseal.audit.linear.system import SEPARATOR
from tableseal.audit.linear.zeros import Zero, and_zeros, told, zeros_of
from tableseal.audit.periods import grown
from tableseal.audit.prepare import Prepared
from tableseal.audit.report.model import Linked, Released, Reveals, Term
from tableseal.audit.report.own import OwnStatements

SHOWN = 12
"""Terms of a sum that a text spells out; all are in `Reveals.terms`."""


class Words:
    """What cells of one release are called; made once for each, as totals stand in the arithmetic of many cells."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        measures = prepared.release.measures
        self._measures, self.units = list(measures), [measure.unit for measure in measures.values()]
        self.one_unit = len(set(self.units)) == 1 and not prepared.release.statements
        self.own = OwnStatements(prepared)
        self._zeros = zeros_of(prepared.cells, np.arange(len(prepared.cells)))
        self._names: dict[int, str] = {}
        self._terms: dict[tuple[int, int, int], Term] = {}

    def unit(self, cell: int) -> Fraction:
        """The unit of a cell's measure."""
        return self.units[int(self.prepared.cells.measure[cell])]

    def name(self, cell: int) -> str:
        """ "turnover North / Retail"; the measure only where there are several."""
        if cell not in self._names:
            name = cell_name(self.prepared.release, self.prepared.cells, cell)
            several = len(self._measures) > 1
            self._names[cell] = f"{self._measure(cell)} {name}" if several else name
        return self._names[cell]

    def zero(self, row: int, value: int) -> int:
        """What a row of which this value is used is among zeros."""
        cell = int(self.prepared.system.cell[row])
        known = cell >= 0 and self._zeros[cell] == Zero.KNOWN
        return Zero.KNOWN if known else Zero.PUBLISHED if value == 0 else Zero.NONE

    def link(self, statement: int) -> str:
        """ "(link 1)", "(share of North)"."""
        said = self.prepared.release.statistic_of(statement)
        if said is None:
            cell = self._grown(statement)
            return f"(link {statement + 1})" if cell is None else f"(change of {cell})"
        statistic, row = said
        return f"({statistic.table.name} of {codes_name(self.prepared.release, statistic.table, statistic.codes(row))})"

    def _grown(self, statement: int) -> str | None:
        release = self.prepared.release
        return grown(release, release.statements[statement]) if release.earlier else None

    def by_factors(self, rows: Iterable[int]) -> tuple[str, frozenset[int]]:
        """Of which cells some rows say by which factors they changed from one period to the next, in words, and which
        rows say no more than that."""
        system, release = self.prepared.system, self.prepared.release
        assumed: dict[str, None] = {}
        published: dict[str, None] = {}
        which = set()
        for row in rows if release.earlier else ():
            link = int(system.link[row])
            if link < 0 or system.lower[row] != 0 or system.upper[row] == 0:
                continue
            cell = grown(release, release.statements[link])
            if cell is not None:
                which.add(row)
                said = release.statistic_of(link)
                (assumed if said is None else published)[cell if said is None else self.link(link)] = None
        words = [f"the growth assumed of {', '.join(assumed)}"] if assumed else []
        return " and ".join([*words, *published]), frozenset(which)

    def term(self, row: int, coefficient: Fraction) -> Term:
        """A row of the system, so many times."""
        key = row, coefficient.numerator, coefficient.denominator
        if key not in self._terms:
            self._terms[key] = self._term(row, coefficient)
        return self._terms[key]

    def _term(self, row: int, coefficient: Fraction) -> Term:
        system = self.prepared.system
        link = int(system.link[row])
        if link >= 0:
            return Term(coefficient, Linked(link + 1))
        return self._cell_term(int(system.cell[row]), coefficient)

    def itself(self, cell: int) -> Term:
        """The cell, once."""
        return self._cell_term(cell, Fraction(1))

    def _cell_term(self, cell: int, coefficient: Fraction) -> Term:
        cells, release = self.prepared.cells, self.prepared.release
        codes = tuple(release.cell_codes(cells.codes[cell]).items())
        table = release.tables[int(cells.table[cell])].name
        return Term(coefficient, Released(table, codes, self._measure(cell) if len(self._measures) > 1 else None))

    def _measure(self, cell: int) -> str:
        return self._measures[int(self.prepared.cells.measure[cell])]


class Subject(NamedTuple):
    """What an argument is about: its name in words, its unit, and which cell it is (None: no row lists it)."""

    name: str
    unit: Fraction
    cell: int | None


def reveals(words: Words, cell: int, argument: Argument, value: int) -> Reveals:
    """Argument for the only value (in units) of a cell as terms and text."""
    name, unit = words.name(cell), words.unit(cell)
    if argument.kind == "equation" and _is_own_row(words, cell, argument.lower):
        return stated(words, cell, value)
    return reveals_subject(words, Subject(name, unit, cell), argument, value)


def stated(words: Words, cell: int, value: int) -> Reveals:
    """What is stated of a cell alone leaves one value: an equation that is the cell itself."""
    unit = words.unit(cell)
    text = f"{words.name(cell)} = {decimal(value, unit)}, {words.own.because(cell)}"
    return Reveals("equation", (words.itself(cell),), text)


def reveals_subject(words: Words, subject: Subject, argument: Argument, value: int) -> Reveals:
    """The same of what need not be a cell."""
    name, unit, _ = subject
    found = decimal(value, unit)
    if argument.kind == "equation":
        ordered = _ordered(words, argument.lower)
        used = _told(words, ordered, False)
        numbers = _numbers(words, used, unit)
        result = found if numbers == found else f"{numbers} = {found}"
        text = f"{name} = {_spelled(words, used, False, unit)} = {result}"
        return Reveals("equation", _terms(words, ordered, unit), text)
    low, high = decimal(argument.lower_value, unit), decimal(argument.upper_value, unit)
    parts = [
        _side(words, subject, True, argument.upper, argument.zeros_upper, high),
        _side(words, subject, False, argument.lower, argument.zeros_lower, low),
    ]
    if argument.kind == "integer":
        step = "whole number" if unit == 1 else f"multiple of {decimal(1, unit)}"
        only = f"the only {step} is {found}"
        ruled_out = f"every {step} but {found} is ruled out case by case"
        parts.append(f"between {low} and {high} {ruled_out if argument.by_cases else only}")
    upper, lower = (_terms(words, _ordered(words, y), unit) for y in (argument.upper, argument.lower))
    return Reveals(argument.kind, upper, "; ".join(parts), lower)


def _side(words: Words, subject: Subject, upper: bool, y: Multipliers, zeros: bool, value: str) -> str:
    """One end in words: what it follows from, its numbers, its value."""
    factors, left_out = words.by_factors(sorted(y))
    y = {row: times for row, times in y.items() if row not in left_out}
    because = (", because no value is below 0" if zeros else "") + (f", by {factors}" if factors else "")
    (name, unit, cell), sign = subject, "<=" if upper else ">="
    if not y:
        return f"{name} {sign} {value}{because}"
    if cell is not None and _is_own_row(words, cell, y):
        return f"{name} {sign} {value}, as is known of it"
    used = _told(words, _ordered(words, y), upper)
    numbers = _numbers(words, used, unit)
    result = value if numbers == value else f"{numbers} = {value}"
    return f"{name} {sign} {_spelled(words, used, upper, unit)} = {result}{because}"


def _is_own_row(words: Words, cell: int, y: Multipliers) -> bool:
    """True if the argument is nothing but what is known of the cell itself."""
    return len(y) == 1 and all(words.prepared.system.cell[row] == cell and factor == 1 for row, factor in y.items())


def _ordered(words: Words, y: Multipliers) -> "_Ordered":
    """One (row, multiplier) per cell or link, added terms first, so that a text does not begin with a minus. Rows that
    make base tables agree state nothing that was released and are left out."""
    system, rows = words.prepared.system, sorted(y)
    merged: dict[tuple[int, int], tuple[int, Fraction]] = {}
    for row, key in zip(rows, zip(system.cell[rows].tolist(), system.link[rows].tolist(), strict=True), strict=True):
        if key == (SEPARATOR, SEPARATOR):
            continue
        factor = y[row]
        before = merged.get(key)
        merged[key] = (row, factor) if before is None else (before[0], before[1] + factor)
    return sorted((item for item in merged.values() if item[1]), key=lambda item: (item[1].numerator < 0, item[0]))


def _in_decimals(words: Words, row: int, factor: Fraction, unit: Fraction) -> Fraction:
    """Multiplier of a row in units -> coefficient of what is released, in decimals; `unit`: that of the target."""
    if words.one_unit:
        return factor
    if words.prepared.system.link[row] >= 0:
        # A link row is `scale` times the statement, which is in decimals already.
        return factor * int(words.prepared.system.scale[row]) * unit
    own = words.unit(int(words.prepared.system.cell[row]))
    return factor if own is unit or own == unit else factor * unit / own


_Ordered = list[tuple[int, Fraction]]


def _terms(words: Words, ordered: _Ordered, unit: Fraction) -> tuple[Term, ...]:
    return tuple(words.term(row, _in_decimals(words, row, factor, unit)) for row, factor in ordered)


_Told = tuple[list[tuple[int, Fraction, int]], int]


def _told(words: Words, ordered: _Ordered, upper: bool) -> _Told:
    """(row, multiplier, value used) of what a text spells out, and how many zeros it leaves out."""
    system = words.prepared.system
    rows = [row for row, _ in ordered]
    used = [
        (row, factor, high if (factor > 0) == upper else low)
        for (row, factor), low, high in zip(
            ordered, system.lower[rows].tolist(), system.upper[rows].tolist(), strict=True
        )
    ]
    return told(used, [words.zero(row, value) for row, _, value in used])


def _spelled(words: Words, found: _Told, upper: bool, unit: Fraction) -> str:
    system = words.prepared.system

    def name(row: int, factor: Fraction, _: int) -> str:
        at_most = (factor > 0) == upper
        return words.link(int(system.link[row])) if system.link[row] >= 0 else _bounded_name(words, row, at_most)

    return _sum(words, found, unit, name) + and_zeros(found[1])


def _bounded_name(words: Words, row: int, at_most: bool) -> str:
    """Name of a row's cell; where only an interval is known of it, with the side that is used."""
    system = words.prepared.system
    name = words.name(int(system.cell[row]))
    if system.lower[row] == system.upper[row]:
        return name
    return f"({name}, at {'most' if at_most else 'least'})"


def _numbers(words: Words, found: _Told, unit: Fraction) -> str:
    system = words.prepared.system

    def number(row: int, _: Fraction, value: int) -> str:
        if system.link[row] >= 0:
            return decimal(Fraction(value, int(system.scale[row])), Fraction(1))
        return decimal(value, words.unit(int(system.cell[row])))

    return _sum(words, found, unit, number)


def _sum(words: Words, found: _Told, unit: Fraction, said: Callable[[int, Fraction, int], str]) -> str:
    """The first terms as a sum. said: a row, its factor and its value in words."""
    text = ""
    for row, factor, value in found[0][:SHOWN]:
        coefficient, word = _in_decimals(words, row, factor, unit), said(row, factor, value)
        part = word if abs(coefficient) == 1 else f"{abs(coefficient)} * {word}"
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {part}" if text else part if sign == "+" else f"-{part}"
    if len(found[0]) > SHOWN:
        text += f" ... and {len(found[0]) - SHOWN:,} more"
    return text or "0"
