"""Rows of all tables -> distinct cells, with every disagreement reported."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import ContradictionError, InputError
from tableseal.audit.linear.absent import complete
from tableseal.audit.linear.causes import PART, PERIODS
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.consent import consented
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.keys import Keys, KeySpace
from tableseal.audit.linear.naming import interval_words, places_of, plural
from tableseal.audit.model import Amounts, Note, Release, Status, Table
from tableseal.audit.model.rounding import EXACT_METHODS, rounding_interval
from tableseal.audit.said import Said


@dataclass(frozen=True)
class _Rows:
    """All rows of all tables, one after another; row -1: not listed (absent zero or computed sum)."""

    table: NDArray[np.int32]
    row: NDArray[np.int64]
    measure: NDArray[np.int32]
    codes: NDArray[np.int32]
    status: NDArray[np.int8]
    rounded: NDArray[np.bool_]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    truth: Amounts
    impossible: NDArray[np.bool_]
    known_lower: Amounts
    known_upper: Amounts


def merge_cells(release: Release) -> tuple[Cells, tuple[Note, ...]]:
    """The distinct cells of a release, and notes on what was taken as zero, computed or listed twice.

    Raises
    ------
    ContradictionError: one cell with two values (or intervals that do not meet), in one table or in two.
    InputError: from `absent`.
    """
    space = KeySpace.of(release)
    notes: list[Note] = []
    parts = [_table_rows(release, t, space, notes) for t in range(len(release.tables))]
    rows = _concatenate(parts)
    first, group = _groups(rows, space.keys(rows.measure, rows.codes))
    cells = _merge(release, rows, first, group, notes)
    consent, more = consented(release, space.keys(cells.measure, cells.codes), cells.consent)
    notes += more
    earlier = np.array([measure.previous is not None for measure in release.measures.values()], np.bool_)
    consent |= earlier[cells.measure] & (cells.status <= Status.FROZEN)
    cells = replace(cells, consent=consent, status=_by_consent(cells.status, consent))
    return cells, tuple(notes)


def _by_consent(status: NDArray[np.int8], consent: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Released cells have status consent while the agreement holds; one that has ended leaves them published."""
    held = consent & (status <= Status.MUST_PUBLISH)
    status = np.where((status == Status.CONSENT) & ~consent, np.int8(Status.PUBLISHED), status)
    return np.where(held, np.int8(Status.CONSENT), status).astype(np.int8)


def _concatenate(parts: list[_Rows]) -> _Rows:
    return _Rows(
        table=np.concatenate([p.table for p in parts]),
        row=np.concatenate([p.row for p in parts]),
        measure=np.concatenate([p.measure for p in parts]),
        codes=np.concatenate([p.codes for p in parts]),
        status=np.concatenate([p.status for p in parts]),
        rounded=np.concatenate([p.rounded for p in parts]),
        lower=np.concatenate([p.lower for p in parts]),
        upper=np.concatenate([p.upper for p in parts]),
        truth=_end_to_end([p.truth for p in parts]),
        impossible=np.concatenate([p.impossible for p in parts]),
        known_lower=_end_to_end([p.known_lower for p in parts]),
        known_upper=_end_to_end([p.known_upper for p in parts]),
    )


def _end_to_end(parts: list[Amounts]) -> Amounts:
    return Amounts(np.concatenate([p.units for p in parts]), np.concatenate([p.known for p in parts]))


