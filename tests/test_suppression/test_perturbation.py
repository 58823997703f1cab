"""Perturbation by a matrix: what is promised is shown by exact expectation over the scheme, nothing is simulated."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_document, read_release, release_from_document
from tableseal.audit.io.transition import TRANSITION_SCALED
from tableseal.suppression.protections.methods import settings_of
from tableseal.suppression.protections.perturbation.chain import Counts, Row, invariant
from tableseal.suppression.protections.perturbation.draws import independent, quotas, shared_out
from tableseal.suppression.protections.perturbation.possible import possible
from tableseal.suppression.protections.perturbation.quota_ways import quota_ways
from tableseal.suppression.protections.perturbation.restored import fitted
from tableseal.suppression.protections.perturbation.settings import Perturbation
from tableseal.suppression.protections.protect import protect
from tests.support.every_way import every_way
from tests.support.surveyed import values
from tests.support.tabulated import tabulated

PRINTED = Path(__file__).parents[1] / "data" / "s15_transition.csv"
HALF = Fraction(1, 2)


@st.composite
def chains(draw: st.DrawFn) -> tuple[list[Row], list[int]]:
    """Random matrices over 2 to 4 states, and how many units are in each."""
    n = draw(st.integers(2, 4))
    rows: list[Row] = []
    for s in range(n):
        weights = draw(st.lists(st.integers(0, 4), min_size=n + 1, max_size=n + 1))
        weights[s] += 1
        rows.append({k: Fraction(w, sum(weights)) for k, w in enumerate(weights) if w})
    return rows, draw(st.lists(st.integers(1, 6), min_size=n, max_size=n))


def after(rows: Sequence[Row], number: Sequence[int]) -> dict[int, Fraction]:
    """t P."""
    found: dict[int, Fraction] = Counter()
    for n, row in zip(number, rows, strict=True):
        for k, p in row.items():
            found[k] += n * p
    return {k: x for k, x in found.items() if x}


@given(chains())
@settings(deadline=None)
def test_invariant_matrices_keep_how_many_there_are_exactly(chain: tuple[list[Row], list[int]]) -> None:
    """METHODS 5: P* = P Q, Q_jk = t_k P_kj / (tP)_j, so that t P* = t. CONVENTION 755."""
    rows, number = chain
    states = list(range(len(rows)))
    found = invariant(rows, states, number)
    assert all(sum(row.values()) == 1 for row in found)
    assert after(found, number) == dict(enumerate(number))
    moved = sum(n * p * (k - s) for s, (n, row) in enumerate(zip(number, found, strict=True)) for k, p in row.items())
    assert moved == 0  # the expected sum of all counts is their sum
    backwards = sum((after([row], [1]).get(s, 0) != 0) for s, row in enumerate(found))
    assert backwards == len(states)  # every count may stay
    for s, row in enumerate(found):  # what goes one way goes as often the other way
        assert all(number[s] * p == number[k] * found[k].get(s, 0) for k, p in row.items())


def test_the_printed_matrix_is_made_invariant() -> None:
    """S15, Table 3: neither invariant nor mean-preserving as it is printed (METHODS 5); t of its Table 2, output
    table 1, with six and over spread over 6 to 30."""
    release = release_from_document({**DOCUMENT, "transition": {"rows": printed_rows(), "cycle": 5}})
    assert release.transition is not None
    assert [(n.code, n.count) for n in release.notes if n.code == TRANSITION_SCALED] == [(TRANSITION_SCALED, 13)]
    matrix = Counts(release.transition.rows, 5)
    assert matrix.zeros_stay
    assert set(matrix.row(16)) == set(range(13, 20))  # moves of 11
    assert matrix.reach == 6
    number = [1534, 44, 35, 27, 20, 17, *[32] * 24, 12]
    states = list(range(len(number)))
    rows = [matrix.row(count) for count in states]
    assert after(rows, number) != dict(enumerate(number))
    assert after(invariant(rows, states, number), number) == dict(enumerate(number))


def printed_rows() -> list[list[str]]:
    return [line.split(",") for line in PRINTED.read_text("utf-8").split()]


@given(chains())
@settings(deadline=None, max_examples=40)
def test_quotas_keep_margins_always_and_every_expectation(chain: tuple[list[Row], list[int]]) -> None:
    """CONVENTION 756: over every way in which the rounding can go."""
    rows, number = chain
    assume(prod(number) <= 200)
    found = invariant(rows, list(range(len(rows))), number)
    mean: dict[tuple[int, int], Fraction] = Counter()
    whole = Fraction(0)
    for probability, given_to in every_way(lambda chance: quotas(found, number, chance)):
        whole += probability
        ends: Counter[int] = Counter()
        for s, row in enumerate(given_to):
            assert sum(row.values()) == number[s]
            ends.update(row)
            for k, n in row.items():
                mean[s, k] += probability * n
                assert abs(n - number[s] * found[s][k]) < 1
        assert ends == Counter(dict(enumerate(number)))
    assert whole == 1
    assert mean == {(s, k): number[s] * p for s, row in enumerate(found) for k, p in row.items()}


@given(chains())
@settings(deadline=None, max_examples=40)
def test_quota_ways_are_all_ways(chain: tuple[list[Row], list[int]]) -> None:
    """CONVENTION 756: what leads to the same numbers is gone on with once, and nothing else changes."""
    rows, number = chain
    states = list(range(len(rows)))
    made = invariant(rows, states, number)
    expected: dict[Any, Fraction] = {}
    for probability, way in every_way(lambda chance: quotas(made, number, chance)):
        key = tuple(tuple(sorted(row.items())) for row in way)
        expected[key] = expected.get(key, Fraction(0)) + probability
    found = quota_ways(made, number, 100_000)
    assert found is not None
    assert dict(found.chances) == expected
    assert quota_ways(made, number, found.met - 1) is None or found.met == 1


def test_independent_draws_have_the_probabilities_of_the_row() -> None:
    row = {0: Fraction(1, 6), 2: Fraction(1, 2), 7: Fraction(1, 3)}
    drawn = Counter(independent(row, 1, lambda bound, k=k: k)[0] for k in range(6))  # type: ignore[misc]
    assert {k: Fraction(n, 6) for k, n in drawn.items()} == row


def test_units_of_a_state_are_shared_out_in_every_order_alike() -> None:
    orders = Counter()
    for draws in product(range(3), range(2)):
        numbers = iter(draws)
        orders[tuple(shared_out({1: 1, 2: 1, 3: 1}, lambda bound: next(numbers)))] += 1  # noqa: B023
    assert set(orders.values()) == {1}
    assert len(orders) == 6


def test_what_may_stand_behind_a_shown_count_of_independent_draws() -> None:
    """CONVENTION 757: over all tables of three cells with counts up to 5, and all that can become of them."""
    matrix = Counts.spread(HALF, 1)
    behind: dict[tuple[int, ...], list[set[int]]] = {}
    for truth in product(range(6), repeat=3):
        chain = chain_of(truth, matrix)
        for shown in product(*(chain[count] for count in truth)):
            note(behind, shown, truth)
    assert len(behind) == 216
    for shown, found in behind.items():
        all_of_them = possible(Counter(shown), matrix, "independent", made_invariant=True)
        for k, real in zip(shown, found, strict=True):
            if k <= 3:  # counts above 5 may stand behind others
                assert all_of_them[k] == real, (shown, k)


def test_what_may_stand_behind_a_shown_count_of_quotas() -> None:
    """CONVENTION 757: over all tables of three cells with counts up to 5, and all ways of rounding and sharing out."""
    matrix = Counts.spread(HALF, 1)
    behind: dict[tuple[int, ...], list[set[int]]] = {}
    for truth in product(range(6), repeat=3):
        chain = chain_of(truth, matrix)
        number = Counter(truth)
        rows = list(chain.values())
        for _, given_to in every_way(lambda chance: quotas(rows, [number[k] for k in chain], chance)):  # noqa: B023
            orders = [set(permutations(k for k, n in row.items() for _ in range(n))) for row in given_to]
            for order in product(*orders):
                become = dict(zip(chain, map(iter, order), strict=True))
                note(behind, tuple(next(become[count]) for count in truth), truth)
    for shown, found in behind.items():
        all_of_them = possible(Counter(shown), matrix, "quotas", made_invariant=True)
        assert [all_of_them[k] for k in shown] == found, shown


def chain_of(truth: Sequence[int], matrix: Counts) -> dict[int, Row]:
    states, number = (part.tolist() for part in np.unique(truth, return_counts=True))
    return dict(zip(states, invariant([matrix.row(s) for s in states], states, number), strict=True))


def note(behind: dict[tuple[int, ...], list[set[int]]], shown: tuple[int, ...], truth: tuple[int, ...]) -> None:
    for found, count in zip(behind.setdefault(shown, [set() for _ in truth]), truth, strict=True):
        found.add(count)


@given(
    st.lists(st.integers(0, 9), min_size=12, max_size=12),
    st.integers(1, 3),
    st.sampled_from(["quotas", "independent"]),
    st.sampled_from(["added", "restored", "apart"]),
    st.integers(0, 99),
)
@settings(max_examples=25, deadline=None)
def test_what_is_released(counts: list[int], reach: int, draws: str, margins: str, seed: int) -> None:
    """CONVENTION 756 to 758: additive where it says so, true values possible, quotas keep each stratum's counts."""
    release = tabulated(np.array(counts).reshape(3, 4), groups=(1, 2))
    said = Perturbation(HALF, reach, draws=draws, margins=margins, by=None)  # type: ignore[arg-type]
    found = protect(release, said, seed=seed)
    shown, truth = values(found, "value"), values(found, "truth")
    for cell in found.report.cells:
        assert cell.lower is None or cell.truth is None or cell.lower <= cell.truth
        assert cell.upper is None or cell.truth is None or cell.truth <= cell.upper
    inner = [cell for cell in shown if cell[0] != "T" and cell[1].startswith("b") and cell[1][1] != "g"]
    assert len(inner) == 12
    if margins != "apart":
        assert found.statement.additive
        assert shown["T", "T"] == sum(shown[cell] for cell in inner)
    if margins == "restored":
        assert all(shown[cell] == truth[cell] for cell in shown if cell not in inner)
        assert all(abs(shown[cell] - truth[cell]) <= 2 * reach for cell in inner)
    elif draws == "quotas":
        same = shown if margins == "apart" else inner
        assert Counter(shown[cell] for cell in same) == Counter(truth[cell] for cell in same)
    assert all(shown[cell] == 0 for cell in inner if truth[cell] == 0)  # zeros stay


