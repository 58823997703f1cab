"""Entropies over tables with a prior of one's own (Oganian and Domingo-Ferrer 2003, equation 2), against all tables
listed by hand."""

import math
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tableseal as ts

MARGINS = pl.DataFrame(
    {
        "a": ["x", "x", "x", "y", "y", "y", "T", "T", "T"],
        "b": ["p", "q", "T"] * 3,
        "n": [None, None, 4, None, None, 3, 3, 4, 7],
    }
)
"""Four withheld cells; x / p is 0, 1, 2 or 3 and gives the others."""

MEANS = {("x", "p"): 1.0, ("x", "q"): 2.0, ("y", "p"): 0.5, ("y", "q"): 3.0}


def by_hand(weight: Callable[[tuple[str, str], int], float]) -> dict[int, float]:
    """p(x|y) of x / p: each of the four tables is its cells' weights multiplied."""
    tables = {x: {("x", "p"): x, ("x", "q"): 4 - x, ("y", "p"): 3 - x, ("y", "q"): x} for x in range(4)}
    weights = {x: math.prod(weight(cell, n) for cell, n in table.items()) for x, table in tables.items()}
    return {x: w / sum(weights.values()) for x, w in weights.items()}


def bits(shares: Mapping[int, float]) -> float:
    """H(X|Y=y)."""
    return -sum(p * math.log2(p) for p in shares.values() if p)


def poisson(cell: tuple[str, str], n: int) -> float:
    return MEANS[cell] ** n / math.factorial(n)


def log_poisson(cell: Mapping[str, str], values: Any) -> Any:
    mean = MEANS[cell["a"], cell["b"]]
    return values * math.log(mean) - np.vectorize(math.lgamma)(values + 1.0)


@pytest.mark.parametrize(
    "prior",
    [
        MEANS,
        log_poisson,
        np.array([[1.0, 2.0], [0.5, 3.0]]),
        pl.DataFrame(
            {"b": ["p", "q", "p", "q", "T"], "mean": [1.0, 2.0, 0.5, 3.0, 6.5], "a": ["x", "x", "y", "y", "T"]}
        ),
        pd.Series(MEANS, name="mean").rename_axis(["a", "b"]),
    ],
    ids=["mapping", "function", "array", "polars", "series"],
)
def test_means_of_counts(prior: Any) -> None:
    found = ts.audit(MARGINS, value="n", total="T", prior=prior)
    expected = by_hand(poisson)
    shares = found.distribution({"a": "x", "b": "p"})
    assert shares["value"].to_list() == [0, 1, 2, 3]
    assert shares["probability"].to_list() == pytest.approx(list(expected.values()))
    over = found.cells[0].over_tables
    assert over is not None
    assert over.entropy_bits == pytest.approx(bits(expected))
    assert (over.method, over.tables) == ("exact", 4)
    assert found.to_frame()["bits_over_tables"][0] == pytest.approx(bits(expected))


