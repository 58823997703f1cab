"""Magnitudes changed by cell keys: by exact expectation over all keys, and cell by cell as the source writes it."""

from fractions import Fraction
from math import inf, sqrt

import numpy as np
import pytest
from cell_key_data import columns, records
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.suppression.protections.cell_keys.entropy import magnitude_table
from tableseal.suppression.protections.cell_keys.magnitudes import Cells, MagnitudeTables, changes, widest
from tableseal.suppression.protections.cell_keys.ptable import PTable, Stated, check, moments
from tableseal.suppression.protections.cell_keys.ptable_files import read_ptables
from tableseal.suppression.protections.cell_keys.scaling import Scaling, largest_contributions

KEYS = 1000
TABLE = magnitude_table(5, 1.0, KEYS, levels=(1, 3))
SMALL = magnitude_table(8, 2.0, KEYS, levels=(2,))
FLEX = Scaling(weights=(1.0, 0.5, 0.2), small=0.30, large=0.03, point=1000, power=3)
"""SCALING F(0.03,0.30,1000,3,0.5,0.2) of data/tauargus/cellkey/microdata.rda."""


def test_tables_for_magnitudes_keep_what_they_state() -> None:
    check(TABLE, Stated(Fraction(5)))
    check(SMALL, Stated(Fraction(8)))
    assert [m.level for m in moments(TABLE)] == [0, 1, 3, 5]
    assert float(moments(TABLE)[-1].variance) == pytest.approx(1, abs=0.01)


def test_the_flex_function() -> None:
    """Deliverable D4.2: `small` up to the point, where both branches meet, then down to `large`."""
    sizes = np.array([1.0, 999.999, 1000.0, 1e5, 1e9])
    found = FLEX.share(sizes)
    assert found[:2].tolist() == [0.30, 0.30]
    assert found[2] == pytest.approx(0.30)
    assert (np.diff(found[2:]) < 0).all()
    assert found[-1] == pytest.approx(0.03, rel=1e-3)
    x, large, small, fp = 3000.0, 0.03, 0.30, 1000.0
    assert FLEX.share(np.array([x]))[0] == large * (
        1 + (small * x - large * fp) / (large * fp) * (2 * fp / (fp + x)) ** 3
    )


def test_the_separation_point() -> None:
    """sqrt(variance of small cells) / (sqrt(sum of squared weights) * small), of the tables of tau-ARGUS."""
    small = read_ptables(columns(records("argus_ptab_savings_smallcells.txt", ";")), 10**8)["all"]
    assert FLEX.separation(small) == pytest.approx(sqrt(2) / (sqrt(1 + 0.25 + 0.04) * 0.30), rel=1e-6)
    assert FLEX.separation(None) == 0


def one(value: float, sizes: list[float], number: int = 4, *, sensitive: bool = False) -> Cells:
    """A cell once for every key."""
    return Cells(
        np.full(KEYS, float(value)),
        np.tile(sizes, (KEYS, 1)),
        np.full(KEYS, number),
        np.arange(KEYS),
        np.full(KEYS, sensitive),
    )


@settings(max_examples=80, deadline=None)
@given(st.floats(0.01, 1e6), st.floats(0.05, 1), st.booleans(), st.sampled_from([-1, 1]))
def test_the_first_change_is_unbiased_exactly(value: float, share: float, separate: bool, sign: int) -> None:
    """CONVENTION 745: the sum over all keys is 0, whatever rows the cell lies between; no value changes its sign or
    leaves its bound."""
    tables = MagnitudeTables(TABLE, TABLE, SMALL if separate else None)
    scaling = Scaling(weights=(1.0,), small=0.30, large=0.03, point=1000)
    cell = one(sign * value, [value * share])
    found = changes(cell, tables, scaling)
    assert abs(found.sum()) < 1e-9 * KEYS * max(1.0, value)
    assert (sign * (cell.value + found) >= -1e-9 * value).all()
    assert (np.abs(found) <= widest(cell, tables, scaling) * (1 + 1e-12)).all()


@settings(max_examples=40, deadline=None)
@given(st.floats(100, 1e6), st.floats(0.05, 0.2))
def test_further_changes_are_unbiased_where_the_value_is_large(value: float, share: float) -> None:
    """Turned keys are uniform, and beyond the last row the change does not depend on those before."""
    tables = MagnitudeTables(TABLE, TABLE)
    scaling = Scaling(weights=(1.0, 0.5, 0.2), small=0.2, large=0.03, point=1000)
    found = changes(one(value, [value * share, value * share / 2, value * share / 3]), tables, scaling)
    assert abs(found.sum()) < 1e-9 * KEYS * value


