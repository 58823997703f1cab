"""Controlled tabular adjustment: it adds up, sensitive cells move far enough, nothing is nearer, and readers are told
what is true."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_json, release_from_document
from tableseal.audit.model import Amounts, Release, Status, Table
from tableseal.audit.pipeline import audit
from tableseal.audit.progress import silent
from tableseal.suppression.protections.adjustment import choose as choosing
from tableseal.suppression.protections.adjustment import search as searching
from tableseal.suppression.protections.adjustment.blocks import improve
from tableseal.suppression.protections.adjustment.least import least
from tableseal.suppression.protections.adjustment.limits import moves_of
from tableseal.suppression.protections.adjustment.part import Moves
from tableseal.suppression.protections.adjustment.parts import parts
from tableseal.suppression.protections.adjustment.weights import Cost, weights_of
from tableseal.suppression.protections.adjustment.whole import whole
from tableseal.suppression.protections.method import Changed, Optimised, Tools
from tableseal.suppression.protections.protect import protect
from tableseal.suppression.protections.public import public_release
from tableseal.suppression.protections.subject import Subject, subject_of
from tableseal.suppression.protections.tabular_adjustment import TabularAdjustment, adjust
from tests.support.establishments import P_PERCENT, establishments, published
from tests.support.tabulated import tabulated

USUAL = TabularAdjustment(Fraction("0.4"))


def marked(values: NDArray[np.int64], sensitive: list[int], level: list[int], **more: Any) -> Release:
    """A table of all sums in which some rows are sensitive, with distances of these."""
    release = tabulated(values, **more)

    def with_marks(table: Table) -> Table:
        status, distance = table.status.copy(), table.value.units.copy()
        rows = [row % len(status) for row in sensitive]
        status[rows] = Status.PRIMARY
        distance[:] = 0
        distance[rows] = level
        amounts = Amounts(distance, status == Status.PRIMARY)
        value = Amounts(table.value.units, status != Status.PRIMARY)
        return replace(
            table, status=status, value=value, truth=table.value, protection_lower=amounts, protection_upper=amounts
        )

    return replace(release, tables=tuple(map(with_marks, release.tables)))


def adjusted(release: Release, how: TabularAdjustment = USUAL) -> tuple[Subject, Changed, Optimised]:
    subject = subject_of(release)
    changed = adjust(subject, how, Tools())
    assert changed.optimised is not None
    return subject, changed, changed.optimised


def limits_of(subject: Subject, how: TabularAdjustment = USUAL) -> Moves:
    reach = np.full(len(subject.cells), how.range, np.int64)
    return moves_of(subject, subject.sensitivity(None), how.share, reach)


def fits(moves: Moves, moved: NDArray[np.int64]) -> NDArray[np.bool_]:
    up = (moved >= moves.up_least) & (moved <= moves.up_most)
    down = (-moved >= moves.down_least) & (-moved <= moves.down_most)
    found: NDArray[np.bool_] = np.where(moves.sensitive, up | down, (moved >= moves.least) & (moved <= moves.most))
    return found


def nearest_of_all(subject: Subject, moves: Moves, weights: NDArray[np.int64]) -> int | None:
    """Weighted sum of changes of the nearest table, over all tables of whole numbers within the limits; None: none."""
    forms, order = subject.system.matrix.toarray(), subject.system.cell
    moves, weights = moves.take(order), weights[order]
    alone = [int(np.flatnonzero((forms != 0).sum(axis=1) == 1)[np.argmax(forms[(forms != 0).sum(axis=1) == 1, c])])
             for c in range(forms.shape[1])]  # fmt: skip
    low = np.where(moves.sensitive, -np.maximum(moves.down_most, 0), moves.least)
    high = np.where(moves.sensitive, np.maximum(moves.up_most, 0), moves.most)
    best = None
    for choice in product(*(range(low[row], high[row] + 1) for row in alone)):
        moved = forms @ np.array(choice)
        if fits(moves, moved).all():
            cost = int((weights * np.abs(moved)).sum())
            best = cost if best is None else min(best, cost)
    return best


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.integers(0, 7), min_size=4, max_size=4),
    st.lists(st.integers(0, 8), min_size=1, max_size=2, unique=True),
    st.sampled_from(["0.3", "0.5"]),
    st.integers(0, 2),
    st.sampled_from(get_args(Cost)),
)
def test_small_tables_against_all_of_them(
    values: list[int], sensitive: list[int], share: str, reach: int, cost: Cost
) -> None:
    """CONVENTION 769, 770 and 828."""
    release = with_costs(marked(np.array(values).reshape(2, 2), sensitive, [1] * len(sensitive)), [3, 1, 0.5, 2, 7])
    how = TabularAdjustment(Fraction(share), reach, cost)
    subject = subject_of(release)
    if (subject.cells.sensitive_status & (subject.value == 0)).any():
        with pytest.raises(InputError, match="is 0 and sensitive, and zeros stay"):
            adjust(subject, how, Tools())
        return
    try:
        moves = limits_of(subject, how)
    except InputError:
        with pytest.raises(InputError, match=r"cannot move by what protects it|must leave 0 possible"):
            adjust(subject, how, Tools())
        return
    weights = weights_of(subject, cost)
    best = nearest_of_all(subject, moves, weights)
    if best is None:
        with pytest.raises(InputError, match="no table within these limits adds up"):
            adjust(subject, how, Tools())
        return
    changed = adjust(subject, how, Tools())
    assert changed.optimised is not None
    assert (changed.optimised.status, changed.optimised.distortion, changed.optimised.bound) == ("optimal", best, best)
    assert int((weights * np.abs(changed.shown.units - subject.value)).sum()) == best
    found = parts(subject, moves, weights)
    proofs = [least(part, Limits()) for _, part in found]
    assert 0 <= sum(proof.bound for proof in proofs) <= best
    starts = [searching.begin(part, Limits()) for _, part in found]
    if all(start is not None for start in starts):
        assert best <= sum(part.change(s) for (_, part), s in zip(found, starts, strict=True) if s is not None)


def with_costs(release: Release, costs: list[float]) -> Release:
    """Rows cost these, again and again."""
    (table,) = release.tables
    return replace(release, tables=(replace(table, cost=np.resize(np.array(costs, np.float64), len(table.codes))),))


def test_costs_are_what_is_said_of_them() -> None:
    """CONVENTION 828."""
    release = marked(np.array([[20, 40], [0, 200]]), [0], [4])
    subject = subject_of(with_costs(release, [3, 1, 0.5, 2, 7]))
    assert set(weights_of(subject, "unit").tolist()) == {1}
    weights = weights_of(subject, "inverse")
    assert weights[subject.value == 20].tolist() == [1_000_000] * int((subject.value == 20).sum())
    assert set(weights[subject.value == 200].tolist()) == {100_000}
    assert weights_of(subject, "column")[subject.rows[0]].tolist() == [6, 2, 1, 4, 14, 6, 2, 1, 4]
    fine = weights_of(subject_of(with_costs(release, [1e-3, 7e6])), "column")
    assert set(fine.tolist()) == {1, 1_000_000}


def test_costs_that_are_missing_are_refused() -> None:
    """CONVENTION 828."""
    release = marked(np.array([[20, 40], [50, 200]]), [0], [4])
    with pytest.raises(InputError, match="no table says what its cells cost"):
        adjusted(release, TabularAdjustment(Fraction("0.5"), 0, "column"))
    with pytest.raises(InputError, match="has no cost"):
        adjusted(with_costs(release, [1, float("nan"), 2]), TabularAdjustment(Fraction("0.5"), 0, "column"))
    with pytest.raises(InputError, match="cost"):
        TabularAdjustment(Fraction("0.5"), 0, "square")  # type: ignore[arg-type]


def test_cheap_cells_carry_what_sensitive_ones_need() -> None:
    """CONVENTION 828: of two ways to balance the same change the cheaper one is taken."""
    release = marked(np.array([[40, 60, 60], [50, 70, 70]]), [0], [9])
    for dear in (1, 2):
        costs = [100.0 if column in (dear, 3) else 1.0 for column in range(4)]
        subject, changed, _ = adjusted(with_costs(release, costs), TabularAdjustment(Fraction("0.6"), 0, "column"))
        moved = (changed.shown.units != subject.value)[subject.rows[0]]
        assert not moved[dear::4].any()
        assert not moved[3::4].any()
        assert moved[3 - dear :: 4].any()


@settings(max_examples=8, deadline=None)
@given(st.data())
def test_linked_and_nested_tables_add_up_and_readers_intervals_hold_the_truth(data: st.DataObject) -> None:
    """CONVENTION 769 and 770."""
    shape = data.draw(st.tuples(st.integers(2, 4), st.integers(2, 4), st.integers(2, 3)))
    groups = [data.draw(st.integers(1, size - 1)) for size in shape]
    linked = data.draw(st.sampled_from([[], [(0, 1), (1, 2)], [(0, 1), (0, 2), (1, 2)]]))
    seed = data.draw(st.integers(0, 10**6))
    random = np.random.default_rng(seed)
    values = np.ceil(np.exp(random.normal(3, 1, shape))).astype(np.int64)
    sensitive = random.choice(9, 3, replace=False).tolist()
    release = marked(values, sensitive, [2] * 3, groups=groups, margins=linked)
    subject = subject_of(release)
    how = TabularAdjustment(Fraction("0.5"), 6)
    moves = limits_of(subject, how)
    found = protect(release, how)
    shown = adjust(subject, how, Tools()).shown.units
    assert fits(moves, shown - subject.value).all()
    optimum = found.statement.optimum
    assert optimum is not None
    assert optimum.distortion == int(np.abs(shown - subject.value).sum())
    assert optimum.bound <= optimum.distortion
    relations = subject.equations.matrix
    alone = np.diff(relations[:, len(shown) :].tocsr().indptr) == 0
    assert not (relations[:, : len(shown)] @ shown)[alone].any()
    public = release_from_document(json.loads(canonical_json(public_release(found.release))))
    ours = [(c.cell, c.lower, c.upper) for c in found.report.cells]
    assert ours == [(c.cell, c.lower, c.upper) for c in audit(public).report.cells]
    assert all(c.lower <= c.truth <= c.upper for c in found.report.cells)  # type: ignore[operator]


@settings(max_examples=8, deadline=None)
@given(st.integers(5, 40), st.integers(0, 10**6), st.booleans())
def test_what_stays_possible_of_a_sensitive_cell_spans_twice_its_change(number: int, seed: int, linked: bool) -> None:
    """CONVENTION 771: the mirror of the true table is among what the audit cannot rule out."""
    release = published(establishments(number, seed), linked=linked, policy=P_PERCENT)
    subject = subject_of(release)
    how = TabularAdjustment(Fraction("0.7"))
    try:
        changed = adjust(subject, how, Tools())
    except InputError:
        return
    assert changed.optimised is not None
    assert changed.optimised.proved.startswith("Proved: the table as far on the other side")
    mirror = 2 * changed.shown.units - subject.value
    found = protect(release, how)
    cells = [tuple(subject.release.cell_codes(c).values()) for c in subject.cells.codes]
    place = {codes: k for k, codes in enumerate(cells)}
    for cell in found.report.cells:
        other = int(mirror[place[tuple(dict(cell.cell).values())]])
        assert cell.lower is not None
        assert cell.upper is not None
        assert cell.lower <= other <= cell.upper


def test_neither_order_nor_a_second_run_changes_anything() -> None:
    """CONVENTION 711."""
    records = establishments(60, 3)
    shown = [
        protect(published(r, policy=P_PERCENT), USUAL).release.tables[0].value.units.tolist()
        for r in (records, records, records[::-1])
    ]
    assert shown[0] == shown[1] == shown[2]


@pytest.mark.parametrize("exact", [10, 10_000])
def test_no_order_of_rows_changes_anything(exact: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 711: neither where one program chooses nor where blocks do."""
    monkeypatch.setattr(choosing, "EXACT", exact)
    values = np.random.default_rng(5).integers(20, 90, (4, 4, 2))
    release = marked(values, list(range(0, 40, 7)), [9] * 6, groups=(2,))
    how = TabularAdjustment(Fraction("0.5"), 20, "inverse")
    found = []
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(release.tables[0].codes))
        subject, changed, best = adjusted(replace(release, tables=(with_rows_in(release.tables[0], order),)), how)
        codes = map(tuple, subject.cells.codes.tolist())
        found.append((best, dict(zip(codes, changed.shown.units.tolist(), strict=True))))
    assert found[0] == found[1] == found[2]


