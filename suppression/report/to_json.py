"""The outcome of a suppression as JSON, schema tableseal/suppression/1."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tableseal.audit.report.beyond_help import in_force
from tableseal.audit.report.exact_json import Json, dumps
from tableseal.audit.report.to_json import report_document
from tableseal.suppression.answer import Suppression
from tableseal.suppression.problem.costs import FACTOR
from tableseal.suppression.reasons.impossible import Conflict
from tableseal.suppression.reasons.needed import Need
from tableseal.suppression.reasons.seen import Equation, Seen, in_decimals
from tableseal.suppression.report.widths import required_widths
from tableseal.suppression.search.result import Found

SCHEMA = "tableseal/suppression/1"


def suppression_json(result: Suppression, *, indent: int | None = 1) -> str:
    """The outcome as JSON text: costs and bounds are exact, nothing depends on the clock."""
    return dumps(suppression_document(result), indent=indent)


def suppression_document(result: Suppression) -> dict[str, Json]:
    """The outcome as nested dicts and lists. Confidential: it says why cells are withheld, and holds the audit."""
    found, problem = result.found, result.problem
    pattern = found.pattern
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "confidential": True,
        "verdict": result.verdict,
        "rules": list(problem.rules),
        "method": result.method,
        "status": found.status,
        "guarantee": found.guarantee,
        "costs": result.costs.kind,
        "cost": None if pattern is None else Fraction(found.cost, problem.scale),
        "bound": None if pattern is None else Fraction(found.bound, problem.scale),
        "gap": found.gap,
        "primary": int(problem.primary.sum()),
        "not_listed": problem.unlisted,
        "secondary": result.secondary,
        "last_resort": found.last_resort,
        "rank": _rank(found),
        "explained": result.explained,
        "cells": _cells(result),
        "withheld_for_nothing": [cell_document(result, cell) for cell in result.idle],
        "beyond_help": _beyond_help(result),
        "required_widths": [
            {**cell_document(result, w.cell), "width": w.required, "possible": [w.lower, w.upper]}
            for w in required_widths(result)
        ],
        "decisions": _decisions(result),
        "last_period": _changes(result),
        "audit": None if result.report is None else report_document(result.report),
    }
    if result.conflict is not None:
        document["conflict"] = _conflict(result, result.conflict)
    return document


def cell_document(result: Suppression, cell: int) -> dict[str, Json]:
    """A cell by its table, measure and codes."""
    release, cells = result.problem.release, result.problem.cells
    return {
        "table": release.tables[int(cells.table[cell])].name,
        "measure": list(release.measures)[int(cells.measure[cell])],
        "cell": dict(release.cell_codes(cells.codes[cell])),
    }


def _beyond_help(result: Suppression) -> list[Json]:
    accepted = in_force(result.problem.release, result.problem.cells)
    return [{**cell_document(result, cell), "accepted": cell in accepted} for cell in result.problem.hopeless]


def _cells(result: Suppression) -> list[Json]:
    pattern, problem = result.found.pattern, result.problem
    if pattern is None:
        return []
    return [
        {
            **cell_document(result, cell),
            "status": "secondary",
            "cost": Fraction(int(problem.cost[cell]), problem.scale),
            "accepted": bool(result.decided.accept[cell]),
            "needed_by": [_need(result, n) for n in result.needs[cell]] if cell in result.needs else None,
        }
        for cell in np.flatnonzero(pattern & ~problem.primary).tolist()
    ]


def _rank(found: Found) -> Json:
    if found.rank is None:
        return None
    return {
        "with_margins": found.rank.with_margins,
        "without_margins": found.rank.without_margins,
        "maximised": "with_margins" if found.rank.margins else "without_margins",
        "most": found.most_rank,
    }


def _need(result: Suppression, need: Need) -> Json:
    return {
        **cell_document(result, need.cell),
        "insider": need.requirement.attacker.who or None,
        "equations": _equations(result, need.equations),
    }


def _equations(result: Suppression, equations: Sequence[Equation]) -> list[Json]:
    return [
        {
            "terms": [[f, None if c is None else cell_document(result, c)] for f, c in equation.terms],
            "text": equation.text,
        }
        for equation in equations
    ]


def _conflict(result: Suppression, conflict: Conflict) -> Json:
    need = conflict.requirement
    problem = result.problem

    def interval(found: Seen) -> list[Json]:
        return [in_decimals(end, problem.release, problem.cells, need.cell) for end in (found.lower, found.upper)]

    return {
        "cells": [cell_document(result, need.cell), *(cell_document(result, c) for c in conflict.blocking)],
        "insider": need.attacker.who or None,
        "required": [in_decimals(end, problem.release, problem.cells, need.cell) for end in (need.lower, need.upper)],
        "largest": interval(conflict.largest),
        "largest_of_whole_table": interval(conflict.whole),
        "equations": _equations(result, conflict.equations),
        "text": conflict.text,
    }


def _decisions(result: Suppression) -> list[Json]:
    return [
        {
            **cell_document(result, cell),
            "decision": decision.kind,
            "reason": decision.reason,
            "name": decision.name,
            "date": decision.date,
        }
        for cell, decision in result.decided.every
    ]


def _changes(result: Suppression) -> Json:
    if result.changes is None:
        return None
    found = result.changes
    return {"factor": FACTOR, "kept": found.kept, "new": found.new, "returned": found.returned}
