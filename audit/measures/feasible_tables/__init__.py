"""Posterior distributions over all tables that fit a release (beyond Oganian and Domingo-Ferrer 2003)."""

from tableseal.audit.measures.feasible_tables.entropy import (
    QUICK,
    THOROUGH,
    Effort,
    TablePosterior,
    table_posteriors,
)
from tableseal.audit.measures.feasible_tables.prior import Belief, CellWeights, ExpectedCounts, Poisson, Prior

__all__ = [
    "QUICK",
    "THOROUGH",
    "Belief",
    "CellWeights",
    "Effort",
    "ExpectedCounts",
    "Poisson",
    "Prior",
    "TablePosterior",
    "table_posteriors",
]
