"""Risk of a table generator's tables: split entropy, and its modification after protection."""

from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.transition_file import read_transition
from tableseal.audit.measures.risk.assess_risk import RiskFormula, assess
from tableseal.audit.measures.risk.information import entropy
from tableseal.audit.measures.risk.split_risk import WEIGHTS, Spectrum, terms_after, terms_before, unevenness
from tableseal.audit.measures.risk.table_risk import before, weigh
from tableseal.audit.measures.risk.transition import GivenMatrix, MatrixTransition, SwappingTransition
from tableseal.audit.model.count_table import Axis, CountTable
from tableseal.suppression.protections.random_rounding import random_rounding

THIRDS = MatrixTransition.rounding(3)
tables = st.lists(st.integers(0, 20), min_size=2, max_size=12).filter(any)


def count_table(values: list[int]) -> CountTable:
    array = np.array(values)
    index = np.flatnonzero(array)
    return CountTable(Place("t"), (Axis("v", tuple(map(str, range(len(values))))),), index, array[index])


def part(values: np.ndarray) -> float:
    """P as in the paper, cell by cell."""
    return 1 - float(entropy(values)) / log(len(values)) if len(values) > 1 and values.any() else 0.0


@given(tables)
def test_formula_3_is_r1_and_splitting_is_by_cells_up_to_six(values: list[int]) -> None:
    counts = np.array(values)
    found = Spectrum.of(counts, len(counts))
    whole = terms_before(found, split=False)
    assert np.allclose(whole, before(counts, len(counts)).terms, atol=1e-12)
    split = terms_before(found, split=True)
    assert split[0] == whole[0]
    assert split[3] == whole[2]
    assert split[1] == pytest.approx(part(counts[counts <= 6]), abs=1e-12)
    assert split[2] == pytest.approx(part(counts[counts >= 7]), abs=1e-12)
    padded = Spectrum.of(counts[counts > 0], len(counts))
    assert (padded.values == found.values).all()
    assert (padded.cells == found.cells).all()


@pytest.mark.parametrize("values", [[9], [0, 0], []])
def test_a_part_of_one_cell_or_of_zeros_or_empty_adds_nothing(values: list[int]) -> None:
    numbers, cells = np.unique(np.array(values, dtype=np.float64), return_counts=True)
    assert unevenness(numbers, cells) == 0.0


@given(tables, st.integers(2, 6), st.integers(0, 1000))
def test_after_rounding_cell_by_cell(values: list[int], base: int, seed: int) -> None:
    """Every protected value becomes what is expected of the cells that have it, computed here cell by cell."""
    original = np.array(values)
    protected = random_rounding(original, base, np.random.default_rng(seed))[0]
    expected: dict[int, float] = {}
    for i in values:
        up = (i % base) / base
        for j, p in ((i - i % base, 1 - up), (i - i % base + base, up)):
            expected[j] = expected.get(j, 0.0) + i * p
    replaced = np.array([expected.get(j, 0.0) / list(protected).count(j) for j in protected.tolist()])
    found = terms_after(
        original, protected, len(values), MatrixTransition.rounding(base), split=True, multipliers=(1.0,)
    )
    assert found.terms[1] == pytest.approx(part(replaced[protected <= 6]), abs=1e-9)
    assert found.terms[2] == pytest.approx(part(replaced[protected >= 7]), abs=1e-9)
    lost = sum(mass for j, mass in expected.items() if j not in protected) / sum(values)
    assert found.lost == pytest.approx(lost, abs=1e-8)
    assert found.impossible == 0


def test_the_example_of_rounding_to_base_3() -> None:
    """Section 4.2, the two sums of the text: of the cells that become 0, and of those that become 3."""
    spectrum = Spectrum.of(np.repeat([0, 1, 2, 3, 4, 5], [7, 6, 5, 4, 3, 2]), 27)
    found = THIRDS.expected_totals(spectrum.values, spectrum.cells, np.array([0, 3, 6]))
    assert found == pytest.approx(
        [6 * 2 / 3 + 10 / 3, 6 / 3 + 10 * 2 / 3 + 12 + 12 * 2 / 3 + 10 / 3, 12 / 3 + 10 * 2 / 3]
    )
    assert found.sum() == pytest.approx(spectrum.total)
    assert THIRDS.staying(spectrum.values) == pytest.approx(1 / 3)


@given(tables, st.floats(0, 1))
def test_after_swapping_cell_by_cell(values: list[int], rate: float) -> None:
    """CONVENTION 247: staying with 1 - rate, all other states up to the cap equally likely."""
    original = np.array(values)
    cap = max(values)
    expected = {
        j: sum(i * ((1 - rate) if i == j else rate / cap) for i in values) / values.count(j) for j in set(values)
    }
    replaced = np.array([expected[j] for j in values])
    found = terms_after(original, original, len(values), SwappingTransition(rate, cap), split=False)
    assert found.multipliers == (pytest.approx(1 - rate),)
    assert found.terms[1] == pytest.approx(part(replaced) * (1 - rate), abs=1e-9)


def test_counts_above_the_cap_stay() -> None:
    """CONVENTION 247."""
    swapping = SwappingTransition(0.1, 5)
    values, cells = np.array([2, 9]), np.array([1, 1])
    assert swapping.expected_totals(values, cells, np.array([2, 9])) == pytest.approx([1.8, 9.0])
    assert swapping.staying(values) == pytest.approx(0.95)
    assert swapping.possible(np.array([9, 2, 9]), np.array([9, 5, 5])).tolist() == [True, True, False]