def _groups(rows: _Rows, keys: Keys) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(row that stands for each cell, cell of each row).

    The row is the first that lists the cell; cells are ordered by table and code, so that the order of rows in a file
    never matters.
    """
    _, by_key = np.unique(keys, return_inverse=True)
    by_key = by_key.ravel()
    order = np.lexsort((rows.row, rows.table, rows.row < 0, by_key))
    starts = np.flatnonzero(np.diff(by_key[order], prepend=-1))
    standing = order[starts]
    rank = np.empty(len(standing), dtype=np.int64)
    placed = np.lexsort((np.arange(len(standing)), rows.table[standing]))
    rank[placed] = np.arange(len(standing))
    return standing[placed].astype(np.int64), rank[by_key]


def _table_rows(release: Release, t: int, space: KeySpace, notes: list[Note]) -> _Rows:
    """Listed rows of one table, followed by what its `absent` setting adds."""
    table = release.tables[t]
    lower, upper, rounded = _said(table, release.intruder.nonnegative)
    done = complete(table, release, space)
    zeros, sums = len(done.zero_codes), len(done.sum_codes)
    name = table.name
    if zeros:
        leaves = plural(zeros, "leaf without a row was", "leaves without a row were")
        notes.append(Note("absent_zero", f'table "{name}": {leaves} taken as zero, known to everyone', zeros))
    if sums:
        notes.append(
            Note(
                "absent_computed",
                f'table "{name}": {plural(sums, "total was", "totals were")} computed and released',
                sums,
            )
        )
    added = zeros + sums
    fill = np.concatenate([np.zeros(zeros, np.int64), done.sums.units])
    index = list(release.measures).index(table.measure)
    n = len(table.codes) + added
    return _Rows(
        table=np.full(n, t, np.int32),
        row=np.concatenate([np.arange(len(table.codes)), np.full(added, -1)]).astype(np.int64),
        measure=np.full(n, index, np.int32),
        codes=np.concatenate([table.codes, done.zero_codes, done.sum_codes]).astype(np.int32),
        status=np.concatenate(
            [table.status, np.full(zeros, Status.STRUCTURAL_ZERO), np.full(sums, Status.PUBLISHED)]
        ).astype(np.int8),
        rounded=np.concatenate([rounded, np.zeros(added, np.bool_)]),
        lower=np.concatenate([lower, fill]),
        upper=np.concatenate([upper, fill]),
        truth=_end_to_end([table.truth, Amounts(fill, np.ones(added, np.bool_))]),
        impossible=np.zeros(n, np.bool_) if table.impossible is None else np.pad(table.impossible, (0, added)),
        known_lower=_end_to_end([table.lower, Amounts.none(added)]),
        known_upper=_end_to_end([table.upper, Amounts.none(added)]),
    )


def _said(table: Table, nonnegative: bool) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Interval that each row states (sentinels where it states nothing), and which rows state a rounded value."""
    released = (table.status <= Status.FROZEN) & table.value.known
    lower = np.where(released, table.value.units, NO_LOWER)
    upper = np.where(released, table.value.units, NO_UPPER)
    rounded = np.zeros(len(released), np.bool_)
    if table.rounding is not None:
        rounded = released.copy()
        low, high = rounding_interval(table.value.units[released], table.rounding, nonnegative)
        lower[released], upper[released] = low, high
    zero = table.status == Status.STRUCTURAL_ZERO
    lower[zero], upper[zero] = 0, 0
    lower = np.where(table.lower.known, np.maximum(lower, table.lower.units), lower)
    upper = np.where(table.upper.known, np.minimum(upper, table.upper.units), upper)
    if table.rounding is not None and table.rounding.method in EXACT_METHODS:
        rounded &= lower < upper
    return lower, upper, rounded


