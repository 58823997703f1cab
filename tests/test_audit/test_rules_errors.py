"""Every message of the rules: where, what was found, what was expected; never a true value of a withheld cell."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tableseal.audit.errors import InputError, LimitError, Place
from tableseal.audit.model import Amounts, Measure, Microdata, Policy, Status
from tableseal.audit.rules import PQ, Attribute, Dominance, Entropy, Request, Rule, Threshold, assess

CellsOf = Callable[..., Any]
F = Fraction
SECRET = 31415


def refused(pair: Any, rule: Rule, error: type[Exception] = InputError) -> str:
    release, cells = pair
    with pytest.raises(error) as caught:
        assess(release, cells, Policy(primary=(rule,)))
    text = str(caught.value)
    assert str(SECRET) not in text
    assert text.endswith(".")
    return text


def test_count_without_true_value(cells_of: CellsOf) -> None:
    # CONVENTION 141
    pair = cells_of([5, None, None], kind="count", status=[Status.PUBLISHED, Status.SECONDARY, Status.SECONDARY])
    assert refused(pair, Threshold(3)) == (
        'table "t", row 2, cell a=c1: rule "threshold 3" needs the true value (2 cells lack it); '
        'add a column of true values and name it as "truth", or add microdata.'
    )


def test_place_names_file_row_and_measure(cells_of: CellsOf) -> None:
    release, cells = cells_of([None], status=[Status.SECONDARY], other_measure=Measure("firms", "count"))
    table = replace(release.tables[0], source=Place("t.csv"), rows=np.array([17]))
    text = refused((replace(release, tables=(table,)), cells), PQ(F(10)))
    assert text.startswith('table "t" (t.csv), row 17, cell a=c0 of value: rule "p% 10" needs the true value;')


def test_place_of_a_computed_total(cells_of: CellsOf) -> None:
    text = refused(cells_of([12], row=[-1]), Threshold(3))
    assert text.startswith('table "t", not listed, cell a=c0: rule "threshold 3" needs the number of contrib')


def test_magnitude_without_number_of_contributors(cells_of: CellsOf) -> None:
    pair = cells_of([SECRET], status=[Status.SECONDARY])
    assert refused(pair, Threshold(3)) == (
        'table "t", row 1, cell a=c0: rule "threshold 3" needs the number of contributors; '
        'name the column that holds it as "frequency", or add microdata.'
    )


def test_percentage_of_an_unknown_value(cells_of: CellsOf) -> None:
    pair = cells_of([None], status=[Status.SECONDARY], frequency=[2])
    text = refused(pair, Threshold(3, protection_percent=F(10)))
    assert 'rule "threshold 3" needs the true value' in text


@pytest.mark.parametrize(
    ("frequency", "contributors"),
    [
        (None, []),
        ([3], []),
        ([3], [[SECRET - 2]]),  # the second of three
        ([None], [[SECRET - 2], [None]]),
        ([2], [[SECRET - 2], [None]]),  # two contributors, the second is not given
        ([0], []),  # nobody, but a value
        ([5], [[0], [0]]),  # contributions of nothing, but a value
    ],
)
def test_contributions_that_are_not_given(cells_of: CellsOf, frequency: Any, contributors: Any) -> None:
    # CONVENTION 143
    pair = cells_of([SECRET], status=[Status.SECONDARY], frequency=frequency, contributors=contributors)
    assert refused(pair, PQ(F(10))) == (
        'table "t", row 1, cell a=c0: rule "p% 10" needs the 2 largest contributions; '
        'name the columns that hold them as "contributors" (and the number of contributors as "frequency"), '
        "or add microdata."
    )


def test_largest_contribution(cells_of: CellsOf) -> None:
    text = refused(cells_of([SECRET]), Dominance(1, F(85)))
    assert 'rule "dominance (1, 85)" needs the largest contribution;' in text


def test_entropy_needs_microdata_with_the_measure(cells_of: CellsOf) -> None:
    expected = (
        'table "t", row 1, cell a=c0: rule "entropy 0.3" needs every contribution to the cell; '
        "add microdata that hold the measure and a code of every variable."
    )
    assert refused(cells_of([SECRET], frequency=[1], contributors=[[SECRET]]), Entropy(F("0.3"))) == expected
    other = Microdata(codes=np.array([[0]], dtype=np.int32), values={"other": Amounts.of([SECRET])})
    assert refused(cells_of([SECRET], microdata=other), Entropy(F("0.3"))) == expected


def test_request_needs_the_column(cells_of: CellsOf) -> None:
    micro = Microdata(codes=np.array([[0]], dtype=np.int32), values={"value": Amounts.of([SECRET])})
    for pair in (cells_of([SECRET]), cells_of([SECRET], microdata=micro)):
        assert refused(pair, Request()) == (
            'table "t", row 1, cell a=c0: rule "request" needs to know which contributors asked for protection; '
            'add microdata with a column named as "request".'
        )


def test_given_distance_without_true_value(cells_of: CellsOf) -> None:
    # CONVENTION 145
    pair = cells_of([None], status=[Status.PRIMARY], protection=([5], [5]))
    assert refused(pair, Threshold(3)) == (
        'table "t", row 1, cell a=c0: the required protection is a distance from the true value, which is not '
        'known; add a column of true values and name it as "truth".'
    )


def test_attribute_line_that_cannot_be_judged(cells_of: CellsOf, flat_hierarchy: Any) -> None:
    race = flat_hierarchy("race", "Total", ["White", "Black", "Other"])
    pair = cells_of(
        [None, None, 0, 30],
        kind="count",
        hierarchies=[race],
        codes=[("White",), ("Black",), ("Other",), ("Total",)],
        status=[Status.PRIMARY, Status.PRIMARY, Status.PUBLISHED, Status.PUBLISHED],
    )
    assert refused(pair, Attribute(())) == (
        'table "t", row 1, cell race=White: rule "attribute (populated 1)" needs the true values of a line of '
        'withheld cells (2 cells lack it); add a column of true values and name it as "truth", or add microdata.'
    )


def test_attribute_unknown_variable(cells_of: CellsOf) -> None:
    release, cells = cells_of([1], kind="count")
    assert refused((release, cells), Attribute(("aa",))) == (
        'policy: rule "attribute (given aa, populated 1)" is given the variable "aa", which the release does not '
        'have (did you mean "a"?); expected one of "a".'
    )


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (Threshold(0), 'policy: rule "threshold 0" has a count of 0; expected a count of at least 1.'),
        (
            Threshold(3, protection_percent=F(-1)),
            'policy: rule "threshold 3" has a protection_percent of -1; expected 0 or more.',
        ),
        (Dominance(0, F(85)), 'policy: rule "dominance (0, 85)" has n of 0; expected n of at least 1.'),
        (
            Dominance(1, F(101)),
            'policy: rule "dominance (1, 101)" has k of 101 percent; expected k above 0 and at most 100.',
        ),
        (PQ(F(0)), 'policy: rule "p% 0" has p of 0; expected p and q above 0.'),
        (PQ(F(10), F(0)), 'policy: rule "pq (10, 0)" has q of 0; expected p and q above 0.'),
        (Entropy(F(2)), 'policy: rule "entropy 2" has a limit of 2; expected a limit from 0 to 1.'),
        (
            Request(F(-1)),
            'policy: rule "request -1" has a percentage of -1; expected 0 or more.',
        ),
        (
            Attribute((), populated=0),
            'policy: rule "attribute (populated 0)" has populated of 0; expected populated of at least 1.',
        ),
    ],
)
def test_meaningless_parameters(cells_of: CellsOf, rule: Rule, text: str) -> None:
    # CONVENTION 152
    assert refused(cells_of([SECRET], frequency=[1]), rule) == text


def test_protection_beyond_64_bits(cells_of: CellsOf) -> None:
    pair = cells_of([2**59], frequency=[1], contributors=[[2**59]])
    assert "choose a larger unit" in refused(pair, Dominance(1, F("0.001")), LimitError)
