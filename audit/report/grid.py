"""The tables of a release as grids to draw: what stands in which line and column, and how each cell is shown.

Only what the release publishes (`Table.value`) and what the report says is used: a grid drawn from a public
report holds nothing confidential.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tableseal.audit.codec.exact_json import decimal_text
from tableseal.audit.errors import InputError
from tableseal.audit.linear.absent import complete
from tableseal.audit.linear.keys import KeySpace
from tableseal.audit.model.release import Release, Table
from tableseal.audit.model.status import Status
from tableseal.audit.report.cell_words import map_words, risk_style
from tableseal.audit.report.model import Report, ReportCell
from tableseal.audit.report.outline import Outline, outline_of
from tableseal.audit.report.words import HTML, number, printable

EXPANDED = 6
"""Most sub-tables of one table that are unfolded from the start."""

Codes = tuple[int, ...]


@dataclass(frozen=True)
class Heading:
    """A code and how deep it stands in its classification."""

    text: str
    depth: int


@dataclass(frozen=True)
class Shown:
    """One drawn cell. `style`: class names; `number`: position in the report, None if it is not listed
    there."""

    text: str
    style: str
    number: int | None = None
    hint: str = ""


@dataclass(frozen=True)
class Panel:
    """A two-way piece of a table: `title` names the codes of all other variables."""

    title: str
    columns: tuple[Heading, ...]
    lines: tuple[tuple[Heading, tuple[Shown, ...]], ...]
    open: int
    findings: int
    expanded: bool


@dataclass(frozen=True)
class Sheet:
    """One table. `fixed`: variables that stand at one code other than their total; `left_out`: cells not
    drawn."""

    name: str
    measure: str
    row_variable: str
    column_variable: str
    fixed: str
    panels: tuple[Panel, ...]
    left_out: int


def sheets(release: Release, report: Report, room: int) -> list[Sheet]:
    """Every table of the release as a sheet. room: most cells that are drawn; beyond, only lines with a listed cell.

    Raises
    ------
    InputError: the report names a variable or code that the release does not have.
    """
    places = [_place(release, cell) for cell in report.cells]
    listed = {(cell.measure, place): n for n, (cell, place) in enumerate(zip(report.cells, places, strict=True))}
    own = [
        [
            place
            for cell, place in zip(report.cells, places, strict=True)
            if cell.table == table.name or table.name in cell.also_in
        ]
        for table in release.tables
    ]

    def shown(table: Table, rows: Mapping[Codes, int], unlisted: Mapping[Codes, Shown]) -> Callable[[Codes], Shown]:
        return _Audited(release, report, table, listed, rows, unlisted).shown

    def alarming(position: int) -> bool:
        return report.cells[position].verdict in ("exposed", "underprotected")

    return drawn(release, own, shown, alarming, room)


def drawn(
    release: Release,
    own: Sequence[list[Codes]],
    shown: Callable[[Table, Mapping[Codes, int], Mapping[Codes, Shown]], Callable[[Codes], Shown]],
    alarming: Callable[[int], bool],
    room: int,
) -> list[Sheet]:
    """Every table of the release as a sheet.

    own: for each table, the places that matter most (drawn first where there is no room for all). shown: from a table,
    the row of each of its places and what it releases without a row, to what is drawn at a place. alarming: whether a
    numbered cell counts as a finding. room: most cells that are drawn; beyond, only lines that hold a listed cell.
    """
    outlines = [outline_of(hierarchy) for hierarchy in release.variables.values()]
    found: list[Sheet] = []
    left = room
    for table, matter in zip(release.tables, own, strict=True):
        rows: dict[Codes, int] = {}
        for row, codes in enumerate(table.codes.tolist()):
            rows.setdefault(tuple(codes), row)
        unlisted = _unlisted(release, table, left - len(rows))
        places = list(dict.fromkeys([*rows, *unlisted, *matter]))
        drawing = _Drawing(release, table, outlines, shown(table, rows, unlisted), alarming)
        sheet, used = drawing.sheet(places, matter, left)
        found.append(sheet)
        left -= used
    return found


def _place(release: Release, cell: ReportCell) -> Codes:
    """Code positions of a reported cell, in the order of the release's variables."""
    codes = dict(cell.cell)
    try:
        return tuple(hierarchy.index[codes[name]] for name, hierarchy in release.variables.items())
    except KeyError as missing:
        raise InputError(
            f"The report does not belong to this release: table {cell.table} of the report has a cell "
            f"that lacks or misnames {missing}."
        ) from None


