"""Texts do not spell out what everybody knows to be zero, in audits, in reasons of patterns, and in errors."""

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import AdditivityError
from tableseal.audit.io import release_from_document
from tableseal.audit.pipeline import audit
from tableseal.suppression.report import suppression_text
from tableseal.suppression.suppress import suppress

KINDS = ("value", "zero", "structural", "absent")


def release_of(kinds: Sequence[str], *, off: int = 0) -> dict[str, Any]:
    """A primary cell, another one, and cells of these kinds; off: what the total is off by."""
    codes = ["p", "q", *(f"{kind}{at}" for at, kind in enumerate(kinds))]
    truth = [7, 9, *(5 if kind == "value" else 0 for kind in kinds)]
    rows = [("T", sum(truth) + off, sum(truth) + off, "")]
    for code, value in zip(codes, truth, strict=True):
        status = "primary" if code == "p" and not off else "structural_zero" if code.startswith("struct") else ""
        if not code.startswith("absent"):
            rows.append((code, None if status else value, value, status))
    names = ("d", "value", "true", "s")
    cells = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    table = {"name": "t", "cells": cells, "status": "s", "truth": "true"}
    variables = {"d": {"total": "T", "codes": codes}}
    return {"tableseal": 1, "kind": "count", "variables": variables, "tables": [table]}


@given(st.lists(st.sampled_from(KINDS), max_size=24))
def test_structural_zeros_are_never_spelled_out(kinds: list[str]) -> None:
    # CONVENTION 636
    silent = re.compile(r"(structural|absent)\d")
    release = release_from_document(release_of(kinds))
    (cell,) = audit(release).report.cells
    assert cell.reveals is not None
    assert not silent.search(cell.reveals.text)
    assert len(cell.reveals.terms) == len(kinds) + 2, "terms holds all of them"
    assert len(re.findall(r"zero\d", cell.reveals.text)) <= 3
    known = sum(kind in ("structural", "absent") for kind in kinds)
    published = kinds.count("zero")
    left_out = known + (published if published > 3 else 0)
    said = re.search(r"\(and (\d+) known zeros?\)", cell.reveals.text)
    assert (0 if said is None else int(said[1])) == left_out
    text = suppression_text(suppress(release), limit=None)
    assert "needed by" in text
    assert not silent.search(text)
    with pytest.raises(AdditivityError) as error:
        audit(release_from_document(release_of(kinds, off=1)))
    assert not silent.search(str(error.value))
