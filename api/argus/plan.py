"""Commands of a job -> what is to be done, in order; whatever can be checked without the data is checked here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus import commands as c
from tableseal.audit.wording import listing, quoted


@dataclass(frozen=True)
class TablePlan:
    """One table: where its data are, how it is specified, its rules, and what is changed before it is protected."""

    data: c.OpenData
    metadata: c.OpenMetadata
    specify: c.SpecifyTable
    rules: c.SafetyRule | None = None
    read: c.ReadTable | c.ReadMicrodata | None = None
    changes: tuple[c.Apriori, ...] = ()
    recodes: tuple[c.RecodeTable, ...] = ()


@dataclass(frozen=True)
class Section:
    """Tables, and what is done with them; <CLEAR> begins another one."""

    tables: tuple[TablePlan, ...] = ()
    actions: tuple[c.Suppress | c.WriteTable, ...] = ()


@dataclass(frozen=True)
class Plan:
    """A job. texts: files of text that it asks for. passed_over: commands that mean nothing here."""

    sections: tuple[Section, ...]
    texts: tuple[c.WriteText, ...] = ()
    passed_over: tuple[c.PassedOver, ...] = ()

    @property
    def outputs(self) -> tuple[c.WriteTable, ...]:
        """All tables that are written."""
        return tuple(
            action for section in self.sections for action in section.actions if isinstance(action, c.WriteTable)
        )


@dataclass(frozen=True)
class Method:
    """What a method of tau-ARGUS is here. ours: name of our search, or of our method that changes values. arguments:
    fewest and most behind the table. why: what differs. values: values are changed, nothing is withheld. outputs: types
    of output that hold what it gives."""

    ours: str
    arguments: tuple[int, int]
    why: str
    values: bool = False
    outputs: tuple[int, ...] = (1, 2, 3, 4, 5, 6)


METHODS: Final[Mapping[str, Method]] = {
    "GH": Method("heuristic", (0, 3), "the hypercube is ours `heuristic`, which sees all equations at once"),
    "MOD": Method("modular", (0, 7), "ours is `modular`: sub-table by sub-table, then made safe on the whole"),
    "OPT": Method("optimal", (0, 1), "ours is `optimal`; linked tables, too"),
    "NET": Method("network", (0, 0), "ours is `network`, for tables of two variables"),
    "RND": Method(
        "controlled-rounding",
        (1, 6),
        "ours is `controlled-rounding`: the nearest multiples of the base that add up, of all cells at once; steps, "
        "partitions and the stopping rule say nothing here",
        values=True,
        outputs=(1, 2, 3),
    ),
    "CTA": Method(
        "tabular-adjustment",
        (0, 0),
        "ours is `tabular-adjustment`: every sensitive cell moves by its protection level at least, and readers are "
        "told the largest change, as a share of what is published",
        values=True,
        outputs=(1, 2, 3),
    ),
    "CKM": Method(
        "cell-key",
        (0, 0),
        "ours is `cell-key`, with the keys and perturbation tables that the metadata or the job name",
        values=True,
        outputs=(1, 2, 3, 7),
    ),
}
"""Method -> ours."""

_ORDER: Final = {
    "data": "<OPENTABLEDATA> or <OPENMICRODATA>",
    "metadata": "<OPENMETADATA>",
    "table": "<SPECIFYTABLE>",
    "read": "<READTABLE> or <READMICRODATA>",
}


@dataclass
class _Maker:
    """A plan in the making. open: tables that are specified and not read yet."""

    data: c.OpenData | None = None
    metadata: c.OpenMetadata | None = None
    tables: list[TablePlan] = field(default_factory=list)
    actions: list[c.Suppress | c.WriteTable] = field(default_factory=list)
    protected: dict[int, c.Suppress] = field(default_factory=dict)

    def section(self, at: Place) -> Section:
        """What was planned, if all of it is there."""
        for number, table in enumerate(self.tables, start=1):
            if table.read is None:
                raise InputError(f"the table is never read; expected {_ORDER['read']} behind it.", at=table.specify.at)
            by = self.protected.get(number)
            if table.data.micro and table.rules is None and (by is None or not METHODS[by.method].values):
                text = f"the table of line {table.specify.at.line} has no <SAFETYRULE>, and microdata have no statuses."
                raise InputError(text, at=table.read.at)
        if self.data is not None and self.metadata is None:
            raise InputError(f"expected {_ORDER['metadata']} behind it.", at=self.data.at)
        if not self.tables:
            raise InputError(f"no table is specified; expected {_ORDER['data']}, {_ORDER['metadata']} and "
                             f"{_ORDER['table']}.", at=at)  # fmt: skip
        return Section(tuple(self.tables), tuple(self.actions))

    def table(self, number: int, at: Place, *, read: bool = True) -> TablePlan:
        """A table that is named by its number."""
        if not 1 <= number <= len(self.tables):
            expected = f"a number from 1 to {len(self.tables)}" if self.tables else "a table that is specified before"
            raise InputError(found=f"table {number}", expected=expected, at=at)
        found = self.tables[number - 1]
        if read and found.read is None:
            raise InputError(f"table {number} is not read yet; expected {_ORDER['read']} before.", at=at)
        return found


def make_plan(found: Sequence[c.Command], source: str) -> Plan:
    """The plan of a job.

    Raises
    ------
    InputError: commands out of order, tables that are not there, methods that are not available, arguments that mean
        nothing; names the line.
    """
    maker, sections = _Maker(), list[Section]()
    texts, passed_over = list[c.WriteText](), list[c.PassedOver]()
    for command in found:
        match command:
            case c.PassedOver():
                passed_over.append(command)
            case c.WriteText():
                texts.append(command)
            case c.Clear():
                if maker.tables or maker.data is not None:
                    sections.append(maker.section(command.at))
                maker = _Maker()
            case _:
                if isinstance(command, c.WriteTable) and command.number is not None:
                    passed_over.append(_numbered(command, command.number))
                _plan(maker, command)
    if maker.tables or maker.data is not None or not sections:
        sections.append(maker.section(Place(source)))
    plan = Plan(tuple(sections), tuple(texts), tuple(passed_over))
    _refuse_same_files(plan)
    return plan


def _numbered(command: c.WriteTable, number: int) -> c.PassedOver:
    """What is said of a number in place of options."""
    taken = "".join(f"{name}{'+' if on else '-'}" for name, on in command.options.items()) or "no options"
    return c.PassedOver(command.at, "<WRITETABLE>", f"{number} in place of options (older versions) is read as {taken}")


def _plan(maker: _Maker, command: c.Command) -> None:
    match command:
        case c.OpenData():
            if maker.data is not None and (maker.metadata is None or not maker.tables):
                raise InputError(f"data were opened in line {maker.data.at.line} already.", at=command.at)
            if command.micro and maker.tables:
                raise InputError("microdata are opened once, before all tables.", at=command.at)
            maker.data, maker.metadata = command, None
        case c.OpenMetadata():
            if maker.data is None:
                raise InputError(f"expected {_ORDER['data']} before.", at=command.at)
            maker.metadata = command
        case c.SpecifyTable():
            if maker.data is None or maker.metadata is None:
                raise InputError(f"expected {_ORDER['data']} and {_ORDER['metadata']} before.", at=command.at)
            maker.tables.append(TablePlan(maker.data, maker.metadata, command))
        case c.SafetyRule():
            if not maker.tables or maker.tables[-1].rules is not None or maker.tables[-1].read is not None:
                raise InputError("expected <SPECIFYTABLE> before, and one <SAFETYRULE> for each.", at=command.at)
            maker.tables[-1] = replace(maker.tables[-1], rules=command)
        case c.ReadTable() | c.ReadMicrodata():
            _read(maker, command)
        case c.Apriori():
            maker.table(command.table, command.at)
            _refuse_protected(maker, command.table, command.at)
            _change(maker, command.table, changes=(*maker.tables[command.table - 1].changes, command))
        case c.RecodeTable():
            table = maker.table(command.table, command.at)
            _refuse_protected(maker, command.table, command.at)
            if not table.data.micro:
                raise InputError("a table that is read cannot be recoded; expected microdata.", at=command.at)
            if command.variable.casefold() not in {name.casefold() for name in table.specify.variables}:
                names = listing(table.specify.variables)
                raise InputError(found=quoted(command.variable), expected=f"one of {names}", at=command.at)
            _change(maker, command.table, recodes=(*table.recodes, command))
        case c.Suppress():
            _suppress(maker, command)
        case c.WriteTable():
            maker.table(command.table, command.at)
            _refuse_type(maker.protected.get(command.table), command)
            maker.actions.append(command)


def _read(maker: _Maker, command: c.ReadTable | c.ReadMicrodata) -> None:
    micro = isinstance(command, c.ReadMicrodata)
    waiting = [at for at, table in enumerate(maker.tables) if table.read is None]
    if not waiting:
        raise InputError(f"expected {_ORDER['table']} before.", at=command.at)
    for at in waiting:
        table = maker.tables[at]
        if table.data.micro != micro:
            expected = "<READMICRODATA>" if table.data.micro else "<READTABLE>"
            raise InputError(f"what was opened in line {table.data.at.line} is read by {expected}.", at=command.at)
        maker.tables[at] = replace(table, read=command)


def _suppress(maker: _Maker, command: c.Suppress) -> None:
    method = METHODS[command.method]
    numbers = range(1, len(maker.tables) + 1) if command.table == 0 else [command.table]
    for number in numbers or [1]:
        maker.table(number, command.at)
    for number in numbers if command.method == "CKM" else ():
        if not maker.tables[number - 1].data.micro:
            raise InputError("CKM: keys are those of records; expected microdata.", at=command.at)
    least, most = method.arguments
    if not least <= len(command.arguments) <= most:
        wanted = f"{least} to {most}" if least != most else f"{most}"
        text = f"{command.method} has {len(command.arguments)} arguments behind the table, expected {wanted}."
        raise InputError(text, at=command.at)
    if command.method == "RND" and not command.arguments[0]:
        raise InputError("RND: expected the base behind the table.", at=command.at)
    if len(command.behind) > 3:
        raise InputError("CKM: expected a table, a table for small cells and a number, with | between.", at=command.at)
    for argument in command.arguments[:2]:
        if argument and not (argument.isascii() and argument.replace(".", "", 1).isdigit()):
            raise InputError(found=quoted(argument), expected="a number", at=command.at)
    for number in numbers:
        maker.protected[number] = command
    maker.actions.append(command)


def _refuse_type(by: c.Suppress | None, command: c.WriteTable) -> None:
    """Values that were changed, and only these, are written as such."""
    outputs = METHODS[by.method].outputs if by is not None else METHODS["GH"].outputs
    if command.type in outputs:
        return
    if by is None or not METHODS[by.method].values:
        raise InputError("type 7 is for tables that <SUPPRESS> CKM changed.", at=command.at)
    expected = listing(map(str, outputs))
    text = f"type {command.type} has no place for values that {by.method} changed; expected type {expected}."
    raise InputError(text, at=command.at)


def _refuse_protected(maker: _Maker, number: int, at: Place) -> None:
    if number in maker.protected:
        line = maker.protected[number].at.line
        raise InputError(f"table {number} is protected in line {line} already; change it before.", at=at)


def _change(maker: _Maker, number: int, **changed: tuple[c.Command, ...]) -> None:
    maker.tables[number - 1] = replace(maker.tables[number - 1], **changed)  # type: ignore[arg-type]


def _refuse_same_files(plan: Plan) -> None:
    """Two outputs to one file would leave one of them."""
    seen: dict[str, int | None] = {}
    written: list[c.WriteTable | c.WriteText] = [*plan.outputs, *plan.texts]
    for command in written:
        name = command.file.replace("\\", "/").casefold()
        if name in seen:
            text = f"line {seen[name]} writes to {quoted(command.file)}, too; name two files."
            raise InputError(text, at=command.at)
        seen[name] = command.at.line
