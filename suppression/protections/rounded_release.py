"""A release with every cell rounded at random instead of some withheld."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from tableseal.audit.errors import InputError
from tableseal.audit.io.numbers import rational
from tableseal.audit.model import Amounts, Release, Status, Table
from tableseal.audit.model.release import Rounding
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.protections.rounding import random_rounding


def rounded_release(problem: Problem, base: str, seed: int) -> Release:
    """Each cell rounded once, to a neighbouring multiple of the base, and published so in every table that lists it.

    base: in the measure's own numbers, as text.

    Raises
    ------
    InputError: a base that is no number or no multiple of a unit, a cell whose value is not known, or one below zero.
    """
    release, cells = problem.release, problem.cells
    units = base_units(release, base)
    value = problem.equations.value[: problem.listed]
    known = (cells.exact | cells.truth.known)[: problem.listed]
    if not known.all() or (value < 0).any() or cells.rounded.any():
        raise InputError("rounding: needs the true value of every cell, none below zero and none rounded already.")
    draw = np.random.default_rng(seed)
    shown = np.empty(problem.listed, np.int64)
    for m, size in enumerate(units.values()):
        own = np.flatnonzero(cells.measure[: problem.listed] == m)
        shown[own] = random_rounding(value[own], size, draw)[0]
    order = np.argsort(cells.listing_table, kind="stable")
    tables, offset = [], 0
    for table in release.tables:
        cell = cells.listing_cell[order[offset : offset + len(table.codes)]]
        offset += len(table.codes)
        tables.append(_rounded(table, Amounts(value[cell], known[cell]), shown[cell], units[table.measure]))
    return replace(problem.as_given(release), tables=tuple(tables))


def base_units(release: Release, base: str) -> dict[str, int]:
    """The base in units of each measure.

    Raises
    ------
    InputError: it is no number, or no multiple of a unit.
    """
    return {name: _units(base, measure.unit, name) for name, measure in release.measures.items()}


def _units(base: str, unit: Fraction, measure: str) -> int:
    try:
        units = rational(base) / unit
    except ValueError:
        raise InputError(f'rounding:{base}: expected a number, such as "rounding:5".') from None
    if units.denominator != 1 or units < 2:
        raise InputError(f"rounding:{base}: expected a multiple of the unit of {measure}, {unit}, twice that or more.")
    return int(units)


def _rounded(table: Table, truth: Amounts, shown: np.ndarray, base: int) -> Table:
    known_zero = table.status == Status.STRUCTURAL_ZERO
    status = np.where(known_zero, table.status, np.int8(Status.PUBLISHED)).astype(np.int8)
    value = Amounts(np.where(known_zero, 0, shown), np.ones(len(shown), np.bool_))
    return replace(table, status=status, value=value, truth=truth, rounding=Rounding(base, "random"))