def _merge(
    release: Release, rows: _Rows, first: NDArray[np.int64], group: NDArray[np.int64], notes: list[Note]
) -> Cells:
    n = len(first)
    lower = np.full(n, NO_LOWER)
    upper = np.full(n, NO_UPPER)
    np.maximum.at(lower, group, rows.lower)
    np.minimum.at(upper, group, rows.upper)
    _refuse_contradictions(release, rows, group, lower, upper)
    _refuse_differing_duplicates(release, rows, group, notes)

    lowest = np.full(n, 127, np.int8)
    highest = np.full(n, -1, np.int8)
    np.minimum.at(lowest, group, rows.status)
    np.maximum.at(highest, group, rows.status)
    # Listed statuses only decide for listed cells: an absent zero beside a withheld row leaves the cell withheld. A
    # total that is computed is released like one with a row.
    listed = (rows.row >= 0) | (rows.status == Status.PUBLISHED)
    listed_low, listed_high = np.full(n, 127, np.int8), np.full(n, -1, np.int8)
    np.minimum.at(listed_low, group[listed], rows.status[listed])
    np.maximum.at(listed_high, group[listed], rows.status[listed])
    is_listed = listed_high >= 0
    low = np.where(is_listed, listed_low, lowest)
    high = np.where(is_listed, listed_high, highest)
    # A cell that is released is bound by every table that releases it: frozen in one of them, it is out.
    released = rows.status <= Status.FROZEN
    np.maximum.at(low, group[listed & released], rows.status[listed & released])
    status = np.where(low <= Status.STRUCTURAL_ZERO, low, high).astype(np.int8)

    def some(which: NDArray[np.bool_]) -> NDArray[np.bool_]:
        result = np.zeros(n, np.bool_)
        result[group[which]] = True
        return result

    sensitive = some(rows.status >= Status.WITHHELD)

    stated = listed & ((rows.status <= Status.STRUCTURAL_ZERO) & ~rows.rounded)
    exact = some(stated | ~listed)
    exact &= ~(is_listed & (status > Status.STRUCTURAL_ZERO))
    # A rounded cell whose exact value another table publishes is exact.
    rounded = some(rows.rounded) & ~exact

    truth = _first_known(rows.truth, group, n)
    # (Of cells that are not published: see audit.truths.)
    count = int((exact & (truth.units != lower) & truth.known).sum())
    if count:
        text = f"{count} true values beside withheld cells differ from what another table publishes; they are not used"
        notes.append(Note("truth_beside_withheld_differs", text, count))
    truth = Amounts(np.where(exact, lower, truth.units), truth.known | exact)
    listing = np.flatnonzero(rows.row >= 0)

    def known_of(column: Callable[[Table], Amounts | None], what: str) -> Amounts:
        return _knowledge(release, rows, group, n, column, what)

    ranks = range(max((len(t.contributors) for t in release.tables), default=0))
    return Cells(
        measure=rows.measure[first],
        codes=rows.codes[first],
        status=status,
        sensitive_status=sensitive,
        withheld_status=some(rows.status >= Status.SECONDARY),
        consent=some(rows.status == Status.CONSENT),
        unrounded=some(rows.rounded) & exact,
        absent_zero=some(~listed & (rows.status == Status.STRUCTURAL_ZERO)),
        rounded=rounded,
        lower=Amounts(np.where(lower == NO_LOWER, 0, lower), lower != NO_LOWER),
        upper=Amounts(np.where(upper == NO_UPPER, 0, upper), upper != NO_UPPER),
        known_lower=_strictest(rows.known_lower, group, n, np.maximum),
        known_upper=_strictest(rows.known_upper, group, n, np.minimum),
        exact=exact,
        truth=truth,
        impossible=some(rows.impossible),
        frequency=known_of(lambda t: t.frequency, "frequency"),
        weighted=known_of(lambda t: t.weighted, "sum of weights"),
        contributors=tuple(known_of(partial(_contributor, rank=k), f"contribution {k + 1}") for k in ranks),
        protection_lower=known_of(lambda t: t.protection_lower, "lower protection"),
        protection_upper=known_of(lambda t: t.protection_upper, "upper protection"),
        protection_sliding=known_of(lambda t: t.protection_sliding, "sliding protection"),
        table=rows.table[first],
        row=rows.row[first],
        listing_cell=group[listing],
        listing_table=rows.table[listing],
    )


def _strictest(amounts: Amounts, group: NDArray[np.int64], n: int, better: np.ufunc) -> Amounts:
    """The largest (or smallest) known amount of each cell."""
    none = NO_LOWER if better is np.maximum else NO_UPPER
    units = np.full(n, none, np.int64)
    better.at(units, group, np.where(amounts.known, amounts.units, none))
    return Amounts(np.where(units == none, 0, units), units != none)


def _first_known(amounts: Amounts, group: NDArray[np.int64], n: int) -> Amounts:
    at = np.flatnonzero(amounts.known)[::-1]
    units, known = np.zeros(n, np.int64), np.zeros(n, np.bool_)
    units[group[at]] = amounts.units[at]
    known[group[at]] = True
    return Amounts(units, known)


def _more(count: int, things: str) -> str:
    return f" ({count} such {things})" if count > 1 else ""


def _contributor(table: Table, rank: int) -> Amounts | None:
    return table.contributors[rank] if rank < len(table.contributors) else None


def _knowledge(
    release: Release,
    rows: _Rows,
    group: NDArray[np.int64],
    n: int,
    column: Callable[[Table], Amounts | None],
    what: str,
) -> Amounts:
    """One column of agency knowledge, merged over tables; two tables that disagree are an error."""
    units, known = np.zeros(len(group), np.int64), np.zeros(len(group), np.bool_)
    for t, table in enumerate(release.tables):
        amounts = column(table)
        if amounts is not None:
            at = np.flatnonzero((rows.table == t) & (rows.row >= 0))
            units[at], known[at] = amounts.units, amounts.known
    merged = _first_known(Amounts(units, known), group, n)
    differs = np.flatnonzero(known & (units != merged.units[group]))
    if len(differs):
        one, other = _pair(group, known, int(differs[0]))
        raise InputError(
            f"{_cell(release, rows, one)}: {_place(release, rows, one)} and {_place(release, rows, other)} "
            f"give a different {what} for the same cell{_more(len(differs), 'rows')}",
            places=places_of(release, rows, (one, other)),
        )
    return merged


