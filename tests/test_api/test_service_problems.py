"""Problem documents: the pointer leads to the place that the message names; starting the command loads no service."""

import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.api.places import Files, pointer_in
from tableseal.api.problems import MEMORY_LIMIT, problem_of
from tableseal.audit.errors import AdditivityError, ContradictionError, InputError, LimitError
from tableseal.audit.io import release_from_document

DOCUMENT: dict[str, Any] = {
    "tableseal": "1",
    "kind": "count",
    "variables": {"a.b": {"total": "T", "codes": ["x", "y"]}, "a": {"codes": ["1"]}},
    "tables": [{"name": "t (1): x", "cells": {"a.b": ["x", "y"], 'say "a"': ["1", "1"], "value": ["1", "2"]}}],
}


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("kind: found x", "/kind"),
        ('tables[0] (t (1): x).cells row 2, column "value": found', "/tables/0/cells/value/1"),
        ('tables[0] (t (1): x).cells row 1, column "say "a"": found', '/tables/0/cells/say "a"/0'),
        ("tables[0] (t (1): x).cells.a.b row 2: found a list", "/tables/0/cells/a.b/1"),
        ('tables[0] (t (1): x).cells row 9, column "value": found', "/tables/0/cells"),
        ("variables.a.b.codes[1]: found", "/variables/a.b/codes/1"),
        ("variables.a.codes[5]: found", "/variables/a/codes"),
        ("tables[0].name: is missing", "/tables/0/name"),
        ("tables[0].unit: is missing", "/tables/0"),
        ("unknown key", None),
        ("line 3 column 4: expected", None),
    ],
)
def test_pointers(text: str, pointer: str | None) -> None:
    assert pointer_in(f"release.json: {text}", "release.json", DOCUMENT) == pointer


def test_messages_of_other_files_have_no_pointer() -> None:
    assert pointer_in("table.csv row 3: found", "release.json", DOCUMENT) is None
    assert pointer_in("release.json: kind: found", "release.json", None) is None


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
    problem = problem_of(caught.value, Files(("release.json",), lambda _: document))
    if 'column "' in problem.detail:
        pointer = problem.places[0].pointer
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
