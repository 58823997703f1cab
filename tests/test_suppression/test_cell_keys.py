"""Keys, perturbation tables and changed counts, against values that others published and by exact expectation."""

import subprocess
import sys
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from cell_key_data import columns, ons_long_form, records
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.record_keys import keys_of_identifiers
from tableseal.suppression.protections.cell_keys.counts import perturbed_counts, ratios, weighted_counts
from tableseal.suppression.protections.cell_keys.entropy import (
    Wanted,
    distributions,
    possible_variances,
    table_of_maximum_entropy,
)
from tableseal.suppression.protections.cell_keys.keys import (
    RecordKeys,
    cell_keys,
    key_notes,
    keys_from_column,
    rotated,
)
from tableseal.suppression.protections.cell_keys.ptable import PTable, Stated, check, moments, table_of
from tableseal.suppression.protections.cell_keys.ptable_files import long_form, read_ptables

SECRET = "a secret of enough letters"
HERE = Place("records.csv")


def crossed(rows: list[dict[str, str]], names: list[str], cells: list[tuple[str, ...]]) -> csr_array:
    """Which record is in which cell; "Total" takes all."""
    entry = np.array([[row[name] for name in names] for row in rows])
    member = [np.all([(entry[:, v] == code) | (code == "Total") for v, code in enumerate(c)], axis=0) for c in cells]
    return csr_array(np.array(member).astype(np.int64))


def test_ons_cells() -> None:
    """All 40 given cells (ONS cell-key-perturbation 2187cf1: data/perturbation/cellkey_expected.csv)."""
    rows, expected = records("ons_records.csv"), records("ons_expected.csv")
    table = read_ptables(ons_long_form(), 256)["all"]
    cells = [(row["var1"], row["var5"], row["var8"]) for row in expected]
    members = crossed(rows, ["var1", "var5", "var8"], cells)
    keys = keys_from_column([row["record_key"] for row in rows], 256)
    counts, key = members.sum(axis=1), cell_keys(keys, members)
    found = perturbed_counts(counts, key, table, threshold=10)
    assert counts.tolist() == [int(row["pre_sdc_count"]) for row in expected]
    assert key.tolist() == [int(row["ckey"]) for row in expected]
    assert table.row_of(counts).tolist() == [int(row["pcv"]) for row in expected]
    assert found.change.tolist() == [int(row["pvalue"]) for row in expected]
    shown = [str(n) if known else "" for n, known in zip(found.shown, found.known, strict=True)]
    assert shown == [row["count"] for row in expected]


def test_ons_rows_repeat() -> None:
    """Counts above 750 use rows 501 to 750: (n - 1) mod 250 + 501 (data/perturbation/README.md)."""
    table = read_ptables(ons_long_form(), 256)["all"]
    counts = np.array([0, 1, 500, 750, 751, 1000, 1001, 123456])
    expected = [0, 1, 500, 750, 501, 750, 501, (123456 - 1) % 250 + 501]
    assert table.row_of(counts).tolist() == expected


def test_argus_cells() -> None:
    """All given cells of the 4,580 records (data/tauargus/cellkey/expected_counts.csv)."""
    rows, expected = records("argus_records.csv", ";"), records("argus_expected_counts.csv")
    codes = {"female": "1", "male": "2", "A1": "1", "A2": "2"}
    cells = [tuple(codes.get(row[name], row[name]) for name in ("Sex", "Age")) for row in expected]
    members = crossed(rows, ["Sex", "Age"], cells)
    keys = keys_from_column([row["Key"] for row in rows], None)
    assert keys.modulus == 10**8
    table = read_ptables(columns(records("argus_ptab_freq.txt", ";")), keys.modulus)["all"]
    counts, key = members.sum(axis=1), cell_keys(keys, members)
    found = perturbed_counts(counts, key, table)
    assert counts.tolist() == [int(row["count"]) for row in expected]
    assert key.tolist() == [Fraction(row["cell_key"]) * 10**8 for row in expected]
    assert found.change.tolist() == [int(row["perturbation"]) for row in expected]
    assert found.shown.tolist() == [int(row["perturbed"]) for row in expected]


PUBLISHED = {  # cran/ptable, tests: D = 2, V = 1.05, js = 1 (data/perturbation/README.md)
    0: {0: 1.0},
    1: {0: 0.50833333, 2: 0.475, 3: 0.01666667},
    2: {0: 0.16155827, 2: 0.55565037, 3: 0.24246618, 4: 0.04032518},
    3: {2: 0.41231301, 3: 0.28806097, 4: 0.18693903, 5: 0.11268699},
    4: {2: 0.07012498, 3: 0.24450007, 4: 0.37074990, 5: 0.24450007, 6: 0.07012498},
}


