"""Components whose columns have no limit, in coordinates of the solutions of their equations."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tableseal.audit.bounds.certify import Rational, satisfies
from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.programs.lattice_coordinates import in_coordinates
from tableseal.audit.bounds.programs.split_trees import integer_point
from tableseal.audit.clock import now
from tableseal.audit.errors import ContradictionError
from tableseal.audit.io import release_from_document
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.pipeline import audit
from tableseal.audit.solvers.highs import Highs

BOX = 3


def component(random: np.random.Generator) -> Component:
    """Some of its columns have no limit, some rows are intervals; it need not have a solution."""
    rows, columns = int(random.integers(1, 4)), int(random.integers(1, 5))
    matrix = random.integers(-3, 4, (rows, columns))
    lower = matrix @ random.integers(-BOX, BOX + 1, columns) + random.integers(-1, 2, rows)
    upper = lower + random.integers(0, 3, rows)
    low, high = np.full(columns, NO_LOWER), np.full(columns, NO_UPPER)
    limited = random.random(columns) < 0.4
    low[limited & (random.random(columns) < 0.5)] = -1
    high[limited] = 2
    none = csr_array((0, columns), dtype=np.int64)
    return Component(csr_array(matrix), lower, upper, low, high, none)


def solutions(part: Component) -> list[np.ndarray]:
    """All of small numbers."""
    points = (np.array(x) for x in itertools.product(range(-BOX, BOX + 1), repeat=len(part.column_lower)))
    return [x for x in points if satisfies(part, Rational(x, 1))]


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_coordinates_have_every_solution_and_no_other(seed: int) -> None:
    random = np.random.default_rng(seed)
    part = component(random)
    found = solutions(part)
    try:
        other = in_coordinates(part)
    except InfeasibleError:
        assert not found
        return
    if other is None:
        assert ((part.column_lower > NO_LOWER) | (part.column_upper < NO_UPPER)).all()
        return
    for _ in range(20):
        t = random.integers(-2, 3, other.moves.shape[0])
        cost = random.integers(-9, 9, len(part.column_lower))
        table = other.table(t)
        assert satisfies(other.component, Rational(t, 1)) == satisfies(part, Rational(table, 1))
        assert cost @ table == cost @ other.start + other.cost(cost) @ t
    for x in found:
        t, *_ = np.linalg.lstsq(other.moves.T.toarray().astype(float), (x - other.start).astype(float), rcond=None)
        assert np.array_equal(other.table(np.rint(t).astype(np.int64)), x)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_table_is_found_where_there_is_one(seed: int) -> None:
    part = component(np.random.default_rng(seed))
    if solutions(part):
        table = integer_point(part, np.zeros(len(part.column_lower), np.int64), Highs(), Limits())
        assert table is not None
        assert satisfies(part, Rational(table, 1))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([3, 30, 100, 10**6, 10**12]))
def test_what_does_not_fit_64_bits_is_never_wrong(seed: int, size: int) -> None:
    """Elimination of a few equations of large coefficients leads to numbers beyond 64 bits."""
    random = np.random.default_rng(seed)
    columns = int(random.integers(6, 13))
    equations, between = random.integers(-size, size + 1, (4, columns)), random.integers(-size, size + 1, (2, columns))
    table = random.integers(-1000, 1001, columns)
    low, high = np.full(columns, NO_LOWER), np.full(columns, NO_UPPER)
    low[:3], high[:3] = table[:3] - 7, table[:3] + 7
    lower = np.concatenate([equations @ table, between @ table - 5])
    upper = np.concatenate([equations @ table, between @ table + 5])
    matrix = csr_array(np.concatenate([equations, between]))
    part = Component(matrix, lower, upper, low, high, csr_array((0, columns), dtype=np.int64))
    other = in_coordinates(part)  # no InfeasibleError: there is a table
    if other is not None:
        moves, wide = other.moves.toarray().astype(object), equations.astype(object)
        assert (wide @ other.start.astype(object) == lower[:4]).all()
        assert (wide @ moves.T == 0).all()
    found = integer_point(part, np.ones(columns, np.int64), Highs(), Limits(now() + 0.1))
    assert found is None or satisfies(part, Rational(found, 1))


def test_links_of_large_coefficients_are_audited() -> None:
    """Found by hand: an OverflowError that reached the user."""
    random = np.random.default_rng(3)
    codes = [f"c{i}" for i in range(12)]
    links = random.integers(-100, 101, (5, 12))
    right = (links @ random.integers(-50, 50, 12)).tolist()
    document = {
        "tableseal": 1,
        "kind": "magnitude",
        "variables": {"m": {"codes": codes}},
        "tables": [{"name": "t", "cells": {"m": codes, "value": [None] * 12}}],
        "intruder": {"nonnegative": False},
        "links": [
            {"terms": [[c, {"m": m}] for c, m in zip(link, codes, strict=True)], "lower": b, "upper": b}
            for link, b in zip(links.tolist(), right, strict=True)
        ],
    }
    assert {c.verdict for c in audit(release_from_document(document)).report.cells} <= {"protected", "undecided"}


@pytest.mark.parametrize(("upper", "fits"), [("-10", False), ("-9", False), ("-8", True)])
def test_equations_that_only_together_allow_no_whole_numbers(upper: str, fits: bool) -> None:
    """Found by random tests: the second link changes in steps of six, which none of its terms says. Splits went on for
    12 s, and a report came although no table of whole numbers fits."""
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {
            "a": {"total": "T", "tree": {"A": ["1", "2"], "B": ["3"]}},
            "b": {"total": "T", "codes": ["1", "2"]},
            "c": {"total": "T", "codes": ["1", "2"]},
        },
        "tables": [
            table(("a", "b"), [("2", "2", 3), ("3", "1", None), ("3", "2", 3)], "primary"),
            table(("b", "c"), [("1", "2", None)], "secondary"),
            table(("a", "c"), [("3", "1", 3), ("3", "2", 1)], "published")
            | {"absent": {"leaves": "not_released", "totals": "not_released"}},
        ],
        "intruder": {"nonnegative": False},
        "links": [
            {"terms": [[2, {"b": "2", "c": "2"}], [-1, {}]], "lower": -8, "upper": -8},
            {
                "terms": [[-3, {"a": "A", "b": "2", "c": "1"}], [1, {"a": "2"}], [-3, {"a": "3", "b": "2", "c": "2"}]],
                "lower": "-34/3",
                "upper": upper,
            },
        ],
    }
    release = release_from_document(document)
    if fits:
        assert [(c.lower, c.upper) for c in audit(release).report.cells] == [(x, x) for x in (4, 8, -4, 8)]
    else:
        with pytest.raises(ContradictionError, match="no table of whole multiples of the unit does"):
            audit(release)


def table(variables: tuple[str, str], rows: list[tuple[str, str, int | None]], status: str) -> dict[str, object]:
    """A table of these rows."""
    first, second, value = zip(*rows, strict=True)
    cells = {variables[0]: first, variables[1]: second, "value": value, "s": [status] * len(rows)}
    return {
        "name": "_".join(variables),
        "cells": {name: list(column) for name, column in cells.items()},
        "status": "s",
    }
