"""<WRITETABLE> of a job: a table of a release -> files, by type of output."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from tableseal.api.argus.contributors import with_contributors
from tableseal.audit.errors import InputError
from tableseal.audit.io.argus import commands as c
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
CSV, PIVOT, CODE_VALUE, SBS, INTERMEDIATE, JJ = range(1, 7)

_OPTIONS: Final[Mapping[int, frozenset[str]]] = {
    CSV: frozenset(("QU",)),
    PIVOT: frozenset(("AS", "SE", "FL", "QU")),
    CODE_VALUE: frozenset(("AS", "SE", "FL", "QU")),
    SBS: frozenset(("HL", "QU")),
    INTERMEDIATE: frozenset(("SO", "HI", "SE", "QU", "AR")),
    JJ: frozenset(("TR",)),
}
"""Type -> options that change it. Others are allowed and say nothing, as in tau-ARGUS."""


def unused_options(command: c.WriteTable) -> str:
    """Options that are on and say nothing for this type, in words; empty if there are none."""
    used = _OPTIONS[command.type] - {"TR"}
    return listing(name for name, on in command.options.items() if on and name not in used)


def output_files(
    command: c.WriteTable, target: Path, release: Release, at: int, report: "Report | None", given: ArgusTable
) -> dict[Path, str]:
    """Path -> text of all files of an output, the one that is named last.

    release: the table's, protected where it was; at: its position; report: audit of it, for AR. given: the table as it
    was read.

    Raises
    ------
    InputError: what the type cannot hold.
    """
    try:
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
    match command.type:
        case 1:
            return {target: csv_text(shown, quotes=quotes)}
        case 2 | 3:
            text = code_value_text(
                shown,
                status=on.get("AS", False),
                header=on.get("FL", command.type == PIVOT),
                quotes=quotes,
                leave_out_empty=on.get("SE", False),
            )
            return {target: text}
        case 4:
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
    order = np.argsort(cells.listing_table, kind="stable")
    offset = sum(len(before.codes) for before in release.tables[:at])
    table, unit = release.tables[at], release.measures[release.tables[at].measure].unit
    listed = cells.listing_cell[order[offset : offset + len(table.codes)]].tolist()

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
