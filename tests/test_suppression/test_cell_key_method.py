"""`protect` with the method cell-key: what is released, what is said of it, and what the audit finds."""

import json
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io import canonical_json, release_from_document
from tableseal.audit.io.record_keys import keys_of_identifiers
from tableseal.audit.model import Release, Status
from tableseal.audit.pipeline import audit
from tableseal.suppression.protections.cell_keys.settings import CellKeySettings
from tableseal.suppression.protections.document import protection_json
from tableseal.suppression.protections.methods import settings_of
from tableseal.suppression.protections.protect import protect
from tableseal.suppression.protections.public import public_release
from tableseal.suppression.protections.text import protection_text

SECRET = "a secret of enough letters"
USUAL = CellKeySettings(range=3, variance=Fraction(3, 2), never=1)

People = list[tuple[str, str]]
"""Area and sex of each."""


def released(people: People, *, missing: int = 0) -> Release:
    areas, sexes = ["N", "S", "T"], ["F", "M", "B"]
    cells = list(product(areas, sexes))
    value = [sum(a in (area, "T") and s in (sex, "B") for area, sex in people) for a, s in cells]
    keys = list(keys_of_identifiers([f"p{k}" for k in range(len(people))], SECRET, Place()))
    keys[:missing] = [""] * missing
    document: dict[str, Any] = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"area": {"total": "T", "codes": ["N", "S"]}, "sex": {"total": "B", "codes": ["F", "M"]}},
        "tables": [
            {"name": "t", "cells": {"area": [a for a, _ in cells], "sex": [s for _, s in cells], "value": value}}
        ],
        "microdata": {"cells": {"area": [a for a, _ in people], "sex": [s for _, s in people], "k": keys}, "key": "k"},
    }
    document["microdata"]["columns"] = {"area": "area", "sex": "sex"}
    return release_from_document(document)


PEOPLE: People = [("NS"[k % 2], "FM"[k % 3 % 2]) for k in range(40)]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from([(a, s) for a in "NS" for s in "FM"]), min_size=1, max_size=30), st.booleans())
def test_what_readers_find_holds_the_true_counts(people: People, additive: bool) -> None:
    """CONVENTION 744 and 746: intervals of the public release are those of the audit, and hold what is true."""
    changes = CellKeySettings(range=6, variance=Fraction(3, 2), never=1, additive=additive)
    found = protect(released(people), changes)
    public = release_from_document(json.loads(canonical_json(public_release(found.release))))
    ours = [(c.cell, c.lower, c.upper) for c in found.report.cells]
    assert ours == [(c.cell, c.lower, c.upper) for c in audit(public).report.cells]
    for cell in found.report.cells:
        assert cell.truth is not None
        assert cell.lower is not None
        assert cell.upper is not None
        assert cell.lower <= cell.truth <= cell.upper
    assert found.statement.additive == additive
    assert (found.statement.optimum is not None) == additive
    if additive:
        value = found.release.tables[0].value.units.reshape(3, 3)
        assert (value[2] == value[:2].sum(axis=0)).all()
        assert (value[:, 2] == value[:, :2].sum(axis=1)).all()


def test_exact_moments_are_told_to_the_agency_alone() -> None:
    """CONVENTION 742."""
    found = protect(released(PEOPLE), USUAL)
    assert "count 1: change -1 to 3, mean 0, variance 1.5, unchanged 0." in protection_text(found)
    assert "mean 0" not in protection_text(found, public=True)
    written = json.loads(protection_json(found, public=True))
    assert written["statement"]["details"] == []
    assert written["statement"]["seed"] is None


def test_missing_keys_are_noted_and_small_counts_withheld() -> None:
    """CONVENTION 741: what is withheld is known to be small."""
    settings = CellKeySettings(range=3, variance=Fraction(3, 2), withhold_below=14, missing_keys=True)
    found = protect(released(PEOPLE, missing=7), settings)
    assert [note.count for note in found.report.notes if note.code == "missing_keys"] == [7]
    (table,) = found.release.tables
    hidden = table.status == Status.WITHHELD
    assert hidden.any()
    assert (table.upper.units[hidden] == 14 - 1 + 3).all()
    assert (table.truth.units[hidden] <= table.upper.units[hidden]).all()
    assert not table.value.known[hidden].any()
    assert np.abs(table.value.units - table.truth.units)[~hidden].max() <= 3


def test_missing_keys_that_nobody_spoke_of_are_refused() -> None:
    """CONVENTION 1016."""
    expected = rf"row 1: has no key \(7 of {len(PEOPLE)} records have none\); .* say missing_keys"
    with pytest.raises(InputError, match=expected):
        protect(released(PEOPLE, missing=7), USUAL)


def test_options_become_settings() -> None:
    assert settings_of("cell-key", {"range": 3, "variance": "1.5", "never": 1}) == USUAL
    with pytest.raises(InputError, match="found"):
        settings_of("cell-key", {"range": 3, "variance": "much"})
    with pytest.raises(InputError, match="base"):
        settings_of("cell-key", {"base": "3"})
