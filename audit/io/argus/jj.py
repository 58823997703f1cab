"""Cell suppression problems in JJ format (the exchange with solvers): read and written.

Layout: 0; number of cells; a line for each cell (`number value cost status lower upper LPL UPL SPL`); number of
relations; a line for each relation (`sum terms : cell (coefficient) ...`). Status: s may be withheld, u is sensitive,
z must be published, m is withheld.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus.words import Word, lines_of, words
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.files import Folder
from tableseal.audit.io.numbers import decimal, decimal_text, places
from tableseal.audit.model import Release

STATUSES: Final[Mapping[str, str]] = {"s": "published", "u": "primary", "z": "must_publish", "m": "secondary"}


@dataclass(frozen=True)
class JJCell:
    """One cell. lower, upper: what everybody knows of it. below, above, width: required protection (LPL, UPL, SPL)."""

    value: Fraction
    cost: Fraction
    status: str
    lower: Fraction
    upper: Fraction
    below: Fraction = Fraction(0)
    above: Fraction = Fraction(0)
    width: Fraction = Fraction(0)


@dataclass(frozen=True)
class Relation:
    """The sum of coefficient times cell is `total`. terms: (cell, coefficient)."""

    total: Fraction
    terms: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class JJ:
    """A problem."""

    cells: tuple[JJCell, ...]
    relations: tuple[Relation, ...]


def read_jj(text: str, source: str) -> JJ:
    """The problem in a JJ file.

    Raises
    ------
    InputError: too few or too many lines, entries that are none, a relation that names no cell; with line and column.
    """
    lines = [
        found
        for number, line in enumerate(lines_of(text), 1)
        if (found := words(line, Place(source, line=number), ":()"))
    ]
    taken = iter(lines)

    def next_line(what: str) -> list[Word]:
        found = next(taken, None)
        if found is None:
            raise InputError(f"the file ends where {what} is expected.", at=source)
        return found

    first = next_line("0")
    if [word.text for word in first] != ["0"]:
        raise InputError(expected="0 alone in the first line", at=first[0].at)
    cells = [_cell(next_line(f"cell {at}"), at) for at in range(_count(next_line("the number of cells")))]
    relations = [
        _relation(next_line("a relation"), len(cells)) for _ in range(_count(next_line("the number of relations")))
    ]
    for left in taken:
        raise InputError(expected="the end of the file", at=left[0].at)
    return JJ(tuple(cells), tuple(relations))


def jj_text(problem: JJ) -> str:
    """The problem as a JJ file."""
    lines = ["0", str(len(problem.cells))]
    for number, cell in enumerate(problem.cells):
        numbers = (cell.lower, cell.upper, cell.below, cell.above, cell.width)
        said = " ".join(decimal_text(value) for value in numbers)
        lines.append(f"{number} {decimal_text(cell.value)} {decimal_text(cell.cost)} {cell.status} {said}")
    lines.append(str(len(problem.relations)))
    for relation in problem.relations:
        terms = " ".join(f"{cell} ({coefficient})" for cell, coefficient in relation.terms)
        lines.append(f"{decimal_text(relation.total)} {len(relation.terms)} : {terms}")
    return "\n".join(lines) + "\n"


def read(folder: Folder, name: str, letters: Mapping[str, str]) -> dict[str, Any]:
    """The release that a JJ file describes: its cells are codes of one variable, its relations links.

    Raises
    ------
    InputError: as `read_jj`.
    """
    problem = read_jj(folder.text(name, Place(name)), name)
    return jj_document(problem, name, letters)


def write(release: Release, name: str) -> dict[str, bytes]:
    """The JJ file of a release.

    Raises
    ------
    InputError: as `jj_write.jj_of`.
    """
    from tableseal.audit.io.argus.jj_write import jj_of  # late: reading needs none of it

    return {name: jj_text(jj_of(release)).encode()}


def jj_document(problem: JJ, source: str, letters: Mapping[str, str]) -> dict[str, Any]:
    """A problem as a release document."""
    cells = problem.cells
    digits = max((places(number) or 0 for cell in cells for number in (cell.value, cell.lower, cell.upper)), default=0)
    said = {**STATUSES, **letters}
    codes = [str(number) for number in range(len(cells))]
    data: dict[str, Sequence[str | None]] = {
        "cell": codes,
        "value": [decimal_text(cell.value) for cell in cells],
        "status": [said[cell.status] for cell in cells],
        "cost": [decimal_text(cell.cost) for cell in cells],
        "lower": [decimal_text(cell.lower) for cell in cells],
        "upper": [decimal_text(cell.upper) for cell in cells],
        "below": [decimal_text(cell.below) for cell in cells],
        "above": [decimal_text(cell.above) for cell in cells],
        "width": [decimal_text(cell.width) for cell in cells],
    }
    return {
        "tableseal": "1",
        "title": source,
        "kind": "magnitude",
        "unit": decimal_text(Fraction(1, 10**digits)),
        "variables": {"cell": {"codes": codes}},
        "tables": [
            {
                "name": source,
                "status": "status",
                "cost": "cost",
                "lower": "lower",
                "upper": "upper",
                "protection": {"lower": "below", "upper": "above", "sliding": "width"},
                "decimal": ".",
                "cells": Columns(Place(source), Columns.of(Place(source), data).data, np.arange(len(cells)) + 3),
            }
        ],
        "links": [_link(relation) for relation in problem.relations],
        "intruder": {"nonnegative": not any(cell.lower < 0 for cell in cells), "insiders": []},
    }


def _link(relation: Relation) -> dict[str, Any]:
    total = decimal_text(relation.total)
    terms = [[coefficient, {"cell": str(cell)}] for cell, coefficient in relation.terms]
    return {"terms": terms, "lower": total, "upper": total}


def _count(found: list[Word]) -> int:
    if len(found) != 1 or not found[0].text.isascii() or not found[0].text.isdigit() or len(found[0].text) > 9:
        raise InputError(expected="a count alone in this line", at=found[0].at)
    return int(found[0].text)


def _cell(found: list[Word], at: int) -> JJCell:
    if len(found) not in (8, 9):
        text = f"has {len(found)} entries, expected 9: number, value, cost, status, lower, upper, LPL, UPL, SPL."
        raise InputError(text, at=found[0].at)
    if found[0].text != str(at):
        raise InputError(found=found[0].shown, expected=f"cell {at}: cells are numbered from 0", at=found[0].at)
    status = found[3].text.lower()
    if status not in STATUSES:
        raise InputError(found=found[3].shown, expected=f"one of {', '.join(STATUSES)}", at=found[3].at)
    numbers = [_number(word) for word in (*found[1:3], *found[4:])]
    cell = JJCell(numbers[0], numbers[1], status, *numbers[2:])
    if cell.lower > cell.upper:
        raise InputError("the lower bound is above the upper bound.", at=found[4].at)
    return cell


def _relation(found: list[Word], cells: int) -> Relation:
    """`0 3 : 0 (-1) 1 (1) 2 (1)`."""
    if len(found) < 3 or found[2].text != ":":
        raise InputError(expected="a sum, the number of terms, and a colon", at=found[0].at)
    total, count = _number(found[0]), _count([found[1]])
    rest = found[3:]
    if len(rest) != 4 * count:
        text = f"says {count} terms and has {len(rest) / 4:g}."
        raise InputError(text, at=found[1].at)
    terms = []
    for start in range(0, len(rest), 4):
        cell, opened, coefficient, closed = rest[start : start + 4]
        if opened.text != "(" or closed.text != ")":
            raise InputError(expected='a cell and its coefficient, such as "0 (-1)"', at=cell.at)
        number, factor = _number(cell), _number(coefficient)
        if number.denominator != 1 or not 0 <= number < cells:
            raise InputError(found=cell.shown, expected=f"a cell from 0 to {cells - 1}", at=cell.at)
        if factor.denominator != 1 or not factor or abs(factor) > 10**9:
            raise InputError(found=coefficient.shown, expected="a whole coefficient other than 0", at=coefficient.at)
        terms.append((int(number), int(factor)))
    return Relation(total, tuple(terms))


def _number(word: Word) -> Fraction:
    try:
        return decimal(word.text)
    except ValueError:
        raise InputError(expected="a number", at=word.at) from None
