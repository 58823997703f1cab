"""Why no pattern is safe: a sensitive cell that nothing allowed protects, what is in its way, and how far it gets."""

from dataclasses import dataclass

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.method import Method
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.propagated import around
from tableseal.audit.linear.naming import decimal, full_name
from tableseal.audit.model import Status
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.reasons.seen import Equation, Seen, in_words, seen

SHOWN = 8
"""Cells and equations that a text spells out."""

MOST_TOGETHER = 5_000
"""Cells that hang together up to which it is found out what all of them could hide of one (of 34,440 it takes 8 s)."""


@dataclass(frozen=True)
class Conflict:
    """A requirement that no pattern meets.

    requirement: what is asked, in whose eyes. largest: what is left to the attacker if everything is withheld that may
    be; whole: if all cells are, whatever their status (but for zeros where everybody knows that withheld cells are not
    empty; None: there was no time to find out). blocking: cells in the equations that stay published and narrow it.
    """

    requirement: Requirement
    largest: Seen
    whole: Seen | None
    blocking: tuple[int, ...]
    equations: tuple[Equation, ...]
    text: str


def conflict(problem: Problem, need: Requirement, kept: frozenset[int], method: Method, limits: Limits) -> Conflict:
    """Explain a requirement that not even everything meets that may be withheld.

    kept: cells that are published by decision. limits: beyond which it is explained by what is near the cell, if that
    is enough, and nothing is said of the whole table.
    """
    equations, cells = problem.equations, problem.cells
    allowed = problem.primary | problem.may | problem.stays
    near = around(equations, allowed, need)
    (largest,) = [None] if near is None else seen(near, allowed, [need], method, limits, sharp=True)
    if largest is None or largest.lower is None or largest.lower != largest.upper:
        (exactly,) = seen(equations, allowed, [need], method, limits, sharp=True)
        if largest is None or not limits.out_of_time():
            near, largest = None, exactly
    shown_by = equations if near is None else near
    low, value, high = (a[: len(cells)] for a in (equations.column_lower, equations.value, equations.column_upper))
    everything = (low <= value) & (value <= high)  # what is known of withheld cells may be wrong of others
    whole: Seen | None = None
    label = equations.groups(equations.opened(everything))
    if not limits.out_of_time() and int((label == label[need.cell]).sum()) <= MOST_TOGETHER:
        (found,) = seen(equations, everything, [need], method, limits, sharp=True)
        whole = None if limits.out_of_time() else found
    involved = {c for r in largest.relations for c in _members(shown_by, r)} - {need.cell}
    blocking = tuple(sorted(c for c in involved if not allowed[c]))
    shown = tuple(in_words(problem.release, cells, shown_by, r) for r in largest.relations)
    return Conflict(need, largest, whole, blocking, shown, _text(problem, need, largest, whole, blocking, shown, kept))


def _members(equations: Equations, relation: int) -> list[int]:
    """The cells in a relation."""
    found = equations.matrix.indices[equations.matrix.indptr[relation] : equations.matrix.indptr[relation + 1]]
    result: list[int] = found[found < equations.cells].tolist()
    return result


def _text(
    problem: Problem,
    need: Requirement,
    largest: Seen,
    whole: Seen | None,
    blocking: tuple[int, ...],
    equations: tuple[Equation, ...],
    kept: frozenset[int],
) -> str:
    name = full_name(problem.release, problem.cells, need.cell)
    if need.cell >= problem.listed:
        name = f"{_short(problem, need.cell)}, which no row lists,"
    against = f" against an insider ({need.attacker.who})" if need.attacker.who else ""
    lines = [f"{name} cannot be protected{against}: it needs {_asked(problem, need)}."]
    if problem.cells.unrounded[need.cell]:
        lines.append("One table rounds it, and another one publishes its exact value.")
    elif problem.cells.rounded[need.cell]:
        lines.append("It stands in a rounded table, which says between which values it lies, whatever is withheld.")
    lines.append(f"With everything withheld that may be, what is left is {_interval(problem, need.cell, largest)}.")
    if whole is not None and (whole.lower, whole.upper) == (largest.lower, largest.upper):
        lines.append("That is the largest that the whole table can hide, whatever else may be withheld.")
    elif blocking:
        named = [f"{_short(problem, c)} ({_why(problem, c, kept)})" for c in blocking[:SHOWN]]
        more = f" and {len(blocking) - SHOWN} more" if len(blocking) > SHOWN else ""
        lines.append(f"In the way: {'; '.join(named)}{more}.")
        if whole is not None:
            lines.append(f"Without them it could be {_interval(problem, need.cell, whole)}.")
    if equations:
        lines.append("Equations: " + "; ".join(e.text for e in equations[:SHOWN]) + ".")
    return " ".join(lines)


def _short(problem: Problem, cell: int) -> str:
    codes = problem.release.cell_codes(problem.cells.codes[cell])
    return ", ".join(f"{v}={c}" for v, c in codes.items())


def _why(problem: Problem, cell: int, kept: frozenset[int]) -> str:
    """Why a cell cannot be withheld."""
    if cell in kept:
        return "kept published by decision"
    status = Status(int(problem.cells.status[cell]))
    if problem.cells.rounded[cell]:
        return "rounded, so its interval is known"
    words = {
        Status.CONSENT: "published by consent",
        Status.MUST_PUBLISH: "must be published",
        Status.FROZEN: "frozen",
        Status.STRUCTURAL_ZERO: "a zero that everyone knows",
        Status.MISSING: "not released",
    }
    return words.get(status, "a zero, which is always shown")


def _asked(problem: Problem, need: Requirement) -> str:
    """ "to stay possible from 1 to 3", "a width of 4", without saying where the true value lies."""
    unit = list(problem.release.measures.values())[int(problem.cells.measure[need.cell])].unit
    value = int(problem.equations.value[need.cell])
    ends = []
    if need.lower is not None and need.lower < value:
        ends.append(f"{decimal(need.lower, unit)} or less")
    if need.upper is not None and need.upper > value:
        ends.append(f"{decimal(need.upper, unit)} or more")
    asked = f"values of {(' or ' if need.either else ' and ').join(ends)} to stay possible" if ends else ""
    if need.width > 1 or not ends:
        width = (
            f"values {decimal(need.width, unit)} apart" if need.width > 1 else "more than one value to stay possible"
        )
        asked = f"{asked}, and {width}" if asked else width
    return asked


def _interval(problem: Problem, cell: int, found: Seen) -> str:
    unit = list(problem.release.measures.values())[int(problem.cells.measure[cell])].unit
    low = "no lower limit" if found.lower is None else decimal(found.lower, unit)
    high = "no upper limit" if found.upper is None else decimal(found.upper, unit)
    return "a single value" if low == high else f"{low} to {high}"
