"""A plan file, or a bare list of tables -> Plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tableseal.audit.errors import InputError, Place, unknown
from tableseal.audit.io.document_types import validate
from tableseal.audit.io.files import Folder, decode, read_bytes
from tableseal.audit.io.sources import is_data_file, read_columns
from tableseal.audit.io.yaml_text import Document, parse_document
from tableseal.audit.plans.clusters import Cluster, clusters
from tableseal.audit.plans.document import VERSION_KEY, PlanDocument, PlannedTableDocument
from tableseal.audit.plans.equations import check_equations, read_equation
from tableseal.audit.plans.plan import Equation, PlannedTable, Spanning
from tableseal.audit.plans.sheet import Sheet, read_sheet
from tableseal.audit.wording import listing, quoted, repeated


@dataclass(frozen=True)
class Plan:
    """What a plan file says.

    document: validated; None: a bare list of tables. entries: name of a table -> its entry in a release file (raw).
    raw: the file as parsed. folder: where the files that it names lie.
    """

    title: str
    tables: tuple[PlannedTable, ...]
    equations: tuple[Equation, ...]
    clusters: tuple[Cluster, ...]
    document: PlanDocument | None
    entries: Mapping[str, Mapping[str, Any]]
    raw: Mapping[str, Any]
    folder: Path
    source: str


def read_plan(path: Path) -> Plan:
    """The plan in a YAML or JSON file, or the tables in a list of tables (CSV, Excel).

    Raises
    ------
    InputError: an unreadable file, unknown keys, measures, variables or populations, a name that stands twice,
        equations that contradict each other.
    """
    if is_data_file(path):
        sheet = read_sheet(read_columns(Folder(path.parent), path.name, Place(path.name)))
        found = clusters(sheet.tables, (), tuple(sheet.families.values()))
        return Plan(path.stem, sheet.tables, (), found, None, {}, {}, path.parent, path.name)
    text, _ = decode(read_bytes(path, source=path.name), path.name)
    return plan_from_document(parse_document(text, path.name, json_only=path.suffix.lower() == ".json"), path)


def plan_from_document(parsed: Document, path: Path) -> Plan:
    """The plan that a parsed document describes; `path`: of its file, for messages and the files that it names.

    Raises
    ------
    InputError: as for `read_plan`.
    """
    top = Place(path.name)
    if not isinstance(parsed, Mapping) or parsed.get(VERSION_KEY) != "1":
        version = parsed.get(VERSION_KEY) if isinstance(parsed, Mapping) else None
        shown = quoted(version) if isinstance(version, str) else "no such key"
        raise InputError(found=shown, expected=f"`{VERSION_KEY}: 1` at the top of a plan", at=top / VERSION_KEY)
    raw: dict[str, Any] = {key: value for key, value in parsed.items() if key != VERSION_KEY}
    document = validate(PlanDocument, raw, top)
    sheet = Sheet((), {})
    if document.sheet is not None:
        sheet = read_sheet(read_columns(Folder(path.parent), document.sheet, top / "sheet"))
    listed = [_planned(entry, top / "tables" / at) for at, entry in enumerate(document.tables)]
    tables = (*listed, *sheet.tables)
    if not tables:
        raise InputError("there are no tables; give `tables`, or a `sheet` that lists them.", at=top / "tables")
    for name in repeated(table.name for table in tables):
        raise InputError(f"the name {quoted(name)} is given to two tables.", at=top / "tables")
    _check_names(document, tables, top)
    measures = {table.measure for table in tables} | set(document.measures)
    equations = [read_equation(text, measures, top / "equations" / at) for at, text in enumerate(document.equations)]
    check_equations(equations, nonnegative=document.intruder.nonnegative)
    found = clusters(tables, equations, tuple(sheet.families.values()))
    names = [cluster.name for cluster in found]
    for name in document.clusters:
        if name not in names:
            raise unknown("cluster", name, names, top / "clusters")
    raw_tables: Sequence[Any] = raw.get("tables") or []
    entries = {
        entry.name: _entry(given, entry, document) for entry, given in zip(document.tables, raw_tables, strict=True)
    }
    entries |= {table.name: _of_sheet(table, document) for table in sheet.tables}
    return Plan(document.title, tables, tuple(equations), found, document, entries, raw, path.parent, path.name)


def spanning(text: str) -> Spanning:
    """`region@NUTS2`: a variable and one of its levels."""
    variable, _, level = text.partition("@")
    return Spanning(variable, level or None)


def _planned(entry: PlannedTableDocument, where: Place) -> PlannedTable:
    where = replace(where, table=entry.name)
    by = tuple(spanning(text) for text in entry.by or ())
    levels = {**{one.variable: one.level for one in by}, **entry.levels}
    own = tuple(Spanning(one.variable, levels.get(one.variable)) for one in by)
    if entry.by is None:  # finished: its variables are those of its columns, which nobody has read yet
        own = tuple(Spanning(variable) for variable in entry.columns.values())
    return PlannedTable(entry.name, entry.measure or "", own, entry.population or "", tuple(entry.where), where)


def _check_names(document: PlanDocument, tables: Sequence[PlannedTable], top: Place) -> None:
    for table in tables:
        if document.measures and table.measure not in document.measures:
            if not table.measure:
                raise InputError(
                    f"say which `measure` it is of; measures are {listing(document.measures)}.", at=table.where
                )
            raise unknown("measure", table.measure, document.measures, table.where)
        for one in table.by:
            if document.variables and one.variable not in document.variables:
                raise unknown("variable", one.variable, document.variables, table.where)
        if document.populations and table.population and table.population not in document.populations:
            raise unknown("population", table.population, document.populations, table.where)
    for name, chosen in document.populations.items():
        for variable in chosen:
            if variable not in document.variables:
                raise unknown("variable", variable, document.variables, top / "populations" / name)


def _entry(given: Mapping[str, Any], entry: PlannedTableDocument, document: PlanDocument) -> dict[str, Any]:
    """The entry of a release file for a table of the plan."""
    found = {key: value for key, value in given.items() if key != "population"}
    if entry.by is not None:
        levels = {one.variable: one.level for one in map(spanning, entry.by) if one.level is not None}
        found["by"] = [spanning(text).variable for text in entry.by]
        if levels or entry.levels:
            found["levels"] = {**levels, **entry.levels}
    where = {**document.populations.get(entry.population or "", {}), **entry.where}
    return {**found, "where": where} if where else found


def _of_sheet(table: PlannedTable, document: PlanDocument) -> dict[str, Any]:
    levels = {one.variable: one.level for one in table.by if one.level is not None}
    where = document.populations.get(table.population, {})
    return {
        "name": table.name,
        "measure": table.measure,
        "by": [one.variable for one in table.by],
        **({"levels": levels} if levels else {}),
        **({"where": dict(where)} if where else {}),
    }
