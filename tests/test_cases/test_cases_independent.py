"""The expected values of the small cases, verified without the engine: by listing tables, or by scipy.

Each test builds its own equations from the CSV files of the case.
"""

import csv
import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, linprog, milp

from tableseal.api.cases import cases_folder

Row = tuple[list[int], float, float]
"""(base cells that are added up, smallest sum, largest sum)."""


def rows_of(path: str) -> list[dict[str, str]]:
    with (cases_folder() / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def expected(case: str, run: str, field: str) -> dict[tuple[str, ...], object]:
    """Codes of the cell -> expected value."""
    values = json.loads((cases_folder() / case / "expected.json").read_text("utf-8"))["values"]
    chosen = [v for v in values if v["run"] == run and v["field"] == field]
    return {tuple(v.get("cell", {}).values()): v["expected"] for v in chosen}


def bounds(rows: Sequence[Row], cells: int, wanted: Iterable[int], *, integer: bool) -> list[float]:
    """Smallest and largest sum of the wanted base cells; linear by linprog, integer by branch and bound."""
    matrix = np.zeros((len(rows), cells))
    for r, (members, _, _) in enumerate(rows):
        matrix[r, members] = 1
    low, high = np.array([r[1] for r in rows]), np.array([r[2] for r in rows])
    cost = np.zeros(cells)
    cost[list(wanted)] = 1
    ends = []
    for sign in (1, -1):
        if integer:
            found = milp(sign * cost, constraints=LinearConstraint(matrix, low, high), integrality=np.ones(cells))
        else:
            found = linprog(sign * cost, A_ub=np.vstack([matrix, -matrix]), b_ub=np.concatenate([high, -low]))
        assert found.success
        ends.append(round(sign * found.fun, 6))
    return ends


def three_way(shape: tuple[int, int, int]) -> Callable[[Sequence[int | None]], list[int]]:
    """Function: position of each variable (None: total) -> base cells."""

    def members(at: Sequence[int | None]) -> list[int]:
        every = itertools.product(*map(range, shape))
        return [n for n, x in enumerate(every) if all(a is None or a == b for a, b in zip(at, x, strict=True))]

    return members


def position(code: str) -> int | None:
    """ "a2" -> 1; totals -> None."""
    return None if code in ("T", "Total") else int(code[1:]) - 1


@pytest.mark.parametrize("run", ["full", "aligned", "not_aligned"])
def test_linked_tables(run: str) -> None:
    members = three_way((3, 4, 3))
    rows: list[Row] = []
    for name in ("activity_size", "activity_region", "size_region"):
        for row in rows_of(f"o03_linked/{run}/{name}.csv"):
            if row["status"] == "":
                at = [position(row.get(v, "Total")) for v in ("activity", "size", "region")]
                rows.append((members(at), int(row["value"]), int(row["value"])))
    case_run = run.replace("_", " ")
    assert bounds(rows, 36, [0], integer=True) == expected("o03_linked", case_run, "interval")["a1", "s1", "r1"]


@pytest.mark.parametrize(("run", "cell"), [("first", (0, 0, 0)), ("second", (1, 3, 0))])
def test_three_way_margins(run: str, cell: tuple[int, int, int]) -> None:
    members = three_way((3, 4, 4))
    rows: list[Row] = []
    for name in ("ab", "ac", "bc"):
        for row in rows_of(f"three_way_3x4x4/{run}/{name}.csv"):
            at = [position(row.get(v, "T")) for v in "abc"]
            rows.append((members(at), int(row["count"]), int(row["count"])))
    wanted = members(cell)
    code = tuple(f"{v}{k + 1}" for v, k in zip("abc", cell, strict=True))
    assert bounds(rows, 48, wanted, integer=False) == expected("three_way_3x4x4", run, "lp")[code]
    assert bounds(rows, 48, wanted, integer=True) == expected("three_way_3x4x4", run, "interval")[code]


def conventional(value: int) -> tuple[int, int]:
    """Interval of a count that was rounded to base 3."""
    return max(0, value - 1), value + 1


def test_projections_by_listing_every_table() -> None:
    members = three_way((2, 2, 2))
    rows: list[Row] = []
    for name in ("ab", "ac", "bc"):
        for row in rows_of(f"projections_2x2x2/{name}.csv"):
            at = [position(row.get(v, "T")) for v in "abc"]
            rows.append((members(at), *conventional(int(row["rounded"]))))
    most = [min(int(high) for cells, _, high in rows if n in cells) for n in range(8)]
    fitting = [
        table
        for table in itertools.product(*(range(m + 1) for m in most))
        if all(low <= sum(table[m] for m in cells) <= high for cells, low, high in rows)
    ]
    assert len(fitting) == 29
    intervals = expected("projections_2x2x2", "integer", "interval")
    for n, (i, j, k) in enumerate(itertools.product((1, 2), repeat=3)):
        values = [table[n] for table in fitting]
        assert [min(values), max(values)] == intervals[f"a{i}", f"b{j}", f"c{k}"]
    assert (
        bounds(rows, 8, [4], integer=False)[0] == expected("projections_2x2x2", "integer", "lp lower")["a2", "b1", "c1"]
    )


def test_rounding_by_listing_every_table() -> None:
    # CONVENTION 33
    rows: list[Row] = []
    for row in rows_of("s07_rounding/with_margins.csv"):
        at = ["ABC".find(row["var1"]), "DEF".find(row["var2"])]  # -1: total
        cells = [3 * i + j for i in range(3) for j in range(3) if at[0] in (-1, i) and at[1] in (-1, j)]
        rows.append((cells, *conventional(int(row["rounded"]))))
    ranges = [range(int(low), int(high) + 1) for cells, low, high in rows if len(cells) == 1]
    wide = [(cells, low, high) for cells, low, high in rows if len(cells) > 1]
    fitting = [
        table
        for table in itertools.product(*ranges)
        if all(low <= sum(table[m] for m in cells) <= high for cells, low, high in wide)
    ]
    assert len(fitting) == 7
    for (a, b), interval in expected("s07_rounding", "with margins", "interval").items():
        at = ["ABC".find(a), "DEF".find(b)]
        cells = [3 * i + j for i in range(3) for j in range(3) if at[0] in (-1, i) and at[1] in (-1, j)]
        values = [sum(table[m] for m in cells) for table in fitting]
        assert [min(values), max(values)] == interval


def test_overlapping_groups_by_listing_every_table() -> None:
    pairs = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]
    small = [x for x in itertools.product((0, 1), repeat=6) if all(x[a] + x[b] <= 1 for a, b in pairs)]
    seventh = [6 - sum(x) for x in small]
    assert len(small) == 16
    assert [min(seventh), max(seventh)] == expected("overlapping_groups", "integer", "interval")[("i7",)]
    rows: list[Row] = [([a, b], 0, 1) for a, b in pairs] + [(list(range(7)), 6, 6)]
    assert bounds(rows, 7, [6], integer=False) == expected("overlapping_groups", "integer", "lp")[("i7",)]