def test_published_probabilities() -> None:
    """The 17 probabilities, to the printed digits."""
    found = distributions(Wanted(range=2, variance=1.05, never=1))
    assert len(found) == len(PUBLISHED)
    assert sum(map(len, PUBLISHED.values())) == 17
    for count, (changes, p) in enumerate(found):
        shown = dict(zip((count + changes).tolist(), p.tolist(), strict=True))
        assert shown.keys() == PUBLISHED[count].keys()
        for result, probability in PUBLISHED[count].items():
            assert shown[result] == pytest.approx(probability, abs=2e-8)


def test_argus_table_is_of_maximum_entropy() -> None:
    """ptab_freq.txt is D = 5, V = 3, js = 2 with half unchanged; its row 6 has been made monotone besides."""
    given_rows: dict[int, dict[int, float]] = {}
    for row in records("argus_ptab_freq.txt", ";"):
        given_rows.setdefault(int(row["i"]), {})[int(row["v"])] = float(row["p"])
    found = distributions(Wanted(range=5, variance=3, never=2, unchanged=0.5))
    assert len(found) == len(given_rows)
    for count, (changes, p) in enumerate(found):
        assert changes.tolist() == list(given_rows[count])
        if count != 6:
            assert p == pytest.approx(list(given_rows[count].values()), abs=3e-8)


wanted = st.builds(
    lambda size, part, never, unchanged: (size, part, min(never, size), unchanged),
    st.integers(2, 9),
    st.floats(0.02, 0.98),
    st.integers(0, 4),
    st.one_of(st.none(), st.floats(0.05, 0.9)),
)


@settings(max_examples=60, deadline=None)
@given(wanted)
def test_rows_are_of_maximum_entropy(asked: tuple[int, float, int, float | None]) -> None:
    """Moments hold, and log p is a quadratic function of the change: the condition of Lagrange, which is sufficient."""
    size, part, never, unchanged = asked
    try:
        found = distributions(Wanted(size, part * size * 1.5, never, unchanged))
    except InputError:
        return  # which variances can be is tested below
    for count, (changes, p) in enumerate(found[1:], start=1):
        assert p.sum() == pytest.approx(1, abs=1e-12)
        assert p @ changes == pytest.approx(0, abs=1e-9)
        assert p @ changes**2 == pytest.approx(part * size * 1.5, abs=1e-8)
        assert (count + changes >= 0).all()
        assert not ((count + changes >= 1) & (count + changes <= never)).any()
        free = p if unchanged is None else np.where(changes == 0, 0, p)
        inside = free > 1e-12
        if unchanged is not None and (changes == 0).any():
            assert p[changes == 0] == pytest.approx(unchanged)
        if inside.sum() > 3:
            v = changes[inside].astype(float)
            design = np.vstack([np.ones_like(v), v, v**2]).T
            logs = np.log(free[inside])
            fit = np.linalg.lstsq(design, logs, rcond=None)[0]
            assert np.abs(design @ fit - logs).max() < 1e-5 * max(1.0, np.abs(logs).max())


@pytest.mark.parametrize("modulus", [256, 4096, 10**8])
def test_tables_are_unbiased_exactly(modulus: int) -> None:
    """Exact expectation over all keys; CONVENTION 742."""
    table = table_of_maximum_entropy(Wanted(range=5, variance=3, never=2, unchanged=0.5), modulus)
    exact = distributions(Wanted(range=5, variance=3, never=2, unchanged=0.5))
    for one, (changes, p) in zip(moments(table), exact, strict=True):
        assert one.mean == 0
        assert -5 <= one.least <= one.most <= 5
        assert float(one.variance) == pytest.approx(p @ changes**2, abs=30 / modulus)
    if modulus > 256:
        assert all(m.unchanged == Fraction(1, 2) for m in moments(table)[3:])
    check(table, Stated(Fraction(5), never=2))
    everything = np.arange(min(modulus, 4096))
    for row in range(len(table.levels)):
        changes = table.change_at(np.full(len(everything), row), everything)
        if modulus <= 4096:
            assert changes.sum() == 0


