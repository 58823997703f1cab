"""Values far beyond what floats hold exactly: every method that starts from tables keeps what it promises, or refuses
the cell."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.suppression.protections.methods import settings_of
from tableseal.suppression.protections.perturbation.sums import stratum_sums
from tableseal.suppression.protections.protect import protect
from tests.support.tabulated import tabulated

METHODS: dict[str, dict[str, Any]] = {
    "conventional-rounding": {"base": "5"},
    "controlled-rounding": {"base": "5"},
    "random-controlled-rounding": {"base": "5"},
    "random-rounding": {"base": "5"},
    "semi-controlled-rounding": {"base": "5"},
    "small-count-rounding": {"base": "5"},
    "perturbation": {"stay": "0.5", "reach": 3},
    "tabular-adjustment": {"share": "0.3", "range": 9},
}
LARGE = st.integers(0, 9) | st.integers(0, 9).map(lambda k: 2**53 - 4 + k) | st.integers(0, 9).map(lambda k: 2**57 + k)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(sorted(METHODS)), st.lists(LARGE, min_size=4, max_size=4), st.integers(0, 99))
def test_large_values_stay_exact(method: str, values: list[int], seed: int) -> None:
    """CONVENTION 924."""
    release = tabulated(np.array(values, np.int64).reshape(2, 2))
    said = settings_of(method, METHODS[method])
    if method == "random-controlled-rounding" and sum(values) // 5 >= 2**50:
        with pytest.raises(InputError, match="too large to be drawn"):
            protect(release, said, seed=seed)
        return
    found = protect(release, said, seed=seed)
    (table,) = found.release.tables
    shown = dict(zip(map(tuple, table.codes.tolist()), table.value.units.tolist(), strict=True))
    true = dict(zip(map(tuple, table.codes.tolist()), table.truth.units.tolist(), strict=True))
    if found.statement.additive:
        corner = {name: [key for key in shown if key[axis] == 0] for axis, name in enumerate("ab")}
        assert all(corner.values())
        for axis in (0, 1):
            for key in corner["ab"[axis]]:
                parts = [other for other in shown if other[axis] != 0 and other[1 - axis] == key[1 - axis]]
                assert shown[key] == sum(shown[part] for part in parts)
    if "rounding" in method and method != "small-count-rounding":
        assert all(value % 5 == 0 for value in shown.values())
    if method in ("conventional-rounding", "random-rounding"):
        assert all(abs(shown[key] - true[key]) < 5 for key in shown)
    for cell in found.report.cells:
        assert cell.truth is None or cell.lower is None or cell.lower <= cell.truth
        assert cell.truth is None or cell.upper is None or cell.truth <= cell.upper


def test_a_value_that_is_too_large_to_draw_for_is_named() -> None:
    """CONVENTION 924: weights ran over the numbers of 64 bits, and it ended in a fault."""
    settings = settings_of("random-controlled-rounding", {"base": "5"})
    with pytest.raises(InputError, match=r"too large to be drawn a multiple of this base for.*\(6 such cells\)"):
        protect(tabulated(np.array([[2**57, 2**57 - 1], [5, 3]])), settings)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(1, 11), min_size=2, max_size=6),
    st.data(),
    st.booleans(),
    st.sampled_from([10**9, 10**15, 2**56]),
)
def test_what_sums_may_be_moves_with_the_counts(shown: list[int], data: st.DataObject, quotas: bool, more: int) -> None:
    """Ends of sums are whole numbers of the counts: 10^15 more in each count is as much more in them, exactly."""
    from scipy.sparse import csr_array

    inside = data.draw(st.lists(st.booleans(), min_size=len(shown), max_size=len(shown)))
    near = {k: {one for one in set(shown) if one == k or data.draw(st.booleans())} for k in set(shown)}
    forms = csr_array(np.array([inside], np.int64))
    strata, moves = np.zeros(len(shown), np.int64), np.ones(len(shown), np.bool_)
    far = {k + more: {one + more for one in counts} for k, counts in near.items()}
    here = stratum_sums(forms, np.array(shown), strata, {0: near}, moves, quotas=quotas)
    there = stratum_sums(forms, np.array(shown) + more, strata, {0: far}, moves, quotas=quotas)
    assert [int(end[0]) - more * sum(inside) for end in there[:2]] == [int(end[0]) for end in here[:2]]
