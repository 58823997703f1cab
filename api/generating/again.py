"""What was told of a table, read back from its document."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from tableseal.api.generating.document import TableAnswer
from tableseal.audit.codec.exact_json import loads
from tableseal.audit.hypercube.question import Question
from tableseal.suppression.generator.figures import Figures
from tableseal.suppression.generator.nearest import Nearest, Step
from tableseal.suppression.generator.result import Answer, Refusal, RiskAbove
from tableseal.suppression.generator.rules import Blocked, TooMuch


def told_again(content: str) -> TableAnswer:
    """The public part of an answer, of its JSON text. Which base cells are in which cell is not in it, so that its
    questions are empty."""
    said: Any = loads(content, what="The table")
    answer, whole = (None if said.get(key) is None else _answer(said[key]) for key in ("answer", "whole"))
    refusal = None if said.get("refusal") is None else _refusal(said["refusal"])
    return TableAnswer(said["hypercube"], said["title"], said["statistic"], answer, whole, refusal)


def _answer(said: Mapping[str, Any]) -> Answer:
    unit = None if said.get("unit") is None else Fraction(said["unit"])
    shown = [int(Fraction(value) / (unit or 1)) for value in said["values"]]
    given = said["figures"]
    figures = Figures(None, None, None, _number(given, "expected_utility"), _number(given, "within"))
    codes = tuple(map(tuple, said["codes"]))
    left_out = tuple(said.get("left_out", ()))
    return Answer(
        tuple(said["variables"]),
        codes,
        np.array(shown, np.int64),
        figures,
        left_out,
        Question(()),
        said.get("measure"),
        unit,
    )


def _number(said: Mapping[str, Any], key: str) -> float | None:
    return None if said.get(key) is None else float(said[key])


def _refusal(said: Mapping[str, Any]) -> Refusal:
    risk = said.get("risk")
    return Refusal(
        said["reason"],
        tuple(TooMuch(one["rule"], one["variable"], one["found"], one["allowed"]) for one in said.get("asked", ())),
        tuple(Blocked(one["rule"], tuple(one["area"]), None, float(one["allowed"])) for one in said.get("held", ())),
        said["areas"],
        None if risk is None else RiskAbove(risk["when"], None, float(risk["allowed"])),
        None,
        tuple(Nearest(tuple(map(_step, one["steps"])), one["cells"], Question(())) for one in said["nearest"]),
    )


def _step(said: Mapping[str, Any]) -> Step:
    return Step(said["kind"], said["variable"], said.get("level"), tuple(said.get("areas", ())))
