"""Shipped cases of a comparison study: a made-up hypercube, and requests answered by several methods."""

import csv
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tableseal.api.cases.case import Expected, Run
from tableseal.audit.io.transition_file import read_transition
from tableseal.audit.progress import Progress
from tableseal.suppression.protections.perturbation.chain import Counts
from tableseal.suppression.study.hypercube import Class, Ints, Total, hypercube
from tableseal.suppression.study.requests import Request
from tableseal.suppression.study.study import Study, StudySettings, run_study

if TYPE_CHECKING:
    from tableseal.audit.codec.exact_json import Json


def compute(run: Run, progress: Progress) -> Study:
    """Run the study that the file of a run describes. Options: `seed`, `draws`."""
    described = _described(run.release)
    folder, names = run.release.parent, list(described["variables"])
    progress("hypercube", 0, 2)
    cube = _hypercube(described, folder)
    progress("hypercube", 1, 2)
    text = (folder / described["transition"]).read_text("utf-8")
    settings = StudySettings(
        region=described["region"],
        base=described["base"],
        swapped=described["swapped"],
        given=read_transition(text, described["transition"]),
        matrix=Counts(_exact(text), described["cycle"]),
        moving=Fraction(str(described["moving"])),
        **run.options,  # type: ignore[arg-type]  # the dataclass has a say
    )
    requests = [
        Request(name, {v: code - 1 for v, code in asked["where"].items()}, tuple(asked["by"]))
        for name, asked in described["requests"].items()
    ]
    return run_study(cube, names, requests, settings)


def study_cube(file: Path) -> tuple[list[str], Ints]:
    """The names of the variables, and int64 with an axis for each: the hypercube that the file of a study describes."""
    described = _described(file)
    return list(described["variables"]), _hypercube(described, file.parent)


def _described(file: Path) -> Mapping[str, Any]:
    import yaml

    described: Mapping[str, Any] = yaml.safe_load(file.read_text("utf-8"))
    return described


def _hypercube(described: Mapping[str, Any], folder: Path) -> Ints:
    names, shape = list(described["variables"]), tuple(described["variables"].values())
    margins: dict[tuple[int, ...], Ints] = {}
    with (folder / described["margins"]).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            axes = names.index(row["first"]), names.index(row["second"])
            margin = margins.setdefault(axes, np.zeros([shape[axis] for axis in axes], np.int64))
            margin[int(row["code"]) - 1, int(row["other"]) - 1] = int(row["persons"])
    return hypercube(
        shape,
        margins,
        [Class(one["from"], one.get("to"), one["cells"]) for one in described["distribution"]],
        [Total(names.index(one["variable"]), one["code"] - 1, one["persons"]) for one in described["totals"]],
    )


def _exact(text: str) -> tuple[tuple[Fraction, ...], ...]:
    """Rows of probabilities that sum to 1; printed digits miss it by little."""
    rows = [[Fraction(entry) for entry in line.split(",")] for line in text.splitlines()[1:]]
    return tuple(tuple(entry / sum(row) for entry in row) for row in rows)


def look_up(study: Study, expected: Expected) -> "Json":
    """One value: `classes` of the hypercube; of a request `T1 persons`, `T1 cells`, `T1 classes`, `T1 risk`,
    `T1 risk order` and `T1 utility order` (methods, the best first), `T1 least risk` (the best two, by name); of a
    method on it `T1 RS risk`, `T1 RS utility`, `T1 RS changed`; on the hypercube `RS changed`."""
    first, *rest = expected.field.split()
    if not rest:
        return list(study.classes)
    if first in study.changed and rest == ["changed"]:
        return study.changed[first]  # type: ignore[index]  # it is one of them
    if rest[0] in ("persons", "cells", "classes", "risk") and len(rest) == 1:
        asked = next(one for one in study.asked if one.name == first)
        value = getattr(asked, rest[0])
        return list(value) if isinstance(value, tuple) else value
    if rest == ["least", "risk"]:
        return sorted(study.ranked(first, "risk")[:2])
    if rest[1] == "order":
        return list(study.ranked(first, rest[0]))  # type: ignore[arg-type]  # risk or utility
    value = getattr(study.answer(first, rest[0]), rest[1])
    return float(value)
