"""A report as JSON, schema tableseal/report/1."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from tableseal.audit.model.release import Note
from tableseal.audit.report.called import called
from tableseal.audit.report.exact_json import Json, Written, array, dumps, entry, object_of
from tableseal.audit.report.model import (
    BeyondHelp,
    CellRank,
    InsiderFinding,
    OverTables,
    PanelEntry,
    Possible,
    Report,
    ReportCell,
    Reveals,
    Step,
    Summary,
    Term,
)
from tableseal.audit.version import engine_version

SCHEMA = "tableseal/report/1"
"""Name and version of the shape; a change that breaks readers gets a new number."""

OPTIONAL = ("steps", "over_tables", "rank")
"""Keys of a cell that are left out where there is nothing to say."""

LAST = ("sensitive", "rule", *OPTIONAL)
KEYS = (*(key for key in ReportCell._fields if key not in LAST), *LAST)
"""Keys of a cell in the order of the schema, each with what the field of its name holds."""

AT_ONCE = 20_000
"""Cells that are written together."""


def report_json(report: Report, *, indent: int | None = 1) -> str:
    """The report as JSON text: keys in the order of the schema, numbers as exact decimals of the measure.

    Same report, same text, byte for byte. Bounds that have no finite decimal (1/3, only possible for `lp` and
    for what insiders estimate) are written as the nearest float.
    """
    return dumps(_document(report, _Cells(report.cells)), indent=indent)


def report_document(report: Report) -> dict[str, Json]:
    """The report as nested dicts and lists, numbers still exact; for embedding it in another result."""
    return _document(report, list(map(_cell, report.cells)))


class _Cells(Written):
    """Cells as an array, written key by key: most values come again and again, and each is written once. (As nested
    dicts those of a million cells would fill a gigabyte, and take three times as long.)"""

    def __init__(self, cells: Sequence[ReportCell]) -> None:
        self._cells = cells

    def text(self, line: str, step: str) -> str:
        """See `Written`."""
        inside = line + step if step else ""
        entries: list[list[str]] = []
        for first in range(0, len(self._cells), AT_ONCE):
            part = self._cells[first : first + AT_ONCE]
            columns = [_column(key, part, inside + step if step else "", step) for key in KEYS]
            entries += [[text for text in row if text] for row in zip(*columns, strict=True)]
        return array([object_of(own, inside, step) for own in entries], line, step)


def _column(key: str, cells: Sequence[ReportCell], line: str, step: str) -> list[str]:
    """A key of each cell with its value; an empty text where it is left out."""
    values = list(map(attrgetter(key), cells))
    once = {id(value): value for value in values}
    text = {
        number: "" if key in OPTIONAL and not value else entry(key, _formed(key, value), line, step)
        for number, value in once.items()
    }
    return [text[id(value)] for value in values]


def _document(report: Report, cells: Sequence[Json] | Written) -> dict[str, Json]:
    policy = report.policy_sha256
    return {
        "schema": SCHEMA,
        "verdict": report.verdict,
        "called": called(report),
        "judged": report.judged,
        "confidential": report.confidential,
        "release": {"title": report.title, "sha256": report.release_sha256 or None},
        "policy": None if policy is None else {"sha256": policy},
        "rules": list(report.rules),
        "engine": {"version": engine_version(), "bounds": report.bounds},
        "summary": _summary(report.summary),
        "risk_panel": [_entry(entry) for entry in report.risk_panel],
        "cells": cells,
        "implied": list(map(_cell, report.implied)),
        "beyond_help": list(map(_beyond_help, report.beyond_help)),
        "notes": [_note(note) for note in report.notes],
    }


def _summary(summary: Summary) -> dict[str, Json]:
    counts: dict[str, Json] = {name: getattr(summary, name) for name in Summary.__dataclass_fields__}
    return counts | {"implied": None if summary.implied is None else summary.implied._asdict()}


def _note(note: Note) -> dict[str, Json]:
    return {"code": note.code, "text": note.text, "count": note.count}


def _cell(cell: ReportCell) -> dict[str, Json]:
    return {key: _formed(key, getattr(cell, key)) for key in KEYS if key not in OPTIONAL or getattr(cell, key)}


def _formed(key: str, value: Any) -> Json:
    form = _FORMS.get(key)
    formed: Json = value if form is None or value is None else form(value)
    return formed


def _entry(entry: PanelEntry) -> dict[str, Json]:
    return {
        "measure": entry.measure,
        "title": entry.title,
        "figures": [{"name": f.name, "label": f.label, "value": f.value} for f in entry.figures],
        "tells": entry.tells,
        "does_not_tell": entry.does_not_tell,
        "public": entry.public,
    }


def _reveals(reveals: Reveals) -> dict[str, Json]:
    return {
        "kind": reveals.kind,
        "terms": _terms(reveals.terms),
        "text": reveals.text,
        **({"at_least": _terms(reveals.at_least)} if reveals.at_least else {}),
    }


def _terms(terms: tuple[Term, ...]) -> list[Json]:
    return [[term.coefficient, _term(term)] for term in terms]


def _term(term: Term) -> dict[str, Json]:
    if term.link is not None:
        return {"link": term.link}
    named: dict[str, Json] = {"table": term.table, "cell": dict(term.cell)}
    if term.measure is not None:
        named["measure"] = term.measure
    return named


def _insider(insider: InsiderFinding) -> dict[str, Json]:
    return {"who": insider.who, "whose": insider.whose, "estimates": insider.estimates}


def _beyond_help(found: BeyondHelp) -> dict[str, Json]:
    accepted = found.accepted
    return {
        "table": found.table,
        "measure": found.measure,
        "cell": dict(found.cell),
        "insiders": [_insider(insider) for insider in found.insiders],
        "accepted": None
        if accepted is None
        else {"reason": accepted.reason, "by": accepted.by, "until": accepted.until},
    }


def _step(step: Step) -> dict[str, Json]:
    return {"table": step.table, "lower": step.lower, "upper": step.upper, "risk": step.risk}


_FORMS: Mapping[str, Callable[[Any], Json]] = {
    "cell": dict,
    "possible": Possible._asdict,
    "reveals": _reveals,
    "insider": _insider,
    "steps": lambda steps: [_step(step) for step in steps],
    "over_tables": OverTables._asdict,
    "rank": CellRank._asdict,
}
"""How values of a cell that are not written as they are become dicts and lists."""
