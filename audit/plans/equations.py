"""Equations between measures: `turnover = domestic + export`."""

import re
from collections.abc import Collection, Sequence

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from tableseal.audit.errors import InputError, Place, unknown
from tableseal.audit.plans.plan import Equation
from tableseal.audit.wording import quoted

_SEPARATOR = re.compile(r"\s([+-])\s")


def read_equation(text: str, measures: Collection[str], where: Place) -> Equation:
    """The equation in a text: one measure, an equals sign, and measures with + or - between blanks before each.

    Raises
    ------
    InputError: another shape, an unknown measure, a measure that stands twice.
    """
    left, equals, right = text.partition("=")
    expected = "an equation such as total = part + other part"
    if not equals or "=" in right or not left.strip():
        raise InputError(found=quoted(text), expected=expected, at=where)
    first, *more = _SEPARATOR.split(f" {right.strip()} ")
    terms = [("+", first.strip()), *zip(more[::2], (name.strip() for name in more[1::2]), strict=True)]
    parts: dict[str, int] = {}
    for sign, term in terms:
        found = re.fullmatch(r"(?:([0-9]{1,6})\s*\*?\s+)?(.+)", term)
        if found is None:
            raise InputError(found=quoted(text), expected=expected, at=where)
        name = term if term in measures else found[2]
        times = 1 if term in measures or found[1] is None else int(found[1])
        if name not in measures:
            raise unknown("measure", name, measures, where)
        if name in parts or name == left.strip() or not times:
            raise InputError(f"the measure {quoted(name)} stands twice, or times 0, in {quoted(text)}.", at=where)
        parts[name] = -times if sign == "-" else times
    if left.strip() not in measures:
        raise unknown("measure", left.strip(), measures, where)
    return Equation(left.strip(), parts, where)


def check_equations(equations: Sequence[Equation], *, nonnegative: bool) -> None:
    """Refuse equations that go in a circle, are said twice, or leave a measure nothing but 0.

    nonnegative: no value of a measure is below 0, so that sums of them leave nothing but 0 to more of them.

    Raises
    ------
    InputError: names the equations.
    """
    seen: dict[tuple[str, frozenset[tuple[str, int]]], Equation] = {}
    for equation in equations:
        key = (equation.whole, frozenset(equation.parts.items()))
        if key in seen:
            raise InputError(f"the equation {quoted(str(equation))} stands twice.", at=equation.where)
        seen[key] = equation
    parts = nx.DiGraph((equation.whole, part) for equation in equations for part in equation.parts)
    if not nx.is_directed_acyclic_graph(parts):
        steps = nx.find_cycle(parts)
        circle = " -> ".join(quoted(name) for name in (steps[0][0], *(part for _, part in steps)))
        raise InputError(
            f"the equations go in a circle: {circle}; a measure would be a part of itself.", at=_first(equations)
        )
    if not _all_can_be_something(equations, nonnegative):
        last = next(k for k in range(1, len(equations) + 1) if not _all_can_be_something(equations[:k], nonnegative))
        text = f"the equation {quoted(str(equations[last - 1]))} and those before it leave some measure nothing but 0."
        raise InputError(text, at=equations[last - 1].where)


def _first(equations: Sequence[Equation]) -> Place:
    return equations[0].where


def _all_can_be_something(equations: Sequence[Equation], nonnegative: bool) -> bool:
    """Whether values other than 0 of all measures can meet all equations. What is scaled meets them, too, so that
    values of at least 1 are asked for. Where values may be negative, so does what is added: 1 of each by itself."""
    measures = sorted({name for equation in equations for name in equation.measures})
    if not measures:
        return True
    matrix = np.zeros((len(equations), len(measures)))
    for row, equation in enumerate(equations):
        matrix[row, measures.index(equation.whole)] = -1
        for name, times in equation.parts.items():
            matrix[row, measures.index(name)] += times
    if nonnegative:
        return _met(matrix, [(1, None)] * len(measures))
    alone = range(len(measures))
    return all(_met(matrix, [(1, 1) if other == at else (None, None) for other in alone]) for at in alone)


def _met(matrix: NDArray[np.float64], bounds: Sequence[tuple[int | None, int | None]]) -> bool:
    """Whether values within bounds meet the equations (equations x measures, coefficients)."""
    found = linprog(np.zeros(len(bounds)), A_eq=matrix, b_eq=np.zeros(len(matrix)), bounds=bounds)
    return bool(found.status != 2)