def test_a_modulus_that_cannot_be_unbiased_is_refused() -> None:
    with pytest.raises(InputError, match=r"count 1 cannot be changed without bias by 2 keys.*larger modulus"):
        table_of_maximum_entropy(Wanted(range=3, variance=2.5, never=2), 2)


def test_the_long_form_is_read_as_it_was_written() -> None:
    table = table_of_maximum_entropy(Wanted(range=2, variance=1.05, never=1), 256)
    written = {name: list(map(str, entries)) for name, entries in long_form(table).items()}
    rows = [dict(zip(written, row, strict=True)) for row in zip(*written.values(), strict=True)]
    again = read_ptables(columns(rows), 256)["all"]
    for name in ("levels", "start", "last", "change"):
        assert getattr(again, name).tolist() == getattr(table, name).tolist()


def test_magnitude_tables_of_argus() -> None:
    """Steps of one half, exact moments (data/tauargus/cellkey/ptab_savings_*.txt): variances 1 and 2."""
    for name, levels, variance in (("all", [0, 1, 5], 1), ("smallcells", [0, 1, 8], 2)):
        table = read_ptables(columns(records(f"argus_ptab_savings_{name}.txt", ";")), 10**8)["all"]
        assert table.step == Fraction(1, 2)
        assert [m.level for m in moments(table)] == levels
        assert float(moments(table)[-1].variance) == pytest.approx(variance, abs=1e-5)
        assert abs(float(moments(table)[-1].mean)) < 1e-6


# Keys


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=6), unique=True, min_size=1, max_size=30), st.data())
def test_keys_survive_order_deletion_and_other_files(names: list[str], data: st.DataObject) -> None:
    whole = dict(zip(names, keys_of_identifiers(names, SECRET, HERE), strict=True))
    order = data.draw(st.permutations(names))
    some = [*order[: data.draw(st.integers(1, len(order)))], "someone else than all these"]
    again = dict(zip(some, keys_of_identifiers(some, SECRET, HERE), strict=True))
    assert all(again[name] == whole[name] for name in some[:-1])


def test_keys_are_the_same_in_every_process() -> None:
    """CONVENTION 740; BLAKE2b of RFC 7693, whose digests no hash seed changes."""
    names = ["Åse", "42", "firm 7"]
    program = (
        "from tableseal.audit.errors import Place; from tableseal.audit.io.record_keys import keys_of_identifiers as k;"
        f"print(k({names!r}, {SECRET!r}, Place()))"
    )
    found = {
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=env).stdout
        for env in _environments()
    }
    here = keys_of_identifiers(names, SECRET, HERE)
    assert found == {f"{here}\n"}
    assert not set(here) & set(keys_of_identifiers(names, SECRET + "!", HERE))


def _environments() -> list[dict[str, str]]:
    import os

    return [os.environ | {"PYTHONHASHSEED": seed} for seed in ("1", "2")]


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 40))
def test_a_cell_key_does_not_depend_on_the_table(seed: int, people: int) -> None:
    random = np.random.default_rng(seed)
    modulus = int(random.choice([256, 4096, 10**8]))
    keys = RecordKeys(random.integers(0, modulus, people), np.ones(people, np.bool_), modulus)
    a, b = random.integers(0, 2, people), random.integers(0, 3, people)
    one = csr_array(np.array([[(a == x) & (b == y)] for x, y in product(range(2), range(3))])[:, 0].astype(np.int64))
    total = csr_array(np.array([a == x for x in range(2)]).astype(np.int64))
    found, sums = cell_keys(keys, one).reshape(2, 3), cell_keys(keys, total)
    assert (found.sum(axis=1) % modulus == sums).all()
    order = random.permutation(people)
    shuffled = RecordKeys(keys.units[order], keys.known[order], modulus)
    assert cell_keys(shuffled, one[:, order]).tolist() == found.ravel().tolist()


def test_missing_keys_are_counted() -> None:
    """CONVENTION 741: ONS warns, and stops where more than half are missing."""
    keys = keys_from_column(["3", "", None, "7"], 256)
    (note,) = key_notes(keys, missing_keys=True)
    assert note.count == 2
    assert "2 of 4 records have no key" in note.text
    with pytest.raises(InputError, match="3 of 4 records have no key; more than half"):
        key_notes(keys_from_column(["3", "", None, ""], 256), missing_keys=True)
    assert key_notes(keys_from_column(["3"], 256)) == ()


