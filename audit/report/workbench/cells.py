"""Every distinct cell of a release in columns: those of the report first, in its order, then all others."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.linear.absent import complete
from tableseal.audit.linear.keys import KeySpace, Lookup
from tableseal.audit.model.release import Release, Table
from tableseal.audit.model.status import Status
from tableseal.audit.report.model import Report, ReportCell
from tableseal.audit.report.words import secondary_exposure, severity

KINDS = ("exposed", "secondary", "underprotected", "undecided", "protected", "not_judged", "published")
"""What is known of a cell in a word; `secondary`: exposed, but not sensitive; `published`: not in the report."""

ZEROS = 1_000_000
"""More zeros without a row than this are left out: nothing but that is known of them."""


class Mark(IntFlag):
    """What else there is to say of a cell."""

    KNOWN = 1
    """Its value is published."""
    INSIDER = 2
    STEPS = 4
    BEYOND_HELP = 8
    IMPLIED = 16
    """No row lists it, and it is given away all the same: a finding of its own."""
    NO_ROW = 32
    """Computed for a table, or taken as zero."""


@dataclass(frozen=True)
class Columns:
    """All cells (n) of a release.

    codes: int32 (n x variables), -1 where no code stands for what is meant. measure: int16. value: int64, whole
    multiples of the unit, where `KNOWN` is among the marks (uint8). kind: uint8, place in `KINDS`. worst: int32, place
    of each cell in the report, the worst first. values, risk, low: float64 of each cell in the report; no limit: inf.
    members: int32, cells of all tables, one table after another from where `starts` (tables + 1) says.
    """

    codes: NDArray[np.int32]
    measure: NDArray[np.int16]
    value: NDArray[np.int64]
    marks: NDArray[np.uint8]
    kind: NDArray[np.uint8]
    worst: NDArray[np.int32]
    values: NDArray[np.float64]
    risk: NDArray[np.float64]
    low: NDArray[np.float64]
    members: NDArray[np.int32]
    starts: NDArray[np.int64]


@dataclass(frozen=True)
class _Rows:
    """Rows of a table, then what it releases without one."""

    codes: NDArray[np.int32]
    value: NDArray[np.int64]
    known: NDArray[np.bool_]
    no_row: NDArray[np.bool_]


def columns_of(release: Release, report: Report) -> Columns:
    """The cells of a release and what a report says of them.

    Raises
    ------
    InputError: the report does not belong to this release.
    """
    space = KeySpace.of(release)
    measures = list(release.measures)
    listed = (*report.cells, *report.implied)
    codes = _codes(release, report)
    own = [measures.index(cell.measure) for cell in listed]
    rows = [_rows(release, table, space) for table in release.tables]

    every_code = np.concatenate([codes, *(part.codes for part in rows)])
    of_table = [
        np.full(len(part.codes), measures.index(t.measure)) for t, part in zip(release.tables, rows, strict=True)
    ]
    every_measure = np.concatenate([np.array(own, np.int32), *of_table]).astype(np.int32)
    cell_of, first = _distinct(space, every_measure, every_code, len(listed), len(report.cells))

    marks = np.zeros(len(first), np.uint8)
    value = np.zeros(len(first), np.int64)
    has_row = np.zeros(len(first), np.bool_)
    members: list[NDArray[np.int32]] = []
    at = len(listed)
    for table, part in zip(release.tables, rows, strict=True):
        cells = cell_of[at : at + len(part.codes)]
        at += len(cells)
        fresh = part.known & (marks[cells] & Mark.KNOWN == 0)
        value[cells[fresh]] = part.value[fresh]
        marks[cells[fresh]] |= np.uint8(Mark.KNOWN)
        has_row[cells[~part.no_row]] = True
        further = [n for n, c in enumerate(report.cells) if c.table == table.name or table.name in c.also_in]
        together = np.concatenate([cells, np.array(further, np.int64)])
        members.append(together[np.sort(np.unique(together, return_index=True)[1])].astype(np.int32))
    marks[~has_row] |= np.uint8(Mark.NO_ROW)
    _mark(marks, report, listed)
    kind = np.full(len(first), KINDS.index("published"), np.uint8)
    kind[: len(listed)] = [_kind(cell) for cell in listed]
    order = sorted(range(len(listed)), key=lambda n: (severity(listed[n]), n))
    worst = np.empty(len(listed), np.int32)
    worst[order] = np.arange(len(listed))
    return Columns(
        codes=every_code[first],
        measure=every_measure[first].astype(np.int16),
        value=value,
        marks=marks,
        kind=kind,
        worst=worst,
        values=_floats([cell.possible.at_most for cell in listed], np.inf),
        risk=_floats([cell.risk for cell in listed], np.inf),
        low=_floats([None if cell.lower is None else float(cell.lower) for cell in listed], -np.inf),
        members=np.concatenate(members) if members else np.empty(0, np.int32),
        starts=np.cumsum([0, *map(len, members)]),
    )


def _codes(release: Release, report: Report) -> NDArray[np.int32]:
    """Positions of codes of all reported cells; what no code stands for (`implied` only) is -1."""
    listed = (*report.cells, *report.implied)
    found = np.full((len(listed), len(release.variables)), -1, np.int32)
    for n, cell in enumerate(listed):
        codes = dict(cell.cell)
        for v, (name, hierarchy) in enumerate(release.variables.items()):
            position = hierarchy.index.get(codes.get(name, ""))
            if position is not None:
                found[n, v] = position
            elif n < len(report.cells):
                raise InputError(
                    f"The report does not belong to this release: table {cell.table} of the report has a cell that "
                    f"lacks or misnames {name}."
                )
    return found


def _rows(release: Release, table: Table, space: KeySpace) -> _Rows:
    done = complete(table, release, space)
    zeros = done.zero_codes if len(done.zero_codes) <= ZEROS else done.zero_codes[:0]
    nothing = np.zeros(len(zeros), np.int64)
    zero = table.status == Status.STRUCTURAL_ZERO
    added = len(zeros) + len(done.sum_codes)
    return _Rows(
        codes=np.concatenate([table.codes, done.sum_codes, zeros]).astype(np.int32),
        value=np.concatenate([np.where(table.value.known, table.value.units, 0), done.sums.units, nothing]),
        known=np.concatenate([table.value.known | zero, done.sums.known, nothing == 0]),
        no_row=np.concatenate([np.zeros(len(table.codes), np.bool_), np.ones(added, np.bool_)]),
    )


def _distinct(
    space: KeySpace, measure: NDArray[np.int32], codes: NDArray[np.int32], listed: int, reported: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(cell of each row, row that stands for each cell); the listed rows are cells of their own, and come first.

    reported: those behind them (`implied`) have no row anywhere, and are looked up by nobody.
    """
    rest = space.keys(measure[listed:], codes[listed:])
    place = Lookup.of(space.keys(measure[:reported], codes[:reported])).find(rest)
    new = np.flatnonzero(place < 0)
    _, first, group = np.unique(rest[new], return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    place[new] = listed + rank[group.ravel()]
    return (
        np.concatenate([np.arange(listed), place]),
        np.concatenate([np.arange(listed), listed + new[np.sort(first)]]),
    )


def _mark(marks: NDArray[np.uint8], report: Report, listed: Sequence[ReportCell]) -> None:
    helpless = {(found.measure, found.cell) for found in report.beyond_help}
    for n, cell in enumerate(listed):
        more = Mark.INSIDER if cell.insider and cell.reason != "ranks" else Mark(0)
        more |= Mark.STEPS if cell.steps else Mark(0)
        more |= Mark.BEYOND_HELP if (cell.measure, cell.cell) in helpless else Mark(0)
        more |= Mark.IMPLIED if n >= len(report.cells) else Mark(0)
        marks[n] |= np.uint8(more)


def _kind(cell: ReportCell) -> int:
    return KINDS.index("secondary" if secondary_exposure(cell) else cell.verdict)


def _floats(given: Sequence[float | int | None], missing: float) -> NDArray[np.float64]:
    return np.array([missing if one is None else one for one in given], np.float64)
