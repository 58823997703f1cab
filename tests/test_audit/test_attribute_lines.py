"""The attribute rule on one line of which some true values are not known: against every completion of the line."""

from collections.abc import Callable
from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.model import Policy, Status
from tableseal.audit.rules import Attribute, assess

CellsOf = Callable[..., Any]
Cell = tuple[Status, int | None]
"""Status, and the true value where the agency has it."""

MOST = 4

KNOWN = st.tuples(
    st.sampled_from([Status.PUBLISHED, Status.SECONDARY, Status.PRIMARY, Status.MISSING]),
    st.sampled_from([0, 0, 1, 2, 3]),
)
HIDDEN = st.tuples(st.sampled_from([Status.SECONDARY, Status.PRIMARY, Status.WITHHELD, Status.MISSING]), st.none())
ZERO = st.just((Status.STRUCTURAL_ZERO, 0))
CHILD: st.SearchStrategy[Cell] = st.one_of(KNOWN, KNOWN, HIDDEN, ZERO)
MARKED = (Status.PRIMARY, Status.WITHHELD)


def completions(line: list[Cell], total: int | None) -> list[tuple[int, ...]]:
    """Every line of values that may be true, up to MOST where nothing limits them."""
    ranges = [range((MOST if total is None else total) + 1) if value is None else [value] for _, value in line]
    return [values for values in product(*ranges) if total is None or sum(values) == total]


@settings(max_examples=400)
@given(
    st.lists(CHILD, min_size=1, max_size=4),
    st.sampled_from(["none", "hidden", "given"]),
    st.sampled_from([Status.PUBLISHED, Status.PRIMARY, Status.MISSING]),
    st.integers(0, MOST),
    st.integers(1, 3),
)
def test_a_line_is_judged_if_all_that_may_be_true_says_the_same(
    cells_of: CellsOf,
    flat_hierarchy: Callable[..., Any],
    line: list[Cell],
    sum_is: str,
    status: Status,
    hidden: int,
    populated: int,
) -> None:
    # CONVENTION 151
    codes = [f"c{k}" for k in range(len(line))]
    truth = sum(hidden if value is None and k == 0 else value or 0 for k, (_, value) in enumerate(line))
    total = truth if sum_is == "given" else None
    if total is None and status == Status.PUBLISHED:
        status = Status.PRIMARY
    rows = list(zip(codes, line, strict=True)) + ([] if sum_is == "none" else [("T", (status, total))])
    release, cells = cells_of(
        [value for _, (_, value) in rows],
        kind="count",
        hierarchies=[flat_hierarchy("a", "T", codes)],
        codes=[(code,) for code, _ in rows],
        status=[s for _, (s, _) in rows],
    )
    policy = Policy((Attribute((), populated),))
    try:
        result = assess(release, cells, policy).sensitive.tolist()
    except InputError:
        result = None

    every = completions(line, total)
    room = sum(s is not Status.STRUCTURAL_ZERO for s, _ in line)
    says = {1 <= sum(x > 0 for x in values) <= min(populated, room - 1) for values in every}
    some = [any(values[k] for values in every) for k in range(len(line))]  # may be somebody
    silent = any(s is Status.MISSING and value is None for s, value in line)
    nobody_asks = all(not may or s in (*MARKED, Status.MISSING) for may, (s, _) in zip(some, line, strict=True)) and (
        sum_is == "none" or status in (*MARKED, Status.MISSING)
    )
    if silent or says == {False} or (len(says) == 2 and nobody_asks):
        assert result == [False] * len(rows)
    elif len(says) == 2:
        assert result is None
    else:
        assert result == [*some, *[True] * (sum_is != "none")]
