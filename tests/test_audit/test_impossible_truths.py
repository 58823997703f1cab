"""True values that the agency states and that cannot be, and what-ifs on tables that do not add up."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import AdditivityError, InputError
from tableseal.audit.io import canonical_document, canonical_json, release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.report.model import Report
from tableseal.suppression.protections.public import public_release

CELLS = [(r, c) for r in "abT" for c in "xyU"]
EQUATIONS = [[("a", c), ("b", c), ("T", c)] for c in "xyU"] + [[(r, "x"), (r, "y"), (r, "U")] for r in "abT"]


def report(value: dict[Any, int | None], status: dict[Any, str], **more: Any) -> Report:
    what_if = more.pop("what_if", False)
    return audit(release_from_document(table_of(value, status) | more), withhold_primaries=what_if).report


def table_of(value: dict[Any, int | None], status: dict[Any, str]) -> dict[str, Any]:
    cells = {"r": [c[0] for c in value], "c": [c[1] for c in value]}
    cells |= {"v": list(value.values()), "s": [status.get(c, "") for c in value]}
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {"r": {"total": "T", "codes": ["a", "b"]}, "c": {"total": "U", "codes": ["x", "y"]}},
        "tables": [{"name": "t", "cells": cells, "value": "v", "status": "s"}],
    }


def added_up(ax: int, ay: int, bx: int, by: int) -> dict[Any, int]:
    inner = {("a", "x"): ax, ("a", "y"): ay, ("b", "x"): bx, ("b", "y"): by}
    rows = {("T", c): inner["a", c] + inner["b", c] for c in "xy"}
    full = inner | rows
    return {(r, c): full[r, c] if c != "U" else full[r, "x"] + full[r, "y"] for r, c in CELLS}


COUNTS = st.integers(0, 4)


@given(
    st.tuples(COUNTS, COUNTS, COUNTS, COUNTS),
    st.sets(st.sampled_from(CELLS)),
    st.dictionaries(st.sampled_from(CELLS), st.integers(0, 9), max_size=2),
)
def test_cells_whose_true_values_cannot_be_are_named_and_not_called_protected(
    inner: tuple[int, int, int, int], withheld: set[Any], changed: dict[Any, int]
) -> None:
    # CONVENTION 569
    shown = added_up(*inner)
    stated = shown | {cell: n for cell, n in changed.items() if cell in withheld}
    found = report(stated, dict.fromkeys(withheld, "primary"))
    wrong = {c for e in EQUATIONS for c in e if stated[e[0]] + stated[e[1]] != stated[e[2]]} & withheld
    for cell in found.cells:
        where = tuple(dict(cell.cell).values())
        if stated[where] < (cell.lower or 0) or (cell.upper is not None and stated[where] > cell.upper):
            wrong.add(where)
    verdicts = {(dict(c.cell)["r"], dict(c.cell)["c"]): c.verdict for c in found.cells}
    assert all(verdicts[c] != "protected" for c in wrong)
    notes = [note for note in found.notes if note.code == "impossible_truth"]
    assert [note.count for note in notes] == ([len(wrong)] if wrong else [])
    assert all(f"r={r}, c={c} in table" in notes[0].text for r, c in wrong)
    if wrong:
        assert found.verdict != "safe"
    else:
        assert "undecided" not in verdicts.values()


def test_the_note_says_what_is_possible_and_never_the_true_value() -> None:
    # CONVENTION 569
    value = added_up(3, 4, 5, 6) | {("a", "x"): 7777}
    found = report(value, dict.fromkeys([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")], "primary"))
    [note] = [n for n in found.notes if n.code == "impossible_truth"]
    assert 'r=a, c=x in table "t": possible is [0, 7]' in note.text
    assert "7777" not in note.text
    assert found.verdict == "undecided"


def test_an_exposed_cell_stays_exposed_and_both_is_said() -> None:
    # CONVENTION 569
    found = report(added_up(3, 4, 5, 6) | {("a", "x"): 2}, {("a", "x"): "primary"})
    assert [(c.verdict, c.lower) for c in found.cells] == [("exposed", 3)]
    assert found.verdict == "unsafe"
    assert "possible is [3, 3]" in next(n.text for n in found.notes if n.code == "impossible_truth")


def test_links_are_held_against_true_values_too() -> None:
    # CONVENTION 569
    value, hidden = added_up(3, 4, 5, 6), dict.fromkeys([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")], "primary")
    link = {"terms": [[1, {"r": "a", "c": "x"}], [2, {"r": "b", "c": "y"}]], "lower": 0}
    assert report(value, hidden, links=[link | {"upper": 15}]).verdict == "safe"
    wrong = report(value, hidden, links=[link | {"upper": "29/2"}])
    assert wrong.verdict == "undecided"
    assert next(n.count for n in wrong.notes if n.code == "impossible_truth") == 4  # the margins move them together


SECRET = 4321


@pytest.mark.parametrize("status", ["", "secondary"])
def test_a_what_if_names_the_equation_without_what_only_it_publishes(status: str) -> None:
    # CONVENTION 570
    value = added_up(2, SECRET, 5, 6)
    value |= {("T", "U"): value["T", "U"] + 1, ("b", "U"): value["b", "U"] + 1}
    hidden = {("a", "y"): status, ("a", "U"): status, ("T", "y"): status}
    policy = {"primary": [{"threshold": 3}]}
    with pytest.raises(AdditivityError) as error:
        report(value, hidden, policy=policy, what_if=True)
    said = str(error.value)
    assert 'r=b, c=U in table "t": expected 11 = b / x 5 + b / y 6; found 12; difference 1' in said
    assert "secondary" not in said
    assert str(SECRET) not in said
    assert (str(SECRET + 6) in said) == (status == "")


def test_a_true_value_that_only_the_what_if_publishes_is_in_no_message() -> None:
    # CONVENTION 570
    value = added_up(2, 4, 5, 6) | {("a", "y"): SECRET}
    hidden = {("a", "y"): "secondary", ("a", "x"): "primary", ("b", "x"): "secondary", ("b", "y"): "secondary"}
    with pytest.raises(AdditivityError) as error:
        report(value, hidden, policy={"primary": [{"threshold": 3}]}, what_if=True)
    said = str(error.value)
    assert said.startswith("What-if: the true values of withheld cells")
    assert 'r=T, c=y in table "t": expected (withheld) = a / y (withheld) + b / y (withheld); found 10' in said
    assert not any(str(n) in said for n in (SECRET, SECRET + 6, SECRET - 4))


def test_what_no_single_equation_says_is_said_without_values() -> None:
    # CONVENTION 570
    value = added_up(2, 4, 5, 6)
    hidden = {("a", "y"): "secondary", ("a", "x"): "primary", ("b", "x"): "primary", ("b", "y"): "secondary"}
    link = {"terms": [[1, {"r": "a", "c": "y"}], [1, {"r": "b", "c": "y"}]], "lower": 11}
    with pytest.raises(InputError):
        report(value, hidden, links=[link], policy={"primary": [{"threshold": 3}]}, what_if=True)


def test_a_negative_value_beside_a_status_leaves_the_cell_undecided() -> None:
    # CONVENTION 577
    shown: dict[Any, int | None] = {**added_up(3, 4, 5, 6)}
    withheld = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    status = dict.fromkeys(withheld, "primary")
    assert report(shown, status).verdict == "safe"
    document = release_from_document(table_of(shown | {("a", "x"): -3}, status))
    for release in (document, release_from_document(canonical_document(document))):
        found = audit(release).report
        verdicts = {tuple(dict(c.cell).values()): c.verdict for c in found.cells}
        assert verdicts == dict.fromkeys(withheld, "protected") | {("a", "x"): "undecided"}
        assert found.verdict == "undecided"
        [note] = [note for note in found.notes if note.code == "impossible_truth"]
        assert "a / x" in note.text or "r=a, c=x" in note.text
        assert "-3" not in note.text
    assert canonical_json(release_from_document(canonical_document(document))) == canonical_json(document)
    assert audit(public_release(document)).report.verdict == "safe"
