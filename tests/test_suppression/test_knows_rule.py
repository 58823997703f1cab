"""Readers who know the threshold know of each cell that is withheld for it that it lies below."""

import itertools
from random import Random
from typing import Any

import numpy as np
import pytest
from small import document, report, table

from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_json, release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.proof import proof_json
from tableseal.audit.proof.verify import check
from tableseal.audit.report import Report
from tableseal.suppression.protections.public import public_release
from tableseal.suppression.suppress import suppress

STARS = np.array([[12, 1, 20, 1, 3], [1, 1, 9, 20, 12], [20, 1, 2, 1, 20], [1, 3, 20, 1, 1], [9, 20, 2, 9, 3]])
"""14 counts below 5."""
EXACT = {"protection": False}
Counts = dict[str, Any]


def two_way(
    values: np.ndarray, *, knows: bool, threshold: int = 5, require: Any = EXACT, zeros: bool = False
) -> Counts:
    """A table with its margins, of which only what lies below the threshold is withheld, without a reason."""
    rows, columns = values.shape
    cells: dict[str, list[Any]] = {"a": [], "b": [], "n": []}
    for i, j in itertools.product([*range(rows), None], [*range(columns), None]):
        n = values[slice(i, None if i is None else i + 1), slice(j, None if j is None else j + 1)].sum()
        inner = i is not None and j is not None
        hidden = inner and (n < threshold if zeros else 0 < n < threshold)
        cells["a"].append("T" if i is None else str(i))
        cells["b"].append("T" if j is None else str(j))
        cells["n"].append(None if hidden else int(n))
    names = {"a": rows, "b": columns}
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {v: {"total": "T", "codes": [str(k) for k in range(size)]} for v, size in names.items()},
        "tables": [{"name": "t", "cells": cells, "value": "n"}],
        "intruder": {"knows_rule": knows},
        "policy": {"primary": [{"threshold": threshold, "zeros": zeros}], "require": EXACT},
    }


def audited(release: Counts) -> Report:
    return audit(release_from_document(release)).report


def test_fourteen_stars_of_fewer_than_five() -> None:
    # CONVENTION 585
    assert audited(two_way(STARS, knows=False)).verdict == "safe"
    found = audited(two_way(STARS, knows=True))
    assert (found.verdict, found.summary.withheld, found.summary.exposed) == ("unsafe", 14, 6)
    assert all(cell.reveals for cell in found.cells if cell.verdict == "exposed")


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_intervals_are_those_of_every_table_that_readers_think_possible(seed: int, zeros: bool) -> None:
    # CONVENTION 585
    random = Random(seed)
    values = np.array([[random.choice([0, 1, 2, 3, 7, 9]) for _ in range(3)] for _ in range(3)])
    threshold = 4
    hidden = [(i, j) for i, j in np.ndindex(3, 3) if (zeros or values[i, j]) and values[i, j] < threshold]
    fits = []
    for guess in itertools.product(range(0 if zeros else 1, threshold), repeat=len(hidden)):
        tried = values.copy()
        for (i, j), n in zip(hidden, guess, strict=True):
            tried[i, j] = n
        if (tried.sum(0) == values.sum(0)).all() and (tried.sum(1) == values.sum(1)).all():
            fits.append(guess)
    found = audited(two_way(values, knows=True, threshold=threshold, zeros=zeros))
    ends = {cell.cell: (cell.lower, cell.upper) for cell in found.cells if cell.status == "withheld"}
    assert len(ends) == len(hidden)
    for k, (i, j) in enumerate(hidden):
        possible = [guess[k] for guess in fits]
        assert ends[("a", str(i)), ("b", str(j))] == (min(possible), max(possible))


def test_what_readers_know_is_proved() -> None:
    release = release_from_document(two_way(STARS, knows=True))
    result = audit(release, prove=True)
    assert result.proof is not None
    count = check(proof_json(result.proof).encode(), canonical_json(release))
    assert count["proved"] == count["ends"] == 28
    again = audit(release_from_document(two_way(STARS, knows=True)))
    assert [(c.lower, c.upper) for c in again.report.cells] == [(c.lower, c.upper) for c in result.report.cells]


WORDS = ["", "primary", "secondary", "", ""]


