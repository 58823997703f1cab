"""Conventional rounding: every cell to its nearest multiple of the base, ties up."""

from dataclasses import dataclass

import numpy as np

from tableseal.audit.model import Amounts, Rounding
from tableseal.audit.model.rounding import rounded
from tableseal.suppression.protections.bases import RoundingSettings
from tableseal.suppression.protections.method import Changed, Tools
from tableseal.suppression.protections.subject import Subject


@dataclass(frozen=True)
class ConventionalRounding(RoundingSettings):
    """Every cell on its own, to the nearest multiple; ties up."""


def round_conventionally(subject: Subject, settings: ConventionalRounding, tools: Tools) -> Changed:
    """Nothing is drawn."""
    units = settings.units(subject.release)
    shown = subject.value.copy()
    for m, base in enumerate(units.values()):
        own = subject.cells.measure == m
        shown[own] = rounded(subject.value[own], Rounding(base, "conventional"))
    everything = Amounts(shown, np.ones(len(shown), np.bool_))
    return Changed(everything, lambda table: Rounding(units[table.measure], "conventional"))