def test_missing_keys_are_refused_with_their_number_and_the_first_row() -> None:
    """CONVENTION 1016."""
    with pytest.raises(InputError, match=r"row 2: has no key \(2 of 4 records have none\); .* say missing_keys"):
        key_notes(keys_from_column(["3", "", None, "7"], 256))


@pytest.mark.parametrize("alike", ["0", "0.5", "0.37126645"])
def test_keys_that_are_mostly_the_same_are_refused(alike: str) -> None:
    """CONVENTION 741: a constant column is no column of keys, and every cell of a size would change alike."""
    others = [f"0.{n:04}" for n in range(100, 115)]
    assert key_notes(keys_from_column([*others, *[alike] * 15], None), HERE) == ()
    with pytest.raises(InputError, match=r"records.csv: 16 of 31 records have the same key"):
        key_notes(keys_from_column([*others, *[alike] * 16], None), HERE)


def test_wide_ranges_keep_their_moments() -> None:
    """Changes with no part of a key worth the name get none; mean and variance are as asked for all the same."""
    table = table_of_maximum_entropy(Wanted(12, 1.0), 10**4)
    for one in moments(table)[1:]:
        assert one.mean == 0
        assert abs(one.variance - 1) < Fraction(1, 100)


@pytest.mark.parametrize(
    ("entries", "modulus", "message"),
    [
        (["3", "256"], 256, "row 2: is no key; expected a whole number from 0 to 255"),
        (["0.5"], 256, "modulus 256: keys are decimals from 0 to below 1, as those made of identifiers are"),
        (["1.5"], 256, "row 1: is no key"),
        (["0.5", "1.0"], None, r"row 2: is no key; expected a decimal from 0 to below 1\."),
        (["x", "0.1", "y"], None, r"row 1: is no key \(2 such rows\)"),
        (["3", "17"], None, "of whole numbers say modulus"),
        (["0.1234567890123"], None, "more than 12 decimals"),
        (["1"], 1, "expected a whole number from 2"),
    ],
)
def test_columns_that_hold_no_keys(entries: list[str], modulus: int | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        keys_from_column(entries, modulus)


def test_identifiers_that_cannot_give_keys() -> None:
    with pytest.raises(InputError, match="rows 1 and 3 have the same identifier"):
        keys_of_identifiers(["a", "b", "a"], SECRET, HERE)
    found = keys_of_identifiers(["a", "", None], SECRET, HERE)
    assert found[1:] == ("", "")
    assert keys_from_column(found, None).modulus == 10**8


def test_keys_of_identifiers_are_uniform() -> None:
    """Chi-square of 16 classes of 16,000 keys: 99.9% of samples are below 37.7."""
    keys = keys_from_column(keys_of_identifiers(list(map(str, range(16000))), SECRET, HERE), None)
    found = np.bincount(keys.units * 16 // keys.modulus, minlength=16)
    assert ((found - 1000) ** 2 / 1000).sum() < 37.7


@pytest.mark.parametrize("modulus", [1000, 256])
def test_rotated_keys_are_as_uniform(modulus: int) -> None:
    keys = np.arange(modulus)
    assert sorted(rotated(keys, modulus, 1).tolist()) == keys.tolist()
    assert rotated(np.array([123]), 1000, 1).tolist() == [231]
    with pytest.raises(InputError, match="power of 10 or of 2"):
        rotated(keys, 12, 1)


# Tables that are refused


def rows(text: str) -> list[dict[str, str]]:
    head, *body = (line.split(";") for line in text.split())
    return [dict(zip(head, line, strict=True)) for line in body]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "i;j;p;v;p_int_ub 0;0;1;0;1 1;0;.5;-1;.5 1;2;.4;1;.9",
            r"row 2, column \"p\".*value 1 add up to 0.9, not to 1",
        ),
        ("i;j;p;v;p_int_ub 1;0;.5;-1;.5 1;3;.5;1;1", r"row 2, column \"j\".*`j` is not `i` \+ `v`"),
        ("i;j;p;v;p_int_ub 1;0;.5;-1;.4 1;2;.5;1;1", "is not the sum of the probabilities so far"),
        ("i;j;p;v;p_int_ub -1;0;1;1;1", "a value below zero"),
        ("i;j;p;v;p_int_ub 1;0;x;-1;1", r"found \"x\", expected a number"),
        ("i;j;p;v 1;0;1;-1", r"no column \"p_int_ub\""),
        ("pcv;ckey;pvalue 1;0;0 1;1;0", "count 1 has changes for 2 keys; expected one for each of 4"),
        ("pcv;ckey;pvalue 1;0;0 1;0;0", "count 1 has two changes for key 0"),
        ("pcv;ckey;pvalue 1;4;0", "found 4, expected a key from 0 to 3"),
        ("pcv;ckey;pvalue 1;0;0 3;0;0", "counts from 0 or 1 on, without gaps; found 3"),
    ],
)
def test_files_that_hold_no_perturbation_table(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_ptables(columns(rows(text)), 4)


def small(*changes: list[int]) -> PTable:
    """Four keys, with these changes of counts 0, 1, ..."""
    return table_of([(n, list(enumerate(row))) for n, row in enumerate(changes)], 4)


ZERO, UP_DOWN = [0, 0, 0, 0], [-1, 0, 0, 1]


@pytest.mark.parametrize(
    ("table", "stated", "message"),
    [
        (small(ZERO, UP_DOWN), Stated(Fraction(1)), None),
        (small(ZERO, [-1, 0, 0, 2]), Stated(Fraction(2)), "value 1: found changes of 0.25 in the mean.*biased"),
        (small(ZERO, [-1, 0, 0, 2]), Stated(Fraction(2), unbiased_from=2), None),
        (small(ZERO, [-1, -1, 0, 2]), Stated(Fraction(1)), "value 1: found a change by 2, expected at most 1"),
        (
            small(ZERO, [-2, 0, 0, 2]),
            Stated(Fraction(2)),
            "value 1: found a change by -2, expected no result below zero",
        ),
        (small([0, 0, 0, 1], UP_DOWN), Stated(Fraction(2)), "value 0: found a change by 1, expected that zeros stay"),
        (
            small(ZERO, UP_DOWN),
            Stated(Fraction(1), never=1),
            "value 1: found a result of 1, expected no result from 1 to 1",
        ),
    ],
)
def test_tables_that_do_not_keep_what_is_stated(table: PTable, stated: Stated, message: str | None) -> None:
    """CONVENTION 743."""
    if message is None:
        check(table, stated)
        return
    with pytest.raises(InputError, match=message):
        check(table, stated)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (Wanted(0, 1), "range: found 0"),
        (Wanted(2, 0), "variance: found 0, expected more than 0"),
        (Wanted(2, 5), "variance: found 5"),
        (Wanted(2, 1, never=3), "never: found 3, expected a whole number from 0 to the range, 2"),
        (Wanted(2, 1, unchanged=1), "unchanged: found 1"),
        (Wanted(3, 8.5), "count 1: no unbiased change has variance 8.5; 0 to 3 can be"),
    ],
)
def test_wishes_that_no_table_meets(asked: Wanted, message: str) -> None:
    with pytest.raises(InputError, match=message):
        distributions(asked)


