"""Every exposed cell has arithmetic, checked from what is released and nothing else, and it says something."""

from fractions import Fraction
from math import ceil, floor, inf
from pathlib import Path
from random import Random
from typing import Any

import pytest
from dense_proof import Dense, Vector
from hypothesis import given, note, settings
from hypothesis import strategies as st
from oracle import Document
from random_releases import Maker

from tableseal.audit.errors import TablesealError
from tableseal.audit.io import read_release, release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.report import Report
from tableseal.audit.report.model import Linked, ReportCell, Reveals, Term

REPORTS = Path(__file__).parent.parent / "data" / "reports"


class Checked:
    """Arithmetic over the full list of leaves; values are in decimals."""

    def __init__(self, document: Document) -> None:
        self.dense = Dense(document)
        self.units = [self.dense.oracle.units[measure] for measure, *_ in self.dense.base]

    def decimals(self, form: Vector) -> Vector:
        """A form over units as one over decimals."""
        return [weight * unit for weight, unit in zip(form, self.units, strict=True)]

    def statement(self, term: Term) -> tuple[Vector, Any, Any]:
        """What a term speaks of, and between which values that is known to lie."""
        if isinstance(term.of, Linked):
            return self.dense.links[term.of.link - 1]
        measure = term.of.measure or next(iter(self.dense.oracle.units))
        unit = self.dense.oracle.units[measure]
        form, low, high = self.dense.statement([measure, *(code for _, code in term.of.cell)])
        ends = [end if abs(end) == inf else Fraction(end) * unit for end in (low, high)]
        return self.decimals(form), *ends

    def end(self, cell: Vector, terms: tuple[Term, ...], sign: int) -> Fraction:
        """What terms prove sign * cell to be at least; no coefficient of a leaf may be left below 0."""
        left, total = [sign * x for x in cell], Fraction(0)
        for term in terms:
            factor = sign * term.coefficient
            form, low, high = self.statement(term)
            total += factor * Fraction(low if factor > 0 else high)
            left = [x - factor * y for x, y in zip(left, form, strict=True)]
        assert all(x >= 0 if self.dense.oracle.nonnegative else x == 0 for x in left), terms
        return total

    def holds(self, cell: ReportCell, reveals: Reveals) -> None:
        """The terms leave one value, or several of which all but one are said to be ruled out."""
        assert cell.lower is not None
        unit = self.dense.oracle.units[cell.measure]
        form = self.decimals(self.dense.sum_of([cell.measure, *(code for _, code in cell.cell)]))
        below = reveals.terms if reveals.kind == "equation" else reveals.at_least
        low, high = self.end(form, below, 1), -self.end(form, reveals.terms, -1)
        if reveals.kind == "integer":
            low, high = ceil(low / unit) * unit, floor(high / unit) * unit
        if "case by case" in reveals.text:
            assert low <= cell.lower <= high
        else:
            assert low == cell.lower == high, reveals.text


def says_something(text: str) -> bool:
    """A cell is not explained by itself."""
    for side in text.split("; "):
        name, _, rest = side.partition(" = ")
        if rest.partition(" = ")[0] == name:
            return False
    return True


def check(document: Document) -> Report | None:
    try:
        report = audit(release_from_document(document)).report
    except TablesealError:
        return None
    checked = Checked(document)
    for cell in report.cells:
        if cell.verdict == "exposed" and (cell.reason != "sensitive_published" or cell.reveals is not None):
            assert cell.reveals is not None, cell
            checked.holds(cell, cell.reveals)
            assert says_something(cell.reveals.text), cell.reveals.text
    return report


@settings(max_examples=60)
@given(st.integers(0, 2**40))
def test_every_exposed_cell_has_arithmetic_that_leaves_one_value(seed: int) -> None:
    # CONVENTION 643
    document = Maker(Random(seed), rounded=40).document()
    note(str(document))
    check(document)


@settings(max_examples=60)
@given(st.integers(0, 2**40))
def test_also_with_links_of_all_kinds(seed: int) -> None:
    # CONVENTION 643
    document = Maker(Random(seed), linked=100, coefficients=(1, 2, 7, -3, 20, 500)).document()
    note(str(document))
    check(document)


def test_small_coefficients_are_not_rounded_away() -> None:
    """20 a <= 0.0001, and a is a multiple of 0.25."""
    # CONVENTION 643
    [cell] = audit(read_release(REPORTS / "D7_no_arithmetic" / "release.yaml")).report.cells
    assert cell.reveals is not None
    assert cell.reveals.kind == "integer"
    assert "m a <= 1/20 * (link 1)" in cell.reveals.text
    assert "the only multiple of 0.25 is 0" in cell.reveals.text


STATED: list[tuple[str, list[dict[str, Any]], str]] = [
    ("published elsewhere", [{"value": [None]}, {"value": [3]}], 'table "u" publishes it'),
    (
        "structural zero elsewhere",
        [{"value": [None]}, {"value": [None], "s": ["structural_zero"]}],
        'table "u" lists it as a structural zero',
    ),
    (
        "known anyway",
        [{"value": [None], "lo": [2], "hi": [2]}, {}],
        "its `lower` is known and its `upper` is known, which leaves one value",
    ),
    ("rounded to nothing else", [{"value": [0], "up": "5"}, {}], 'table "t" rounds it, which leaves one value'),
    (
        "rounded twice",
        [{"value": [5], "up": "5"}, {"value": [5], "down": "5"}],
        'table "t" rounds it and table "u" rounds it, which leaves one value',
    ),
]


@pytest.mark.parametrize(("tables", "because"), [case[1:] for case in STATED], ids=[case[0] for case in STATED])
def test_what_is_stated_of_the_cell_itself_is_said_with_its_source(tables: list[dict[str, Any]], because: str) -> None:
    # CONVENTION 643
    entries = []
    for name, columns in zip("tu", tables, strict=True):
        kept = {key: values for key, values in columns.items() if key not in ("up", "down")}
        if not kept:
            continue
        entry: dict[str, Any] = {"name": name, "cells": {"v": ["k"], **kept}, "absent": {"leaves": "not_released"}}
        entry |= {"status": "s"} if "s" in columns else {}
        entry |= {"lower": "lo", "upper": "hi"} if "lo" in columns else {}
        for method in ("up", "down"):
            entry |= {"rounding": {"base": columns[method], "method": method}} if method in columns else {}
        entries.append(entry)
    variables = {"v": {"total": "T", "codes": ["k", "l"]}}
    document = {"tableseal": 1, "kind": "count", "variables": variables, "tables": entries}
    [cell] = audit(release_from_document(document)).report.cells
    assert cell.verdict == "exposed"
    assert cell.reveals is not None
    assert because in cell.reveals.text