@pytest.mark.parametrize("split", [(0, 0, 0), (649, 1275, 3467), (230, 455, 1244)])
def test_any_split_of_the_lost_digits_gives_the_same_intervals(split: tuple[int, int, int]) -> None:
    """O03 Table 1: only the four sums x1+x2, x3+x4, x1+x3, x2+x4 matter, whatever sizes 4, 6 and 8 are."""
    lost = {4: 649, 6: 1275, 8: 3467}
    five, six = sum(split), sum(lost.values()) - sum(split)
    totals = {5: five + 1537, 6: six + 1251}
    assert sum(totals.values()) == 8179
    rows: list[Row] = [
        ([0, 1], totals[5] - five, totals[5] - five),
        ([2, 3], totals[6] - six, totals[6] - six),
        ([0, 2], 406, 406),
        ([1, 3], 2382, 2382),
    ]
    intervals = expected("o03_table1", "table", "interval")
    for n, codes in enumerate([("5", "5"), ("5", "7"), ("6", "5"), ("6", "7")]):
        assert bounds(rows, 4, [n], integer=True) == intervals[codes]


def test_margins_of_table_1_add_up() -> None:
    cells = {(row["activity"], row["size"]): row["value"] for row in rows_of("o03_table1/table1.csv")}
    total = sum(int(cells["Total", size]) for size in "45678")
    assert total == sum(int(cells[a, "Total"]) for a in ("2,3", "4", "5", "6", "7")) == int(cells["Total", "Total"])
    assert cells["Total", "4"] == "1448"
    assert Fraction(cells["5", "Total"]) + Fraction(cells["6", "Total"]) == 8179


def test_second_period_by_listing_every_pair_of_tables() -> None:
    """Both years with every value that their totals leave, where every region changed by -30% to +50%."""
    last, this = (
        {row["region"]: row for row in rows_of(f"second_period/{year}.csv")} for year in ("last_year", "this_year")
    )

    def pairs(withheld: Sequence[str]) -> list[tuple[int, int]]:
        """Values of A last year and this year if these are withheld this year, besides A, and C last year."""
        found = []
        open_then = int(last["Total"]["turnover"]) - sum(int(last[r]["turnover"]) for r in "BD")
        open_now = int(this["Total"]["turnover"]) - sum(int(this[r]["turnover"]) for r in "BCD" if r not in withheld)
        for a_then in range(open_then + 1):
            then = {"A": a_then, "B": int(last["B"]["turnover"]), "C": open_then - a_then}
            then["D"] = int(last["D"]["turnover"])
            for a_now in range(open_now + 1):
                now = {r: int(this[r]["turnover"]) for r in "BCD"} | {"A": a_now, withheld[0]: open_now - a_now}
                if all(7 * then[r] <= 10 * now[r] and 2 * now[r] <= 3 * then[r] for r in "ABCD"):
                    found.append((a_then, a_now))
        return found

    both = expected("second_period", "both years", "interval")
    assert pairs("B") == [(3, 4)]
    assert both["turnover", "A"] == [4, 4]
    assert both["turnover last year", "A"] == [3, 3]
    for partner in "CD":  # what the two searches withhold
        assert len({now for _, now in pairs(partner)}) > 1
        assert len({then for then, _ in pairs(partner)}) > 1
