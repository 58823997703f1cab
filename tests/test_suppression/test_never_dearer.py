"""The search for the cheapest pattern on drawn tables: never dearer than a quick method (CONVENTION 604, 898)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases.benchmarks.releases import to_protect
from cases.benchmarks.surveys import Survey, drawn
from tableseal.audit.errors import InputError
from tableseal.suppression.search import optimal as beginning
from tableseal.suppression.suppress import suppress

SHAPES = (((3, 2), (3,)), ((4,), (2, 2)), ((2, 2), (3,), (2,)))


@settings(deadline=None, max_examples=4)
@given(st.integers(0, 10**6), st.sampled_from(SHAPES), st.booleans(), st.booleans())
def test_optimal_is_no_dearer_than_any_quick_method(
    seed: int, shape: tuple[tuple[int, ...], ...], turnover: bool, large: bool
) -> None:
    """CONVENTION 604, 898: whether it begins with sub-tables or not, and its bound holds for every safe pattern."""
    made = drawn("small", Survey(shape, turnover), seed)
    if not made.instance.primary.any():
        return
    release = to_protect(made.instance, made.cost)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beginning, "LARGE", 1 if large else 10**9)
        best = suppress(release, method="optimal", explain=False)
    if best.found.pattern is None:  # not even everything is safe
        return
    assert best.verdict == "safe"
    for method in ("elimination", "network", "modular", "heuristic"):
        try:
            other = suppress(release, method=method, explain=False)
        except InputError:  # it does not suit this table
            continue
        assert other.verdict == "safe"
        assert best.found.bound <= best.found.cost <= other.found.cost
