"""What a search keeps for the page of its pattern: figures, secondary cells with what needs each, decisions by hand."""

import json
from fractions import Fraction
from typing import TYPE_CHECKING

from tableseal.api.store.job import Document

if TYPE_CHECKING:
    from tableseal.suppression.answer import Suppression

PATTERN = "pattern.bin"
"""Figures, and the secondary cells, which are read a page at a time."""

DECISIONS = "decisions.json"
"""Decisions by hand as a file that `suppress` reads; there if there are any."""


def pattern_documents(result: "Suppression") -> tuple[Document, ...]:
    """The files."""
    from tableseal.api.jobs.on_pages import OnPages
    from tableseal.audit.report.words import HTML, number, printable
    from tableseal.audit.report.workbench.packed import packed
    from tableseal.audit.said import Do
    from tableseal.suppression.report.model import Cell, cell_in
    from tableseal.suppression.report.text import decisions_words, figures, reason, unexplained

    problem = result.problem
    entries = []
    for cell in sorted(result.secondary_cells, key=lambda n: -int(problem.cost[n])):
        place = cell_in(problem, cell, Cell)
        cost = number(Fraction(int(problem.cost[cell]), problem.scale), HTML)
        codes = [printable(code) for _, code in place.cell]
        why = printable(reason(result, cell))
        entries.append([codes, printable(place.measure), cost, why, bool(result.decided.accept[cell])])
    lacking = unexplained(result, OnPages().spelled(Do("explain")))
    front = {
        "figures": [printable(line) for line in (*figures(result), *lacking)],
        "decided": [printable(line) for line in decisions_words(result)],
        "explained": not lacking,
    }
    page = packed({"front": front}, {}, {"cells": entries})
    kept = [
        {
            "decision": decision.kind,
            "cell": dict(decision.cell),
            **({} if decision.measure is None else {"measure": decision.measure}),
            **{"reason": decision.reason, "name": decision.name, "date": decision.date},
        }
        for _, decision in result.decided.every
    ]
    files = [Document(PATTERN, "application/octet-stream", page)]
    if kept:
        text = json.dumps({"decisions": kept}, ensure_ascii=False, indent=1)
        files.append(Document(DECISIONS, "application/json", text.encode()))
    return tuple(files)
