"""What an attacker finds out about cells under a pattern, and through which equations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.attacker import Attacker
from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits, Multipliers, Proof, Split
from tableseal.audit.bounds.method import Method
from tableseal.audit.decision.equations import Equations
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.naming import cell_name
from tableseal.audit.linear.zeros import and_zeros, told, zeros_of
from tableseal.audit.model import Release

SPELLED = 12
"""Terms of a sum that a text spells out; all are in `Equation.terms`."""


@dataclass(frozen=True)
class Seen:
    """What is proved of a cell's values (None: no limit), and how.

    relations: the rows of the equations that prove it. combination: how they are added up at one end: (whole factor,
    column) of what remains; empty where that is no sum of cells.
    """

    lower: int | None
    upper: int | None
    relations: tuple[int, ...]
    combination: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Equation:
    """Cells that add up. terms: (coefficient, cell; None: a sum that no table shows). text: the same in words, of
    long sums the first terms."""

    terms: tuple[tuple[int, int | None], ...]
    text: str


def seen(
    equations: Equations,
    pattern: NDArray[np.bool_],
    needs: Sequence[Requirement],
    method: Method,
    limits: Limits,
    *,
    sharp: bool,
    hanging: NDArray[np.int64] | None = None,
) -> list[Seen]:
    """What the attacker of each requirement finds out about its cell.

    sharp: all that can be proved; otherwise only what decides whether the requirement is met.
    hanging: groups of columns (`Equations.groups`) under a wider pattern, beyond which nothing has to be looked at.
    """
    attackers: dict[Attacker, list[int]] = {}
    for place, need in enumerate(needs):
        known = tuple(c for c in need.attacker.known if pattern[c] or equations.always_open[c])
        attackers.setdefault(Attacker(known=known, shares=need.attacker.shares), []).append(place)
    found: dict[int, Seen] = {}
    for attacker, places in attackers.items():
        theirs, cells = equations.seen_by(attacker), np.array([needs[p].cell for p in places], np.int64)
        opened = equations.opened(pattern)
        opened[list(attacker.known)] = False
        if hanging is not None:
            opened &= np.isin(hanging, hanging[cells])
        for place, value in zip(places, theirs.value[cells].tolist(), strict=True):
            found[place] = Seen(value, value, ())  # unless it is found in a component it is published
        for asked, columns, component in theirs.components(theirs.groups(opened), cells):
            members = [places[k] for k in asked.tolist()]
            rows = np.unique(theirs.by_column[columns].indices)
            ends = [_far_enough(needs[p], int(theirs.value[needs[p].cell])) for p in members]
            answer = method.bounds(
                component,
                replace(limits, prove=True, values=False),
                enough=None if sharp else np.array([low for low, _ in ends] + [-high for _, high in ends], np.int64),
                start=theirs.value[columns],
            )
            for place, bounds in zip(members, answer.targets, strict=True):
                proofs = (bounds.lower.proof, bounds.upper.proof)
                used = {int(rows[r]) for proof in proofs for r in _rows(proof)}
                added = [_combination(theirs, rows, proof) for proof in proofs if isinstance(proof, Multipliers)]
                shortest = min((a for a in added if a), key=len, default=())
                found[place] = Seen(bounds.lower.outer, bounds.upper.outer, tuple(sorted(used)), shortest)
    return [found[place] for place in range(len(needs))]


def _far_enough(need: Requirement, value: int) -> tuple[int, int]:
    """Values beyond which nothing more of a cell needs to be known."""
    low = value - need.width if need.lower is None else min(need.lower, value)
    high = value + need.width if need.upper is None else max(need.upper, value)
    return low, high


def _rows(proof: Proof | None) -> set[int]:
    """Rows that a proof uses."""
    if isinstance(proof, Multipliers):
        return set(proof.rows[proof.numerator != 0].tolist())
    return _rows(proof.low) | _rows(proof.high) if isinstance(proof, Split) else set()


def _combination(equations: Equations, rows: NDArray[np.int64], proof: Multipliers) -> tuple[tuple[int, int], ...]:
    """The rows of a proof added up with its multipliers; empty if links or unseen sums remain."""
    total: dict[int, int] = {}
    for place, factor in zip(proof.rows.tolist(), proof.numerator.tolist(), strict=True):
        row = int(rows[place])
        if factor and (equations.lower[row] != 0 or equations.upper[row] != 0):
            return ()
        entries = slice(equations.matrix.indptr[row], equations.matrix.indptr[row + 1])
        for column, coefficient in zip(
            equations.matrix.indices[entries].tolist(), equations.matrix.data[entries].tolist(), strict=True
        ):
            total[column] = total.get(column, 0) + factor * coefficient
    found = tuple((factor, column) for column, factor in sorted(total.items()) if factor)
    return () if any(column >= equations.cells for _, column in found) else found


def arithmetic(release: Release, cells: Cells, combination: Sequence[tuple[int, int]], target: int) -> Equation:
    """The combination with the target alone on the left: "A = T - B - C"."""
    own = next((f for f, c in combination if c == target), 0)
    sign = -1 if own > 0 else 1
    rest = sorted(((sign * f, c) for f, c in combination if c != target), key=lambda term: (term[0] < 0, term[1]))
    spelled, zeros = _told(cells, rest)
    words = ""
    for factor, cell in spelled[:SPELLED]:
        size = "" if abs(factor) == 1 else f"{abs(factor)} "
        joint = (" - " if factor < 0 else " + ") if words else ("-" if factor < 0 else "")
        words += f"{joint}{size}{short_name(release, cells, cell)}"
    words += _more(len(spelled)) + and_zeros(zeros)
    left = ("" if abs(own) == 1 else f"{abs(own)} ") + short_name(release, cells, target) if own else "0"
    return Equation(tuple((f, c) for f, c in combination), f"{left} = {words or '0'}")


def in_words(release: Release, cells: Cells, equations: Equations, relation: int) -> Equation:
    """A relation as "whole = its parts", with the names of the cells and no values."""
    row = slice(equations.matrix.indptr[relation], equations.matrix.indptr[relation + 1])
    columns, factors = equations.matrix.indices[row].tolist(), equations.matrix.data[row].tolist()
    terms = [(f, c if c < equations.cells else None) for c, f in zip(columns, factors, strict=True)]
    if sum(f > 0 for f, _ in terms) == 1 and sum(f < 0 for f, _ in terms) > 1:
        terms = [(-f, c) for f, c in terms]
    left = [(-f, c) for f, c in terms if f < 0]
    right = [(f, c) for f, c in terms if f > 0]
    low, high = int(equations.lower[relation]), int(equations.upper[relation])
    sides = [_sum(release, cells, side) for side in (left, right)]
    if low == high == 0:
        return Equation(tuple(terms), " = ".join(sides))
    return Equation(tuple(terms), f"a link of the release between {' and '.join(s for s in sides if s != '0')}")


def _sum(release: Release, cells: Cells, terms: Sequence[tuple[int, int | None]]) -> str:
    """ "A / T + 2 B / T + (sums that no table shows)"."""
    listed, zeros = _told(cells, [(factor, cell) for factor, cell in terms if cell is not None])
    shown = [
        (f"{factor} " if factor != 1 else "") + short_name(release, cells, cell) for factor, cell in listed[:SPELLED]
    ]
    if any(cell is None for _, cell in terms):
        shown.insert(0, "(sums that no table shows)")
    return ((" + ".join(shown) + _more(len(listed))) or "0") + and_zeros(zeros)


def _told(cells: Cells, terms: Sequence[tuple[int, int]]) -> tuple[list[tuple[int, int]], int]:
    """The terms of a sum that a text spells out, and how many zeros it leaves out."""
    at = np.array([cell for _, cell in terms], np.int64)
    return told(terms, zeros_of(cells, at).tolist())


def _more(terms: int) -> str:
    """What stands for terms that a text does not spell out."""
    return f" ... and {terms - SPELLED:,} more" if terms > SPELLED else ""


def short_name(release: Release, cells: Cells, cell: int) -> str:
    """A cell in words, of which measure where there are several: "turnover North / large"."""
    measure = list(release.measures)[int(cells.measure[cell])]
    prefix = f"{measure} " if len(release.measures) > 1 else ""
    return prefix + cell_name(release, cells, cell)


def in_decimals(units: int | None, release: Release, cells: Cells, cell: int) -> Fraction | None:
    """A number of units of a cell's measure as a number."""
    unit = list(release.measures.values())[int(cells.measure[cell])].unit
    return None if units is None else units * unit
