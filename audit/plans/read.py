"""A plan file, or a bare list of tables -> Plan."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from pathlib import Path, PurePath
from typing import Any

from tableseal.audit.errors import InputError, Place, unknown
from tableseal.audit.io.codes import position, variable_columns
from tableseal.audit.io.document_types import validate
from tableseal.audit.io.files import Folder, OneFile, decode, read_bytes
from tableseal.audit.io.hierarchies import read_hierarchy
from tableseal.audit.io.made_tables import wanted_codes
from tableseal.audit.io.release_document import is_json
from tableseal.audit.io.sources import is_data_file, read_columns
from tableseal.audit.io.tables import data_columns, number_columns_of, status_sources
from tableseal.audit.io.yaml_text import Document, parse_document
from tableseal.audit.model import Hierarchy
from tableseal.audit.plans.clusters import Cluster, clusters
from tableseal.audit.plans.document import VERSION_KEY, MethodDocument, PlanDocument, PlannedTableDocument
from tableseal.audit.plans.equations import check_equations, read_equation
from tableseal.audit.plans.plan import Equation, PlannedTable, Spanning
from tableseal.audit.plans.sheet import Sheet, read_sheet
from tableseal.audit.plans.template import check_template
from tableseal.audit.wording import listing, quoted, repeated

_MOST_COMBINATIONS = 10_000
"""Tables that one entry of `combinations` may stand for: a slip in it would otherwise be waited for without end."""


@dataclass(frozen=True)
class Plan:
    """What a plan file says.

    document: validated; None: a bare list of tables. entries: name of a table -> its entry in a release file (raw).
    methods: name of a table -> what it says of its method.
    variables: its classifications. raw: the file as parsed. folder: where the files that it names lie.
    files: the plan itself, where it is one, and those that were read with it.
    """

    title: str
    tables: tuple[PlannedTable, ...]
    equations: tuple[Equation, ...]
    clusters: tuple[Cluster, ...]
    document: PlanDocument | None
    variables: Mapping[str, Hierarchy]
    entries: Mapping[str, Mapping[str, Any]]
    methods: Mapping[str, MethodDocument]
    raw: Mapping[str, Any]
    folder: Path
    source: str
    files: tuple[Path, ...]


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
        return Plan(path.stem, sheet.tables, (), found, None, {}, {}, {}, {}, path.parent, path.name, (path,))
    text, _ = decode(read_bytes(path, source=path.name), path.name)
    plan = plan_from_document(parse_document(text, path.name, json_only=is_json(path.name)), path)
    return replace(plan, files=(path, *plan.files))


def plan_from_document(parsed: Document, path: Path) -> Plan:
    """The plan that a parsed document describes; `path`: of its file (there need be none), for messages and the files
    that it names.

    Raises
    ------
    InputError: as for `read_plan`.
    """
    top = Place(path.name)
    raw, document = _validated(parsed, top)
    folder = Folder(path.parent)
    sheet = Sheet((), {})
    if document.sheet is not None:
        sheet = read_sheet(read_columns(folder, document.sheet, top / "sheet"))
    variables = {
        name: read_hierarchy(name, v, folder, top / "variables" / name) for name, v in document.variables.items()
    }
    listed = [
        _Listed(entry, given, top / "tables" / at)
        for at, (entry, given) in enumerate(zip(document.tables, raw.get("tables") or [], strict=True))
    ]
    listed += _combinations(document, raw.get("combinations") or [], top)
    tables: tuple[PlannedTable, ...] = (*(_planned(one, variables, folder) for one in listed), *sheet.tables)
    if not tables:
        raise InputError(
            "there are no tables; give `tables`, `combinations`, or a `sheet` that lists them.", at=top / "tables"
        )
    for name in repeated(table.name for table in tables):
        raise InputError(f"the name {quoted(name)} is given to two tables.", at=top / "tables")
    _check_names(document, tables, top)
    for table in tables:
        for one in table.by:
            if one.level is not None and one.variable in variables:
                wanted_codes(variables[one.variable], one.level, table.at)
    for name, chosen in document.populations.items():
        for variable, said in chosen.items():
            for code in [said] if isinstance(said, str) else said:
                position(code, variables[variable], top / "populations" / name / variable)
    entries = {one.entry.name: _entry(one.given, one.entry, document) for one in listed}
    entries |= {table.name: _of_sheet(table, document) for table in sheet.tables}
    if document.template is not None:
        owed = read_columns(folder, document.template, top / "template")
        check_template(owed, tables, {name: entry.get("where", {}) for name, entry in entries.items()}, variables)
    tables = tuple(_of_all(table, document) for table in tables)
    measures = tuple(dict.fromkeys((*document.measures, *(table.measure for table in tables))))
    equations = [read_equation(text, measures, top / "equations" / at) for at, text in enumerate(document.equations)]
    check_equations(equations, nonnegative=document.intruder.nonnegative)
    found = clusters(tables, equations, tuple(sheet.families.values()))
    names = [cluster.name for cluster in found]
    for name in document.clusters:
        if name not in names:
            raise unknown("cluster", name, names, top / "clusters")
    return Plan(
        document.title,
        tables,
        tuple(equations),
        found,
        document,
        variables,
        entries,
        {one.entry.name: one.entry for one in listed},
        raw,
        path.parent,
        path.name,
        tuple(folder.opened),
    )


def check_plan(content: bytes, name: str) -> None:
    """Refuse a plan that is wrong whatever lies beside it: syntax, keys and types.

    Raises
    ------
    InputError: where, what was found and expected; all errors of a document at once.
    """
    if is_data_file(PurePath(name)):
        read_sheet(read_columns(Folder(OneFile(name, content)), name, Place(name)))
        return
    text, _ = decode(content, name)
    _validated(parse_document(text, name, json_only=is_json(name)), Place(name))


def _validated(parsed: Document, top: Place) -> tuple[dict[str, Any], PlanDocument]:
    """A plan file as parsed, without its version, and as validated."""
    if not isinstance(parsed, Mapping) or parsed.get(VERSION_KEY) != "1":
        version = parsed.get(VERSION_KEY) if isinstance(parsed, Mapping) else None
        shown = quoted(version) if isinstance(version, str) else "no such key"
        raise InputError(found=shown, expected=f"`{VERSION_KEY}: 1` at the top of a plan", at=top / VERSION_KEY)
    raw: dict[str, Any] = {key: value for key, value in parsed.items() if key != VERSION_KEY}
    return raw, validate(PlanDocument, raw, top)


def spanning(text: str) -> Spanning:
    """`region@NUTS2`: a variable and one of its levels."""
    variable, sign, level = text.partition("@")
    return Spanning(variable, level if sign else None)


@dataclass(frozen=True)
class _Listed:
    """An entry of `tables`, as validated and as parsed."""

    entry: PlannedTableDocument
    given: Mapping[str, Any]
    where: Place


def _combinations(document: PlanDocument, given: Sequence[Mapping[str, Any]], top: Place) -> Iterator[_Listed]:
    """Entries for all combinations of variables that are asked for; a table never has one variable twice."""
    for at, (said, raw) in enumerate(zip(document.combinations, given, strict=True)):
        where = top / "combinations" / at
        asked = comb(len(said.of), said.choose) * len(said.measures or document.measures)
        if asked > _MOST_COMBINATIONS:
            raise InputError(found=f"{asked:,} tables", expected=f"at most {_MOST_COMBINATIONS:,}", at=where)
        chosen = [of for of in combinations(said.of, said.choose) if not repeated(spanning(t).variable for t in of)]
        if not chosen:
            raise InputError(found=str(said.choose), expected=f"at most {len(said.of)}", at=where / "choose")
        for measure in said.measures or document.measures:
            for by in chosen:
                words = (measure, said.population or "", *by)
                name = "_".join(word.replace("@", "_") for word in words if word)
                made: dict[str, Any] = {"name": name, "measure": measure, "by": list(by)}
                made |= {key: raw[key] for key in ("population", *MethodDocument.model_fields) if key in raw}
                yield _Listed(validate(PlannedTableDocument, made, where), made, where)


def _planned(listed: _Listed, variables: Mapping[str, Hierarchy], folder: Folder) -> PlannedTable:
    entry = listed.entry
    where = replace(listed.where, table=entry.name)
    by = tuple(spanning(text) for text in entry.by or ())
    levels = {**{one.variable: one.level for one in by}, **entry.levels}
    own = tuple(Spanning(one.variable, levels.get(one.variable)) for one in by)
    if entry.by is None:
        own = _of_columns(entry, variables, folder, where)
    return PlannedTable(entry.name, entry.measure or "", own, entry.population or "", tuple(entry.where), where)


def _of_columns(
    entry: PlannedTableDocument, variables: Mapping[str, Hierarchy], folder: Folder, where: Place
) -> tuple[Spanning, ...]:
    """Variables of a finished table: those of its columns in which more stands than the total."""
    columns = data_columns(entry.file, entry.cells, folder, where)
    taken = {*number_columns_of(entry), *(source.column for source in status_sources(entry, where))}
    named = variable_columns(columns, entry.columns, variables, taken, where)
    return tuple(
        Spanning(name)
        for name in variables
        if name in named and set(columns.data[named[name]]) - {variables[name].total}
    )


def _of_all(table: PlannedTable, document: PlanDocument) -> PlannedTable:
    """A table of a population that `populations` defines is about a part of all, as one with `where` is."""
    chosen = document.populations.get(table.population)
    return (
        table
        if chosen is None
        else replace(table, population="", fixed=tuple({**dict.fromkeys(table.fixed), **chosen}))
    )


def _check_names(document: PlanDocument, tables: Sequence[PlannedTable], top: Place) -> None:
    for table in tables:
        if document.measures and table.measure not in document.measures:
            if not table.measure:
                raise InputError(
                    f"say which `measure` it is of; measures are {listing(document.measures)}.", at=table.where
                )
            raise unknown("measure", table.measure, document.measures, table.where)
        for twice in repeated(one.variable for one in table.by):
            raise InputError(f"the variable {quoted(twice)} stands twice.", at=table.at)
        for one in table.by:
            if document.variables and one.variable not in document.variables:
                raise unknown("variable", one.variable, document.variables, table.where)
        if document.populations and table.population and table.population not in document.populations:
            raise unknown("population", table.population, document.populations, table.where)
    said = document.previous
    if said is not None and document.period is not None and said.period == document.period:
        expected = f"another period than {quoted(document.period)}, which is that of the plan"
        raise InputError(found=quoted(said.period), expected=expected, at=top / "previous" / "period")
    for key, ranges in () if said is None else (("growth", said.growth), ("change", said.change)):
        for name in ranges:
            if name not in document.measures:
                raise unknown("measure", name, document.measures, top / "previous" / key)
    for name, chosen in document.populations.items():
        for variable in chosen:
            if variable not in document.variables:
                raise unknown("variable", variable, document.variables, top / "populations" / name)


def _entry(given: Mapping[str, Any], entry: PlannedTableDocument, document: PlanDocument) -> dict[str, Any]:
    """The entry of a release file for a table of the plan."""
    found = {
        key: value for key, value in given.items() if key != "population" and key not in MethodDocument.model_fields
    }
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