@pytest.mark.parametrize("never", [0, 1, 2])
def test_the_variances_that_are_said_to_be_possible(never: int) -> None:
    """The largest and the smallest by linear programming, for every count."""
    from scipy.optimize import linprog

    for count in range(1, 6):
        changes = Wanted(3, 1, never).changes(count).astype(float)
        rows = np.vstack([np.ones_like(changes), changes])
        ends = [sign * linprog(sign * changes**2, A_eq=rows, b_eq=[1, 0]).fun for sign in (1, -1)]
        assert possible_variances(changes.astype(np.int64)) == pytest.approx(ends, abs=1e-9)


def test_counts_that_cannot_be_changed() -> None:
    with pytest.raises(InputError, match="a count is negative"):
        perturbed_counts(np.array([-1]), np.array([0]), small(ZERO, UP_DOWN))
    with pytest.raises(InputError, match="takes count 1 below zero"):
        perturbed_counts(np.array([1]), np.array([0]), small(ZERO, [-2, 0, 0, 2]))
    with pytest.raises(InputError, match="a row for each count"):
        perturbed_counts(np.array([1]), np.array([0]), table_of([(0, [(3, 0)]), (2, [(3, 0)])], 4))


def test_weights_and_ratios_go_with_what_is_published() -> None:
    counts, shown = np.array([4, 0, 2]), np.array([6, 0, 0])
    weighted = weighted_counts(shown, counts, np.array([10.0, 0, 5]))
    assert weighted.tolist() == [15, 0, 0]
    found = ratios(weighted, shown.astype(float))
    assert found[0] == 2.5
    assert np.isnan(found[1:]).all()
