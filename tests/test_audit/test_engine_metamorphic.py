"""What must not change, and what may change in one direction only, whatever the release."""

from copy import deepcopy
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from agreement import assert_arithmetic, assert_same_bounds, by_name, report_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import Document, read
from random_releases import Maker

from tableseal.audit import reduction
from tableseal.audit.bounds import reveal
from tableseal.audit.linear import base
from tableseal.audit.linear.reduce import reduce
from tableseal.audit.report import ReportCell

SEEDS = st.integers(0, 2**40)
FEW = settings(max_examples=25, deadline=None)
WITHHELD = ("primary", "secondary", "withheld")


def made(seed: int, **options: Any) -> Document:
    return Maker(Random(seed), damaged=0, **options).document()


def shuffled_rows(document: Document, random: Random) -> None:
    for table in document["tables"]:
        columns = table["cells"]
        order = list(range(len(columns["value"])))
        random.shuffle(order)
        table["cells"] = {name: [column[i] for i in order] for name, column in columns.items()}


def shuffled_codes(document: Document, random: Random) -> None:
    for variable in document["variables"].values():
        if "codes" in variable:
            variable["codes"] = random.sample(variable["codes"], len(variable["codes"]))
        trees = [variable["tree"]] if "tree" in variable else variable.get("trees", [])
        shuffled = [_shuffled_tree(tree, random) for tree in trees]
        if "tree" in variable:
            variable["tree"] = shuffled[0]
        elif "trees" in variable:
            variable["trees"] = random.sample(shuffled, len(shuffled))


def _shuffled_tree(node: Any, random: Random) -> Any:
    keys = random.sample(list(node), len(node))
    return {k: _shuffled_tree(node[k], random) for k in keys} if isinstance(node, dict) else keys


def no_where_lists(document: Document) -> bool:
    """Groups of a `where` list are named after the order of codes; their names change with it."""
    return not any(isinstance(c, list) for t in document["tables"] for c in t.get("where", {}).values())


@FEW
@given(SEEDS)
def test_order_does_not_matter(seed: int) -> None:
    document, random = made(seed), Random(seed + 1)
    assume(no_where_lists(document))
    other = deepcopy(document)
    shuffled_rows(other, random)
    shuffled_codes(other, random)
    random.shuffle(other["tables"])
    one, two = report_of(document), report_of(other)
    assert (one is None) == (two is None)
    if one is not None and two is not None:
        assert_same_bounds(by_name(one), by_name(two))
        assert one.verdict == two.verdict
        assert one.summary.rank == two.summary.rank


@FEW
@given(SEEDS)
def test_order_of_variables_does_not_matter(seed: int) -> None:
    document = made(seed)
    assume(no_where_lists(document))
    names = list(document["variables"])
    turned = document | {"variables": {n: document["variables"][n] for n in reversed(names)}}
    one, two = report_of(document), report_of(turned)
    assert (one is None) == (two is None)
    if one is not None and two is not None:
        back = {(measure, codes[::-1]): cell for (measure, codes), cell in by_name(two).items()}
        assert_same_bounds(by_name(one), back)


def within(inner: ReportCell, outer: ReportCell) -> bool:
    """Whether one interval lies in another (None: no limit)."""
    low = outer.lower is None or (inner.lower is not None and inner.lower >= outer.lower)
    high = outer.upper is None or (inner.upper is not None and inner.upper <= outer.upper)
    return low and high


def assert_narrower(more: Document, less: Document) -> None:
    narrow, wide = report_of(more), report_of(less)
    assert wide is not None
    assert narrow is not None
    inner = by_name(narrow)
    for name, cell in by_name(wide).items():
        if name in inner:
            assert within(inner[name], cell), name


def possible(document: Document) -> bool:
    return report_of(document) is not None


@FEW
@given(SEEDS)
def test_publishing_more_narrows(seed: int) -> None:
    """Publish one withheld cell with its true value (statuses of linked tables may still withhold it)."""
    document, random = made(seed, rounded=0, truths=100), Random(seed + 1)
    assume("nonempty" not in document.get("intruder", {}))
    less = deepcopy(document)
    rows = [
        (t, i)
        for t, table in enumerate(less["tables"])
        for i, s in enumerate(table["cells"]["status"])
        if s in WITHHELD
    ]
    assume(rows)
    t, i = random.choice(rows)
    more = deepcopy(less)
    cells = more["tables"][t]["cells"]
    cells["status"][i], cells["value"][i] = "published", cells["truth"][i]
    # Sums that `totals: compute` could not release before may be released now: that is publishing more, too.
    assume(possible(less) and possible(more))
    assert_narrower(more, less)


@FEW
@given(SEEDS)
def test_one_more_table_narrows(seed: int) -> None:
    document = made(seed)
    assume(len(document["tables"]) > 1 and "nonempty" not in document.get("intruder", {}))
    assume(possible(document))
    assert_narrower(document, document | {"tables": document["tables"][:-1]})


