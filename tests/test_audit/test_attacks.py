"""Attacks on changed counts, against every table that fits and against the true counts."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.attacks.averaging import averaging
from tableseal.audit.attacks.differences import differences
from tableseal.audit.attacks.geographies import geographies
from tableseal.audit.attacks.means import means
from tableseal.audit.attacks.redraw import draws_of, redrawn
from tableseal.audit.attacks.registry import ATTACKS
from tableseal.audit.attacks.replay import AttackSettings, replay
from tableseal.audit.attacks.subject import Subject, subject_of
from tableseal.audit.attacks.sums import sums
from tableseal.audit.errors import ContradictionError, InputError, TablesealError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Release

CELL_KEY = {"method": "cell_key", "range": 1}


def one_way(shown: dict[str, int], true: dict[str, int], rounding: dict[str, Any], **variable: Any) -> Release:
    """Counts by one variable `v` with codes or trees as given."""
    cells = {"v": list(shown), "value": list(shown.values()), "truth": [true[code] for code in shown]}
    absent = {"leaves": "not_released"}
    table = {"name": "t", "cells": cells, "truth": "truth", "rounding": rounding, "absent": absent}
    return release_from_document({"tableseal": 1, "kind": "count", "variables": {"v": variable}, "tables": [table]})


def two_way(shown: dict[str, int], true: dict[str, int], rounding: dict[str, Any]) -> dict[str, Any]:
    """Counts whose cells have two letters, T for a total."""
    codes = {name: sorted({cell[k] for cell in shown} - {"T"}) for k, name in enumerate(("v", "w"))}
    cells = {"v": [c[0] for c in shown], "w": [c[1] for c in shown], "value": list(shown.values())}
    cells["truth"] = [true[c] for c in shown]
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {name: {"total": "T", "codes": own} for name, own in codes.items()},
        "tables": [{"name": "t", "cells": cells, "truth": "truth", "rounding": rounding}],
    }


def with_margins(inner: dict[str, int]) -> dict[str, int]:
    """Inner cells and their sums."""
    rows, columns = sorted({c[0] for c in inner}), sorted({c[1] for c in inner})
    found = inner | {r + "T": sum(inner[r + c] for c in columns) for r in rows}
    return found | {"T" + c: sum(inner[r + c] for r in rows) for c in columns} | {"TT": sum(inner.values())}


def results(true: int, widest: int) -> list[int]:
    """What a count becomes by noise that keeps zeros."""
    return [0] if true == 0 else list(range(max(0, true - widest), true + widest + 1))


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_sums_prove_what_all_tables_within_the_range_have_in_common(data: st.DataObject) -> None:
    # CONVENTION 786
    """CONVENTION 785: totals that are changed independently of their parts are in the same system."""
    widest = data.draw(st.integers(1, 2))
    columns = "DEF" if widest == 1 else "DE"
    inner = {r + c: data.draw(st.integers(0, 4)) for r in "AB" for c in columns}
    true = with_margins(inner)
    shown = {cell: data.draw(st.sampled_from(results(n, widest))) for cell, n in true.items()}
    rounding = {"method": "cell_key", "range": widest}
    subject = subject_of(release_from_document(two_way(shown, true, rounding)))
    outcome = sums(subject)
    assert outcome.lower is not None
    assert outcome.upper is not None
    fits = []
    for values in product(*(range(max(0, shown[c] - widest), shown[c] + widest + 1) for c in inner)):
        table = with_margins(dict(zip(inner, values, strict=True)))
        if all(shown[c] in results(n, widest) for c, n in table.items()):
            fits.append(table)
    cells = np.flatnonzero(subject.changed).tolist()
    names = ["".join(subject.release.cell_codes(subject.cells.codes[cell]).values()) for cell in cells]
    left = {name: {table[name] for table in fits} for name in names}
    assert outcome.lower.tolist() == [min(left[name]) for name in names]
    assert outcome.upper.tolist() == [max(left[name]) for name in names]
    found = replay(subject.release, AttackSettings(attacks=("sums",), curve=False)).attacks[0]
    assert found.proved is not None
    assert found.proved.all.exact == sum(len(left[name]) == 1 for name in names)
    assert found.proved.zeros.exact == sum(left[name] == {0} for name in names if true[name] == 0)


S07 = {"AD": 0, "AE": 3, "AF": 0, "BD": 3, "BE": 0, "BF": 0, "CD": 3, "CE": 3, "CF": 0}
S07_TRUE = with_margins({"AD": 1, "AE": 2, "AF": 0, "BD": 3, "BE": 0, "BF": 0, "CD": 4, "CE": 3, "CF": 0})
"""A table that rounds to the published one of Smith and Elliot (2007), figure 2.2, within figures 2.5 and 2.6."""


def s07(rounding: dict[str, Any]) -> Release:
    """Smith and Elliot 2007, figure 2.2."""
    shown = S07 | {"AT": 3, "BT": 3, "CT": 6, "TD": 9, "TE": 6, "TF": 0, "TT": 12}
    return release_from_document(two_way(shown, S07_TRUE, rounding))


@pytest.mark.parametrize("rounding", [CELL_KEY, {"method": "conventional", "base": 3}])
def test_three_of_four_zeros_of_the_table_come_back(rounding: dict[str, Any]) -> None:
    """Smith and Elliot 2007, figure 2.6: upper bound 0 in (A, F), (B, F), (C, F), not in (B, E)."""
    subject = subject_of(s07(rounding))
    outcome = sums(subject)
    cells = np.flatnonzero(subject.changed)[outcome.proved]
    names = {"".join(subject.release.cell_codes(subject.cells.codes[cell]).values()) for cell in cells.tolist()}
    assert {name for name in names if "T" not in name} == {"AF", "BF", "CF"}
    assert {name for name in names if "T" in name} == {"TD", "TE", "TF", "TT"}
    found = replay(subject.release, AttackSettings(curve=False)).attacks[0]
    assert found.proved is not None
    assert (found.proved.zeros.counts, found.proved.zeros.exact) == (5, 4)  # with the total of column F


AGES = {"trees": [{"0-14": ["a", "b"], "15-29": ["c", "d"]}, {"0-15": ["a", "b", "c"], "16-29": ["d"]}], "total": "T"}


def test_shifted_categories_leave_a_year_over() -> None:
    # CONVENTION 788
    """0-15 less 0-14 is the age c, which no table lists, and so is 15-29 less 16-29."""
    true = {"0-14": 40, "15-29": 30, "0-15": 41, "16-29": 29, "T": 70}
    shown = true | {"0-15": 42, "0-14": 39}
    subject = subject_of(one_way(shown, true, CELL_KEY, **AGES))
    outcome = differences(subject)
    told = [outcome.explain(k) for k in range(len(outcome.truth))]
    at = told.index("15-29 - 16-29 = 30 - 29 = 1; by the stated changes from 1 to 3")
    # 42 - 39 leaves 1 to 5, 30 - 29 leaves 0 to 3: both are of the age c.
    assert outcome.lower is not None
    assert outcome.upper is not None
    assert (outcome.truth[at], outcome.lower[at], outcome.upper[at]) == (1, 1, 3)
    assert all(outcome.lower <= outcome.truth)
    assert all(outcome.truth <= outcome.upper)


def test_areas_that_cover_another_one_leave_its_rim_over() -> None:
    """5 + 4 + 4 + 4 - 16 = 1: four grid cells cover a district, and reach beyond it by one person."""
    leaves = ["p", "q", "r", "s", "x", "z"]
    grid = {"G1": ["p"], "G2": ["q"], "G3": ["r"], "G4": ["s", "x"], "G5": ["z"]}
    true = {"G1": 5, "G2": 4, "G3": 4, "G4": 4, "G5": 9, "D": 16, "T": 26}
    release = one_way(true, true, CELL_KEY, total="T", trees=[{"D": ["p", "q", "r", "s"]}, grid])
    assert set(leaves) <= set(release.variables["v"].codes)
    outcome = geographies(subject_of(release))
    told = [outcome.explain(k) for k in range(len(outcome.truth))]
    at = next(k for k, text in enumerate(told) if "= 5 + 4 + 4 + 4 - 16 = 1" in text)
    assert told[at].startswith("G1 + G2 + G3 + G4 - D")
    assert (outcome.truth[at], outcome.guess[at]) == (1, 1)
    assert outcome.lower is not None
    assert outcome.upper is not None
    assert (outcome.lower[at], outcome.upper[at]) == (0, 6)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_what_is_left_over_lies_within_its_interval(data: st.DataObject) -> None:
    """Random groups of six leaves, in two groupings: the true remainder is never outside, and guesses neither."""
    leaves = list("abcdef")
    cut = sorted(data.draw(st.sets(st.integers(1, 5), min_size=1, max_size=3)))
    groupings = []
    for g, at in enumerate((cut, sorted(data.draw(st.sets(st.integers(1, 5), min_size=1, max_size=3))))):
        ends = [0, *at, 6]
        order = data.draw(st.permutations(leaves)) if g else leaves
        groupings.append({f"g{g}{k}": sorted(order[i:j]) for k, (i, j) in enumerate(pairwise(ends))})
    counts = {leaf: data.draw(st.integers(0, 9)) for leaf in leaves}
    true = {code: sum(counts[leaf] for leaf in own) for tree in groupings for code, own in tree.items()}
    true["T"] = sum(counts.values())
    shown = {code: data.draw(st.sampled_from(results(n, 2))) for code, n in true.items()}
    subject = subject_of(one_way(shown, true, {"method": "cell_key", "range": 2}, total="T", trees=groupings))
    for attack in (differences, geographies):
        outcome = attack(subject)
        if len(outcome.truth):
            assert outcome.lower is not None
            assert outcome.upper is not None
            assert (outcome.lower <= outcome.truth).all()
            assert (outcome.truth <= outcome.upper).all()
            assert (outcome.lower <= outcome.guess).all()
            assert (outcome.guess <= outcome.upper).all()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=9, max_size=9))
def test_averaging_is_the_best_mean_of_all_sums(changes: list[int]) -> None:
    """CONVENTION 837: the projection on the tables that add up, written out for a 2 x 2 table with margins; nobody
    is told the range."""
    true = with_margins({"AD": 10, "AE": 20, "BD": 30, "BE": 40})
    shown = {code: n + change for (code, n), change in zip(true.items(), changes, strict=True)}
    subject = subject_of(release_from_document(two_way(shown, true, {"method": "cell_key", "range": 3})))
    outcome = averaging(subject)
    inner = [code for code in true if "T" not in code]
    covers = np.array([[all(x in ("T", y) for x, y in zip(code, one, strict=True)) for one in inner] for code in true])
    best = covers @ np.linalg.lstsq(covers.astype(float), np.array(list(shown.values()), float))[0]
    for k in range(len(outcome.truth)):
        name, _, said = outcome.explain(k).partition(": ")
        code = "".join(name.split(" / "))
        assert float(said.rpartition(" ")[2]) == pytest.approx(best[list(true).index(code)], abs=0.0051)


def test_the_arithmetic_of_a_mean_is_told() -> None:
    true = with_margins({"AD": 10, "AE": 20, "BD": 30, "BE": 40})
    shown = true | {"AD": 12, "AT": 29, "TE": 62}
    subject = subject_of(release_from_document(two_way(shown, true, {"method": "cell_key", "range": 2})))
    outcome = averaging(subject)
    at = next(k for k in range(len(outcome.truth)) if outcome.explain(k).startswith("A / D: "))
    assert outcome.explain(at).startswith("A / D: 12; 40 - 30 = 10; 29 - 20 = 9; with all sums of the tables together ")
    # Row A: 29 published, 12 + 20 = 32; three changes make 3 at least 1 each. Column E: 62 and 60.
    assert outcome.range_at_least == 1


def test_counts_that_were_not_changed_stay_in_a_mean() -> None:
    """A total that is published as it is: all that the sum of its parts misses lies in the parts."""
    cells = {"v": ["a", "b"], "value": [8, 21], "truth": [9, 21]}
    noise = {"method": "cell_key", "range": 2}
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"v": {"total": "T", "codes": ["a", "b"]}},
        "tables": [
            {"name": "parts", "cells": cells, "truth": "truth", "rounding": noise},
            {"name": "whole", "cells": {"v": ["T"], "value": [30]}},
        ],
    }
    subject = subject_of(release_from_document(document))
    outcome = averaging(subject)
    assert [outcome.explain(k).rpartition(" ")[2] for k in range(2)] == ["8.50", "21.50"]


def test_averaging_finds_more_of_a_cube_than_is_published() -> None:
    """Four ways of four categories with all margins: many queries of one count, as in Asghar and Kaafar (2020)."""
    random = np.random.default_rng(3)
    size, codes = 4, list("abcd")
    inner = random.integers(20, 60, (size, size, size))
    full = inner
    for axis in range(3):
        full = np.concatenate([full, full.sum(axis=axis, keepdims=True)], axis=axis)
    names = [*codes, "T"]
    cells: dict[str, Any] = {f"v{k}": [names[at[k]] for at in np.ndindex(full.shape)] for k in range(3)}
    cells["truth"] = full.ravel().tolist()
    cells["value"] = (full + random.integers(-3, 4, full.shape)).ravel().tolist()
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {f"v{k}": {"total": "T", "codes": codes} for k in range(3)},
        "tables": [{"name": "t", "cells": cells, "truth": "truth", "rounding": {"method": "cell_key", "range": 3}}],
    }
    found = replay(release_from_document(document), AttackSettings(attacks=("averaging",), curve=False))
    guessed = found.attacks[0].guessed
    assert guessed.all.exact > 1.3 * found.as_published.all.exact
    assert guessed.all.within_one > 1.2 * found.as_published.all.within_one
    assert found.attacks[0].range_at_least in (1, 2, 3)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 9), st.integers(0, 60), st.integers(-2, 2), st.integers(0, 2))
def test_means_leave_the_counts_that_some_whole_sum_gives(count: int, total: int, change: int, decimals: int) -> None:
    """Turnover in whole units, published in the mean beside a changed number of firms; the sum is withheld."""
    shown = max(count + change, 0)
    if shown == 0:
        return
    mean = round(Fraction(total, count) * 10**decimals)
    release = release_from_document(
        {
            "tableseal": 1,
            "measures": {"firms": {"kind": "count"}, "sum": {"kind": "magnitude", "unit": "1"}},
            "variables": {"v": {"codes": ["a"]}},
            "tables": [
                {
                    "name": "firms",
                    "measure": "firms",
                    "truth": "truth",
                    "cells": {"v": ["a"], "value": [shown], "truth": [count]},
                    "rounding": {"method": "cell_key", "range": 2},
                },
                {"name": "sums", "measure": "sum", "cells": {"v": ["a"], "value": [""], "status": ["withheld"]}},
            ],
            "statistics": [
                {
                    "name": "mean",
                    "kind": "mean",
                    "measure": "sum",
                    "of": {"measure": "firms"},
                    "decimals": decimals,
                    "cells": {"v": ["a"], "value": [float(Fraction(mean, 10**decimals))]},
                }
            ],
        }
    )
    outcome = means(subject_of(release))
    half = Fraction(1, 2)
    fits = [
        n
        for n in range(max(1, shown - 2), shown + 3)
        if any(abs(Fraction(s, n) * 10**decimals - mean) <= half for s in range(0, 70 * 12))
    ]
    assert outcome.lower is not None
    assert outcome.upper is not None
    assert (outcome.lower[0], outcome.upper[0]) == (fits[0], fits[-1])
    assert count in fits


def subject_of_s07() -> Subject:
    """With noise of at most 1."""
    return subject_of(s07(CELL_KEY))


def test_draws_are_the_same_in_every_order_of_rows_and_codes() -> None:
    """CONVENTION 787."""
    document = two_way(S07_TRUE, S07_TRUE, CELL_KEY)
    turned = two_way(dict(reversed(S07_TRUE.items())), S07_TRUE, CELL_KEY)
    for variable in turned["variables"].values():
        variable["codes"] = variable["codes"][::-1]
    drawn = []
    for one in (document, turned):
        subject = subject_of(release_from_document(one))
        again = redrawn(subject, 3, draws_of(subject, 7, 1)[0])
        cells = zip(again.cells.codes, again.shown.tolist(), strict=True)
        drawn.append({tuple(again.release.cell_codes(codes).values()): shown for codes, shown in cells})
    assert drawn[0] == drawn[1]


def test_noise_drawn_anew_is_unbiased_within_its_range_and_keeps_zeros() -> None:
    """CONVENTION 787, over all values that a draw can take, not by simulation."""
    subject = subject_of_s07()
    for widest in (1, 2, 5):
        steps = 1
        for m in range(1, widest + 1):
            steps = steps * (2 * m + 1) // np.gcd(steps, 2 * m + 1)
        total = np.zeros(len(subject.truth))
        for step in range(int(steps)):
            again = redrawn(subject, widest, np.full(len(subject.truth), (step + 0.5) / steps))
            assert (np.abs(again.shown - subject.truth) <= widest).all()
            assert (again.shown >= 0).all()
            assert (again.shown[subject.truth == 0] == 0).all()
            total += again.shown
        assert np.allclose(total / steps, subject.truth)


def test_curves_end_where_enough_is_changed() -> None:
    found = replay(s07(CELL_KEY), AttackSettings(attacks=("sums",), tolerated=Fraction(1, 10)))
    curve = found.attacks[0].curve
    assert curve is not None
    assert curve.enough is not None
    shares = {point.range: point.share for point in curve.points}
    assert shares[curve.enough] <= Fraction(1, 10)
    assert all(share > Fraction(1, 10) for range_, share in shares.items() if range_ < curve.enough)
    assert replay(s07(CELL_KEY), AttackSettings(attacks=("sums",), tolerated=Fraction(1, 10))) == found


def published() -> dict[str, Any]:
    """A document without any change."""
    document = two_way(S07_TRUE, S07_TRUE, CELL_KEY)
    del document["tables"][0]["rounding"]
    return document


def without_truth() -> dict[str, Any]:
    """What readers get."""
    document = two_way(S07_TRUE, S07_TRUE, CELL_KEY)
    del document["tables"][0]["truth"], document["tables"][0]["cells"]["truth"]
    return document


def beyond() -> dict[str, Any]:
    """A count that was changed by more than is stated."""
    return two_way(S07_TRUE | {"AD": 5}, S07_TRUE, CELL_KEY)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (published(), "no count of this release was changed"),
        (without_truth(), "16 of 16 changed counts have no true value"),
        (beyond(), "1 true counts are none that their published values may stand for"),
    ],
)
def test_what_cannot_be_attacked_is_refused(document: dict[str, Any], said: str) -> None:
    # CONVENTION 789
    with pytest.raises(InputError, match=said):
        replay(release_from_document(document), AttackSettings())


def test_an_unknown_attack_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InputError, match="sums, differences, averaging, means, geographies"):
        replay(s07(CELL_KEY), AttackSettings(attacks=("sum",)))


def test_errors_tell_no_true_value() -> None:
    for document in (without_truth(), beyond()):
        with pytest.raises(TablesealError) as error:
            replay(release_from_document(document), AttackSettings())
        assert "13" not in str(error.value)


def test_every_attack_is_named_in_the_options() -> None:
    from tableseal.api.options.attack import MEANINGS

    assert list(MEANINGS) == list(ATTACKS)


def test_a_range_that_no_table_fits_is_a_contradiction() -> None:
    """True counts that do not add up fit each published value, and no table."""
    document = two_way(S07_TRUE | {"TT": 20}, S07_TRUE | {"TT": 20}, CELL_KEY)
    with pytest.raises((ContradictionError, InputError)):
        replay(release_from_document(document), AttackSettings(attacks=("sums",), curve=False))


def test_two_tables_that_show_one_cell_differently_are_averaged() -> None:
    """Without cell keys the same count is changed anew in each table: readers take the mean."""
    true = {"a": 10, "b": 20, "T": 30}
    first = one_way({"a": 8, "b": 21, "T": 30}, true, {"method": "cell_key", "range": 2}, total="T", codes=["a", "b"])
    second = one_way({"a": 12, "b": 19, "T": 30}, true, {"method": "cell_key", "range": 2}, total="T", codes=["a", "b"])
    both = replace(first, tables=(first.tables[0], replace(second.tables[0], name="u")))
    subject = subject_of(both)
    assert subject.shown.tolist() == [10.0, 20.0, 30.0] or sorted(subject.shown.tolist()) == [10.0, 20.0, 30.0]
    assert averaging(subject).hit.all()
    outcome = sums(subject)
    assert outcome.proved[outcome.truth == 10].all()  # 10 is all that 8 + 2 and 12 - 2 leave


def test_a_time_limit_ends_curves_and_is_told() -> None:
    found = replay(s07(CELL_KEY), AttackSettings(attacks=("averaging",), time_limit=0))
    curve = found.attacks[0].curve
    assert curve is not None
    assert (len(curve.points), found.stopped_by) == (1, "time")


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_sums_of_rounded_counts_against_all_tables(data: st.DataObject) -> None:
    """CONVENTION 785: 2 x 2 counts, each cell and each total rounded to base 3 independently of the others; and noise
    of which the share that stays is told, which narrows nothing (CONVENTION 744)."""
    inner = {r + c: data.draw(st.integers(0, 5)) for r in "AB" for c in "DE"}
    true = with_margins(inner)
    method = data.draw(st.sampled_from(["conventional", "random", "cell_key"]))

    def shows(n: int) -> list[int]:
        if method == "cell_key":
            return results(n, 1)
        return [(n + 1) // 3 * 3] if method == "conventional" else sorted({n // 3 * 3, -(-n // 3) * 3})

    rounding = {"method": method, "base": 3}
    if method == "cell_key":
        rounding = {"method": method, "range": 1, "unchanged": 0.5}
    shown = {cell: data.draw(st.sampled_from(shows(n))) for cell, n in true.items()}
    subject = subject_of(release_from_document(two_way(shown, true, rounding)))
    outcome = sums(subject)
    tables = (with_margins(dict(zip(inner, values, strict=True))) for values in product(range(9), repeat=4))
    fits = [table for table in tables if all(shown[cell] in shows(n) for cell, n in table.items())]
    cells = np.flatnonzero(subject.changed).tolist()
    names = ["".join(subject.release.cell_codes(subject.cells.codes[cell]).values()) for cell in cells]
    assert outcome.lower is not None
    assert outcome.upper is not None
    assert outcome.lower.tolist() == [min(table[name] for table in fits) for name in names]
    assert outcome.upper.tolist() == [max(table[name] for table in fits) for name in names]


@pytest.mark.parametrize("method", ["conventional", "random"])
def test_counts_that_were_rounded_one_by_one_are_rounded_anew(method: str) -> None:
    """CONVENTION 841: to other bases, by the same method; the release itself is one more draw of its own base."""
    true = with_margins({"AD": 1, "AE": 20, "BD": 33, "BE": 4})
    shown = {code: (n + 1) // 3 * 3 for code, n in true.items()}
    release = release_from_document(two_way(shown, true, {"method": method, "base": 3}))
    subject = subject_of(release)
    total = np.zeros(len(subject.truth))
    for step in range(60):
        again = redrawn(subject, 5, np.full(len(subject.truth), (step + 0.5) / 60))
        assert (again.shown % 5 == 0).all()
        assert (np.abs(again.shown - subject.truth) <= (2 if method == "conventional" else 4)).all()
        total += again.shown
    assert method == "conventional" or np.allclose(total / 60, subject.truth)
    curve = replay(release, AttackSettings(attacks=("sums",), widest=8)).attacks[0].curve
    assert curve is not None
    assert curve.by == "base"
    assert curve.points[0].range == 2
    assert curve.points[-1].range <= 8
    counts = {point.range: point.counts for point in curve.points}
    assert all(number == (6 if base == 3 else 5) * len(true) for base, number in counts.items())


@pytest.mark.parametrize(
    ("first", "widest", "expected"), [(1, 12, [1, 2, 3, 4, 6, 9, 12]), (2, 4, [2, 3, 4]), (2, 1, [2])]
)
def test_what_is_tried_ends_at_the_widest(first: int, widest: int, expected: list[int]) -> None:
    from tableseal.audit.attacks.replay import _growing

    assert list(_growing(first, widest)) == expected
