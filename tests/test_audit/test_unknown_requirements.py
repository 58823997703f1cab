"""Of which withheld cells nothing says how wide their interval must stay, cell by cell and rule by rule."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.model import Amounts, Microdata, Policy, Require, Status
from tableseal.audit.rules import PQ, Attribute, Dominance, Entropy, Request, Rule, Threshold, assess
from tableseal.audit.rules.requirements import unknown_requirements

WITHHELD = (Status.WITHHELD, Status.PRIMARY)
RULES: tuple[Rule, ...] = (
    Threshold(3),
    Threshold(3, level="unit"),
    Threshold(3, of="weighted"),
    Dominance(1, Fraction(80)),
    PQ(Fraction(10)),
    PQ(Fraction(10), level="unit"),
    Entropy(Fraction(1, 2)),
    Request(),
    Attribute(()),
)
REQUIRES = (Require(), Require(protection=False), Require(risk=Fraction(1, 2)))


@dataclass(frozen=True)
class Given:
    """What is given of one cell of value 90: 30 + 30 + 30. few: its column says that only two give it."""

    status: Status
    value: bool
    respondents: bool
    few: bool
    largest: bool
    distance: bool
    records: bool


GIVEN = st.builds(
    Given,
    st.sampled_from([*WITHHELD, Status.MISSING, Status.CONSENT]),
    *(st.booleans() for _ in range(6)),
)


def concerns(rule: Rule, kind: str) -> bool:
    match rule:
        case Threshold() | Request():
            return True
        case Attribute():
            return kind == "count"
    return kind == "magnitude"


def has_its_data(rule: Rule, kind: str, cell: Given) -> bool:
    """Whether the rule can say of the cell whether it is sensitive: records tell everything."""
    if cell.records:
        return True
    value = cell.value or (kind == "count" and cell.respondents)  # of a count, respondents say its value
    whole = isinstance(rule, Attribute | Request) or rule.level == "holding"
    match rule:
        case Threshold(of="weighted"):
            return kind == "count" and value
        case Threshold():
            return (cell.respondents and (whole or kind == "count")) or (kind == "count" and value)
        case Dominance() | PQ():
            return value and cell.largest and whole
        case Attribute():
            return value
    return False


@settings(max_examples=400)
@given(
    st.sampled_from(["magnitude", "count"]),
    st.lists(GIVEN, min_size=1, max_size=5),
    st.lists(st.sampled_from(RULES), max_size=3, unique=True),
    st.sampled_from(REQUIRES),
)
def test_every_withheld_cell_is_counted_of_which_nothing_says_enough(
    cells_of: Callable[..., Any], kind: str, given_of: list[Given], rules: list[Rule], require: Require
) -> None:
    # CONVENTION 621
    def column(known: Callable[[Given], bool], value: int) -> list[int | None]:
        return [value if known(cell) else None for cell in given_of]

    values = [30 if cell.records else None for cell in given_of for _ in range(3)]
    codes = np.repeat(np.arange(len(given_of), dtype=np.int32), 3)[:, None]
    largest = column(lambda cell: cell.largest, 30)
    three = column(lambda cell: cell.respondents, 3)
    distances = column(lambda cell: cell.distance and (cell.value or cell.records), 5)
    release, cells = cells_of(
        column(lambda cell: cell.value, 90),
        kind=kind,
        status=[cell.status for cell in given_of],
        frequency=[2 if cell.respondents and cell.few else n for n, cell in zip(three, given_of, strict=True)],
        contributors=[largest, largest],
        protection=(None, distances),
        microdata=Microdata(codes, {"value": Amounts.of(values)}, request=np.zeros(len(codes), np.bool_)),
    )
    policy = Policy(primary=tuple(rules), require=require)
    found = assess(release, cells, policy)
    # What is enough is said once for all: anything but the exact value, or a limit of risk where there is no rule.
    settled = not require.protection or (require.risk is not None and not rules)

    def unknown(k: int, cell: Given) -> bool:
        if settled or cell.status not in WITHHELD or distances[k] is not None:
            return False
        if found.rule[k] is not None or found.required_upper.known[k]:
            return False
        concerned = [rule for rule in rules if concerns(rule, kind)]
        return not concerned or not all(has_its_data(rule, kind, cell) for rule in concerned)

    expected = [unknown(k, cell) for k, cell in enumerate(given_of)]
    assert unknown_requirements(release, cells, policy, found).tolist() == expected, given_of
