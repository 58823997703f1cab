"""Tables of a job: read or tabulated, with totals, costs and everything that is set by hand."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log
from typing import Final

from tableseal.api.argus.changes import changed
from tableseal.api.argus.files import JobFiles
from tableseal.api.argus.plan import TablePlan
from tableseal.api.argus.rules import Settings, settings_of
from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus import commands as c
from tableseal.audit.io.argus.microdata import Records, Tabulated, read_microdata, tabulate
from tableseal.audit.io.argus.recode import Recode, read_recode
from tableseal.audit.io.argus.sums import with_totals
from tableseal.audit.io.argus.table import ArgusTable, Row
from tableseal.audit.io.argus.tabular import FREQUENCY, Specified, read_table
from tableseal.audit.model import Note, Status

BY_FREQUENCY, BY_UNIT, BY_DISTANCE = "-1", "-2", "-3"
"""Costs that a job asks for by number."""

_COST_DIGITS: Final = 6


@dataclass(frozen=True)
class Built:
    """A table of a job. kept: cells that are withheld by hand. microdata: who contributes, and the same for the shadow
    variable. distance: costs are steps to the next sensitive cell."""

    plan: TablePlan
    table: ArgusTable
    settings: Settings
    kept: tuple[tuple[str, ...], ...] = ()
    records: Records | None = None
    tabulated: Tabulated | None = None
    shadow: Tabulated | None = None
    distance: bool = False


def build_table(plan: TablePlan, files: JobFiles) -> Built:
    """One table as the job wants it.

    Raises
    ------
    InputError: whatever in its files cannot be used.
    """
    by_number = plan.specify.cost in (BY_FREQUENCY, BY_UNIT, BY_DISTANCE)
    cost = None if by_number else plan.specify.cost
    built = _of_microdata(plan, cost, files) if plan.data.micro else _of_table(plan, cost, files)
    for note in built.settings.notes:
        files.notes.append(Note("argus_rule", f"{_line(plan.rules)}: {note}."))
    table = _with_zeros(built.table, built.settings)
    kept: list[tuple[str, ...]] = []
    for command in plan.changes:
        table, more = changed(table, command, *files.found(command.file, command.at))
        kept += more
    table = _with_margins(table, built.settings)
    table = _with_costs(table, plan.specify)
    return replace(built, table=table, kept=tuple(kept), distance=plan.specify.cost == BY_DISTANCE)


def _of_table(plan: TablePlan, cost: str | None, files: JobFiles) -> Built:
    folder, data = files.found(plan.data.file, plan.data.at)
    where, described = files.found(plan.metadata.file, plan.metadata.at)
    if where.root != folder.root:
        raise InputError("data and metadata must lie in one folder.", at=plan.metadata.at)
    specify = plan.specify
    wanted = Specified(specify.variables, specify.response, specify.shadow, cost)
    table = read_table(folder, data, described, wanted, specify.at)
    assert isinstance(plan.read, c.ReadTable)
    if plan.read.totals == 1:
        table = with_totals(table, keep_status=plan.read.keep)
    elif plan.read.totals == 2:
        text = f"{_line(plan.read)}: <READTABLE> 2 is read as 0: a table that does not add up cannot be judged."
        files.notes.append(Note("argus_additivity", text))
    settings = settings_of(plan.rules, holdings=False, counts=table.kind == "count")
    if settings.weighted:
        raise InputError("WGT(1) is for microdata: a table has no weights.", at=_place(plan.rules))
    return Built(plan, table, settings)


def _of_microdata(plan: TablePlan, cost: str | None, files: JobFiles) -> Built:
    folder, data = files.found(plan.data.file, plan.data.at)
    where, described = files.found(plan.metadata.file, plan.metadata.at)
    if where.root != folder.root:
        raise InputError("data and metadata must lie in one folder.", at=plan.metadata.at)
    records = read_microdata(folder, data, described, plan.data.at)
    counts = plan.specify.response.upper() == FREQUENCY
    settings = settings_of(plan.rules, holdings=bool(records.metadata.of_role("holding")), counts=counts)
    recodes = {recode.variable: _recode(recode, files) for recode in plan.recodes}

    def made(response: str) -> Tabulated:
        specify = plan.specify
        return tabulate(
            records, specify.variables, response, folder, specify.at, weighted=settings.weighted, recodes=recodes
        )

    found = made(plan.specify.response)
    table, shadow = found.table, None
    if plan.specify.shadow is not None:
        shadow = made(plan.specify.shadow)
        table = _joined(table, shadow.table, lambda row, value: replace(row, shadow=value))
    if cost is not None:
        table = _joined(table, made(cost).table, lambda row, value: replace(row, cost=abs(value or Fraction(0))))
    return Built(plan, table, settings, records=records, tabulated=found, shadow=shadow)


def _joined(table: ArgusTable, other: ArgusTable, put: Callable[[Row, Fraction | None], Row]) -> ArgusTable:
    values = {row.codes: row.value for row in other.rows}
    return replace(table, rows=tuple(put(row, values.get(row.codes)) for row in table.rows))


def _recode(command: c.RecodeTable, files: JobFiles) -> Recode | int:
    if isinstance(command.by, int):
        return command.by
    folder, name = files.found(command.by, command.at)
    return read_recode(folder.text(name, command.at), name)


def _with_zeros(table: ArgusTable, settings: Settings) -> ArgusTable:
    """ZERO: a zero that somebody contributes to is unsafe. MIS: a cell with a missing code is safe."""
    missing = [found.missing for found in table.variables.values()]
    rows = []
    for row in table.rows:
        if settings.missing_safe and any(code in codes for code, codes in zip(row.codes, missing, strict=True)):
            if row.status in ("", Status.PUBLISHED.word):
                row = replace(row, status=Status.CONSENT.word)
        elif settings.zero is not None and row.value == 0 and (row.frequency or 0) > 0 and _open(row):
            row = replace(row, status=Status.PRIMARY.word, lower=Fraction(0), upper=settings.zero)
        rows.append(row)
    return replace(table, rows=tuple(rows))


def _open(row: Row) -> bool:
    return row.status in ("", Status.PUBLISHED.word)


def _with_margins(table: ArgusTable, settings: Settings) -> ArgusTable:
    """MAN: cells that are unsafe by hand, of which nothing else says how wide they must stay."""
    if not settings.manual:
        return table

    def margin(row: Row) -> Row:
        if row.status != Status.PRIMARY.word or row.value is None:
            return row
        around = abs(row.value) * settings.manual / 100
        return replace(
            row,
            lower=around if row.lower is None else row.lower,
            upper=around if row.upper is None else row.upper,
        )

    return replace(table, rows=tuple(margin(row) for row in table.rows))


def _with_costs(table: ArgusTable, specify: c.SpecifyTable) -> ArgusTable:
    """Costs that the job asks for, to its power; those of a-priori files stand."""
    by: Callable[[Row], Fraction | int | None]
    if specify.cost == BY_FREQUENCY:
        if table.kind == "magnitude" and all(row.frequency is None for row in table.rows):
            raise InputError("cost -1 is the number of contributors, which the data do not have.", at=specify.at)
        by = _frequency if table.kind == "magnitude" else _value
    elif specify.cost == BY_UNIT:
        by = _one
    elif specify.cost == BY_DISTANCE:
        return replace(table, rows=tuple(replace(row, cost=None) for row in table.rows))
    elif specify.power != 1:
        by = _value
    else:
        return table
    rows = []
    for row in table.rows:
        said = row.cost if specify.cost not in (BY_FREQUENCY, BY_UNIT) and row.cost is not None else by(row)
        rows.append(
            replace(row, cost=None if said is None else _raised(abs(Fraction(said)), specify.power, specify.at))
        )
    return replace(table, rows=tuple(rows))


def _frequency(row: Row) -> int | None:
    return row.frequency


def _value(row: Row) -> Fraction | None:
    return row.value


def _one(row: Row) -> int:
    return 1


def _raised(cost: Fraction, power: Fraction, place: Place) -> Fraction:
    """A cost to a power, with six decimals; to 0: its logarithm."""
    if power == 1:
        return cost
    try:
        value = (log(cost) if cost > 1 else 0.0) if power == 0 else float(cost) ** float(power) if cost else 0.0
    except OverflowError:
        raise InputError("a cost to this power is too large.", at=place) from None
    return Fraction(str(round(value, _COST_DIGITS)))


def _line(command: c.Command | None) -> str:
    return str(_place(command))


def _place(command: c.Command | None) -> Place:
    assert command is not None
    return command.at
