"""A report as JSON, schema tableseal/report/1."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import overload

from audit.model.release import Note
from audit.report.exact_json import Json, dumps
from audit.report.model import (
    InsiderFinding,
    OverTables,
    PanelEntry,
    Report,
    ReportCell,
    Reveals,
    Step,
    Summary,
    Term,
)

SCHEMA = "tableseal/report/1"
"""Name and version of the shape; a change that breaks readers gets a new number."""


@cache
def engine_version() -> str:
    """Version of the installed package, "unknown" when it runs from a folder that was never installed."""
    try:
        return version("tableseal")
    except PackageNotFoundError:
        return "unknown"


def report_json(report: Report, *, indent: int | None = 1) -> str:
    """The report as JSON text: keys in the order of the schema, numbers as exact decimals of the measure.

    Same report, same text, byte for byte. Bounds that have no finite decimal (1/3, only possible for `lp` and
    for what insiders estimate) are written as the nearest float.
    """
    return dumps(_document(report, _Cells(report.cells)), indent=indent)


def report_document(report: Report) -> dict[str, Json]:
    """The report as nested dicts and lists, numbers still exact; for embedding it in another result."""
    return _document(report, list(_Cells(report.cells)))


class _Cells(Sequence[Json]):
    """Cells that become dicts one by one, while they are written: those of a million cells would fill a gigabyte."""

    def __init__(self, cells: Sequence[ReportCell]) -> None:
        self._cells = cells

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Json]:
        return map(_cell, self._cells)

    @overload
    def __getitem__(self, at: int) -> Json: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Json]: ...

    def __getitem__(self, at: int | slice) -> Json:
        return _Cells(self._cells[at]) if isinstance(at, slice) else _cell(self._cells[at])


def _document(report: Report, cells: Sequence[Json]) -> dict[str, Json]:
    policy = report.policy_sha256
    return {
        "schema": SCHEMA,
        "verdict": report.verdict,
        "confidential": report.confidential,
        "release": {"title": report.title, "sha256": report.release_sha256 or None},
        "policy": None if policy is None else {"sha256": policy},
        "engine": {"version": engine_version(), "bounds": report.bounds},
        "summary": _summary(report.summary),
        "risk_panel": [_entry(entry) for entry in report.risk_panel],
        "cells": cells,
        "notes": [_note(note) for note in report.notes],
    }


def _summary(summary: Summary) -> dict[str, Json]:
    return {name: getattr(summary, name) for name in Summary.__dataclass_fields__}


def _note(note: Note) -> dict[str, Json]:
    return {"code": note.code, "text": note.text, "count": note.count}


def _cell(cell: ReportCell) -> dict[str, Json]:
    written: dict[str, Json] = {
        "table": cell.table,
        "also_in": cell.also_in,
        "measure": cell.measure,
        "cell": dict(cell.cell),
        "status": cell.status,
        "truth": cell.truth,
        "lower": cell.lower,
        "upper": cell.upper,
        "attained": _pair(cell.attained),
        "exact": cell.exact,
        "lp": _pair(cell.lp),
        "possible": {"at_least": cell.possible.at_least, "at_most": cell.possible.at_most},
        "entropy_bits": cell.entropy_bits,
        "risk": cell.risk,
        "required": _pair(cell.required),
        "verdict": cell.verdict,
        "basis": cell.basis,
        "reason": cell.reason,
        "reveals": None if cell.reveals is None else _reveals(cell.reveals),
        "insider": None if cell.insider is None else _insider(cell.insider),
        "sensitive": cell.sensitive,
        "rule": cell.rule,
    }
    if cell.steps:
        written["steps"] = [_step(step) for step in cell.steps]
    if cell.over_tables is not None:
        written["over_tables"] = _over_tables(cell.over_tables)
    if cell.rank is not None:
        written["rank"] = {"alone": cell.rank.alone, "recomputable": cell.rank.recomputable}
    return written


def _entry(entry: PanelEntry) -> dict[str, Json]:
    return {
        "measure": entry.measure,
        "title": entry.title,
        "figures": [{"name": f.name, "label": f.label, "value": f.value} for f in entry.figures],
        "tells": entry.tells,
        "does_not_tell": entry.does_not_tell,
        "public": entry.public,
    }


def _over_tables(found: OverTables) -> dict[str, Json]:
    return {
        "entropy_bits": found.entropy_bits,
        "method": found.method,
        "tables": found.tables,
        "ci": list(found.ci),
        "ess": found.ess,
        "rhat": found.rhat,
    }


def _pair(ends: Sequence[Fraction | None] | None) -> Json:
    return None if ends is None else list(ends)


def _reveals(reveals: Reveals) -> dict[str, Json]:
    return {
        "kind": reveals.kind,
        "terms": [[term.coefficient, _term(term)] for term in reveals.terms],
        "text": reveals.text,
    }


def _term(term: Term) -> dict[str, Json]:
    if term.link is not None:
        return {"link": term.link}
    named: dict[str, Json] = {"table": term.table, "cell": dict(term.cell)}
    if term.measure is not None:
        named["measure"] = term.measure
    return named


def _insider(insider: InsiderFinding) -> dict[str, Json]:
    return {"who": insider.who, "estimates": _pair(insider.estimates)}


def _step(step: Step) -> dict[str, Json]:
    return {"table": step.table, "lower": step.lower, "upper": step.upper, "risk": step.risk}
