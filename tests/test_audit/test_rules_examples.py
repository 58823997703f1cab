"""Every rule on small cells worked out by hand."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tableseal.audit.model import Intruder, Policy, Status
from tableseal.audit.rules import PQ, Attribute, Dominance, Rule, Sensitivity, Threshold, assess

CellsOf = Callable[..., Any]
F = Fraction


def required(result: Sensitivity) -> list[tuple[int, int] | None]:
    """The required interval of each cell."""
    pairs = zip(
        result.required_lower.units.tolist(),
        result.required_upper.units.tolist(),
        result.required_lower.known.tolist(),
        strict=True,
    )
    assert (result.required_lower.known == result.required_upper.known).all()
    return [(low, high) if known else None for low, high, known in pairs]


def judged(world: Any, *rules: Rule) -> Sensitivity:
    release, cells = world
    return assess(release, cells, Policy(primary=rules))


def test_threshold_on_counts(cells_of: CellsOf) -> None:
    # CONVENTION 146
    world = cells_of([0, 1, 2, 3, 4], kind="count")
    result = judged(world, Threshold(3))
    assert result.sensitive.tolist() == [False, True, True, False, False]
    assert result.rule == (None, "threshold 3", "threshold 3", None, None)
    assert required(result) == [None, (0, 3), (0, 3), None, None]
    with_zeros = judged(world, Threshold(3, zeros=True))
    assert with_zeros.sensitive.tolist() == [True, True, True, False, False]
    assert required(with_zeros)[0] == (0, 3)


def test_threshold_with_a_percentage(cells_of: CellsOf) -> None:
    world = cells_of([1, 15, 400], frequency=[1, 2, 3])
    assert required(judged(world, Threshold(3))) == [None, None, None]
    # 10 percent of 1 and of 15, rounded up to the unit
    assert required(judged(world, Threshold(3, protection_percent=F(10)))) == [(0, 2), (13, 17), None]
    counts = cells_of([2], kind="count")
    assert required(judged(counts, Threshold(3, protection_percent=F(50)))) == [(1, 3)]


def test_zero_value_with_a_contributor_is_no_zero_cell(cells_of: CellsOf) -> None:
    # One firm with turnover 0: publishing 0 tells its turnover. A value without contributors is no zero cell either.
    # CONVENTION 140
    world = cells_of([0, 0, 5], frequency=[1, 0, 0])
    assert judged(world, Threshold(3)).sensitive.tolist() == [True, False, True]


def test_known_zeros_are_never_sensitive(cells_of: CellsOf) -> None:
    # CONVENTION 140
    world = cells_of(
        [0, 0, 0],
        kind="count",
        status=[Status.STRUCTURAL_ZERO, Status.PUBLISHED, Status.PUBLISHED],
        row=[0, -1, 2],
    )
    assert judged(world, Threshold(3, zeros=True)).sensitive.tolist() == [False, False, True]


def test_dominance_is_strict(cells_of: CellsOf) -> None:
    world = cells_of([1000, 1000], contributors=[[850, 851]], frequency=[9, 9])
    result = judged(world, Dominance(1, F(85)))
    assert result.sensitive.tolist() == [False, True]
    assert result.rule[1] == "dominance (1, 85)"
    # 100/85 * 851 - 1000 = 1.18, rounded up
    assert required(result) == [None, (998, 1002)]


def test_dominance_of_two(cells_of: CellsOf) -> None:
    world = cells_of([100, 100], contributors=[[50, 50], [35, 36]], frequency=[9, 9])
    result = judged(world, Dominance(2, F(85)))
    assert result.sensitive.tolist() == [False, True]
    assert required(result)[1] == (98, 102)


def test_p_percent_is_strict(cells_of: CellsOf) -> None:
    # remainder 10 is exactly 10 percent of 100; 9 is less
    world = cells_of([150, 149], contributors=[[100, 100], [40, 40]], frequency=[9, 9])
    result = judged(world, PQ(F(10)))
    assert result.sensitive.tolist() == [False, True]
    assert result.rule[1] == "p% 10"
    assert required(result)[1] == (148, 150)


def test_pq(cells_of: CellsOf) -> None:
    # p/q = 1/6 of 120 is 20
    world = cells_of([200, 199], contributors=[[120, 120], [60, 60]], frequency=[9, 9])
    result = judged(world, PQ(F(10), F(60)))
    assert result.sensitive.tolist() == [False, True]
    assert result.rule[1] == "pq (10, 60)"
    assert required(result)[1] == (198, 200)


def test_a_coalition_puts_together_what_it_gave(cells_of: CellsOf) -> None:
    # CONVENTION 702: 30 percent of 40 is 12; 100 - 40 - 30 leaves 30, and 10 after the third largest
    world = cells_of([100, 102], contributors=[[40, 40], [30, 30], [20, 20]], frequency=[9, 9])
    assert judged(world, PQ(F(30))).sensitive.tolist() == [False, False]
    result = judged(world, PQ(F(30), coalition=2))
    assert result.sensitive.tolist() == [True, False]
    assert result.rule[0] == "p% 30 (2 together)"
    assert required(result)[0] == (98, 102)


def test_lower_end_is_cut_at_zero_unless_values_can_be_negative(cells_of: CellsOf) -> None:
    # CONVENTION 145
    cells = {"contributors": [[10]], "frequency": [1]}
    assert required(judged(cells_of([10], **cells), PQ(F(200)))) == [(0, 30)]
    free = cells_of([10], intruder=Intruder(nonnegative=False), **cells)
    assert required(judged(free, PQ(F(200)))) == [(-10, 30)]


def test_contributions_nobody_gave_are_zero(cells_of: CellsOf) -> None:
    # One contributor; two, the second column empty because nothing is left; an empty cell.
    # CONVENTION 143
    world = cells_of([40, 30, 0], contributors=[[40, 30, None]], frequency=[1, None, None])
    assert judged(world, PQ(F(10))).sensitive.tolist() == [True, True, False]


def test_absolute_contributions(cells_of: CellsOf) -> None:
    # 100 and -90 give 10; of the 190 that moved nothing is left besides the two largest.
    # CONVENTION 144
    world = cells_of([10], contributors=[[100], [-90]], frequency=[2], intruder=Intruder(nonnegative=False))
    result = judged(world, PQ(F(10)))
    assert result.sensitive.tolist() == [True]
    assert required(result) == [(0, 20)]
    assert judged(world, Dominance(1, F(60))).sensitive.tolist() == [False]


def test_rules_of_the_other_kind_do_not_concern_a_cell(cells_of: CellsOf) -> None:
    counts = cells_of([1], kind="count")
    assert not judged(counts, PQ(F(10)), Dominance(1, F(1))).sensitive.any()
    assert not judged(cells_of([1]), Attribute(())).sensitive.any()


def test_first_rule_names_and_all_rules_protect(cells_of: CellsOf) -> None:
    # CONVENTION 145
    world = cells_of([100], contributors=[[90], [9]], frequency=[5])
    result = judged(world, PQ(F(10)), Dominance(1, F(50)), Threshold(9, protection_percent=F(1)))
    assert result.rule == ("p% 10",)
    # p%: 9 - 1 = 8; dominance: 180 - 100 = 80; threshold: 1
    assert required(result) == [(20, 180)]


def test_distances_given_per_cell(cells_of: CellsOf) -> None:
    # CONVENTION 145
    world = cells_of(
        [50, 50, 50, 50],
        kind="count",
        status=[Status.PRIMARY, Status.PUBLISHED, Status.SECONDARY, Status.WITHHELD],
        protection=([5, 5, 5, 60], [7, 7, 7, None]),
    )
    assert required(judged(world)) == [(45, 57), None, None, (0, 50)]
    # sensitive by rule: the distances of the rule and those given, whichever reach further
    assert required(judged(world, Threshold(60)))[1] == (0, 60)


def test_withheld_cells_without_a_true_value(cells_of: CellsOf) -> None:
    # CONVENTION 141
    world = cells_of([None, None, None], kind="count", status=[Status.PRIMARY, Status.WITHHELD, Status.MISSING])
    result = judged(world, Threshold(3))
    assert not result.sensitive.any()
    assert required(result) == [(0, 3), (0, 3), None]
    magnitudes = cells_of([None, None], status=[Status.PRIMARY, Status.MISSING])
    result = judged(magnitudes, Threshold(3), PQ(F(10)), Dominance(2, F(85)))
    assert not result.sensitive.any()
    assert required(result) == [None, None]


def test_missing_cells_are_judged_if_the_data_are_there(cells_of: CellsOf) -> None:
    # CONVENTION 141
    world = cells_of([2], kind="count", status=[Status.MISSING])
    assert judged(world, Threshold(3)).sensitive.tolist() == [True]


def test_frequency_stands_for_the_value_of_a_count(cells_of: CellsOf) -> None:
    # CONVENTION 142
    world = cells_of([None], kind="count", status=[Status.SECONDARY], frequency=[2])
    assert judged(world, Threshold(3)).sensitive.tolist() == [True]


def test_values_beyond_64_bits_of_work(cells_of: CellsOf) -> None:
    x = 2**59 + 12345
    world = cells_of([x + 1, x + 1], contributors=[[x, x], [1, 0]], frequency=[9, 9])
    # The second cell's two largest make up all but 1.7e-18 of it.
    assert judged(world, Dominance(2, F("99.9999999999999998"))).sensitive.tolist() == [True, True]
    assert judged(world, Dominance(2, F("99.9999999999999999"))).sensitive.tolist() == [True, False]
    fine = judged(world, PQ(F("0.0000000000000000001")))
    assert fine.sensitive.tolist() == [True, False]  # remainder 1 is not less than a fraction of a unit
    assert required(fine)[0] == (x, x + 2)


COUNTY = ["A", "B", "Total"]
RACE = ["White", "Black", "Other", "Total"]


def county_by_race(cells_of: CellsOf, flat_hierarchy: Any, counts: list[int | None], **more: Any) -> Any:
    """Smith & Elliot 2007, Table 2.1, with the totals of the counties."""
    return cells_of(
        counts,
        kind="count",
        hierarchies=[
            flat_hierarchy("county", "Total", COUNTY[:2]),
            flat_hierarchy("race", "Total", RACE[:3]),
        ],
        codes=[(c, r) for c in COUNTY[: len(counts) // 4] for r in RACE],
        **more,
    )


def test_attribute_on_smith_elliot_table_2_1(cells_of: CellsOf, flat_hierarchy: Any) -> None:
    world = county_by_race(cells_of, flat_hierarchy, [15, 20, 5, 40, 0, 30, 0, 30])
    result = judged(world, Attribute(("county",)))
    assert result.rule == (None,) * 5 + ("attribute (given county, populated 1)", None) + (result.rule[5],)
    assert required(result) == [None] * 8


def test_attribute_on_smith_elliot_table_2_2(cells_of: CellsOf, flat_hierarchy: Any) -> None:
    world = county_by_race(cells_of, flat_hierarchy, [15, 20, 5, 40, 0, 28, 2, 30])
    assert not judged(world, Attribute(("county",))).sensitive.any()
    two = judged(world, Attribute(("county",), populated=2))
    assert two.sensitive.tolist() == [False] * 5 + [True, True, True]


def test_attribute_given_another_variable(cells_of: CellsOf, flat_hierarchy: Any) -> None:
    """Given race, the county of all is known only where one county has all of a race."""
    counts: list[int | None] = [15, 20, 5, 40, 0, 30, 0, 30, 15, 50, 5, 70]
    world = county_by_race(cells_of, flat_hierarchy, counts)
    result = judged(world, Attribute(("race",)))
    expected = [("A", "White"), ("A", "Other"), ("Total", "White"), ("Total", "Other")]
    named = [(c, r) for c in COUNTY for r in RACE]
    assert [named[i] for i in result.sensitive.nonzero()[0]] == expected


def test_attribute_needs_a_given_variable_below_its_total(cells_of: CellsOf, flat_hierarchy: Any) -> None:
    # CONVENTION 151
    """That all people have one race says nothing of those whose county is known."""
    counts: list[int | None] = [0, 20, 0, 20, 0, 30, 0, 30, 0, 50, 0, 50]
    world = county_by_race(cells_of, flat_hierarchy, counts)
    result = judged(world, Attribute(("county",)))
    assert result.sensitive.tolist() == [False, True, False, True] * 2 + [False] * 4


def test_attribute_line_with_nothing_left_to_learn(cells_of: CellsOf, flat_hierarchy: Any) -> None:
    # CONVENTION 151
    """All cells but one are structural zeros: everyone knew the attribute before."""
    zero, open_ = Status.STRUCTURAL_ZERO, Status.PUBLISHED
    world = county_by_race(
        cells_of,
        flat_hierarchy,
        [5, 20, 5, 30, 0, 30, 0, 30],
        status=[open_] * 4 + [zero, open_, zero, open_],
    )
    assert not judged(world, Attribute(("county",))).sensitive.any()
    # a combination without a row is a zero that the reader learns
    learned = county_by_race(
        cells_of,
        flat_hierarchy,
        [5, 20, 5, 30, 0, 30, 0, 30],
        status=[open_] * 4 + [zero, open_, zero, open_],
        row=[0, 1, 2, 3, -1, 4, -1, 5],
    )
    assert judged(learned, Attribute(("county",))).sensitive.tolist() == [False] * 5 + [True, False, True]


def test_attribute_with_withheld_cells(cells_of: CellsOf, flat_hierarchy: Any) -> None:
    # CONVENTION 151
    primary, open_ = Status.PRIMARY, Status.PUBLISHED

    def row_b(*counts: int | None) -> list[bool]:
        status = [open_] * 4 + [primary if c is None else open_ for c in counts]
        world = county_by_race(cells_of, flat_hierarchy, [5, 20, 5, 30, *counts], status=status)
        result: list[bool] = judged(world, Attribute(("county",))).sensitive.tolist()[4:]
        return result

    # The one withheld cell holds all 30; it holds nothing; there are two populated cells whatever it holds.
    assert row_b(None, 0, 0, 30) == [True, False, False, True]
    assert row_b(None, 30, 0, 30) == [False, True, False, True]
    assert row_b(None, 10, 10, 30) == [False, False, False, False]
    assert row_b(None, 10, 0, 30) == [False, False, False, False]
