"""What counts as judged, which small counts are told, and what readers are taken to know, row by row."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import document, table

from tableseal.audit.errors import LackingDataError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Amounts, Measure, Microdata, Policy, Status, Table
from tableseal.audit.rules import Attribute, Sensitivity, assess
from tableseal.audit.rules.contributions import contributions
from tableseal.audit.rules.judging import nothing_judged, small_counts, unjudged
from tableseal.audit.rules.knows_rule import (
    of_rows_left_out,
    readers_matter,
    told_bounds,
    with_readers,
    without_readers,
)

CellsOf = Callable[..., Any]
STATUSES = st.sampled_from(Status)


@given(st.lists(st.tuples(STATUSES, *(st.booleans() for _ in range(4))), min_size=1, max_size=6))
def test_which_cells_must_not_come_out(cells_of: CellsOf, rows: list[tuple[Status, bool, bool, bool, bool]]) -> None:
    """By a rule, by a status, or because they are released otherwise than exactly, unless that was agreed to."""
    # CONVENTION 580
    statuses = [status for status, *_ in rows]
    by_rule, consent, exact, unrounded = (np.array([row[k] for row in rows]) for k in range(1, 5))
    none = Amounts.none(len(rows))
    _, cells = cells_of([1] * len(rows), status=statuses)
    cells = replace(cells, consent=consent, exact=exact, unrounded=unrounded)
    found = Sensitivity(by_rule, none, none, none, (None,) * len(rows), ()).judged(cells)
    for k, status in enumerate(statuses):
        roughly = not consent[k] and (unrounded[k] or (status.released and not exact[k]))
        assert found[k] == (by_rule[k] or status in (Status.PRIMARY, Status.WITHHELD) or roughly)


@given(
    st.sampled_from(["count", "magnitude"]),
    st.lists(
        st.tuples(st.sampled_from([-1, 0, 7]), STATUSES, st.integers(0, 9), st.integers(0, 6) | st.none()), max_size=6
    ),
)
def test_small_counts_are_those_of_listed_published_cells(
    cells_of: CellsOf, kind: str, rows: list[tuple[int, Status, int, int | None]]
) -> None:
    # CONVENTION 581
    release, cells = cells_of(
        [value for _, _, value, _ in rows],
        kind=kind,
        row=[row for row, *_ in rows],
        status=[status for _, status, _, _ in rows],
        frequency=[number for *_, number in rows],
    )
    shown = [
        value if kind == "count" else number
        for row, status, value, number in rows
        if row >= 0 and (status.released or status is Status.STRUCTURAL_ZERO)
    ]
    assert small_counts(release, cells) == tuple(shown.count(n) for n in range(1, 5))
    said = nothing_judged(release, cells)
    assert said.count == sum(number is not None and 0 < number < 5 for number in shown)
    assert said.text.endswith(", as far as their number is given.") == (kind == "magnitude")


@given(st.lists(st.tuples(st.sampled_from(["", "H", "G"]), st.sampled_from(["", "u"])), min_size=1, max_size=6))
def test_only_holdings_have_a_label(cells_of: CellsOf, names: list[tuple[str, str]]) -> None:
    # CONVENTION 147
    holding, unit = (tuple(name[k] for name in names) for k in range(2))
    codes = np.zeros((len(names), 1), np.int32)
    records = Microdata(codes, {"value": Amounts.of([1] * len(names))}, holding=holding, unit_id=unit)
    release, cells = cells_of([len(names)], microdata=records)
    found = contributions(release, cells, records)
    labels = {who: holding[first] for who, first in enumerate(found.first.tolist()) if holding[first]}
    assert sorted(labels.values()) == sorted(set(holding) - {""})
    amounts = dict(zip(found.contributor.tolist(), found.amount.tolist(), strict=True))
    assert all(amounts[who] == holding.count(name) for who, name in labels.items())


ROWS = st.tuples(
    st.sampled_from(["", "frozen", "must_publish", "consent", "primary", "secondary", "withheld"]),
    st.sampled_from([1, 4, 5, 9]),
    st.sampled_from([(None, None), (1, 4), (0, 4), (1, 9), (None, 4), (1, None)]),
)


@given(st.lists(ROWS, min_size=3, max_size=3), st.booleans())
def test_what_readers_are_told_row_by_row(rows: list[Any], anew: bool) -> None:
    """Threshold 5: what is withheld for it lies from 1 to 4; what is published would, were it withheld."""
    # CONVENTION 585
    rows = [(s, min(v, 4) if s == "primary" else v, ends) for s, v, ends in rows]
    rows = [(s, v, (low, None if high and high < v else high)) for s, v, (low, high) in rows]
    rows.append(("secondary", 9, (None, None)))  # so that reasons are told apart
    made = table(
        ["k", "l", "m", "n"],
        [v if s in ("", "frozen", "must_publish", "consent") else None for s, v, _ in rows],
        status=[s for s, _, _ in rows],
        truth=[v for _, v, _ in rows],
        lower=[low for _, _, (low, _) in rows],
        upper=[high for _, _, (_, high) in rows],
    )
    variables = {"a": {"codes": ["k", "l", "m", "n"]}}
    rest = {"variables": variables, "policy": {"primary": [{"threshold": 5}]}, "intruder": {"knows_rule": True}}
    release = release_from_document(document(made, **rest))
    told = with_readers(release, anew=anew).tables[0]
    bare = without_readers(told, release)
    free = ["", "frozen", "must_publish", "primary"] + ["secondary", "withheld"] * anew
    for k, (status, value, (low, high)) in enumerate(rows):
        before = read(release.tables[0], k)
        known = before
        if status in free and value < 5:
            known = (max(low or 1, 1), min(4 if high is None else high, 4))
        assert read(told, k) == known
        withheld = status in ("primary", "secondary", "withheld")
        assert read(bare, k) == ((None, None) if withheld and known == (1, 4) else known)


def read(found: Table, k: int) -> tuple[int | None, int | None]:
    """What is known of a row."""
    low, high = (int(end.units[k]) if end.known[k] else None for end in (found.lower, found.upper))
    return low, high


CHILDREN = st.tuples(
    st.sampled_from(["published", "hidden", "impossible", "missing", "silent"]), st.sampled_from([0, 0, 1, 2])
)


@given(st.lists(CHILDREN, min_size=3, max_size=3), st.integers(1, 3))
def test_a_line_is_refused_only_where_its_fillings_differ(
    cells_of: CellsOf, flat_hierarchy: Callable[..., Any], children: list[tuple[str, int]], populated: int
) -> None:
    """Every way to fill the hidden cells of a line up to its published total is tried."""
    # CONVENTION 151
    children = [(how, 0 if how == "impossible" else value) for how, value in children]
    total = sum(value for _, value in children)
    status = {"hidden": Status.PRIMARY, "impossible": Status.STRUCTURAL_ZERO, "published": Status.PUBLISHED}
    release, cells = cells_of(
        [*(None if how in ("hidden", "silent") else value for how, value in children), total],
        kind="count",
        hierarchies=[flat_hierarchy("a", "T", ["k", "l", "m"])],
        codes=[("k",), ("l",), ("m",), ("T",)],
        status=[*(status.get(how, Status.MISSING) for how, _ in children), Status.PUBLISHED],
    )

    def discloses(values: list[int]) -> bool:
        possible = sum(how != "impossible" for how, _ in children)
        return 1 <= sum(value > 0 for value in values) <= min(populated, possible - 1)

    choices = [range(total + 1) if how == "hidden" else [value] for how, value in children]
    answers = {discloses(list(values)) for values in product(*choices) if sum(values) == total}
    if any(how == "silent" for how, _ in children):
        answers = {False}  # a cell outside of the release, of which nothing is known: no line
    policy = Policy(primary=(Attribute((), populated),))
    if len(answers) == 2:
        with pytest.raises(LackingDataError):
            assess(release, cells, policy)
        return
    assert bool(assess(release, cells, policy).sensitive[3]) == answers.pop()


@pytest.mark.parametrize("knows", [False, True])
@pytest.mark.parametrize(("rule", "bounds"), [({"threshold": 1}, None), ({"threshold": 5}, (1, 4))], ids=str)
def test_what_readers_know_matters_where_a_threshold_says_something(
    rule: dict[str, Any], bounds: tuple[int, int] | None, knows: bool
) -> None:
    # CONVENTION 585
    rows_left_out = table(["T", "k"], [20, 9], absent={"leaves": "not_released"})
    release = release_from_document(document(rows_left_out, policy={"primary": [rule]}, intruder={"knows_rule": knows}))
    policy = release.policy or Policy()
    assert told_bounds(release, policy) == bounds
    assert readers_matter(release, policy) == (None if knows else bounds)
    assert bool(of_rows_left_out(release, policy)) == (knows and bounds is not None)


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        (("count",), "No count of 1 to 4 is published."),
        (("magnitude",), "No cell with 1 to 4 contributors is published, as far as their number is given."),
        (("magnitude", "count"), "No count of 1 to 4 is published."),
    ],
)
def test_where_there_is_no_small_count_that_is_said(cells_of: CellsOf, kinds: tuple[Any, ...], said: str) -> None:
    # CONVENTION 581
    release, cells = cells_of([9], kind=kinds[0], frequency=[9], other_measure=Measure("other", kinds[-1]))
    assert nothing_judged(release, cells).text.endswith(f"what is sensitive. {said}")
    none = Amounts.none(1)
    nothing = Sensitivity(np.zeros(1, np.bool_), none, none, none, (None,), ())
    assert unjudged(release, cells, Policy(), nothing) == ("value",), "the other has no table"