def test_quotas_by_a_variable_keep_its_margin() -> None:
    """S15 section 5.1: totals of regions are controlled."""
    counts = np.random.default_rng(3).poisson(3, (3, 8))
    found = protect(tabulated(counts), Perturbation(HALF, 2, by="a"), seed=5)
    shown, truth = values(found, "value"), values(found, "truth")
    assert all(shown[a, "T"] == truth[a, "T"] for a in ("a0", "a1", "a2", "T"))
    assert shown != truth


def test_proportional_fitting_on_a_table_with_structural_zeros() -> None:
    """Odds ratios of the start stay (Deming & Stephan 1940)."""
    from scipy.sparse import csr_array

    start = np.array([[4.0, 1, 2], [1, 3, 5]])
    rows = np.vstack([np.kron(np.eye(2), np.ones(3)), np.kron(np.ones((1, 2)), np.eye(3))])
    fit = fitted(start.reshape(-1, 1), csr_array(rows), np.array([10.0, 8, 6, 7, 5])).reshape(2, 3)
    assert np.allclose(fit.sum(axis=1), [10, 8], atol=1e-5)
    assert np.allclose(fit.sum(axis=0), [6, 7, 5], atol=1e-5)
    assert np.isclose(fit[0, 0] * fit[1, 1] / (fit[0, 1] * fit[1, 0]), 12)


