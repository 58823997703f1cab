"""Rules whose data come from the microdata: holdings, weights, group codes, requests, entropy."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.model import Amounts, Intruder, Microdata, Policy, Release, Status, build_hierarchy
from tableseal.audit.rules import PQ, Dominance, Entropy, Request, Rule, Sensitivity, Threshold, assess
from tableseal.audit.rules.contributions import contributions
from tableseal.audit.rules.entropy import relative_entropy

CellsOf = Callable[..., Any]
F = Fraction

REGION = build_hierarchy("region", "T", [[(None, "North"), ("North", "N1"), ("North", "N2"), (None, "South")]])
ALL = ["T", "North", "N1", "N2", "South"]


def firms(region: Sequence[str | None], sales: Sequence[int | None] | None = None, **more: Any) -> Microdata:
    codes = np.array([[-1 if r is None else REGION.index[r]] for r in region], dtype=np.int32)
    values = {} if sales is None else {"value": Amounts.of(list(sales))}
    return Microdata(codes=codes, values=values, **more)


def world(cells_of: CellsOf, value: Sequence[int | None], microdata: Microdata, **more: Any) -> Any:
    return cells_of(value, hierarchies=[REGION], codes=[(r,) for r in ALL[: len(value)]], microdata=microdata, **more)


def judged(pair: Any, *rules: Rule) -> Sensitivity:
    release, cells = pair
    return assess(release, cells, Policy(primary=rules))


def test_records_reach_every_cell_that_covers_them(cells_of: CellsOf) -> None:
    release, cells = world(cells_of, [60, 40, 30, 10, 20], firms(["N1", "N1", "N2", "South"], [10, 20, 10, 20]))
    found = contributions(release, cells, release.microdata)
    assert found.frequency.tolist() == [4, 3, 2, 1, 1]
    assert found.value.tolist() == found.size.tolist() == [60, 40, 30, 10, 20]
    assert [found.nth(k).tolist() for k in (0, 1)] == [[20, 20, 20, 10, 20], [20, 10, 10, 0, 0]]
    assert found.covered.all()
    assert judged((release, cells), Threshold(3)).sensitive.tolist() == [False, False, True, True, True]
    assert judged((release, cells), PQ(F(10))).sensitive.tolist() == [False, False, True, True, True]


def test_true_values_follow_from_the_microdata(cells_of: CellsOf) -> None:
    # CONVENTION 142
    pair = world(
        cells_of,
        [60, 40, None, None, 20],
        firms(["N1", "N1", "N2", "South"], [10, 20, 10, 20]),
        status=[Status.PUBLISHED, Status.PUBLISHED, Status.SECONDARY, Status.PRIMARY, Status.PUBLISHED],
    )
    result = judged(pair, Dominance(1, F(60)))
    assert result.sensitive.tolist() == [False, False, True, True, True]
    assert result.required_upper.units[2:4].tolist() == [34, 17]  # 100/60*20 - 30 = 3.3; 100/60*10 - 10 = 6.7


def test_counts_count_records(cells_of: CellsOf) -> None:
    pair = world(
        cells_of,
        [None] * 5,
        firms(["N1", "N1", "N2", "South"]),
        kind="count",
        status=[Status.SECONDARY] * 5,
    )
    assert judged(pair, Threshold(2)).sensitive.tolist() == [False, False, False, True, True]


def test_columns_of_the_table_go_first(cells_of: CellsOf) -> None:
    pair = world(cells_of, [60], firms(["N1", "N2"], [30, 30]), frequency=[9], contributors=[[6], [6]])
    assert not judged(pair, Threshold(3), PQ(F(10)), Dominance(1, F(40))).sensitive.any()


def test_a_holding_is_one_contributor(cells_of: CellsOf) -> None:
    # CONVENTION 147
    micro = firms(["N1", "N1", "N1", "N2"], [10, 10, 12, 5], holding=("H", "H", "", ""))
    release, cells = world(cells_of, [37, 37, 32, 5], micro)
    found = contributions(release, cells, micro)
    assert found.frequency.tolist() == [3, 3, 2, 1]
    assert found.nth(0).tolist() == [20, 20, 20, 5]


def test_records_of_one_unit_are_one_contributor(cells_of: CellsOf) -> None:
    # CONVENTION 147
    micro = firms(["N1", "N2", "N2"], [10, 10, 12], unit_id=("u", "u", "v"))
    release, cells = world(cells_of, [32, 32, 10, 22], micro)
    assert contributions(release, cells, micro).frequency.tolist() == [2, 2, 1, 2]


def test_weights(cells_of: CellsOf) -> None:
    # CONVENTION 147
    """Weighted: the value. Not weighted: who answered, and the single contributions."""
    micro = firms(["N1", "N1", "N2"], [10, 6, 3], weight=np.array([2.25, 2.0, 0.2]))
    release, cells = world(cells_of, [None, 35, None, 1], micro, status=[Status.SECONDARY] * 4)
    found = contributions(release, cells, micro)
    assert found.value.tolist() == [35, 35, 35, 1]  # 34.5 + 0.6 = 35.1; 34.5 rounded up; 0.6
    assert found.frequency.tolist() == [3, 3, 2, 1]
    assert [F(int(w), found.weighted.scale) for w in found.weighted.parts] == [
        F("4.45"),
        F("4.45"),
        F("4.25"),
        F("0.2"),
    ]
    assert found.nth(0).tolist() == [10, 10, 10, 3]
    assert judged((release, cells), Threshold(3)).sensitive.tolist() == [False, False, True, True]
    assert judged((release, cells), Threshold(3, of="weighted")).sensitive.tolist() == [False, False, False, True]


def test_a_contributor_with_several_weights_counts_the_smallest(cells_of: CellsOf) -> None:
    # CONVENTION 147
    micro = firms(["N1", "N1"], [1, 1], holding=("H", "H"), weight=np.array([10.0, 1.0]))
    release, cells = world(cells_of, [11, 11, 11], micro)
    found = contributions(release, cells, micro)
    assert (found.frequency.tolist(), found.weighted.parts.tolist()) == ([1, 1, 1], [1, 1, 1])


def test_absolute_contributions(cells_of: CellsOf) -> None:
    pair = world(
        cells_of,
        [5],
        firms(["N1", "N1", "N2"], [100, -95, 0]),
        intruder=Intruder(nonnegative=False),
    )
    assert judged(pair, Dominance(1, F(51))).sensitive.tolist() == [True]  # 100 of 195
    assert judged(pair, Dominance(1, F(52))).sensitive.tolist() == [False]


def test_order_of_records_changes_nothing(cells_of: CellsOf) -> None:
    rng = np.random.default_rng(5)
    region = [ALL[i] for i in rng.integers(2, 5, 40)]
    sales, weight = rng.integers(0, 9, 40), rng.random(40) * 5
    order = rng.permutation(40)
    micro = firms(region, sales.tolist(), weight=weight)
    shuffled = firms([region[i] for i in order], sales[order].tolist(), weight=weight[order])
    release, cells = world(cells_of, [None] * 5, micro, status=[Status.PRIMARY] * 5)
    one, two = contributions(release, cells, micro), contributions(release, cells, shuffled)
    for name in set(one.__dataclass_fields__) - {
        "contributor",
        "records",
        "first",
        "ranks",
    }:  # numbers of contributors mean nothing
        first, second = getattr(one, name), getattr(two, name)
        if name == "weighted":
            assert first.scale == second.scale
            first, second = first.parts, second.parts
        assert first.tolist() == second.tolist(), name


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["T", "North", "N1", "N2", "South", None]),
            st.integers(-9, 9) | st.none(),
            st.sampled_from(["", "", "H", "G"]),
            st.sampled_from([0.0, 1.0, 2.5]),
            st.booleans(),
        ),
        min_size=1,
        max_size=12,
    ),
    st.integers(1, 3),
)
def test_the_largest_are_among_all(cells_of: CellsOf, rows: list[Any], ranks: int) -> None:
    # CONVENTION 917
    """What is added up, and the largest entries, are the same whether all entries are kept or not."""
    region, sales, holding, weight, asked = (list(column) for column in zip(*rows, strict=True))
    more = {"holding": tuple(holding), "weight": np.array(weight), "request": np.array(asked)}
    release, cells = world(cells_of, [None] * 5, firms(region, sales, **more), status=[Status.PRIMARY] * 5)
    every = contributions(release, cells, release.microdata)
    few = contributions(release, cells, release.microdata, ranks)
    for name in ("covered", "value", "size", "frequency"):
        assert getattr(few, name).tolist() == getattr(every, name).tolist(), name
    assert few.weighted.parts.tolist() == every.weighted.parts.tolist()
    assert few.nth(ranks - 1).tolist() == every.nth(ranks - 1).tolist()
    with pytest.raises(IndexError):
        few.nth(ranks)
    several = every.records[every.contributor] > 1
    entries = zip(every.cell[several].tolist(), every.contributor[several].tolist(), strict=True)
    assert set(entries) <= set(zip(few.cell.tolist(), few.contributor.tolist(), strict=True))


def test_group_codes_leave_finer_cells_open(cells_of: CellsOf) -> None:
    # CONVENTION 148
    """A record known to be in the North tells the North, but not which of its parts it belongs to."""
    pair = world(cells_of, [60, 40, 30, 10, 20], firms(["N1", "North", "N2", "South"], [10, 20, 10, 20]))
    release, cells = pair
    assert contributions(release, cells, release.microdata).covered.tolist() == [
        True,
        True,
        False,
        False,
        True,
    ]
    with pytest.raises(InputError, match=r'row 3, cell region=N1: rule "threshold 3" needs the number of contr'):
        judged(pair, Threshold(3))


def test_records_without_a_code_are_known_to_the_total_only(cells_of: CellsOf) -> None:
    release, cells = world(cells_of, [10, 10, 10, 0, 0], firms(["N1", None], [5, 5]))
    assert contributions(release, cells, release.microdata).covered.tolist() == [True] + [False] * 4


def test_a_record_without_a_value_leaves_its_cells_open(cells_of: CellsOf) -> None:
    # CONVENTION 148
    release, cells = world(cells_of, [10, 10, 10, 0, 5], firms(["N1", "N1", "South"], [10, None, 5]))
    assert contributions(release, cells, release.microdata).covered.tolist() == [
        False,
        False,
        False,
        True,
        True,
    ]


def test_microdata_that_give_nothing_to_a_cell_do_not_judge_it(cells_of: CellsOf) -> None:
    # CONVENTION 148
    pair = world(cells_of, [60, 60, 60, 0, 7], firms(["N1"], [60]))
    with pytest.raises(InputError, match=r'row 5, cell region=South: rule "p% 10" needs the 2 largest'):
        judged(pair, PQ(F(10)))


def test_several_variables_and_measures(cells_of: CellsOf, flat_hierarchy: Any) -> None:
    size = flat_hierarchy("size", "all", ["small", "big"])
    records = [("N2", "small"), ("N2", "big"), ("South", "small")]
    codes = np.array([[REGION.index[r], size.index[s]] for r, s in records], dtype=np.int32)
    micro = Microdata(codes=codes, values={"value": Amounts.of([1, 2, 4])})
    combinations = [(r, s) for r in REGION.codes for s in size.codes]
    release, cells = cells_of([None] * len(combinations), hierarchies=[REGION, size], codes=combinations)
    found = contributions(release, cells, micro)
    member = REGION.members.toarray()

    def inside(record: int, region: str, group: str) -> bool:
        r, s = micro.codes[record]
        covers = member[REGION.index[region]] >= member[r]
        return bool(covers.all()) and group in ("all", size.codes[s])

    for c, (region, group) in enumerate(combinations):
        expected = sum(v for i, v in enumerate([1, 2, 4]) if inside(i, region, group))
        assert found.value[c] == expected, (region, group)


def test_request(cells_of: CellsOf) -> None:
    # CONVENTION 150
    micro = firms(["N1", "N1", "N2"], [10, 90, 7], request=np.array([True, False, False]))
    pair = world(cells_of, [107, 107, 100, 7, 0], micro)
    result = judged(pair, Request())
    assert result.sensitive.tolist() == [True, True, True, False, False]
    assert result.rule[0] == "request"
    shares = judged(pair, Request(percent=F(10), protection_percent=F(15)))
    assert shares.sensitive.tolist() == [False, False, True, False, False]  # 10 of 100 is at least 10 percent
    assert (shares.required_lower.units[2], shares.required_upper.units[2]) == (85, 115)


def test_request_on_counts_and_holdings(cells_of: CellsOf) -> None:
    # CONVENTION 150
    micro = firms(["N1", "N2", "N2"], holding=("H", "H", ""), request=np.array([True, False, False]))
    pair = world(cells_of, [3, 3, 1, 2], micro, kind="count")
    assert judged(pair, Request()).sensitive.tolist() == [True, True, True, True]
    assert judged(replace_requests(pair, [False] * 3), Request()).sensitive.tolist() == [False] * 4


def replace_requests(pair: Any, asked: list[bool]) -> Any:
    release, cells = pair
    micro = replace(release.microdata, request=np.array(asked))
    return replace(release, microdata=micro), cells


def test_entropy(cells_of: CellsOf) -> None:
    # North: 1/2, 1/4, 1/4: H = 1.5 bits of log2 3; N1: one of two gives all; South: equal
    # CONVENTION 149
    micro = firms(["N1", "N1", "N2", "N2", "South", "South"], [2, 0, 1, 1, 5, 5])
    release, cells = world(cells_of, [14, 4, 2, 2, 10], micro)
    ratio = relative_entropy(contributions(release, cells, micro))
    assert ratio.tolist() == pytest.approx([ratio[0], 1.5 / 2, 0, 1, 1])
    result = judged((release, cells), Entropy(F("0.75"), protection_percent=F(50)))
    assert result.sensitive.tolist()[1:] == [
        False,
        True,
        False,
        False,
    ]  # exactly at the limit is not below it
    assert result.rule[2] == "entropy 0.75"
    assert (result.required_lower.units[2], result.required_upper.units[2]) == (1, 3)
    assert not judged((release, cells), Entropy(F(1))).sensitive[3:].any()


def test_entropy_of_a_single_contributor_and_of_nothing(cells_of: CellsOf) -> None:
    # CONVENTION 149
    pair = world(cells_of, [5, 5, 5, 0, 0], firms(["N1", "N2"], [5, 0]))
    result = judged(pair, Entropy(F("0.01")))
    assert result.sensitive.tolist() == [True, True, True, True, False]
    several = world(cells_of, [0, 0, 0, 0, 0], firms(["N1", "N1"], [0, 0]))
    assert not judged(several, Entropy(F(1))).sensitive.any()
    sampled = world(cells_of, [0, 0, 0, 0, 0], firms(["N1"], [0], weight=np.array([3.0])))
    assert not judged(sampled, Entropy(F(1))).sensitive.any()


def test_entropy_with_weights_is_that_of_the_blown_up_population(cells_of: CellsOf) -> None:
    # CONVENTION 149
    sample = firms(["N1", "N1"], [3, 7], weight=np.array([2.0, 3.0]))
    full = firms(["N1"] * 5, [3, 3, 7, 7, 7])
    release, cells = world(cells_of, [27], sample)
    one = relative_entropy(contributions(release, cells, sample))
    two = relative_entropy(contributions(release, cells, full))
    assert one.tolist() == pytest.approx(two.tolist())


def test_no_cells_of_the_kind_need_no_data(cells_of: CellsOf) -> None:
    pair: tuple[Release, Any] = cells_of([1, 2], kind="count")
    assert not judged(pair, Entropy(F(1)), PQ(F(10))).sensitive.any()
