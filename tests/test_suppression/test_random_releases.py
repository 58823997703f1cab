"""Every method on random releases of the release language: rounded tables, intervals, links, several measures, negative
values, cells that are not empty, frozen or to be published, limits on risk and whole units.

Statuses are drawn for each table by itself, so that tables disagree about a cell: withheld in one, and in another one
published, rounded, frozen, or without a row.
"""

from collections.abc import Iterable
from fractions import Fraction
from random import Random
from typing import Any

from hypothesis import example, given, note, settings
from hypothesis import strategies as st
from oracle import Document, possible_values, read
from random_releases import Maker

from tableseal.audit.errors import TablesealError
from tableseal.audit.io import release_from_document
from tableseal.audit.io.numbers import decimal_text
from tableseal.audit.model import Release, Status
from tableseal.suppression.answer import Suppression
from tableseal.suppression.search.methods import METHODS
from tableseal.suppression.suppress import suppress


def release_of(seed: int) -> tuple[Document, Release] | None:
    """None: it cannot be read."""
    random = Random(seed)
    document = Maker(random, base=8, truths=100, damaged=2, rounded=30).document()
    require: dict[str, Any] = {}
    if random.random() < 0.35:
        require["risk"] = random.choice([0.3, 0.5, 0.7, 1])
    if random.random() < 0.2:
        require["basis"] = "integer"
    if random.random() < 0.1:
        require["protection"] = False
    document["policy"] = {"require": require}
    if random.random() < 0.5:
        document["policy"]["primary"] = [{"threshold": random.choice([2, 3, 4])}]
    try:
        return document, release_from_document(document)
    except TablesealError:
        return None


def as_released(document: Document, protected: Release) -> Document:
    """What goes out, as a document for readers that share no code with the package."""
    tables = []
    for table, found in zip(document["tables"], protected.tables, strict=True):
        unit = protected.measures[found.measure].unit
        cells = dict(table["cells"])
        statuses = [Status(s) for s in found.status[: len(cells["value"])].tolist()]
        cells["status"] = [s.word for s in statuses]
        cells["value"] = [
            None if s.withheld or not known else decimal_text(Fraction(units) * unit)
            for s, units, known in zip(statuses, found.value.units.tolist(), found.value.known.tolist(), strict=False)
        ]
        tables.append({**table, "cells": cells})
    return {**document, "tables": tables}


def answers(release: Release, methods: Iterable[str] = METHODS) -> dict[str, Suppression]:
    """Of the methods that find something; what they refuse, they refuse as what the user gave."""
    found = {}
    for name in methods:
        try:
            found[name] = suppress(release, method=name, explain=name == "heuristic")
        except TablesealError as error:
            note(f"{name}: {error}")
    return found


def check_answer(release: Release, result: Suppression) -> None:
    """An answer withholds what may be withheld, and is safe, or says what nothing can protect; and no rounded table
    shows what it withheld before."""
    if result.found.pattern is None:
        assert result.found.status == "infeasible"
        assert result.conflict is not None
        assert result.conflict.text
        return
    assert result.release is not None
    problem = result.problem
    assert not (result.found.pattern & ~problem.primary & ~problem.may & ~problem.stays).any()
    for table, written in zip(release.tables, result.release.tables, strict=True):
        if table.rounding is not None:
            before = table.status >= Status.SECONDARY
            after = written.status[: len(before)] >= Status.SECONDARY
            assert (after | ~before).all()
            assert (written.value.units == table.value.units)[~after].all()
    if result.found.guarantee == "intervals":
        assert result.verdict != "unsafe" or result.problem.hopeless


@settings(deadline=None, max_examples=250)
@given(st.integers(0, 2**40))
@example(1008)  # one table publishes what another one rounds, and nothing else is sensitive
@example(1010)  # withheld in one table, rounded in another one
@example(1015)  # a true value that its rounded value does not stand for
@example(1029)  # withheld in one table, published in another one
@example(1044)  # withheld in a rounded table, shown rounded in another one
@example(1104)  # withheld in one table, without a row in another one
@example(1114)  # withheld in one table, to be published in another one
@example(502098)  # the only contributor of a withheld cell is that of a rounded one, too
@example(3217428)  # the same, of others
@example(3217596)  # an empty cell that stays withheld, though withheld cells are not empty
def test_a_quick_answer_is_safe_or_impossible_with_the_reason(seed: int) -> None:
    """CONVENTION 610, 611, 612: whatever tables say of one cell, no pattern is refuted by its own audit."""
    made = release_of(seed)
    if made is not None:
        note(str(made[0]))
        for result in answers(made[1], ["heuristic"]).values():
            check_answer(made[1], result)


@settings(deadline=None, max_examples=8)
@given(st.integers(0, 2**40))
@example(5)  # true values that no table fits
@example(1010)
@example(1029)
@example(3217428)
@example(501513)  # a cell that is not released moves along a cycle of the method network
def test_whatever_is_asked_the_answer_is_safe_and_optimal_is_not_dearer(seed: int) -> None:
    made = release_of(seed)
    if made is None:
        return
    document, release = made
    found = answers(release)
    note(str(document))
    for name, result in found.items():
        check_answer(release, result)
        if result.found.pattern is None or result.found.guarantee != "intervals":
            continue
        if result.release is not None and not any("compute" in str(t.get("absent")) for t in document["tables"]):
            judged = read(as_released(document, result.release))
            tables = judged.tables()
            if tables is not None and not result.problem.hopeless:
                assert len(tables), name
                for cell in judged.open_cells:
                    values = list(possible_values(tables, judged.forms[cell]))
                    assert len(values) > 1 or not judged.cells[cell].sensitive, (name, cell)
    best = found.get("optimal")
    sure = [r for r in found.values() if r.verdict == "safe" and r.found.guarantee == "intervals"]
    if best is not None and sure:
        assert best.found.pattern is not None
        assert best.found.cost <= min(r.found.cost for r in sure)