def test_any_weight_of_a_cell() -> None:
    """Somebody who is sure that y / p is at most 1, and thinks each unit in x / q half as likely as the one before."""

    def weight(cell: tuple[str, str], n: int) -> float:
        return float(n <= 1) if cell == ("y", "p") else 0.5**n if cell == ("x", "q") else 1.0

    def log_weight(cell: Mapping[str, str], values: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.log([weight((cell["a"], cell["b"]), int(value)) for value in values.ravel()]).reshape(
                values.shape
            )

    found = ts.audit(MARGINS, value="n", total="T", prior=log_weight)
    expected = by_hand(weight)
    assert expected[0] == expected[1] == 0
    shares = dict(found.distribution({"a": "x", "b": "p"}).iter_rows())
    assert [shares.get(x, 0.0) for x in range(4)] == pytest.approx(list(expected.values()))
    assert found.cells[0].over_tables is not None
    assert found.cells[0].over_tables.entropy_bits == pytest.approx(bits(expected))


def test_equal_means_are_units_put_at_random() -> None:
    """Hypergeometric: 3 of the 7 units are in column p, 4 of the 7 in row x."""
    found = ts.audit(MARGINS, value="n", total="T", prior="poisson")
    shares = found.distribution({"a": "x", "b": "p"})["probability"].to_list()
    assert shares == pytest.approx([math.comb(4, x) * math.comb(3, 3 - x) / math.comb(7, 3) for x in range(4)])


def test_without_a_prior_all_tables_are_equally_likely() -> None:
    found = ts.audit(MARGINS, value="n", total="T")
    assert found.distribution({"a": "x", "b": "p"})["probability"].to_list() == [0.25] * 4
    assert "weighed_tables" not in [note.code for note in found.report.notes]


def test_magnitudes_in_their_decimals_and_codes_that_nobody_tells_apart() -> None:
    """A function is asked in the published decimals, of the group that stands for its parts; sampled: the same."""
    frame = pl.DataFrame(
        {
            "a": ["x", "y", "T", "x", "y", "T", "x", "y", "T"],
            "b": ["g", "g", "g", "r", "r", "r", "T", "T", "T"],
            "v": [None, None, 0.4, None, None, 0.3, 0.3, 0.4, 0.7],
        }
    )
    asked: dict[tuple[str, str], set[float]] = {}

    def prior(cell: Mapping[str, str], values: Any) -> Any:
        asked.setdefault((cell["a"], cell["b"]), set()).update(np.round(values.ravel(), 9).tolist())
        return -3.0 * values

    found = ts.audit(frame, value="v", total="T", hierarchies={"b": {"g": ["g1", "g2"], "r": []}}, prior=prior)
    assert set(asked) == set(product("xy", "gr"))
    assert asked["x", "g"] == {0.0, 0.1, 0.2, 0.3}
    assert found.distribution({"a": "x", "b": "g"})["value"].to_list() == [0.0, 0.1, 0.2, 0.3]


def test_nothing_of_a_prior_is_public() -> None:
    """CONVENTION 676: whoever reads the public copy does not learn what the agency believes."""
    found = ts.audit(MARGINS, value="n", total="T", prior=MEANS)
    assert [note.code for note in found.report.notes].count("weighed_tables") == 1
    entry = next(entry for entry in found.report.risk_panel if entry.measure == "entropy_over_tables")
    assert "prior" in entry.tells
    public = found.public()
    assert all(cell.over_tables is None for cell in public.cells)
    assert not any(entry.measure == "entropy_over_tables" for entry in public.report.risk_panel)
    assert ts.audit(MARGINS, value="n", total="T").public().cells[0].over_tables is not None


@pytest.mark.parametrize(
    ("prior", "said"),
    [
        ("flat", 'prior: found "flat", expected a function of (cell, values)'),
        (5, "prior: found an int, expected a function"),
        ({("x", "p"): 1.0}, "prior: there is no mean for a=x, b=q"),
        ({**MEANS, ("x", "p"): 0.0}, "prior: the mean is not above 0 and finite for a=x, b=p"),
        ({**MEANS, ("x", "p"): "one"}, "the mean of ('x', 'p') is a str, expected a number"),
        ({"x": 1.0}, "prior: found the key 'x', expected a code of each variable: a, b"),
        ({("x", "T"): 1.0}, 'prior: "T" is no code of "b" without parts; these are p, q'),
        (np.ones((3, 2)), "found an array of shape (3, 2) of float64, expected numbers, 2 codes of a x 2 codes of b"),
        (pl.DataFrame({"a": ["x"], "b": ["p"]}), "expected one column, of means"),
        (pl.DataFrame({"a": ["x"], "mean": [1.0]}), 'prior: there is no column "b", which is to hold the codes of b'),
        (lambda cell, values: "no", "prior: for a=x, b=p it gave no numbers"),
        (lambda cell, values: values[:0], "it gave no numbers"),
        (lambda cell, values: values * np.nan, "values that are no logarithm of a weight (a weight of 0 is -inf)"),
        (lambda cell, values: values - np.inf, "it gives every table that fits the release the weight 0"),
    ],
)
def test_priors_that_are_none(prior: Any, said: str) -> None:
    with pytest.raises(ts.InputError) as error:
        ts.audit(MARGINS, value="n", total="T", prior=prior)
    assert said in str(error.value)


def test_where_no_table_crosses_the_variables_there_is_nothing_to_weigh() -> None:
    cells = {"a": ["x", "y", "T"], "value": [None, None, 5]}
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["x", "y"]}, "b": {"total": "T", "codes": ["p", "q"]}},
        "tables": [
            {"name": "one", "cells": cells},
            {"name": "two", "cells": {"b": ["p", "q", "T"], "value": [1, 4, 5]}},
        ],
    }
    with pytest.raises(ts.InputError, match=r"prior: no table crosses all variables \(a; b\)"):
        ts.audit(document, prior="poisson")
