"""A proof as plain frozen data, in the shape of schema tableseal/proof/1. Everything is in units of the measures."""

from dataclasses import dataclass
from fractions import Fraction

Cell = tuple[str, ...]
"""Measure, then the code of every variable of the release."""

Records = tuple[tuple[Cell, Fraction], ...]
"""Leaves (leaf codes) and their values."""


Term = tuple[int, Fraction | int]
"""A statement (position in the proof's list, or a case) and its multiplier."""


@dataclass(frozen=True)
class Combination:
    """Multipliers that prove a lower bound on a form, or (`empty`) that no table is left.

    terms: (statement, multiplier); statements are positions in the proof's list, -1 the outermost case, -2 the next.
    """

    terms: tuple[Term, ...]
    empty: bool = False


@dataclass(frozen=True)
class Cases:
    """The sum of some leaves is at most `at`, or it is at least `at` + 1.

    parts: which leaves: (measure, of every variable a code, or a list of leaf codes), added up.
    """

    parts: tuple[tuple[str, tuple[str | tuple[str, ...], ...]], ...]
    at: int
    low: "Combination | Cases"
    high: "Combination | Cases"


Argument = Combination | Cases


@dataclass(frozen=True)
class ProvedEnd:
    """One end of a cell; what is None is not proved.

    outer: (value, why nothing lies beyond). attained: (value, table of whole units). continuous: (value, table of
    fractions), where it goes beyond `attained`. ray: direction that goes on for ever.
    """

    outer: tuple[int, Argument] | None
    attained: tuple[int, int] | None
    continuous: tuple[Fraction, int] | None
    ray: int | None


@dataclass(frozen=True)
class Claim:
    """Both ends of an open cell, or the outer ones of a cell that no row lists (a list of leaf codes may stand for a
    code there)."""

    cell: tuple[str | tuple[str, ...], ...]
    lower: ProvedEnd
    upper: ProvedEnd


@dataclass(frozen=True)
class Proof:
    """The proof of an audit.

    statements: cells, and numbers of links from 1 on, that multipliers refer to.
    reference: a table that satisfies everything. tables: new values of leaves that differ from it. rays: directions.
    """

    release_sha256: str
    statements: tuple[Cell | int, ...]
    reference: Records
    tables: tuple[Records, ...]
    rays: tuple[Records, ...]
    claims: tuple[Claim, ...]