def by_hand(value: float, sizes: list[float], key: int, tables: MagnitudeTables, scaling: Scaling) -> float:
    """One cell as D4.2 writes it, with a loop over the rows of the table."""
    at, separation = value, scaling.separation(tables.small_cells)
    for j, (x, weight) in enumerate(zip(sizes, scaling.weights, strict=False)):
        digits = f"{key:03d}"
        turned = int(digits[j:] + digits[:j])
        small = x < separation
        unit = 1.0 if small else x * float(scaling.share(np.array([x]))[0]) * weight
        if abs(at) < unit:
            unit, small = abs(at), abs(at) / (scaling.small * weight) < separation
            unit = 1.0 if small else unit
        if (small and j > 0) or at == 0:
            continue
        table = tables.small_cells if small else tables.even
        assert table is not None
        at += unit * looked_up(table, abs(at) / unit, turned)
    return at - value


def looked_up(table: PTable, ratio: float, key: int) -> float:
    levels = [float(level * table.step) for level in table.levels]

    def change(row: int) -> float:
        for last, by in zip(
            *(a[table.start[row] : table.start[row + 1]] for a in (table.last, table.change)), strict=True
        ):
            if key <= last:
                return float(by * table.step)
        raise AssertionError

    if ratio >= levels[-1]:
        return change(len(levels) - 1)
    row = max(k for k, level in enumerate(levels) if level <= ratio)
    part = (ratio - levels[row]) / (levels[row + 1] - levels[row])
    return (1 - part) * change(row) + part * change(row + 1)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.floats(0.1, 5000), min_size=3, max_size=3),
    st.floats(0, 20000),
    st.integers(0, KEYS - 1),
    st.booleans(),
)
def test_every_cell_as_the_source_writes_it(sizes: list[float], rest: float, key: int, separate: bool) -> None:
    sizes = sorted(sizes, reverse=True)
    value = sum(sizes) + rest
    tables = MagnitudeTables(TABLE, TABLE, SMALL if separate else None)
    cell = one(value, sizes)
    found = changes(cell, tables, FLEX)[key]
    assert found == pytest.approx(by_hand(value, sizes, key, tables, FLEX), rel=1e-9, abs=1e-9)


def test_parity_chooses_the_table() -> None:
    odd = magnitude_table(5, 4.0, KEYS)
    tables, scaling = MagnitudeTables(TABLE, odd), Scaling(small=0.1)
    for number, table in ((4, TABLE), (5, odd)):
        found = changes(one(1000, [100], number), tables, scaling)
        assert found.tolist() == changes(one(1000, [100]), MagnitudeTables(table, table), scaling).tolist()
    with pytest.raises(InputError, match="go with one"):
        changes(one(1000, [100, 50]), tables, Scaling(weights=(1.0, 0.5)))


def test_sensitive_cells_move_further() -> None:
    """mu_c: the size of the first change grows by so many units of change."""
    scaling, tables = Scaling(weights=(1.0, 0.5), small=0.1), MagnitudeTables(TABLE, TABLE)
    plain = changes(one(1000, [100, 0]), tables, scaling)
    more = changes(one(1000, [100, 0], sensitive=True), tables, scaling, 2.0)
    assert np.allclose(np.abs(more), np.abs(plain) + 2.0 * 100 * 0.1)
    with pytest.raises(InputError, match="found -1, expected 0 or more"):
        changes(one(1000, [100, 0]), tables, scaling, -1)


def test_zeros_and_empty_cells_stay() -> None:
    tables = MagnitudeTables(TABLE, TABLE)
    assert not changes(one(0, [50]), tables, Scaling()).any()
    assert not changes(one(10, [50], 0), tables, Scaling()).any()


def test_the_largest_contributions_of_each_cell() -> None:
    """Weighted, in the order of what they are without weight, then of weights."""
    cell = np.array([0, 0, 0, 2, 2, 2])
    values, weights = np.array([5.0, -9, 7, 3, 3, 1]), np.array([1.0, 2, 1, 1, 4, 100])
    found, number = largest_contributions(cell, values, weights, 3, 2)
    assert found.tolist() == [[-18, 7], [0, 0], [12, 3]]
    assert number.tolist() == [3, 0, 3]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"weights": (0.5,)}, "1 and then numbers"),
        ({"weights": (1.0, 0.2, 0.5)}, "1 and then numbers"),
        ({"weights": ()}, "1 and then numbers"),
        ({"weights": (1.0, 0.5), "by": "sum"}, "only the top contributions"),
        ({"small": 0.03, "large": 0.3, "point": 1000}, "0 < large <= small <= 1"),
        ({"small": 0.0, "point": inf}, "0 < large <= small <= 1"),
        ({"point": 0}, "a point above 0"),
        ({"power": 0.5}, "a power of at least 1"),
    ],
)
def test_scalings_that_are_none(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Scaling(**wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_a_variance_that_cannot_be_is_told_in_the_units_that_were_asked_for() -> None:
    """Changes are in steps of a half; what is asked for and what can be are in whole units of change."""
    with pytest.raises(InputError, match=r"value 1: no unbiased change has variance 5; 0 to 2 can be"):
        magnitude_table(2, 5.0, KEYS)
    magnitude_table(2, 2.0, KEYS)