@pytest.mark.parametrize("method", ["down", "up", "conventional", "random"])
@FEW
@given(seed=SEEDS)
def test_rounding_to_a_multiple_widens(method: str, seed: int) -> None:
    """Rounded to 2, then to 6 by the same rule: the interval of 6 holds that of 2 (6 is a multiple of 2; for
    conventional rounding of an odd base by an odd factor)."""
    small, large = (3, 9) if method == "conventional" else (2, 6)
    document = made(seed, rounded=0, truths=100, schema=((0, 1),))

    def rounded(to: int) -> Document:
        other = deepcopy(document)
        for table in other["tables"]:
            unit = Fraction(document["measures"][table["measure"]].get("unit", "1"))
            table["rounding"] = {"base": str(to * unit), "method": method}
            table["absent"] = {"leaves": "not_released", "totals": "not_released"}
            cells = table["cells"]
            for i, true in enumerate(cells["truth"]):
                down = int(Fraction(true) / unit) // to * to
                up = down if down * unit == Fraction(true) else down + to
                near = down if 2 * (Fraction(true) / unit - down) < to else up
                value = {"down": down, "up": up, "conventional": near, "random": down}[method]
                cells["value"][i] = None if cells["status"][i] in (*WITHHELD, "missing") else str(float(value * unit))
            if unit == 1:
                cells["value"] = [None if v is None else v.removesuffix(".0") for v in cells["value"]]
        return other

    fine, coarse = rounded(small), rounded(large)
    assume(possible(fine))
    assert_narrower(fine, coarse)


@FEW
@given(SEEDS)
def test_splitting_a_table_changes_nothing(seed: int) -> None:
    """The rows of one table in two files (its absent rows say nothing)."""
    document, random = made(seed), Random(seed + 1)
    for table in document["tables"]:
        table["absent"] = {"leaves": "not_released", "totals": "not_released"}
    other = deepcopy(document)
    parts = []
    for table in other["tables"]:
        count = len(table["cells"]["value"])
        first = {i for i in range(count) if random.random() < 0.5}
        for name, chosen in (("a", first), ("b", set(range(count)) - first)):
            if chosen:
                columns = {k: [v for i, v in enumerate(c) if i in chosen] for k, c in table["cells"].items()}
                parts.append(table | {"name": f"{table['name']}_{name}", "cells": columns})
    other["tables"] = parts
    one, two = report_of(document), report_of(other)
    assert (one is None) == (two is None)
    if one is not None and two is not None:
        assert_same_bounds(by_name(one), by_name(two))


@FEW
@given(SEEDS)
def test_scale_does_not_matter(seed: int) -> None:
    """All values and the unit times 1000."""
    document = made(seed)
    document["measures"] = {
        n: {"kind": "magnitude", "unit": m.get("unit", "1")} for n, m in document["measures"].items()
    }
    other = deepcopy(document)
    for measure in other["measures"].values():
        measure["unit"] = str(Fraction(measure["unit"]) * 1000)
    for table in other["tables"]:
        if "rounding" in table:
            table["rounding"]["base"] = str(Fraction(table["rounding"]["base"]) * 1000)
        for name in ("value", "truth", "lo", "hi"):
            if name in table["cells"]:
                column = [None if v is None else str(Fraction(v) * 1000) for v in table["cells"][name]]
                table["cells"][name] = column
    for link in other.get("links", ()):
        for end in ("lower", "upper"):
            if end in link:
                link[end] = str(Fraction(link[end]) * 1000)
    one, two = report_of(document), report_of(other)
    assert (one is None) == (two is None)
    if one is None or two is None:
        return
    scaled = by_name(two)
    for name, cell in by_name(one).items():
        for here, there in ((cell.lower, scaled[name].lower), (cell.upper, scaled[name].upper)):
            assert there == (None if here is None else here * 1000)
        assert scaled[name].possible == cell.possible


@FEW
@given(SEEDS)
def test_blocks_change_nothing(seed: int) -> None:
    document = made(seed)
    one = report_of(document)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "WORTH_SPLITTING", 0)
        two = report_of(document)
    assert (one is None) == (two is None)
    if one is not None and two is not None:
        assert_same_bounds(by_name(one), by_name(two))
        assert one.summary.rank == two.summary.rank


@FEW
@given(SEEDS)
def test_elimination_changes_nothing(seed: int) -> None:
    """Without it, the same values are found by bounds."""
    document = made(seed, linked=0)
    one = report_of(document)

    def without(*given: Any, **named: Any) -> Any:
        return reduce(*given, **named, eliminate=False)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reduction, "reduce", without)
        two = report_of(document)
    assert (one is None) == (two is None)
    if one is not None and two is not None:
        assert_same_bounds(by_name(one), by_name(two))


@FEW
@given(SEEDS)
def test_weaker_methods_are_wider(seed: int) -> None:
    """Shuttle holds the integer interval, the linear interval too; truth lies in what is attained."""
    document = made(seed)
    for table in document["tables"]:  # rows left out say nothing, so that nothing said is untrue
        table["absent"] = {"leaves": "not_released", "totals": "not_released"}
    document.get("intruder", {}).pop("nonempty", None)  # some withheld cells are empty
    reports = {b: report_of(document, bounds=b) for b in ("shuttle", "lp", "integer")}
    assume(reports["integer"] is not None)
    shuttle, lp, whole = (by_name(reports[b]) for b in ("shuttle", "lp", "integer"))
    oracle = read(document)
    for name, cell in whole.items():
        assert within(cell, shuttle[name])
        assert within(cell, lp[name])
        assert within(cell, cell._replace(lower=cell.lp[0], upper=cell.lp[1]))
        assert shuttle[name].verdict != "protected"
        known = oracle.cells[name]
        if known.truth is not None and cell.attained is not None and not np.isnan(known.truth):
            value = Fraction(known.truth) * oracle.units[name[0]]
            assert cell.attained[0] is None or cell.attained[0] <= value
            assert cell.attained[1] is None or cell.attained[1] >= value


@FEW
@given(SEEDS)
def test_arithmetic_of_elimination(seed: int) -> None:
    """Nothing is made as short as it can be: the same cells are exposed, each with arithmetic that holds."""
    # CONVENTION 38
    document = made(seed, truths=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reveal, "MOST_PROGRAMS", 0)
        report = report_of(document)
    if report is not None:
        assert_arithmetic(document, read(document), report)
