"""A window of a table: some lines and columns of one of its two-way pieces."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.report.grid import Heading, Panel, Sheet, Shown
from tableseal.audit.report.workbench.cells import KINDS
from tableseal.audit.report.workbench.opened import Workbench

LINES, COLUMNS = 40, 20
"""Most lines and columns of a window."""

WORST = 12
"""Most pieces that are named as the worst ones."""

_FINDINGS = [KINDS.index("exposed"), KINDS.index("underprotected")]


@dataclass(frozen=True)
class Where:
    """Which window. table: "" for the worst one. codes: classification -> code, of those that are neither lines nor
    columns; without them the worst piece. line, column: the first one, from 1. findings: only lines with a finding.
    around: a cell of the table, which goes before codes, line and column."""

    table: str = ""
    codes: Mapping[str, str] = field(default_factory=dict)
    line: int = 1
    column: int = 1
    findings: bool = False
    around: int | None = None


@dataclass(frozen=True)
class Choice:
    """A classification that stands at one code in a piece."""

    variable: str
    codes: tuple[str, ...]
    chosen: str


@dataclass(frozen=True)
class Piece:
    """A piece of a table with something to look at. open: cells that the report lists."""

    codes: tuple[tuple[str, str], ...]
    findings: int
    open: int


@dataclass(frozen=True)
class Window:
    """A window. lines, columns: how many the piece has; of the table: the cells that it has, that the report lists, and
    its findings."""

    sheet: Sheet
    panel: Panel
    choices: tuple[Choice, ...]
    worst: tuple[Piece, ...]
    line: int
    lines: int
    column: int
    columns: int
    cells: int
    open: int
    findings: int


def window(bench: Workbench, where: Where) -> Window:
    """The window that is asked for; one that begins behind the end is the last one.

    Raises
    ------
    InputError: a table, classification or code that is not there.
    """
    table = bench.table(where.table) if where.table else _worst_table(bench)
    cells = bench.members(table)
    if where.around is not None and where.around not in cells:
        raise InputError(f'cell: table "{bench.tables[table].name}" has no such cell.')
    codes = bench.column("codes")[cells]
    moving = [v for v in range(codes.shape[1]) if len(codes) and (codes[:, v] != codes[0, v]).any()]
    row, column, others = (moving[0] if moving else None), (moving[-1] if len(moving) > 1 else None), moving[1:-1]
    found = np.isin(bench.column("kind")[cells], _FINDINGS)
    listed = cells < bench.listed
    pieces, piece_of = np.unique(codes[:, others], axis=0, return_inverse=True)
    piece_of = piece_of.ravel()
    findings = np.bincount(piece_of[found], minlength=len(pieces))
    opens = np.bincount(piece_of[listed], minlength=len(pieces))
    by_place = np.lexsort(
        [bench.variables[v].rank[pieces[:, n]] for n, v in enumerate(others)][::-1] or [[0] * len(pieces)]
    )
    by_need = by_place[np.lexsort((-opens[by_place], -findings[by_place]))]
    chosen = _chosen(bench, where, others, pieces, by_need)
    inside = (codes[:, others] == chosen).all(axis=1)
    part, part_codes, part_found = cells[inside], codes[inside], found[inside]
    lines = _ordered(bench, row, part_codes[part_found] if where.findings else part_codes)
    across = _ordered(bench, column, part_codes)
    line, other = where.line, where.column
    if where.around is not None:
        here = bench.column("codes")[where.around]
        line = _middle(lines, row, here, LINES)
        other = _middle(across, column, here, COLUMNS)
    first_line, first_column = _begin(line, len(lines), LINES), _begin(other, len(across), COLUMNS)
    panel = _panel(
        bench,
        (row, column),
        (part, part_codes),
        (lines[first_line : first_line + LINES], across[first_column : first_column + COLUMNS]),
        bench.measures[bench.tables[table].measure],
    )
    return Window(
        sheet=_sheet(bench, table, codes, moving, (row, column)),
        panel=panel,
        choices=tuple(_choice(bench, v, n, pieces, int(chosen[n])) for n, v in enumerate(others)),
        worst=tuple(
            Piece(
                tuple((bench.variables[v].name, bench.variables[v].codes[pieces[p, n]]) for n, v in enumerate(others)),
                int(findings[p]),
                int(opens[p]),
            )
            for p in by_need[: WORST if others else 0].tolist()
            if opens[p]
        ),
        line=first_line + 1,
        lines=len(lines),
        column=first_column + 1,
        columns=len(across),
        cells=len(cells),
        open=int(listed.sum()),
        findings=int(found.sum()),
    )


def _worst_table(bench: Workbench) -> int:
    """The first table with a finding, or with an open cell, or the first."""
    kind = bench.column("kind")
    for test in (lambda own: np.isin(kind[own], _FINDINGS), lambda own: own < bench.listed):
        for table in range(len(bench.tables)):
            if test(bench.members(table)).any():
                return table
    return 0


def _chosen(
    bench: Workbench, where: Where, others: list[int], pieces: NDArray[np.int32], by_need: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Codes of the piece; classifications that are not said stand as in the worst piece that fits what is said."""
    if where.around is not None:
        here: NDArray[np.int32] = bench.column("codes")[where.around][others]
        return here
    said = {bench.variable(name): code for name, code in where.codes.items()}
    wanted = {n: bench.variables[v].position(said[v]) for n, v in enumerate(others) if v in said}
    best: NDArray[np.int32]
    for best in pieces[by_need]:
        if all(best[n] == code for n, code in wanted.items()):
            return best
    # No piece has these codes: an empty one is shown.
    empty = pieces[by_need[0]].copy() if len(pieces) else np.zeros(len(others), np.int32)
    for n, code in wanted.items():
        empty[n] = code
    return empty


