"""Searches under `require.sap` on random small tables, against a list of every table and every sample of units."""

import itertools
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracle import Document, read
from patterns import misses, with_pattern
from sap_brute import sap_by_listing

from tableseal.audit.errors import LimitError
from tableseal.audit.io import release_from_document
from tableseal.audit.pipeline import audit
from tableseal.suppression.answer import Suppression
from tableseal.suppression.problem.decisions import Decision
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.suppress import suppress

METHODS = ("optimal", "heuristic", "elimination")


def release(random: Random) -> tuple[Document, NDArray[np.int64]]:
    """(document, true counts of the leaves): counts of two variables with all sums, some of them to be published; the
    grand total always, so that there is an end of tables that fit."""
    codes = "12", random.choice(["12", "12", "123"])
    leaves = {place: random.choice([0, 0, 1, 1, 2, 3]) for place in itertools.product(*codes)}
    leaves["1", "1"] += 2  # somebody is there, and the total is not sensitive
    places = list(itertools.product(*("T" + c for c in codes)))
    cells: dict[str, list[Any]] = {v: [place[k] for place in places] for k, v in enumerate("ab")}
    cells["value"] = [
        sum(n for leaf, n in leaves.items() if all(p in ("T", q) for p, q in zip(place, leaf, strict=True)))
        for place in places
    ]
    some = ["", "must_publish"] if random.random() < 0.4 else [""]
    cells["s"] = [
        "must_publish" if place == ("T", "T") or ("T" in place and n != 1 and random.choice(some)) else ""
        for place, n in zip(places, cells["value"], strict=True)
    ]
    limit = {"n": random.randint(1, 3), "max": random.choice(["0", "1/5", "2/5", "1/2", "4/5"])}
    document: Document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {v: {"total": "T", "codes": list(c)} for v, c in zip("ab", codes, strict=True)},
        "tables": [{"name": "t", "status": "s", "cells": cells}],
        "intruder": {"insiders": []},
        "policy": {"primary": random.choice([[], [{"threshold": 2}]]), "require": {"sap": limit}},
    }
    return document, np.array(list(leaves.values()))


def subtracted(document: Document, counts: NDArray[np.int64], problem: Problem, pattern: NDArray[np.bool_]) -> Fraction:
    """SAP(n) once this pattern is withheld; n is no more than there are units."""
    tables = read(with_pattern(document, problem, pattern)).tables()
    assert tables is not None
    each, all_of_them = np.arange(len(counts)), [True] * len(counts)
    found = sap_by_listing(counts, tables.astype(np.int64), each, all_of_them, all_of_them)
    return found[min(document["policy"]["require"]["sap"]["n"], len(found) - 1)]


def answered(seed: int, method: str) -> tuple[Document, NDArray[np.int64], Suppression] | None:
    """A search; None: it says that it neither found a safe pattern nor a proof that there is none."""
    document, counts = release(Random(seed))
    try:
        return document, counts, suppress(release_from_document(document), method=method, explain=False)
    except LimitError:
        return None


def agrees(seed: int, method: str) -> None:
    """The verdict of a search is right."""
    found = answered(seed, method)
    if found is None:
        return
    document, counts, result = found
    problem, pattern = result.problem, result.found.pattern
    limit = Fraction(document["policy"]["require"]["sap"]["max"])

    def safe(withheld: NDArray[np.bool_]) -> bool:
        return not misses(document, problem, withheld) and subtracted(document, counts, problem, withheld) <= limit

    everything = np.array([status == "" for status in document["tables"][0]["cells"]["s"]])
    if pattern is None:
        assert result.conflict is not None
        assert result.conflict.text
        assert misses(document, problem, everything & (problem.equations.value != 0))  # rules never withhold zeros
        return
    if result.verdict != "safe":
        assert not safe(everything)
    assert result.release is not None
    again = audit(result.release)
    assert again.report.verdict == result.verdict
    assert (result.verdict == "safe") == safe(pattern)
    if result.found.status == "optimal":
        for more in itertools.product([False, True], repeat=len(pattern)):
            other = (np.array(more) & everything) | problem.primary
            assert problem.price(other) >= result.found.cost or not safe(other)


@settings(max_examples=60)
@given(st.integers(0, 2**40), st.sampled_from(METHODS))
def test_a_pattern_keeps_the_limit_or_it_is_said_that_it_does_not(seed: int, method: str) -> None:
    """What is called safe no sample breaks more often than is allowed; what is called unsafe one does; and where there
    is said to be no pattern, not even everything withheld is enough."""
    # CONVENTION 448
    agrees(seed, method)


def two_by_two(values: list[int], published: set[str], sap: dict[str, Any]) -> Document:
    """Counts T,T; T,1; T,2; 1,T; ... ; published: cells such as "T1" that must not be withheld."""
    places = list(itertools.product("T12", repeat=2))
    cells: dict[str, list[Any]] = {v: [place[k] for place in places] for k, v in enumerate("ab")}
    cells |= {"value": values, "s": ["must_publish" if "".join(place) in published else "" for place in places]}
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {v: {"total": "T", "codes": ["1", "2"]} for v in "ab"},
        "tables": [{"name": "t", "status": "s", "cells": cells}],
        "intruder": {"insiders": []},
        "policy": {"require": {"sap": sap}},
    }


@pytest.mark.parametrize("method", METHODS)
def test_sums_that_are_zero_are_withheld_with_the_zeros_below(method: str) -> None:
    """Nobody is in 2: as long as that is shown, both cells of it are known to be 0."""
    # CONVENTION 648
    document = two_by_two([4, 2, 2, 4, 2, 2, 0, 0, 0], {"TT"}, {"n": 1, "max": "0"})
    result = suppress(release_from_document(document), method=method)
    assert result.verdict == "safe"
    assert {"2T", "21", "22"} <= withheld(result)


@pytest.mark.parametrize("method", METHODS)
def test_a_cell_that_nothing_hides_does_not_keep_others_from_being_hidden(method: str) -> None:
    """Column 2 has two units and is to be published: who knows just these two knows that no other cell of it has one,
    whatever is withheld. That is one sample of two units in 15; the zero in 12 can be withheld."""
    # CONVENTION 648
    document = two_by_two([6, 4, 2, 3, 3, 0, 3, 1, 2], {"TT", "T1", "T2", "2T"}, {"n": 2, "max": "1/5"})
    result = suppress(release_from_document(document), method=method)
    assert result.verdict == "safe"
    assert "12" in withheld(result)


def test_a_zero_that_is_to_stay_by_hand_stays() -> None:
    # CONVENTION 648
    document = two_by_two([4, 2, 2, 4, 2, 2, 0, 0, 0], {"TT"}, {"n": 1, "max": "0"})
    kept = Decision("keep_published", (("a", "2"), ("b", "1")), None, "asked for", "A. Clerk", "2026-01-01")
    result = suppress(release_from_document(document), decisions=[kept])
    assert result.verdict == "unsafe"
    assert "21" not in withheld(result)


def withheld(result: Suppression) -> set[str]:
    pattern = result.found.pattern
    assert pattern is not None
    found = [result.problem.release.cell_codes(result.problem.cells.codes[c]) for c in np.flatnonzero(pattern)]
    return {codes["a"] + codes["b"] for codes in found}