DOCUMENT: dict[str, Any] = {
    "tableseal": 1,
    "kind": "count",
    "variables": {"a": {"total": "T", "codes": ["k", "l"]}},
    "tables": [{"name": "t", "cells": {"a": ["T", "k", "l"], "value": [9, 4, 5]}}],
}


def test_a_matrix_of_the_release_is_read_from_a_file_and_written_again(tmp_path: Path) -> None:
    import json

    (tmp_path / "matrix.csv").write_text(PRINTED.read_text("utf-8"), "utf-8")
    path = tmp_path / "release.json"
    path.write_text(json.dumps(DOCUMENT | {"transition": {"file": "matrix.csv", "cycle": 5}}), "utf-8")
    release = read_release(path)
    assert release.transition is not None
    assert release.transition.rows[3][1] == Fraction(167, 10002)
    again = release_from_document(canonical_document(release)).transition
    assert again is not None
    assert again.rows == release.transition.rows
    found = protect(release, Perturbation())
    assert found.statement.additive


@pytest.mark.parametrize(
    ("transition", "message"),
    [
        ({"rows": [[1, 0], [0.5, 0.4]]}, r"rows\[1\]: found a row that sums to 0.9"),
        ({"rows": [[1, 0], [1.5, -0.5]]}, r"found -0.5, expected a probability"),
        ({"rows": [[1, 0], [1]]}, "1 entries, expected 2"),
        ({"rows": [[1], [1]]}, "a column for every row"),
        ({"rows": [[1, 0], [0, 1]], "cycle": 3}, "expected 1 to 2"),
        ({}, "give one of"),
        ({"rows": [[1]], "file": "x.csv"}, "give one of"),
    ],
)
def test_matrices_that_are_none(transition: dict[str, Any], message: str) -> None:
    """Issue: a matrix whose rows do not sum to 1 or leave the states is refused with the place."""
    with pytest.raises(InputError, match=message):
        release_from_document(DOCUMENT | {"transition": transition})


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({}, "needs stay"),
        ({"stay": "0.5"}, "needs reach"),
        ({"stay": "1", "reach": 2}, "from 0 to below 1"),
        ({"stay": "0.5", "reach": 0}, "from 1 to"),
        ({"stay": "0.5", "reach": 2, "by": "z"}, "no such variable"),
        ({"stay": "0.5", "reach": 2, "draws": "some"}, "quotas or independent"),
        ({"stay": "0.5", "reach": 2, "margins": "some"}, "added or restored or apart"),
        ({"stay": "0.5", "reach": 2, "invariant": False}, "need an invariant matrix"),
    ],
)
def test_settings_that_are_none(said: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        protect(release_from_document(DOCUMENT), settings_of("perturbation", said))


def test_releases_that_are_none() -> None:
    both = release_from_document(DOCUMENT | {"transition": {"rows": [[1]]}})
    with pytest.raises(InputError, match="a matrix of its own"):
        protect(both, Perturbation(HALF, 2))
    with pytest.raises(InputError, match="is no count"):
        protect(release_from_document(DOCUMENT | {"kind": "magnitude", "unit": 1}), Perturbation(HALF, 2))
    with pytest.raises(InputError, match="may be negative"):
        protect(release_from_document(DOCUMENT | {"intruder": {"nonnegative": False}}), Perturbation(HALF, 2))


def test_wide_matrices_are_looked_up_and_not_gone_through() -> None:
    """Rows of a thousand counts; what may stand behind one is asked of each row once."""
    matrix = Counts.spread(HALF, 600)
    assert matrix.reach == 600
    assert matrix.sources(3) == set(range(1, 604))
    assert possible({5: 1, 900: 2}, matrix, "independent", made_invariant=True)[900] == set(range(1, 2101))


def test_restored_margins_need_inner_cells_that_are_listed() -> None:
    release = release_from_document(
        {
            "tableseal": 1,
            "kind": "count",
            "variables": {"code": {"total": "T", "codes": ["a", "b"]}},
            "tables": [{"name": "t", "cells": {"code": ["a", "b", "T"], "value": [1, 1, 2]}}],
            "microdata": {"cells": {"code": ["a", "b"]}},
        }
    )
    with pytest.raises(InputError, match="margins restored: with `microdata` every listed cell is a margin"):
        protect(release, Perturbation(HALF, 1, margins="restored"))