def with_rows_in(table: Table, order: NDArray[np.int64]) -> Table:
    """The same rows in another order."""

    def ordered(value: Any) -> Any:
        if isinstance(value, Amounts):
            return Amounts(value.units[order], value.known[order])
        return value[order] if isinstance(value, np.ndarray) and len(value) == len(order) else value

    return replace(table, **{name: ordered(getattr(table, name)) for name in table.__dataclass_fields__})


def test_large_parts_are_searched_and_say_their_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 772: the search that parts beyond the limit get, on one whose optimum is known."""
    values = np.random.default_rng(1).integers(20, 90, (5, 5, 3))
    release = marked(values, list(range(0, 60, 9)), [9] * 7, groups=(2, 2))
    how = TabularAdjustment(Fraction("0.5"), 20)
    _, _, best = adjusted(release, how)
    assert best.status == "optimal"
    monkeypatch.setattr(choosing, "EXACT", 10)
    subject, changed, found = adjusted(release, how)
    assert fits(limits_of(subject, how), changed.shown.units - subject.value).all()
    assert not (subject.equations.matrix @ changed.shown.units).any()
    assert found.bound <= best.distortion <= found.distortion <= 1.3 * best.distortion


def test_blocks_never_make_it_worse_and_fractions_are_repaired() -> None:
    """CONVENTION 772."""
    values = np.random.default_rng(2).integers(20, 90, (4, 4, 4))
    subject = subject_of(marked(values, list(range(0, 90, 7)), [11] * 13))
    reach = np.full(len(subject.cells), 40, np.int64)
    moves = moves_of(subject, subject.sensitivity(None), Fraction("0.5"), reach)
    ((_, part),) = parts(subject, moves, np.ones(len(subject.cells), np.int64))
    first = searching.begin(part, Limits())
    assert first is not None
    assert part.allows(first)
    proof = least(part, Limits())
    better = improve(part, first, proof, Limits(), silent)
    assert part.allows(better)
    assert proof.bound <= part.change(better) <= part.change(first)
    above = part.change(better) - proof.bound
    assert -1e-3 <= proof.excess(part, better).sum() - above < 1 + 1e-3  # bounds are rounded up


@pytest.mark.parametrize("margins", [[], [(0, 1), (1, 2)], [(0, 1), (0, 2), (1, 2)]])
def test_what_is_not_whole_becomes_whole_and_adds_up(margins: list[tuple[int, int]]) -> None:
    """CONVENTION 829 and 830: also where one sum follows from two tables, so that adding up breaks relations."""
    values = np.random.default_rng(7).integers(20, 90, (5, 4, 3))
    release = marked(values, list(range(0, 18, 4)), [7] * 5, groups=(2,), margins=margins)
    subject = subject_of(release)
    reach = np.full(len(subject.cells), 40, np.int64)
    moves = moves_of(subject, subject.sensitivity(None), Fraction("0.5"), reach)
    random = np.random.default_rng(3)
    for _, part in parts(subject, moves, weights_of(subject, "inverse")):
        start = searching.begin(part, Limits())
        assert start is not None
        assert part.allows(start)
        assert 0 < least(part, Limits()).bound <= part.change(start)
        direction = np.where(start > 0, 1, -1)
        rough = start + random.uniform(-0.9, 0.9, len(start))
        mended = whole(part, rough, direction, Limits())
        assert mended is not None
        assert part.allows(mended)


def test_limits_that_are_too_narrow_name_the_cell_and_a_share_that_is_enough() -> None:
    """CONVENTION 770."""
    values = np.array([[40, 60], [50, 70]])
    with pytest.raises(InputError, match=r"cannot move by what protects it.*a share of 0.5 is enough"):
        adjusted(marked(values, [0], [13]), TabularAdjustment(Fraction("0.1")))
    _, changed, _ = adjusted(marked(values, [0], [13]), TabularAdjustment(Fraction("0.5")))
    assert abs(changed.shown.units[0] - 40) >= 13
    fives = np.full((2, 2), 5)  # each has to rise by 4 at least, and their sum by 10 at most
    with pytest.raises(InputError, match="adds up: what sensitive cells have to move leaves no change to this cell"):
        adjusted(marked(fives, [0, 1, 3, 4], [4] * 4), TabularAdjustment(Fraction("0.01"), 10))


@pytest.mark.parametrize(("distance", "enough"), [(45, 45 + 40), (40, 40 + 40), (200, 200 + 40)])
def test_where_no_share_is_enough_a_range_is_told_that_is(distance: int, enough: int) -> None:
    """CONVENTION 1022: the least one; a cell of 40 leaves values down to 0 possible, and not below."""
    release = marked(np.array([[40, 60], [50, 70]]), [0], [distance])
    for narrow in (0, enough - 1):
        with pytest.raises(InputError, match=rf"cannot move by what protects it.*\(a range of {enough} is enough\)"):
            adjusted(release, TabularAdjustment(Fraction("0.3"), narrow))
    _, changed, _ = adjusted(release, TabularAdjustment(Fraction("0.3"), enough))
    assert changed.shown.units[0] - 40 >= distance


def test_what_cannot_be_adjusted_is_refused() -> None:
    release = tabulated(np.array([[4, 6], [5, 7]]), intruder={"nonnegative": False})
    with pytest.raises(InputError, match="may be negative"):
        adjusted(release)
    for share, reach, message in (
        ("1", 0, "share"),
        ("0", 0, "share"),
        ("0.1234567", 0, "6 decimals"),
        ("0.5", -1, "range"),
    ):
        with pytest.raises(InputError, match=message):
            TabularAdjustment(Fraction(share), reach)


def test_cells_that_fall_short_are_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 1012: whichever way cells are to go at first, here up, and however the program is solved."""
    values = np.random.default_rng(4).integers(20, 90, (5, 5, 3))
    subject = subject_of(marked(values, list(range(0, 60, 6)), [9] * 10, groups=(2, 2)))
    reach = np.full(len(subject.cells), 20, np.int64)
    moves = moves_of(subject, subject.sensitivity(None), Fraction("0.5"), reach)
    ((_, part),) = parts(subject, moves, np.ones(len(subject.cells), np.int64))
    monkeypatch.setattr(searching, "_directions", lambda part: np.ones(len(part), np.int64))
    for large in (0, 20_000):
        monkeypatch.setattr("tableseal.suppression.protections.adjustment.program.LARGE", large)
        start = searching.begin(part, Limits())
        assert start is not None
        assert part.allows(start)
