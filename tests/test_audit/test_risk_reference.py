"""R1, R2, conditional entropy, Hellinger and split entropy against values printed in papers or computed independently.

Sources stand with each value in tests/data/risk_reference.json; the tables of 2014 are those of the shipped case.
"""

import json
from math import hypot, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tableseal.api.cases import cases_folder
from tableseal.audit.io.matrix import read_numbers
from tableseal.audit.measures.risk.hellinger import hellinger_counts, hellinger_shares
from tableseal.audit.measures.risk.information import entropy
from tableseal.audit.measures.risk.sample_risk import SampleSettings, sampling_experiment
from tableseal.audit.measures.risk.split_risk import unevenness
from tableseal.audit.measures.risk.table_risk import WEIGHTS, Form, after, before, size_term, weigh, zeros_after
from tableseal.audit.measures.risk.transition import GivenMatrix, MatrixTransition
from tableseal.suppression.protections.random_rounding import random_rounding

DATA = Path(__file__).parent.parent / "data"
CASES = json.loads((DATA / "risk_reference.json").read_text("utf-8"))
VERSIONS = 1000
FORM_NAMES: dict[Form, tuple[str, str]] = {
    "ratio": ("printed_formula_ratio", "printed"),
    "uncertainty": ("one_minus_ratio_2015", "one_minus"),
    "a14-published": ("as_published_maxG_defect", "maxG"),
}


def of_kind(kind: str) -> pytest.MarkDecorator:
    chosen = [case for case in CASES if case["kind"] == kind]
    assert chosen
    return pytest.mark.parametrize("case", chosen, ids=lambda case: case["id"])


def matrix(name: str) -> np.ndarray:
    path = cases_folder() / name
    return read_numbers(path.read_text("utf-8"), path.name).astype(np.int64)


def part(case: Any) -> np.ndarray:
    table = matrix(f"a14_tables/table{case['input']['table']}.csv")
    kind, _, number = case["input"]["part"].partition(" ")
    return {"whole": table.ravel, "row": lambda: table[int(number) - 1], "col": lambda: table[:, int(number) - 1]}[
        kind
    ]()


def test_every_kind_is_tested_here() -> None:
    assert {case["kind"] for case in CASES} == {
        "R1",
        "mean_R2_random_rounding_base3",
        "mean_HD_counts_random_rounding_base3",
        "conditional_entropy_3.6",
        "first_term_after_perturbation",
        "implied_entropy_part",
        "transition_matrix_row_sums",
        "sample_based_R1_est",
        "sample_based_R2_est",
        "sample_based_R2_true",
    }


@of_kind("R1")
def test_r1(case: Any) -> None:
    counts = part(case)
    found = weigh(before(counts, len(counts)).terms, case["input"]["w"])
    assert abs(float(found) - case["expected"]) <= case["tolerance"]


@of_kind("mean_R2_random_rounding_base3")
def test_mean_of_r2_in_all_three_forms(case: Any) -> None:
    """CONVENTION 244: a table with all units in one cell keeps the entropy term whatever became of it."""
    counts = part(case)
    start = before(counts, len(counts))
    rounded = random_rounding(counts, 3, np.random.default_rng(14), VERSIONS)
    expected, known = case["expected"], case["tolerance"]
    for form, (name, error) in FORM_NAMES.items():
        found = weigh(after(start, counts, rounded, form).terms, WEIGHTS)
        apart = hypot(found.std() / sqrt(VERSIONS), known["reference_se"][error])
        assert abs(found.mean() - expected[name]) <= 4 * apart + 5e-5, form
        if form == "a14-published":
            apart = hypot(found.std() / sqrt(VERSIONS), known["published_1000rep_se"])
            assert abs(found.mean() - expected["published"]) <= 4 * apart + 5e-5


@of_kind("mean_HD_counts_random_rounding_base3")
def test_mean_of_the_hellinger_distance(case: Any) -> None:
    counts = part(case)
    found = hellinger_counts(counts, random_rounding(counts, 3, np.random.default_rng(14), VERSIONS))
    error = found.std() / sqrt(VERSIONS)
    known = case["tolerance"]
    assert abs(found.mean() - case["expected"]) <= 4 * hypot(error, known["reference_se"]) + 1e-12
    published = case["input"]["published"]
    assert abs(found.mean() - published) <= 4 * hypot(error, known["published_1000rep_se"]) + 5e-5


@of_kind("conditional_entropy_3.6")
def test_conditional_entropy(case: Any) -> None:
    original, protected = np.array(case["input"]["F"]), np.array(case["input"]["G"])
    start = before(original, len(original))
    sound, ratio = after(start, original, protected), after(start, original, protected, "ratio")
    found = {
        "H_X": entropy(original),
        "H_X_given_Y": sound.conditional,
        "first_term": sound.terms[0],
        "R2_one_minus": weigh(sound.terms, case["input"]["w"]),
        "R2_ratio": weigh(ratio.terms, case["input"]["w"]),
        "HD_counts": hellinger_counts(original, protected),
        "HD_prob": hellinger_shares(original, protected),
    }
    assert found.keys() == case["expected"].keys()
    for name, value in case["expected"].items():
        assert abs(float(found[name]) - value) <= case["tolerance"], name


