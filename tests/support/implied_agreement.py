"""Cells that no row lists: what an audit says of them, compared with a list of every table.

Run as a program it compares many random releases: python tests/support/implied_agreement.py COUNT [SEED]
(with the repository and this folder on PYTHONPATH).
"""

import sys
from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

from implied_oracle import Implied, Parts, implied_cells
from implied_releases import LeavingOut
from oracle import Document, Variable, variables_of

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.report import Report


def leaves_of(variable: Variable, name: str) -> frozenset[str]:
    """The leaves that a code, or a name such as "A+B - B" or "P & Q", stands for."""
    if name in variable.covers:
        return variable.covers[name]
    if " - " in name:
        whole, *gone = name.split(" - ")
        return leaves_of(variable, whole) - frozenset().union(*(leaves_of(variable, g) for g in gone))
    if " & " in name:
        one, other = name.split(" & ")
        return leaves_of(variable, one) & leaves_of(variable, other)
    return frozenset().union(*(variable.covers[code] for code in name.split("+")))


def told(document: Document, report: Report) -> dict[tuple[str, Parts], tuple[Any, ...]]:
    """The findings of a report: combination -> (least value, largest value, verdict), in units."""
    variables = variables_of(document)
    found = {}
    for cell in report.implied:
        assert cell.reason == "implied"
        assert cell.sensitive
        parts = tuple(leaves_of(variables[name], code) for name, code in cell.cell)
        unit = Fraction(document["measures"][cell.measure].get("unit", "1"))
        assert (cell.measure, parts) not in found, "each combination once"
        found[cell.measure, parts] = (cell.lower / unit, cell.upper / unit, cell.verdict)
    return found


def expected(cells: list[Implied]) -> dict[tuple[str, Parts], tuple[Any, ...]]:
    """The findings that there have to be, those that need not be found among them."""
    return {
        (c.measure, c.parts): (c.low, c.high, "exposed" if c.computed else "underprotected")
        for c in cells
        if c.sensitive
    }


def assert_implied(document: Document, cells: list[Implied], report: Report) -> None:
    """Findings and counts are those of the list of all tables."""
    found, wanted = told(document, report), expected(cells)
    disputed = {(c.measure, c.parts) for c in cells if c.disputed}
    surprising = {name: what for name, what in found.items() if wanted.get(name) != what and name not in disputed}
    assert not surprising, ("not so", surprising, {n: wanted.get(n) for n in surprising})
    crossed = {(c.measure, c.parts) for c in cells if c.crossed and c.due}
    missed = {name: what for name, what in wanted.items() if name in crossed and name not in found}
    assert not missed, ("not found", missed)
    said = report.summary.implied
    assert said is not None
    assert said.left_out == 0
    assert said.sensitive == len(found)
    for kind in ("computed", "narrow"):
        least = sum(getattr(c, kind) for c in cells if c.crossed and c.due)
        assert least <= getattr(said, kind) <= sum(getattr(c, kind) for c in cells), kind
    judged = [c for c in cells if c.computed and (c.sensitive is not None or c.zeros or c.disputed)]
    assert sum(c.crossed for c in judged if c.due) <= said.judged <= len(judged)
    assert not found or report.verdict == "unsafe"
    # What statements do not cross follows from a cell that is sensitive itself.
    assert not any(c.due for c in cells) or report.verdict == "unsafe"


def asked(document: Document, cells: list[Implied]) -> Document:
    """The release with combinations as cells whose intervals are asked for."""
    variables = variables_of(document)
    tables = list(document["tables"])
    for number, cell in enumerate(cells):
        where = {name: sorted(part) for name, part in zip(variables, cell.parts, strict=True)}
        more = {"value": [None], "status": ["missing"]}
        said = {"status": "status", "absent": {"leaves": "not_released", "totals": "not_released"}}
        tables.append({"name": f"asked{number}", "measure": cell.measure, "where": where, "cells": more, **said})
    return {**document, "tables": tables}


def compared(document: Document, counts: Counter[str]) -> None:
    """Compare one release, if its tables can be listed; what there was is counted."""
    cells = implied_cells(document)
    if cells is None:
        counts["too many tables"] += 1
        return
    try:
        report = audit(release_from_document(document)).report
    except InputError:
        counts["refused"] += 1
        return
    counts["compared"] += 1
    for kind in ("computed", "narrow", "sensitive"):
        of_kind = sum(bool(getattr(c, kind)) for c in cells)
        counts[f"{kind} cells"] += of_kind
        counts[f"releases with {kind} cells"] += of_kind > 0
    counts["computed cells that no rule can judge"] += sum(c.computed and c.sensitive is None for c in cells)
    counts["releases unsafe by implied cells alone"] += bool(report.implied) and not any(
        c.sensitive and c.verdict in ("exposed", "underprotected") for c in report.cells
    )
    assert_implied(document, cells, report)


def campaign(count: int, first: int = 0) -> Counter[str]:
    """Compare so many releases."""
    counts: Counter[str] = Counter()
    for seed in range(first, first + count):
        try:
            compared(LeavingOut(Random(seed)).document(), counts)
        except Exception as error:
            counts["DIFFERENT"] += 1
            print(f"seed {seed}: {type(error).__name__}: {str(error)[:2000]}", flush=True)
        if (seed - first + 1) % 500 == 0:
            print(f"{seed - first + 1} releases: {dict(counts)}", flush=True)
    return counts


if __name__ == "__main__":
    for kind, number in sorted(campaign(*map(int, sys.argv[1:3])).items()):
        print(f"{kind}: {number:,}")