@given(tables)
def test_an_explicit_matrix_is_the_same_as_its_method(values: list[int]) -> None:
    original = np.array(values)
    protected = random_rounding(original, 3, np.random.default_rng(1))[0]
    explicit = MatrixTransition.of(
        GivenMatrix(np.array([[1, 0, 0, 0], [2 / 3, 0, 0, 1 / 3], [1 / 3, 0, 0, 2 / 3]])), cycle=3
    )
    one = terms_after(original, protected, len(values), explicit, split=True)
    other = terms_after(original, protected, len(values), THIRDS, split=True)
    assert one.terms == pytest.approx(other.terms, abs=1e-12)


def test_the_original_is_an_upper_limit_and_it_is_said_where_it_was_needed() -> None:
    """CONVENTION 248."""
    settings = RiskFormula("s15", (0.1, 0.8, 0.1), transition=THIRDS)
    (whole,) = assess(count_table([1, 1, 1]), settings, [np.array([[3, 3, 0]])])
    assert whole.after is not None
    assert whole.after.risk.mean == whole.risk
    assert whole.after.above_original == 1
    raw = terms_after(np.array([1, 1, 1]), np.array([3, 3, 0]), 3, THIRDS, split=False)
    assert raw.multipliers == (0.5,)  # CONVENTION 247: the states 0 and 1 occur
    assert weigh(raw.terms, settings.weights) > whole.risk


def test_an_impossible_table_is_noticed() -> None:
    """CONVENTION 248."""
    settings = RiskFormula("s15-split", WEIGHTS, transition=THIRDS)
    (whole,) = assess(count_table([4, 4, 0]), settings, [np.array([[9, 3]])])
    assert whole.after is not None
    assert whole.after.impossible == 1
    assert whole.after.lost > 0  # what is expected to become 6


def test_swapping_needs_states() -> None:
    with pytest.raises(InputError, match="swap rate 2"):
        SwappingTransition(2, 5)
    with pytest.raises(InputError, match="largest state is 0"):
        SwappingTransition(0.1, 0)


@pytest.mark.parametrize(
    ("matrix", "cycle", "said"),
    [
        ([[1.0, 0.0], [0.5, 0.4]], 1, "row 2: sums to 0.9"),
        ([[1.5, -0.5], [0.5, 0.5]], 1, "row 1"),
        ([[1.0], [1.0]], 1, "a column for every row"),
        ([[1.0, 0.0], [0.5, 0.5]], 3, "cycle 3"),
        ([[float("nan"), 1.0], [0.5, 0.5]], 1, "row 1"),
    ],
)
def test_matrices_that_are_none(matrix: list[list[float]], cycle: int, said: str) -> None:
    """CONVENTION 249."""
    with pytest.raises(InputError, match=said):
        MatrixTransition.of(GivenMatrix(np.array(matrix)), cycle)


@pytest.mark.parametrize("multipliers", [(0.5, 0.5, 0.5), (1.5,), (float("nan"),)])
def test_multipliers_that_are_none(multipliers: tuple[float, ...]) -> None:
    with pytest.raises(InputError, match="multipliers"):
        terms_after(np.array([1, 2]), np.array([0, 3]), 2, THIRDS, split=True, multipliers=multipliers)


def test_settings_that_do_not_belong_together() -> None:
    with pytest.raises(InputError, match="three terms"):
        RiskFormula("s15-split", None)
    with pytest.raises(InputError, match="found 3, expected 4"):
        RiskFormula("s15-split", (0.1, 0.8, 0.1))
    with pytest.raises(InputError, match="transition matrix"):
        assess(count_table([1, 2]), RiskFormula("s15"), [np.array([[0, 3]])])


PRINTED = (Path(__file__).parents[1] / "data" / "s15_transition.csv").read_text("utf-8")


def test_multipliers_that_stand_in_the_file_are_the_default() -> None:
    """CONVENTION 809; Shlomo, Antal & Elliot 2015, section 5.2: .75 of small and .9 of large counts for the matrix of
    its Table 3, whose diagonal gives other means."""
    original = np.array([0, 0, 1, 2, 3, 5, 8, 13, 40])
    for text, expected in ((f"multipliers,0.75,0.9\n{PRINTED}", (0.75, 0.9)), (PRINTED, None)):
        transition = MatrixTransition.of(read_transition(text, "s15.csv"), cycle=5)
        found = terms_after(original, original, 9, transition, split=True)
        diagonal = transition.staying(np.unique(original))
        assert found.multipliers == (expected or (diagonal, diagonal))
        assert terms_after(original, original, 9, transition, split=False).multipliers == (diagonal,)
        ours = terms_after(original, original, 9, transition, split=True, multipliers=(0.5, 1.0))
        assert ours.multipliers == (0.5, 1.0)


def test_the_two_multipliers_are_no_means_of_the_printed_diagonal_of_small_counts() -> None:
    """Means over the states 0, 1 or more to 2, ..., 6: none is .75, the mean of large counts is .9."""
    diagonal = np.diag(read_transition(PRINTED, "s15.csv").probabilities)
    means = {round(float(diagonal[low : high + 1].mean()), 4) for low in (0, 1) for high in range(2, 7)}
    assert 0.75 not in means
    assert diagonal[7:] == pytest.approx(0.9)


@pytest.mark.parametrize("first", ["multipliers", "multipliers,0.5", "multipliers,0.5,x", "multipliers,0.5,1.5"])
def test_stated_multipliers_that_are_none(first: str) -> None:
    with pytest.raises(InputError, match=r"SMALL,LARGE") as error:
        read_transition(f"{first}\n1,0\n0,1\n", "p.csv")
    assert "p.csv" in str(error.value)


def test_lines_are_counted_from_the_first() -> None:
    with pytest.raises(InputError, match=r"line 3|row 3"):
        read_transition("multipliers,0.5,0.9\n1,0\n0,x\n", "p.csv")
