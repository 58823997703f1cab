"""Problem documents: the pointer leads to the place that the message names; starting the command loads no service."""

import pickle
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.api.problems import MEMORY_LIMIT, problem_of
from tableseal.audit.errors import AdditivityError, ContradictionError, InputError, LimitError, OptionName, Place
from tableseal.audit.io import release_from_document

IN_T = Place("release.json", ("tables", 0, "cells"), "t (1): x")


@pytest.mark.parametrize(
    ("place", "words", "pointer"),
    [
        (Place("release.json"), "release.json", None),
        (Place("release.json") / "kind", "release.json: kind", "/kind"),
        (IN_T / "a.b", "release.json: tables[0] (t (1): x).cells.a.b", "/tables/0/cells/a.b"),
        (
            replace(IN_T, row=2, column='say "a"'),
            'release.json: tables[0] (t (1): x).cells row 2, column "say "a""',
            '/tables/0/cells/say "a"/1',
        ),
        (replace(IN_T / "a", row=2), "release.json: tables[0] (t (1): x).cells.a row 2", "/tables/0/cells/a/1"),
        (Place("release.json") / "variables" / "~/" / 1, "release.json: variables.~/[1]", "/variables/~0~1/1"),
        (Place("t.csv", table="t", row=3, line=4, column="n"), 't.csv row 3 (line 4), column "n"', None),
        (Place("t.csv", line=2, character=7), "t.csv line 2, column 7", None),
        (Place("t.csv", row=1, column=2), "t.csv row 1, column 2", None),
        (Place("", ("variables", "a")), "variables.a", "/variables/a"),
        (Place(table="t"), 'table "t"', None),
        (Place("t.csv", table="t", row=3, cell=(("a", "x"), ("b", "y"))), 'a=x, b=y in table "t"', None),
    ],
)
def test_the_words_and_the_pointer_of_a_place(place: Place, words: str, pointer: str | None) -> None:
    assert str(place) == words
    assert place.pointer == pointer


def test_options_are_spelled_by_who_shows_them() -> None:
    """CONVENTION 657."""
    error = InputError("not beside ", OptionName("bounds"), ".", at=OptionName("time_limit", "a_b"), found="a_b")
    assert str(error) == "time_limit a_b: not beside bounds."
    assert error.words(OptionName.flag) == "--time-limit a_b: not beside --bounds."
    problem = problem_of(error).document()
    assert (problem["detail"], problem["parameter"], problem["found"]) == (str(error), "time_limit", "a_b")
    assert problem_of(InputError("see ", OptionName("bounds"))).parameter is None


def test_errors_pass_from_process_to_process() -> None:
    error = InputError("see ", OptionName("bounds"), at=Place("t.csv", row=1), expected="x", keys=("unit",))
    again = pickle.loads(pickle.dumps(error))
    assert problem_of(again) == problem_of(error)


def resolve(pointer: str, document: Any) -> Any:
    """RFC 6901."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        document = document[key] if isinstance(document, Mapping) else document[int(key)]
    return document


NAMES = st.text(st.sampled_from('ab.[]() ~/":row1,'), min_size=1, max_size=8).filter(lambda name: name.strip() == name)


@given(name=NAMES, column=NAMES, row=st.integers(0, 3), bad=st.sampled_from(["1x", "--", "#"]))
def test_the_pointer_of_a_wrong_entry_leads_to_it(name: str, column: str, row: int, bad: str) -> None:
    """Whatever tables and columns are called."""
    values = ["1", "2", "3", "4"]
    values[row] = bad
    table = {"name": name, "value": column, "cells": {"region": ["N", "S", "E", "W"], column: values}}
    document = {
        "tableseal": "1",
        "kind": "count",
        "variables": {"region": {"codes": ["N", "S", "E", "W"]}},
        "tables": [table],
    }
    with pytest.raises(InputError) as caught:
        release_from_document(document, source="release.json")
    place = caught.value.places[0]
    if place.column is not None:
        pointer = place.pointer
        assert pointer is not None
        assert resolve(pointer, document) is values[row]


def test_every_error_has_its_type() -> None:
    types = [problem_of(kind("x")).slug for kind in (InputError, AdditivityError, ContradictionError, LimitError)]
    assert types == ["invalid-release", "not-additive", "contradiction", "limit"]
    assert MEMORY_LIMIT.document()["type"] == "urn:tableseal:problem:memory-limit"


def test_starting_the_command_loads_no_service() -> None:
    heavy = ("fastapi", "starlette", "sqlalchemy", "alembic", "pydantic_settings", "uvicorn", "prometheus_client")
    code = f"import tableseal.api.cli, sys; print([m for m in {heavy!r} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
