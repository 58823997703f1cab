"""The study of a table generator, on small hypercubes."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.measures.risk.split_risk import terms_after
from tableseal.audit.measures.risk.transition import GivenMatrix, MatrixTransition
from tableseal.suppression.comparison.chart import picture
from tableseal.suppression.protections.perturbation.chain import Counts
from tableseal.suppression.study.hypercube import Class, Total, hypercube
from tableseal.suppression.study.map import study_maps
from tableseal.suppression.study.methods import perturbed, rounded, swapped
from tableseal.suppression.study.requests import Request
from tableseal.suppression.study.study import METHODS, StudySettings, run_study

SHAPE = (2, 3, 4, 5)
CLASSES = [Class(1, 1, 20), Class(2, 3, 11), Class(4, None, 40)]
HALF = Fraction(1, 2)
MATRIX = Counts.spread(HALF, 1)
VARIABLES = ("region", "a", "b", "c")


def margins(seed: int) -> dict[tuple[int, ...], np.ndarray]:
    """Two-way margins of some 2,000 persons; b = 1 goes with c < 3 only."""
    random = np.random.default_rng(seed)
    chances = random.gamma(1.0, size=SHAPE)
    chances[:, :, 0, 3:] = 0
    cube = random.multinomial(2000, (chances / chances.sum()).ravel()).reshape(SHAPE)
    kept = combinations(range(4), 2)
    return {axes: cube.sum(axis=tuple(k for k in range(4) if k not in axes)) for axes in kept}


def totals(seed: int) -> list[Total]:
    """Near what the margins say."""
    margin = margins(seed)[0, 1]
    return [Total(0, 0, int(margin[0].sum()) + 7), Total(1, 2, int(margin[:, 2].sum()) - 5)]


def made(seed: int) -> np.ndarray:
    return hypercube(SHAPE, margins(seed), CLASSES, totals(seed))


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_hypercube_has_the_distribution_the_totals_and_the_zeros(seed: int) -> None:
    """CONVENTION 832."""
    cube = made(seed)
    assert cube.sum() == 2000
    assert [int(((cube >= one.least) & (cube <= (one.most or 2000))).sum()) for one in CLASSES] == [20, 11, 40]
    assert [cube[0].sum(), cube[:, 2].sum()] == [total.persons for total in totals(seed)]
    assert not cube[:, :, 0, 3:].any()
    assert (cube == made(seed)).all()


def test_what_cannot_be_met_is_refused() -> None:
    with pytest.raises(InputError, match="are no structural zeros"):
        hypercube(SHAPE, margins(1), [Class(1, None, 119)], [])
    with pytest.raises(InputError, match="too small"):
        hypercube(SHAPE, margins(1), [Class(100, None, 40)], [])
    with pytest.raises(InputError, match="persons are to be moved"):
        hypercube(SHAPE, margins(1), CLASSES, [Total(0, 0, 1999)])


def test_a_request_is_the_sum_over_what_it_does_not_name() -> None:
    cube = made(1)
    table = Request("t", {"region": 1}, ("c", "a")).tabulated(cube, VARIABLES)
    assert (table.reshape(5, 3) == cube[1].sum(axis=1).T).all()


@given(st.integers(0, 1000))
def test_methods_keep_the_totals_of_regions(seed: int) -> None:
    cube, random = made(2), np.random.default_rng(seed)
    strata = np.repeat([0, 1], cube.size // 2)
    shown = rounded(cube.ravel(), strata, 3, random).reshape(SHAPE)
    assert (shown % 3 == 0).all()
    assert (np.abs(shown - cube) < 3).all()
    assert (np.abs(shown.sum(axis=(1, 2, 3)) - cube.sum(axis=(1, 2, 3))) < 3).all()
    shown = perturbed(cube.ravel(), strata, MATRIX, Fraction(7, 10), random).reshape(SHAPE)
    assert (shown.sum(axis=(1, 2, 3)) == cube.sum(axis=(1, 2, 3))).all()
    assert ((shown > 0) == (cube > 0)).all()
    shown = swapped(cube, 0, 0.05, random)
    assert (shown >= 0).all()
    assert (shown.sum(axis=0) == cube.sum(axis=0)).all()
    assert (shown.sum(axis=(1, 2, 3)) == cube.sum(axis=(1, 2, 3))).all()


def test_cells_that_stay_by_a_mixture() -> None:
    """With a share of 0 nothing goes by the matrix."""
    cube = made(3).ravel()
    none = np.zeros(len(cube), np.int64)
    assert (perturbed(cube, none, MATRIX, Fraction(0), np.random.default_rng(1)) == cube).all()
    assert (perturbed(cube, none, MATRIX, Fraction(1), np.random.default_rng(1)) != cube).any()


def test_a_small_study() -> None:
    """Every table by every method, the same from the same seed; a table without regions is not swapped."""
    given_matrix = GivenMatrix(np.array([[float(p) for p in row] for row in MATRIX.rows]), (0.75, 0.9))
    settings = StudySettings("region", 3, 0.05, given_matrix, MATRIX, Fraction(1), seed=4, draws=2)
    requests = [Request("T1", {"region": 0}, ("a", "b", "c")), Request("T2", {}, ("a", "c"))]
    study = run_study(made(4), VARIABLES, requests, settings)
    assert [asked.persons for asked in study.asked] == [totals(4)[0].persons, 2000]
    assert [(a.name, a.method) for a in study.answered] == [(t, m) for t in ("T1", "T2") for m in METHODS]
    assert all(0 <= a.risk <= asked.risk for asked in study.asked for a in study.answered if a.name == asked.name)
    assert study.answer("T2", "RS").utility == 1
    assert study.answer("T1", "RS").utility < 1
    assert study.answer("T1", "RRP").changed == 1
    assert study == run_study(made(4), VARIABLES, requests, settings)
    one, _ = study_maps(study)
    drawn = picture(one)
    assert drawn.startswith("<svg xmlns=")
    assert all(f">{method}<" in drawn or f"{method} " in drawn or f" {method}" in drawn for method in METHODS)


def test_counts_above_a_cap_stand_for_themselves() -> None:
    """CONVENTION 833: a sum of changed cells that the matrix does not lead to is not taken for empty."""
    rounding = MatrixTransition.rounding(3)
    original, protected = np.array([1, 2, 4, 300]), np.array([0, 3, 3, 312])
    without = terms_after(original, protected, 4, rounding, split=True)
    capped = terms_after(original, protected, 4, rounding, split=True, cap=10)
    assert without.lost == pytest.approx((300 + 4 / 3 * 1) / 307, abs=0.01)
    assert capped.lost == pytest.approx(4 / 3 / 307)  # of the four, a third goes to 6, which no cell shows
    assert capped.terms[1] == without.terms[1]
    assert capped.terms[2] == 0
