"""Releases that are put together: names that are nearly the same are refused; that none is shared is said."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Release
from tableseal.audit.pipeline import audit
from tableseal.audit.report.words import verdict_line
from tableseal.audit.together import Member, combine
from tableseal.audit.together.names import NOTHING_SHARED

NAMES = st.sampled_from(["region", "Region", "REGION ", " region", "size class", "size_class", "SizeClass", "sector"])


def release(measure: str, variable: str, *, values: tuple[int | None, ...] = (9, None, None), **more: Any) -> Release:
    return release_from_document(
        {
            "tableseal": 1,
            "measures": {measure: {"kind": "count"}},
            "variables": {variable: {"total": "T", "codes": ["k", "l"]}},
            "tables": [
                {
                    "name": "t",
                    "measure": measure,
                    "cells": {"a": ["T", "k", "l"], "value": list(values)},
                    "columns": {"a": variable},
                }
            ],
            "policy": {"primary": [{"threshold": 3}]},
            **more,
        }
    )


def together(*releases: Release, settled: tuple[str, ...] = ()) -> Release:
    members = [Member(f"r{n}.yaml", one) for n, one in enumerate(releases, start=1)]
    return combine(members, title="", settled=settled)


def plain(name: str) -> str:
    return name.casefold().replace(" ", "").replace("_", "")


@given(NAMES, NAMES, st.booleans())
def test_names_that_differ_in_case_or_blanks_only_are_refused(one: str, other: str, of_measures: bool) -> None:
    # CONVENTION 629
    pair = [release(name, "v") if of_measures else release("n", name) for name in (one, other)]
    if one == other:
        assert not together(*pair).notes
    elif plain(one) == plain(other):
        with pytest.raises(InputError) as error:
            together(*pair)
        for mention in ("r1.yaml and r2.yaml", f'"{one}"', f'"{other}"', "measures" if of_measures else "variables"):
            assert mention in str(error.value)
        (note, *_) = together(*pair, settled=("r1.yaml", "r2.yaml")).notes
        assert note.code == "names_alike"
        with pytest.raises(InputError, match="differ in nothing but"):
            together(*pair, settled=("r1.yaml",))
    else:
        (note,) = together(*pair).notes
        assert note.code == NOTHING_SHARED
        what = "measure by name: nothing can" if of_measures else "variable by name: nothing but totals can"
        said = f"These releases share no {what} be computed from one about the other (r1.yaml | r2.yaml)."
        assert note.text == said


def test_a_release_may_tell_such_names_apart_itself() -> None:
    # CONVENTION 629
    both = {"Region": {"total": "T", "codes": ["k", "l"]}, "region": {"total": "T", "codes": ["k", "l"]}}
    one = release("n", "region", variables=both)
    assert not together(one, release("n", "region")).notes


def test_that_nothing_is_shared_stands_in_the_first_line() -> None:
    # CONVENTION 629
    report = audit(together(release("n", "a", values=(90, 40, 50)), release("m", "a", values=(80, 30, 50)))).report
    assert verdict_line(report).startswith(
        "SAFE as listed; these releases share no measure by name: nothing can be computed from one about the other "
        "(r1.yaml | r2.yaml). This release may go out"
    )


@given(st.lists(st.tuples(st.sampled_from("mno"), st.sampled_from("abc")), min_size=2, max_size=6))
def test_what_hangs_together_is_what_shares_a_variable_of_a_measure(drawn: list[tuple[str, str]]) -> None:
    # CONVENTION 629
    found = together(*(release(measure, variable) for measure, variable in drawn)).notes
    measures, pairs = {m for m, _ in drawn}, set(drawn)
    assert bool(found) == (len(measures) > 1 or len(pairs) > 1)
    if found:
        assert found[0].count == (len(measures) if len(measures) > 1 else len(pairs))
        assert all(f"r{n}.yaml" in found[0].text for n in range(1, len(drawn) + 1) if len(drawn) <= 4)


def test_links_carry_from_one_measure_to_another() -> None:
    # CONVENTION 629
    pair = {"n": {"kind": "count"}, "m": {"kind": "count"}}
    terms = [[1, {"measure": "n", "a": "k"}], [-1, {"measure": "m", "a": "k"}]]
    linked = release("n", "a", measures=pair, links=[{"terms": terms, "lower": 0, "upper": 0}])
    assert not together(linked, release("m", "a")).notes


@given(NAMES, NAMES)
def test_a_note_says_nothing_of_one_release(one: str, other: str) -> None:
    assume(plain(one) != plain(other))
    assert not together(release(one, other)).notes