def of_line(status: list[str], values: list[int | None], truth: list[int], **changes: Any) -> Counts:
    codes = ["T", "k", "l", "m", "n"]
    variables = {"a": {"total": "T", "codes": codes[1:]}}
    rest = {"policy": {"primary": [{"threshold": 5}]}, "intruder": {"knows_rule": True}, "variables": variables}
    return document(table(codes, values, status=status, truth=truth), **(rest | changes))


def ends_of(release: Counts) -> dict[str, tuple[Any, Any]]:
    return {cell.cell[0][1]: (cell.lower, cell.upper) for cell in audited(release).cells if cell.status != "published"}


def test_of_which_cells_readers_know_it() -> None:
    # CONVENTION 585
    truth = [30, 2, 9, 10, 9]
    given = [30, None, None, 10, 9]
    assert ends_of(of_line(WORDS, given, truth)) == {"k": (1, 4), "l": (7, 10)}
    masked = ["", "withheld", "withheld", "", ""]
    assert ends_of(of_line(masked, given, truth)) == {"k": (0, 11), "l": (0, 11)}, "they cannot be told apart"
    other = {"primary": [{"threshold": 5}, {"attribute": {"given": ["a"]}}]}
    assert ends_of(of_line(WORDS, given, truth, policy=other))["k"] == (0, 11), "another rule may be the reason"
    nobody = {"knows_rule": False}
    assert ends_of(of_line(WORDS, given, truth, intruder=nobody))["k"] == (0, 11)
    sales = of_line(WORDS, given, truth, kind="magnitude", unit=1)
    sales["tables"][0] |= {"frequency": "f"}
    sales["tables"][0]["cells"]["f"] = [9, 2, 9, 9, 9]
    assert ends_of(sales)["k"] == (0, 11), "a magnitude is no number of contributors"
    with pytest.raises(InputError, match="cell a=l: is primary, but not by the threshold"):
        audited(of_line(["", "primary", "primary", "", ""], given, truth))


def test_what_everybody_knows_cannot_be_asked_for() -> None:
    # CONVENTION 586
    found = audited(of_line(WORDS, [30, None, None, 10, 9], [30, 2, 9, 10, 9]))
    (cell,) = [c for c in found.cells if c.cell[0][1] == "k"]
    assert (cell.required, cell.verdict, found.verdict) == ((1, 4), "protected", "safe")


def test_where_it_is_off_and_would_matter_the_report_says_so() -> None:
    # CONVENTION 587
    def said(release: Counts) -> bool:
        return any(note.code == "rule_not_known" for note in audited(release).notes)

    truth, given = [30, 2, 9, 10, 9], [30, None, None, 10, 9]
    assert said(of_line(WORDS, given, truth, intruder={}))
    assert not said(of_line(WORDS, given, truth))
    assert not said(of_line(WORDS, given, truth, intruder={}, policy={"primary": []}))


def test_a_search_protects_against_readers_who_know_the_rule() -> None:
    # CONVENTION 585, 588
    open_ = two_way(np.array([[2, 9, 7], [8, 3, 9], [9, 9, 4]]), knows=True)
    for at, n in enumerate(open_["tables"][0]["cells"]["n"]):
        if n is None:
            open_["tables"][0]["cells"]["n"][at] = {0: 2, 5: 3, 10: 4}[at]
    open_["policy"]["require"] = {}
    found = suppress(release_from_document(open_))
    assert found.report is not None
    assert found.report.verdict == "safe"
    primary = [c for c in found.report.cells if c.status == "primary"]
    assert [(c.lower, c.upper) for c in primary] == [(1, 4)] * 3
    assert found.release is not None
    told, masked = (public_release(found.release, tell_statuses=tell) for tell in (True, False))
    assert told.tables[0].upper.known.sum() == 3
    assert not masked.tables[0].upper.known.any(), "bounds would tell which cells are primary"
    assert audit(masked).report.verdict != "unsafe"


def test_without_the_switch_nothing_changes() -> None:
    plain = report(table(["T", "k", "l", "m"], [9, None, None, 4]), policy={"primary": [{"threshold": 5}]})
    off = report(
        table(["T", "k", "l", "m"], [9, None, None, 4]),
        policy={"primary": [{"threshold": 5}]},
        intruder={"knows_rule": False},
    )
    assert plain == off
