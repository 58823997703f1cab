"""Faults that a reader of the code found, each as a test of its kind."""

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from small import audited as report
from small import one_variable

from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.plan import full
from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.io import infer_document
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError, form_bounds, propagate
from tableseal.audit.report import public_copy
from tableseal.audit.solvers.highs import Highs

Document = dict[str, Any]
NOTHING = {"leaves": "not_released", "totals": "not_released"}


SECONDARY = one_variable(
    ["A", "B"],
    {"d": ["A", "B", "T"], "value": [2, 8, 10], "st": ["primary", "secondary", ""]},
    status="st",
)


def test_there_is_no_public_copy_of_a_what_if():
    # CONVENTION 186: it publishes true values that the release withholds
    found = report(SECONDARY | {"policy": {"primary": [{"threshold": 3}]}}, withhold_primaries=True)
    with pytest.raises(InputError, match="what-if"):
        public_copy(found)


def test_bounds_known_anyway_stay_known_in_the_what_if():
    # CONVENTION 17
    cells = {
        "d": ["A", "B", "C", "T"],
        "value": [2, 1, 7, 10],
        "lo": [2, None, None, None],
        "hi": [3, None, None, None],
    }
    document = one_variable(["A", "B", "C"], cells, lower="lo", upper="hi")
    document |= {"policy": {"primary": [{"threshold": 3}]}, "intruder": {"insiders": []}}
    found = {dict(c.cell)["d"]: (c.lower, c.upper) for c in report(document, withhold_primaries=True).cells}
    assert found == {"A": (2, 3), "B": (0, 1)}


@pytest.mark.parametrize("bounds", ["lp", "integer"])
def test_a_direction_without_end_protects_nothing_without_a_table(bounds):
    # CONVENTION 20: 2A - 2B = 1 has no solution in whole units
    document = one_variable(["A", "B"], {"d": ["A", "B"], "value": [None, None]}, absent=NOTHING)
    document |= {"links": [{"terms": [[2, {"d": "A"}], [-2, {"d": "B"}]], "lower": 1, "upper": 1}]}
    document |= {"intruder": {"nonnegative": False, "insiders": []}}
    try:
        found = report(document, bounds=bounds)
    except InputError:
        return
    assert all(c.verdict != "protected" for c in found.cells)


def test_bounds_too_large_for_64_bits_are_dropped_not_wrapped():
    high = np.full(16, 2**60)
    lower, upper = form_bounds(csr_array(np.ones((1, 16), np.int64)), np.zeros(16, np.int64), high)
    assert lower[0] == 0
    assert upper[0] == NO_UPPER
    matrix = csr_array(np.array([[1, 1], [32, -32]]))
    low, high = propagate(
        matrix,
        np.array([2**59, NO_LOWER]),
        np.array([2**59, 320]),
        np.zeros(2, np.int64),
        np.full(2, NO_UPPER),
        integer=False,
    )
    assert low[0] <= 2**58 <= high[0]


def test_boxes_with_equal_bounds_are_no_crash():
    matrix = csr_array(np.array([[1, 0], [0, 0]]))
    component = Component(
        matrix,
        np.array([NO_LOWER, 5]),
        np.array([NO_UPPER, 6]),
        np.array([0, NO_LOWER]),
        np.array([NO_UPPER, 7]),
        csr_array(np.array([[1, 1]])),
    )
    with suppress(InfeasibleError):  # the empty row asks for 5 to 6
        full(Highs()).bounds(component, Limits())


def test_insiders_within_a_cell_are_not_judged_where_values_may_be_negative():
    document = {
        "tableseal": 1,
        "kind": "magnitude",
        "unit": 1,
        "variables": {"d": {"total": "T", "codes": ["A", "B"]}},
        "tables": [
            {
                "name": "t",
                "cells": {
                    "d": ["A", "B", "T"],
                    "value": [None, None, 10],
                    "st": ["primary", "secondary", ""],
                    "truth": [10, 0, 10],
                    "n": [4, 4, 8],
                    "a": [100, 5, 100],
                    "b": [-95, 5, -95],
                    "lo": [-20, None, None],
                    "hi": [30, None, None],
                },
                "status": "st",
                "truth": "truth",
                "frequency": "n",
                "contributors": ["a", "b"],
                "lower": "lo",
                "upper": "hi",
            }
        ],
        "intruder": {"nonnegative": False},
    }
    found = report(document)
    assert not any(c.insider for c in found.cells)
    assert any("negative" in n.text for n in found.notes)


def test_a_what_if_that_does_not_add_up_tells_no_true_value():
    cells = {"d": ["A", "B", "C", "T"], "value": [None, 4, 2, 11], "truth": [6, 4, 2, 11]}
    document = one_variable(["A", "B", "C"], cells | {"st": ["secondary", "", "", ""]}, status="st", truth="truth")
    with pytest.raises(InputError) as caught:
        report(document | {"policy": {"primary": [{"threshold": 2}]}}, withhold_primaries=True)
    assert "6" not in str(caught.value)
    assert "12" not in str(caught.value)


@pytest.mark.parametrize("role", ["truth", "frequency", "cost"])
def test_agency_columns_are_not_shown(role):
    # CONVENTION 112
    document = one_variable(["A"], {"d": ["A", "T"], "value": [5, 5], "x": ["7,321", "5"]}, **{role: "x"})
    with pytest.raises(InputError) as caught:
        report(document)
    assert "7,321" not in str(caught.value)


def test_a_withheld_value_of_a_bare_file_is_not_shown(tmp_path):
    data = tmp_path / "t.csv"
    data.write_text('d;value;status\nA;"7,321";primary\nB;4;published\nT;10;published\n')
    with pytest.raises(InputError) as caught:
        infer_document(data)
    assert "7,321" not in str(caught.value)


@pytest.mark.parametrize("bounds", ["lp", "integer"])
def test_equations_that_give_half_a_unit_are_refused(bounds):
    # CONVENTION 26
    document = one_variable(["A", "B"], {"d": ["A", "B", "T"], "value": [None, None, None]}, absent=NOTHING)
    document |= {"links": [{"terms": [[2, {"d": "A"}], [2, {"d": "B"}]], "lower": 5, "upper": 5}]}
    with pytest.raises(InputError):
        report(document, bounds=bounds)


def test_links_beyond_64_bits_are_a_stated_limit():
    document = one_variable(["A", "B"], {"d": ["A", "B", "T"], "value": [None, None, 10**15]})
    document |= {"kind": "magnitude", "unit": "1000000000000"}
    document |= {"links": [{"terms": [[10**9, {"d": "A"}], [1, {"d": "B"}]], "lower": "0.1"}]}
    with pytest.raises(LimitError):
        report(document)


def test_an_insider_whose_true_value_does_not_fit_leaves_the_others_open():
    # CONVENTION 45
    cells = {"d": ["A", "B", "T"], "value": [None, None, 10], "truth": [1, 20, 10], "st": ["primary", "primary", ""]}
    document = one_variable(["A", "B"], cells | {"lo": [2, None, None]}, status="st", truth="truth", lower="lo")
    found = {dict(c.cell)["d"]: c.verdict for c in report(document).cells}
    assert found["B"] == "undecided"


def test_rows_that_chase_each_other_for_ever_end():
    # x >= 2 y + 1 and y >= 2 x + 1 push both bounds up without end
    matrix = csr_array(np.array([[1, -2], [-2, 1]]))
    low, _ = propagate(
        matrix,
        np.array([1, 1]),
        np.full(2, NO_UPPER),
        np.zeros(2, np.int64),
        np.full(2, NO_UPPER),
        integer=True,
    )
    assert (low == 0).all()