@of_kind("first_term_after_perturbation")
def test_first_term(case: Any) -> None:
    given = case["input"]
    found = zeros_after(np.array(given["zero_share"]), np.array(given["union"]), np.array(given["intersection"]))
    assert abs(float(found) - case["expected"]) <= case["tolerance"]


SMALL_CELLS = {  # number of zeros, ones, twos, threes, fours, fives; then of sixes and over
    "jos_t5_orig_2": ([49, 14, 2, 5, 4, 1], 135),
    "jos_t5_orig_3": ([275, 16, 9, 3, 9, 5], 268),
    "jos_t5_orig_4": ([84, 9, 4, 6, 1, 4], 126),
}
"""Shlomo, Antal & Elliot 2015, Table 2."""


@of_kind("implied_entropy_part")
def test_published_risk_fits_entropy_split_into_small_and_large_counts(case: Any) -> None:
    """What zeros and size leave of the published risk is a sum of the two parts that such a table can have."""
    given = case["input"]
    zeros, small, large, size = given["w"]
    left = given["R"] - zeros * given["zeros"] / given["K"] - size * float(size_term(np.array(float(given["N"]))))
    assert abs(left - case["expected"]) <= case["tolerance"]
    counts, over = SMALL_CELLS[case["id"]]
    assert (counts[0], sum(counts) + over) == (given["zeros"], given["K"])
    # How many cells of 6 there are is not published; a few, by the cells of 3 to 5.
    parts = [unevenness(np.arange(7.0), np.array([*counts, sixes])) for sixes in range(4)]
    assert all(0.27 < p < 0.39 for p in parts)
    assert all(0.09 < (left - small * p) / large < 0.32 for p in parts)


@of_kind("transition_matrix_row_sums")
def test_the_printed_transition_matrix(case: Any) -> None:
    """CONVENTION 249: rows that sum to 1 but for printed digits are scaled."""
    printed = read_numbers((DATA / "s15_transition.csv").read_text("utf-8"), "s15_transition.csv")
    sums = printed.sum(axis=1)
    assert np.abs(sums[:3] - case["expected"]["rows_0_to_2"]).max() <= case["tolerance"]
    assert np.abs(sums[3:] - case["expected"]["rows_3_and_up"]).max() <= case["tolerance"]
    scaled = MatrixTransition.of(GivenMatrix(printed), cycle=5)
    assert np.abs(scaled.probabilities.sum(axis=1) - 1).max() < 1e-12
    # Counts above 10 move by as much as their residual: 16 as 11, from 13 to 19.
    possible = [j for j in range(30) if scaled.possible(np.array([16]), np.array([j]))[0]]
    assert possible == list(range(13, 20))


@pytest.mark.parametrize("fraction", ["0.1", "0.05", "0.01"])
def test_sample_based_estimates(fraction: str) -> None:
    cases = [case for case in CASES if case["kind"].startswith("sample_") and f"_{fraction}" in case["id"]]
    cases = [case for case in cases if str(case["input"]["fraction"]) == fraction]
    samples = 400
    table = matrix("a15s_sample/religion.csv")
    size = cases[0]["input"]["n"]
    found = sampling_experiment(table, size, SampleSettings(), 10, samples, np.random.default_rng(15))
    assert found.true_r2 is not None
    values = {
        "sample_based_R1_est": found.r1,
        "sample_based_R2_est": found.r2,
        "sample_based_R2_true": found.true_r2,
    }
    for case in cases:
        spread = case["tolerance"]["sd_per_sample"]
        found_here = values[case["kind"]]
        assert abs(found_here.mean - case["expected"]["reference"]) <= 4 * spread / sqrt(samples) + 2e-4
        assert abs(found_here.deviation - spread) < 0.2 * spread


def test_the_tables_of_2014_agree_with_each_other() -> None:
    """Tables 1, 3 and 4 are of the same people in the same ten areas."""
    tables = [matrix(f"a14_tables/table{number}.csv") for number in (1, 2, 3, 4)]
    assert [table.shape for table in tables] == [(10, 17), (10, 11), (10, 2), (10, 9)]
    assert (tables[0].sum(axis=1) == tables[2].sum(axis=1)).all()
    assert (tables[0].sum(axis=1) == tables[3].sum(axis=1)).all()
    assert (tables[1].sum(axis=1) < tables[0].sum(axis=1)).all()  # ages 16 to 74 only
    assert tables[3].sum() == 2449  # the paper on samples
    assert (tables[3] == matrix("a15s_sample/religion.csv")).all()