def _choice(bench: Workbench, variable: int, n: int, pieces: NDArray[np.int32], chosen: int) -> Choice:
    about = bench.variables[variable]
    codes = sorted(np.unique(pieces[:, n]).tolist(), key=about.rank.__getitem__)
    return Choice(about.name, tuple(about.codes[code] for code in codes), about.codes[chosen])


def _ordered(bench: Workbench, variable: int | None, codes: NDArray[np.int32]) -> list[int]:
    """Codes of a variable that occur, in drawing order; -1 for no variable."""
    if variable is None:
        return [-1] if len(codes) else []
    return sorted(np.unique(codes[:, variable]).tolist(), key=bench.variables[variable].rank.__getitem__)


def _begin(first: int, of: int, size: int) -> int:
    """Where a window begins, from 0."""
    return max(0, min(first - 1, of - size))


def _middle(codes: list[int], variable: int | None, here: NDArray[np.int32], size: int) -> int:
    """Where a window begins, from 1, that has the code of a cell in its middle."""
    at = -1 if variable is None else int(here[variable])
    return (codes.index(at) if at in codes else 0) + 1 - size // 2


def _panel(
    bench: Workbench,
    axes: tuple[int | None, int | None],
    part: tuple[NDArray[np.int32], NDArray[np.int32]],
    shown: tuple[list[int], list[int]],
    measure: str,
) -> Panel:
    (row, column), (cells, codes), (lines, across) = axes, part, shown

    def within(variable: int | None, wanted: list[int]) -> NDArray[np.bool_]:
        return np.ones(len(cells), np.bool_) if variable is None else np.isin(codes[:, variable], wanted)

    visible = np.flatnonzero(within(row, lines) & within(column, across))
    words = bench.words(cells[visible].tolist())
    at = {
        (-1 if row is None else int(codes[n, row]), -1 if column is None else int(codes[n, column])): int(cells[n])
        for n in visible.tolist()
    }
    nothing = Shown("", "")

    def drawn(line: int, other: int) -> Shown:
        cell = at.get((line, other))
        return nothing if cell is None else Shown(words[cell].text, words[cell].style, cell, words[cell].hint)

    return Panel(
        title="",
        columns=tuple(_heading(bench, column, code, measure) for code in across),
        lines=tuple(
            (_heading(bench, row, line, measure), tuple(drawn(line, other) for other in across)) for line in lines
        ),
        open=int((cells < bench.listed).sum()),
        findings=int(np.isin(bench.column("kind")[cells], _FINDINGS).sum()),
        expanded=True,
    )


def _heading(bench: Workbench, variable: int | None, code: int, measure: str) -> Heading:
    if variable is None:
        return Heading(measure, 0)
    return Heading(bench.variables[variable].codes[code], bench.variables[variable].depth[code])


def _sheet(
    bench: Workbench, table: int, codes: NDArray[np.int32], moving: list[int], axes: tuple[int | None, int | None]
) -> Sheet:
    fixed = [v for v in range(codes.shape[1]) if len(codes) and v not in moving]
    away = [(bench.variables[v], int(codes[0, v])) for v in fixed if codes[0, v] != bench.variables[v].total]
    row, column = axes
    return Sheet(
        name=bench.tables[table].name,
        measure=bench.measures[bench.tables[table].measure],
        row_variable="" if row is None else bench.variables[row].name,
        column_variable="" if column is None else bench.variables[column].name,
        fixed=", ".join(f"{variable.name} = {variable.codes[code]}" for variable, code in away),
        panels=(),
        left_out=0,
    )