def _pair(group: NDArray[np.int64], among: NDArray[np.bool_], row: int) -> tuple[int, int]:
    """The first row of the same cell, and the given one."""
    return int(np.flatnonzero((group == group[row]) & among)[0]), row


def _refuse_contradictions(
    release: Release,
    rows: _Rows,
    group: NDArray[np.int64],
    lower: NDArray[np.int64],
    upper: NDArray[np.int64],
) -> None:
    bad = np.flatnonzero(lower > upper)
    if len(bad) == 0:
        return
    members = np.flatnonzero(group == bad[0])
    one = int(members[np.argmax(rows.lower[members])])
    other = int(members[np.argmin(rows.upper[members])])
    one, other = min(one, other), max(one, other)
    more = f" ({len(bad)} cells disagree)" if len(bad) > 1 else ""
    if one == other:
        raise ContradictionError(
            f"{_cell(release, rows, one)}: {_place(release, rows, one)}: the released value and the bounds (lower, "
            f"upper) that the same row gives leave no value{more}",
            places=places_of(release, rows, (one,)),
        )
    same = rows.table[one] == rows.table[other]
    twice = "listed twice in one table" if same else "one cell, two values"
    both = f"{_statement(release, rows, one)}, but {_statement(release, rows, other)}{more}"
    raise ContradictionError(
        Said(f"{_cell(release, rows, one)}: {twice}: {both}", *(() if same else ("; ", PERIODS, "; ", PART))),
        places=places_of(release, rows, (one, other)),
    )


def _refuse_differing_duplicates(release: Release, rows: _Rows, group: NDArray[np.int64], notes: list[Note]) -> None:
    """Identical rows of one table count once (with a note); rows that differ are an error."""
    listed = np.flatnonzero(rows.row >= 0)
    order = listed[np.lexsort((rows.row[listed], group[listed], rows.table[listed]))]
    same = (rows.table[order[1:]] == rows.table[order[:-1]]) & (group[order[1:]] == group[order[:-1]])
    a, b = order[:-1][same], order[1:][same]
    if len(a) == 0:
        return
    differs = rows.status[a] != rows.status[b]
    for values in (rows.lower, rows.upper, rows.truth.units, rows.truth.known):
        differs |= values[a] != values[b]
    if differs.any():
        one, other = int(a[differs][0]), int(b[differs][0])
        raise ContradictionError(
            f"{_cell(release, rows, one)}: listed twice in one table, with different content: "
            f"{_statement(release, rows, one)}, but {_statement(release, rows, other)}",
            places=places_of(release, rows, (one, other)),
        )
    for t in np.unique(rows.table[a]).tolist():
        count = int((rows.table[a] == t).sum())
        text = f'table "{release.tables[t].name}": {count} rows repeat another row exactly and were counted once'
        notes.append(Note("duplicate_rows", text, count))


def _cell(release: Release, rows: _Rows, row: int) -> str:
    return "cell " + ", ".join(f"{v}={c}" for v, c in release.cell_codes(rows.codes[row]).items())


def _place(release: Release, rows: _Rows, row: int) -> str:
    table = release.tables[int(rows.table[row])]
    if rows.row[row] < 0:
        return f'table "{table.name}" (no row)'
    number = int(rows.row[row]) + 1 if table.rows is None else int(table.rows[rows.row[row]])
    return f'table "{table.name}"{f" ({table.source})" if table.source else ""} row {number}'


def _statement(release: Release, rows: _Rows, row: int) -> str:
    """What one row says of its cell; never a true value that is withheld."""
    unit = list(release.measures.values())[int(rows.measure[row])].unit
    place = _place(release, rows, row)
    low, high = int(rows.lower[row]), int(rows.upper[row])
    if rows.row[row] < 0 and rows.status[row] == Status.STRUCTURAL_ZERO:
        return f"{place} has none, which means zero (absent: leaves: zero)"
    if low == NO_LOWER and high == NO_UPPER:
        return f"{place} has status {Status(int(rows.status[row])).word}"
    return f"{place} says {interval_words(low, high, unit)}"
