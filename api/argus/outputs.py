"""<WRITETABLE> of a job: a table of a release -> files, by type of output."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tableseal.api.argus.contributors import with_contributors
from tableseal.api.argus.listed import listed_cells
from tableseal.audit.errors import InputError
from tableseal.audit.io.argus import commands as c
from tableseal.audit.io.argus.changed import ChangedColumns, as_published, changed_files
from tableseal.audit.io.argus.intermediate import Interval, intermediate_files
from tableseal.audit.io.argus.jj import jj_text
from tableseal.audit.io.argus.jj_write import jj_of
from tableseal.audit.io.argus.shown import ShownCell, ShownTable, shown_table
from tableseal.audit.io.argus.table import ArgusTable
from tableseal.audit.io.argus.written import code_value_text, csv_text, sbs_text
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import Release, Status
from tableseal.audit.rules.assess import assess
from tableseal.audit.wording import listing

if TYPE_CHECKING:
    from tableseal.audit.report.model import Report

FOR_READERS: Final = (1, 2, 3)
"""Types of output in which withheld values are hidden: such a table must be safe."""
CSV, PIVOT, CODE_VALUE, SBS, INTERMEDIATE, JJ, CELL_KEYS = range(1, 8)

_OPTIONS: Final[Mapping[int, frozenset[str]]] = {
    CSV: frozenset(("QU",)),
    PIVOT: frozenset(("AS", "SE", "FL", "QU")),
    CODE_VALUE: frozenset(("AS", "SE", "FL", "QU")),
    SBS: frozenset(("HL", "QU")),
    INTERMEDIATE: frozenset(("SO", "HI", "SE", "QU", "AR")),
    JJ: frozenset(("TR",)),
    CELL_KEYS: frozenset(("AO", "AD", "AC", "SE", "QU")),
}
"""Type -> options that change it. Others are allowed and say nothing, as in tau-ARGUS."""


def unused_options(command: c.WriteTable) -> str:
    """Options that are on and say nothing for this type, in words; empty if there are none."""
    used = _OPTIONS[command.type] - {"TR"}
    return listing(name for name, on in command.options.items() if on and name not in used)


def output_files(
    command: c.WriteTable,
    target: Path,
    release: Release,
    at: int,
    report: "Report | None",
    given: ArgusTable,
    keys: Sequence[str] | None = None,
) -> dict[Path, str]:
    """Path -> text of all files of an output, the one that is named last.

    release: the table's, protected where it was; at: its position; report: audit of it, for AR. given: the table as it
    was read. keys: of each row, where values were changed by cell keys (empty: by another method); None: they were not.

    Raises
    ------
    InputError: what the type cannot hold.
    """
    try:
        if keys is not None:
            return _changed_files(command, target, release, at, keys)
        return _files(command, target, release, at, report, given)
    except InputError as error:
        if error.at is not None:
            raise
        raise InputError(f"<WRITETABLE>: {error}", at=command.at) from None


def _files(
    command: c.WriteTable, target: Path, release: Release, at: int, report: "Report | None", given: ArgusTable
) -> dict[Path, str]:
    on = command.options
    quotes = on.get("QU", True)
    if command.type == JJ:
        return {target: jj_text(jj_of(_alone(release, at)))}
    listed = with_contributors(release, at, holdings=on.get("HI", False))
    shown = _judged(shown_table(listed, at), release, at)
    if command.type in FOR_READERS:
        return {target: _for_readers(command, shown)}
    if command.type == SBS:
        return {target: sbs_text(shown, levels=on.get("HL", False), quotes=quotes)}
    files = intermediate_files(
        _with_shadow(shown, given),
        target.stem,
        simple=on.get("SO", False),
        quotes=quotes,
        leave_out_empty=on.get("SE", False),
        audited=_intervals(shown, report) if on.get("AR", False) and report is not None else None,
    )
    data = files.pop(f"{target.stem}.tab")
    return {target.with_name(name): text for name, text in files.items()} | {target: data}


def _for_readers(command: c.WriteTable, shown: ShownTable) -> str:
    """Types 1 to 3."""
    on = command.options
    quotes = on.get("QU", True)
    if command.type == CSV:
        return csv_text(shown, quotes=quotes)
    return code_value_text(
        shown,
        status=on.get("AS", False),
        header=on.get("FL", command.type == PIVOT),
        quotes=quotes,
        leave_out_empty=on.get("SE", False),
    )


def _changed_files(
    command: c.WriteTable, target: Path, release: Release, at: int, keys: Sequence[str]
) -> dict[Path, str]:
    """Types 1 to 3, and type 7 with its metadata."""
    shown = shown_table(as_published(release, at), at)
    if command.type in FOR_READERS:
        return {target: _for_readers(command, shown)}
    on, table = command.options, release.tables[at]
    unit = release.measures[table.measure].unit
    files = changed_files(
        shown,
        [units * unit for units in table.truth.units.tolist()],
        keys,
        target.stem,
        ChangedColumns(on.get("AO", False), on.get("AD", False), on.get("AC", False)),
        quotes=on.get("QU", True),
        leave_out_empty=on.get("SE", False),
    )
    data = files.pop("")
    return {target.with_name(name): text for name, text in files.items()} | {target: data}


def _with_shadow(shown: ShownTable, given: ArgusTable) -> ShownTable:
    """The table with its shadow variable, if that is something else, and the largest contributions to that."""
    if not given.has_own_shadow:
        return shown
    rows = {row.codes: row for row in given.rows}
    cells = [
        replace(cell, shadow=rows[cell.codes].shadow, tops=cell.tops or rows[cell.codes].tops)
        if cell.codes in rows
        else cell
        for cell in shown.cells
    ]
    return replace(shown, cells=tuple(cells))


def _alone(release: Release, at: int) -> Release:
    """The release of one table."""
    table = release.tables[at]
    return replace(release, tables=(table,), measures={table.measure: release.measures[table.measure]})


def _judged(shown: ShownTable, release: Release, at: int) -> ShownTable:
    """The table with the rule that makes a cell sensitive, and with what it requires as distances."""
    if release.policy is None or not release.policy.primary:
        return shown
    cells, _ = merge_cells(release)
    found = assess(release, cells, release.policy)
    unit = release.measures[release.tables[at].measure].unit
    listed = listed_cells(release, cells, at).tolist()

    def judged(cell: ShownCell) -> ShownCell:
        number = listed[cell.row]
        low, high = found.required_lower.get(number), found.required_upper.get(number)
        if cell.status != Status.PRIMARY or cell.value is None:
            return cell
        lower = cell.lower if low is None else max(cell.value - low * unit, Fraction(0))
        upper = cell.upper if high is None else max(high * unit - cell.value, Fraction(0))
        return replace(cell, rule=found.rule[number], lower=lower, upper=upper)

    return replace(shown, cells=tuple(judged(cell) for cell in shown.cells))


def _intervals(shown: ShownTable, report: "Report") -> dict[tuple[str, ...], Interval]:
    """What a reader can find of each cell that is not published."""
    names = [hierarchy.name for hierarchy in shown.dimensions]
    found: dict[tuple[str, ...], Interval] = {}
    for cell in report.cells:
        if cell.measure == shown.table.measure:
            codes = dict(cell.cell)
            found[tuple(codes[name] for name in names)] = (cell.lower, cell.upper)
    return found