@dataclass(frozen=True)
class _Drawing:
    """One table with all that is needed to draw it. shown: what is drawn at a place; alarming: of a numbered cell."""

    release: Release
    table: Table
    outlines: list[Outline]
    shown: Callable[[Codes], Shown]
    alarming: Callable[[int], bool]

    def sheet(self, places: list[Codes], own: list[Codes], budget: int) -> tuple[Sheet, int]:
        """The sheet, and how many cells it draws. `own`: places that matter most."""
        names = list(self.release.variables)
        moving = [v for v in range(len(names)) if len({place[v] for place in places}) > 1]
        row, column = (moving[0] if moving else None), (moving[-1] if len(moving) > 1 else None)
        others = moving[1:-1]
        panels_of: dict[Codes, list[Codes]] = {}
        for place in _within(places, own, column, budget):
            panels_of.setdefault(tuple(place[v] for v in others), []).append(place)
        keys = sorted(panels_of, key=lambda key: [self.outlines[v].rank[c] for v, c in zip(others, key, strict=True)])
        panels: list[Panel] = []
        expanded = 0
        for key in keys:
            title = ", ".join(f"{printable(names[v])} = {self._code(v, c)}" for v, c in zip(others, key, strict=True))
            panel = self._panel(title, panels_of[key], row, column, unfold=expanded < EXPANDED)
            expanded += panel.expanded
            panels.append(panel)
        used = sum(len(panel) for panel in panels_of.values())
        at = places[0] if places else ()
        fixed = [v for v in range(len(at)) if v not in moving and self._code(v, at[v]) != self._total(v)]
        sheet = Sheet(
            name=printable(self.table.name),
            measure=printable(self.table.measure),
            row_variable="" if row is None else printable(names[row]),
            column_variable="" if column is None else printable(names[column]),
            fixed=", ".join(f"{printable(names[v])} = {self._code(v, at[v])}" for v in fixed),
            panels=tuple(panels),
            left_out=len(places) - used,
        )
        return sheet, used

    def _total(self, variable: int) -> str | None:
        return list(self.release.variables.values())[variable].total

    def _code(self, variable: int, code: int) -> str:
        return printable(list(self.release.variables.values())[variable].codes[code])

    def _headings(self, variable: int | None, places: Iterable[Codes]) -> list[tuple[int, Heading]]:
        """(code, heading) of the codes that occur, in drawing order; one heading without a code for no
        variable."""
        if variable is None:
            return [(-1, Heading(printable(self.table.measure), 0))]
        outline = self.outlines[variable]
        codes = sorted({place[variable] for place in places}, key=outline.rank.__getitem__)
        return [(code, Heading(self._code(variable, code), outline.depth[code])) for code in codes]

    def _panel(
        self,
        title: str,
        places: list[Codes],
        row: int | None,
        column: int | None,
        unfold: bool,
    ) -> Panel:
        columns = self._headings(column, places)
        at = {
            (-1 if row is None else place[row], -1 if column is None else place[column]): self.shown(place)
            for place in places
        }
        nothing = Shown("", "")
        lines = tuple(
            (heading, tuple(at.get((code, other), nothing) for other, _ in columns))
            for code, heading in self._headings(row, places)
        )
        numbers = [shown.number for shown in at.values() if shown.number is not None]
        findings = sum(map(self.alarming, numbers))
        return Panel(
            title=title,
            columns=tuple(heading for _, heading in columns),
            lines=lines,
            open=len(numbers),
            findings=findings,
            expanded=unfold and (findings > 0 or not title),
        )


@dataclass(frozen=True)
class _Audited:
    """What an audited release shows at each place of a table.

    listed: position in the report of (measure, place). rows, unlisted: see `drawn`.
    """

    release: Release
    report: Report
    table: Table
    listed: Mapping[tuple[str, Codes], int]
    rows: Mapping[Codes, int]
    unlisted: Mapping[Codes, Shown]

    def shown(self, place: Codes) -> Shown:
        """The cell at a place."""
        row = self.rows.get(place)
        value = None if row is None else self._value(row)
        position = self.listed.get((self.table.measure, place))
        if position is not None:
            cell = self.report.cells[position]
            text, hint = map_words(cell, value)
            return Shown(text, risk_style(cell), position, hint)
        if value is not None:
            return Shown(value, "v")
        if row is None:
            return self.unlisted[place]
        if self.table.status[row] == Status.STRUCTURAL_ZERO:
            return Shown("0", "v z", hint="structural zero")
        return Shown("×", "v e", hint="withheld in this table, released otherwise")

    def _value(self, row: int) -> str | None:
        units = self.table.value.get(row)
        return None if units is None else amount(self.release, self.table, units)


def amount(release: Release, table: Table, units: int) -> str:
    """A published value, with the decimals of the unit."""
    unit = release.measures[table.measure].unit
    places = len((decimal_text(unit) or "").partition(".")[2])
    return number(units * unit, HTML, places)


def _unlisted(release: Release, table: Table, room: int) -> dict[Codes, Shown]:
    """What a table releases without a row: sums computed for it and, as far as there is room, zeros."""
    done = complete(table, release, KeySpace.of(release))
    shown: dict[Codes, Shown] = {}
    for codes, units in zip(done.sum_codes.tolist(), done.sums.units.tolist(), strict=True):
        shown[tuple(codes)] = Shown(amount(release, table, units), "v", hint="computed and released")
    if len(done.zero_codes) + len(shown) <= room:
        zero = Shown("0", "v z", hint="no row: taken as zero")
        shown |= {tuple(codes): zero for codes in done.zero_codes.tolist()}
    return shown


def _within(places: list[Codes], own: list[Codes], column: int | None, budget: int) -> list[Codes]:
    """The places to draw: all of them or, where these are too many, whole lines that hold a reported cell."""
    if len(places) <= budget:
        return places

    def line(place: Codes) -> Codes:
        return tuple(code for variable, code in enumerate(place) if variable != column)

    wanted: dict[Codes, list[Codes]] = {line(place): [] for place in own}
    for place in places:
        if (found := wanted.get(line(place))) is not None:
            found.append(place)
    kept: list[Codes] = []
    for members in wanted.values():
        if len(kept) + len(members) > budget:
            break
        kept.extend(members)
    return kept
