"""From releases to base tables."""

from typing import Any

import numpy as np
import pytest
from small import document, table

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.measures.sap.definitions import resolved_sap, static_sap
from tableseal.audit.measures.sap.population import Population, of_release

CODES = ["k", "l", "m", "T"]


def population(*tables: dict[str, Any], **changes: Any) -> Population:
    return of_release(release_from_document(document(*tables, **changes)))


def test_listed_structural_zeros_are_no_discovery_and_absent_ones_are() -> None:
    # CONVENTION 260
    status = ["published", "structural_zero", "published", "published"]
    found = population(table(CODES, [2, 0, 5, 7], status=status))
    assert static_sap(found.attack, (0, 1)).exact == (0, 0)
    assert static_sap(population(table(["k", "m", "T"], [2, 5, 7])).attack, (0, 1)).exact == (1, 1)


def test_the_base_table_follows_from_sums() -> None:
    """The count of m is not given, but the total's is."""
    shown = table(CODES, [None] * 3 + [7], status=["withheld"] * 3 + ["published"], truth=[2, 4, None, 7])
    found = population(shown)
    assert found.attack.counts.tolist() == [2, 4, 1]
    assert [found.named(leaf) for leaf in range(3)] == ["a=k", "a=l", "a=m"]
    assert found.select({"a": "T"}).all()
    # only the total is known: nothing is recovered before everything is subtracted
    assert resolved_sap(found.attack, (1, 6, 7)).exact == (0, 0, 1)


def test_groups_are_selected_with_their_leaves() -> None:
    variables = {"a": {"total": "T", "tree": {"North": ["N1", "N2"], "South": ["S1", "S2"]}}}
    codes = ["N1", "N2", "North", "S1", "S2", "South", "T"]
    found = population(table(codes, [1, 2, 3, 4, 0, 4, 7]), variables=variables)
    assert found.attack.counts.tolist() == [1, 2, 4, 0]
    north = found.aimed_at([{"a": "North"}]).attack
    assert north.targets.tolist() == [True, True, False, False]
    assert static_sap(north, (0, 1)).exact == (0, pytest.approx(1 / 7))
    keys = {key["a"]: part.total for key, part in found.given(("a",))}
    assert keys == {"N1": 1, "N2": 2, "S1": 4}  # nobody is in S2


def test_a_release_in_which_nothing_crosses_is_refused() -> None:
    variables = {v: {"total": "T", "codes": ["x", "y"]} for v in ("a", "b", "c")}
    tables = []
    for one, other in (("a", "b"), ("b", "c")):
        cells = {one: ["x", "x", "y", "y"], other: ["x", "y", "x", "y"], "value": [1, 2, 3, 4]}
        if one == "b":
            cells["value"] = [2, 2, 3, 3]
        tables.append({"name": one + other, "cells": cells})
    tables[0]["cells"]["value"] = [1, 2, 3, 4]
    with pytest.raises(InputError, match=r"no table crosses a x b and b x c; list that table too"):
        population(*tables, variables=variables)


def test_other_releases_are_refused() -> None:
    with pytest.raises(InputError, match="never negative"):
        population(table(CODES, [1, 2, 3, 6]), intruder={"nonnegative": False})
    hidden = ["withheld"] * 3 + ["published"]
    with pytest.raises(InputError, match="do not add up"):
        population(table(CODES, [None] * 3 + [7], status=hidden, truth=[2, 4, 3, 7]))
    with pytest.raises(InputError, match=r"No cell has a=k, b=x|no variable"):
        population(table(CODES, [1, 2, 3, 6])).select({"a": "k", "b": "x"})


def test_links_are_subtracted_from_too() -> None:
    """2k + l is known to be at most 8: a coefficient that is not 1, so the general engine answers."""
    link = {"terms": [[2, {"a": "k"}], [1, {"a": "l"}]], "lower": 0, "upper": 8}
    status = ["withheld"] * 3 + ["published"]
    found = population(table(CODES, [None] * 3 + [9], status=status, truth=[2, 4, 3, 9]), links=[link])
    high = [max(x for x in range(10) for y in range(10 - x) if 2 * x + y <= 8), 8, 9]
    assert high == [4, 8, 9]
    exact = resolved_sap(found.attack, tuple(range(10))).exact
    assert exact is not None
    assert exact[0] == 0
    # k is recovered once its 2 units and all 4 of l are known: 2x + 4 <= 8 leaves 2
    wanted = [0, 0, 0, 0]
    assert list(exact[:4]) == wanted
    assert list(exact) == sorted(exact)
    assert np.isclose(float(exact[9]), 1)
