"""Which cells a rule must have its data of: those that nothing else settles."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import LackingDataError
from tableseal.audit.model import Amounts, Microdata, Policy, Status
from tableseal.audit.rules import PQ, Dominance, Entropy, Request, Rule, Threshold, assess
from tableseal.audit.rules.facts import Facts
from tableseal.audit.rules.unlisted import assess_unlisted

CellsOf = Callable[..., Any]
RULES: tuple[Rule, ...] = (
    Threshold(3),
    Threshold(3, of="weighted"),
    Dominance(1, Fraction(80)),
    PQ(Fraction(10)),
    Entropy(Fraction(1, 2)),
    Request(),
    Request(Fraction(10)),
)
SETTLED = {Status.WITHHELD, Status.PRIMARY, Status.MISSING, Status.CONSENT, Status.STRUCTURAL_ZERO}
"""Sensitive as they are, outside of the release, agreed to, or known to everybody."""


@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("kind", ["count", "magnitude"])
def test_nothing_is_demanded_of_what_is_settled(cells_of: CellsOf, kind: str, rule: Rule, status: Status) -> None:
    # CONVENTION 141
    release, cells = cells_of([None], kind=kind, status=[status])
    concerned = kind == "magnitude" or isinstance(rule, Threshold | Request)
    policy = Policy(primary=(rule,))
    if status in SETTLED or not concerned:
        assert not assess(release, cells, policy).sensitive.any()
        return
    with pytest.raises(LackingDataError):
        assess(release, cells, policy)


@pytest.mark.parametrize("rule", [Request(), Request(Fraction(0)), Threshold(3, zeros=True), Entropy(Fraction(1))])
def test_what_everybody_knows_to_be_zero_is_no_secret_whoever_gives_it(cells_of: CellsOf, rule: Rule) -> None:
    # CONVENTION 150
    asked = np.array([True, True])
    for status, sensitive in ((Status.STRUCTURAL_ZERO, False), (Status.PUBLISHED, True)):
        records = Microdata(np.array([[0], [1]], np.int32), {"value": Amounts.of([0, 0])}, request=asked)
        release, cells = cells_of([0, 0], status=[status] * 2, microdata=records)
        assert assess(release, cells, Policy(primary=(rule,))).sensitive.tolist() == [sensitive] * 2


@given(
    st.sampled_from(["count", "magnitude"]),
    st.lists(
        st.tuples(st.sampled_from([Status.MISSING, Status.STRUCTURAL_ZERO]), st.booleans(), st.booleans()),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(RULES),
)
def test_which_unlisted_cells_a_rule_can_judge(
    cells_of: CellsOf, kind: str, given_of: list[tuple[Status, bool, bool]], rule: Rule
) -> None:
    """A cell has respondents in a column, or records, or neither; zeros that everyone knows are not judged."""
    # CONVENTION 506
    records = Microdata(
        np.arange(len(given_of), dtype=np.int32)[:, None],
        {"value": Amounts.of([5 if whole else None for _, _, whole in given_of])},
        request=np.ones(len(given_of), np.bool_),
    )
    release, cells = cells_of(
        [None] * len(given_of),
        kind=kind,
        status=[status for status, _, _ in given_of],
        frequency=[5 if column else None for _, column, _ in given_of],
        microdata=records,
    )

    def can_be(status: Status, column: bool, whole: bool) -> bool:
        if status is Status.STRUCTURAL_ZERO:
            return False
        match rule:
            case Threshold(of="respondents"):
                return column or whole
            case Threshold():
                return whole or (kind == "count" and column)
            case Request():
                return whole
        return kind == "magnitude" and whole

    _, judged = assess_unlisted(Facts(release, cells), Policy(primary=(rule,)))
    assert judged.tolist() == [can_be(*cell) for cell in given_of]
