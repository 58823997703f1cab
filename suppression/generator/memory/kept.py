"""Answers as bytes: what has to be kept of each, whatever becomes of the program. Holds nothing but what was told."""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np

from tableseal.audit.errors import InputError
from tableseal.audit.hypercube.model import Variable
from tableseal.audit.hypercube.question import Grouping, Question
from tableseal.suppression.generator.memory.answers import Remembered
from tableseal.suppression.generator.sums import Change


def kept_of(answer: Remembered, variables: Sequence[Variable]) -> bytes:
    """The bytes to keep: JSON, compressed."""
    question = answer.question

    def said(grouping: Grouping) -> Mapping[str, Any]:
        name = variables[grouping.variable].name
        return {"variable": name, "codes": grouping.codes, "of_leaf": grouping.of_leaf.tolist()}

    document = {
        "axes": [said(axis) for axis in question.axes],
        "where": [said(chosen) for chosen in question.where],
        "shown": answer.shown.tolist(),
        **({} if answer.change is None else {"measure": question.measure, "change": astuple(answer.change)}),
    }
    return zlib.compress(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode())


def remembered_of(content: bytes, variables: Sequence[Variable]) -> Remembered:
    """The answer again.

    Raises
    ------
    InputError: these are not the bytes of an answer from a hypercube with these variables.
    """
    position = {variable.name: at for at, variable in enumerate(variables)}

    def grouping(said: Mapping[str, Any]) -> Grouping:
        at = position[said["variable"]]
        of_leaf = np.array(said["of_leaf"], np.int32)
        if len(of_leaf) != len(variables[at].leaves) or of_leaf.max(initial=-1) >= len(said["codes"]):
            raise ValueError
        return Grouping(at, tuple(said["codes"]), of_leaf)

    try:
        document = json.loads(zlib.decompress(content))
        question = Question(
            tuple(map(grouping, document["axes"])), tuple(map(grouping, document["where"])), document.get("measure")
        )
        shown = np.array(document["shown"], np.int64)
        change = document.get("change")
        if len(shown) != question.size or (change is None) != (question.measure is None):
            raise ValueError
    except (zlib.error, ValueError, KeyError, TypeError):
        raise InputError("a kept answer is damaged, or belongs to another hypercube.") from None
    return Remembered(question, shown, None if change is None else Change(*map(float, change)))
