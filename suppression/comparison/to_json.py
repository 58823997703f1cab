"""A comparison as JSON, schema tableseal/comparison/1. It holds no value of a cell and no timing."""

import json
from importlib.resources import files
from math import isinf

import numpy as np

from tableseal.audit.report.exact_json import Json, dumps, significant
from tableseal.audit.version import engine_version
from tableseal.suppression.comparison.compare import Comparison, Outcome
from tableseal.suppression.comparison.protection import Protection
from tableseal.suppression.search.tradeoff import Point

SCHEMA = "tableseal/comparison/1"


def comparison_schema() -> dict[str, object]:
    """JSON Schema (2020-12) of tableseal/comparison/1."""
    text = files("tableseal.suppression.comparison").joinpath("schemas/comparison.json").read_text("utf-8")
    schema: dict[str, object] = json.loads(text)
    return schema


def comparison_json(comparison: Comparison) -> str:
    """The comparison as JSON text; same comparison, same text."""
    return dumps(comparison_document(comparison), indent=1)


def comparison_document(comparison: Comparison) -> dict[str, Json]:
    """The comparison as nested dicts and lists, numbers still exact."""
    problem = comparison.problem
    return {
        "schema": SCHEMA,
        "confidential": True,
        "release": {"title": problem.release.title, "sha256": comparison.digest},
        "engine": {"version": engine_version()},
        "rules": list(problem.rules),
        "seed": comparison.seed,
        "cells": problem.listed,
        "primary": int(problem.primary.sum()),
        "methods": [_outcome(comparison, outcome) for outcome in comparison.outcomes],
        "withheld": _withheld(comparison),
        "curve": [_point(comparison, point) for point in comparison.curve],
    }


def _outcome(comparison: Comparison, outcome: Outcome) -> dict[str, Json]:
    found = outcome.found
    written: dict[str, Json] = {
        "method": outcome.method,
        "status": found.status if found is not None else "done" if outcome.protection else "not possible",
        "guarantee": found.guarantee if found is not None else "none",
        "remark": outcome.remark or None,
        "secondary": None,
        "cost": None,
        "bound": None,
        "gap": None,
        "most_rank": None,
        "value": dict(outcome.value),
        "protection": None if outcome.protection is None else _protection(outcome.protection),
    }
    if found is not None and found.pattern is not None:
        bounded = found.bound > 0 or found.status == "optimal"
        written |= {
            "secondary": int((found.pattern & ~comparison.problem.primary).sum()),
            "cost": comparison.cost(found.cost),
            "bound": comparison.cost(found.bound) if bounded else None,
            "gap": significant(found.gap) if bounded and found.gap is not None else None,
            "most_rank": found.most_rank,
        }
    return written


def _protection(found: Protection) -> dict[str, Json]:
    return {
        "verdict": found.verdict,
        "exposed": found.exposed,
        "underprotected": found.underprotected,
        "undecided": found.undecided,
        "secondary_exposed": found.secondary_exposed,
        "relative_width": {"least": _limited(found.least_width), "mean": _limited(found.mean_width)},
        "entropy_bits": {"least": _limited(found.least_bits), "mean": _limited(found.mean_bits)},
        "rank_decrease": found.rank,
        "degrees_of_freedom": found.degrees_of_freedom,
    }


def _limited(value: float | None) -> Json:
    """A figure; the word where there is no limit, null where there is nothing to give a figure for."""
    if value is None:
        return None
    return "no limit" if isinf(value) else significant(value)


def _withheld(comparison: Comparison) -> list[Json]:
    """Every cell that any method withholds, with the methods that do."""
    problem = comparison.problem
    release, cells = problem.release, problem.cells
    patterns = [(o.method, o.pattern) for o in comparison.outcomes if o.pattern is not None]
    any_of = np.any([p for _, p in patterns], axis=0) if patterns else np.zeros(len(cells), np.bool_)
    measures = list(release.measures)
    return [
        {
            "table": release.tables[int(cells.table[c])].name,
            "measure": measures[int(cells.measure[c])],
            "cell": release.cell_codes(cells.codes[c]),
            "status": "primary" if problem.primary[c] else "secondary",
            "by": [method for method, pattern in patterns if pattern[c]],
        }
        for c in np.flatnonzero(any_of).tolist()
    ]


def _point(comparison: Comparison, point: Point) -> dict[str, Json]:
    return {
        "secondary": int((point.pattern & ~comparison.problem.primary).sum()),
        "cost": comparison.cost(point.cost),
        "rank_decrease": point.rank,
        "entropy_bits": {"least": _limited(point.least_bits), "mean": _limited(point.mean_bits)},
    }
