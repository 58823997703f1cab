"""Which tables make a cell fall: the smallest sets of them without which it does not."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Annotated

from tableseal.audit.codec.declared import Key
from tableseal.audit.publications.publication import TableName

Verdicts = Callable[[frozenset[TableName]], str | None]
"""Verdict on one cell if just these tables are known; None if it is not listed (nothing is found)."""

FALLEN = ("exposed", "underprotected")


@dataclass(frozen=True)
class Culprits:
    """Sets of tables, none of which shares a table with another."""

    sets: Annotated[
        tuple[tuple[TableName, ...], ...],
        "Disjoint sets of tables: each makes the cell fall (with the new release if `new`), and no part of one does; "
        "without all of them it does not fall; an empty set: the new release does so by itself.",
        Key("culprits"),
    ]
    certain: Annotated[bool, "What is said not to make it fall is proved not to: no test ended undecided."]


def culprits(verdicts: Verdicts, tables: Sequence[TableName], hint: Collection[TableName]) -> Culprits:
    """The culprits among `tables`.

    More known tables never make a fallen cell stand again, so that a set that is minimal against leaving out one table
    is minimal. hint: tables that the arithmetic of the exposure names; tried first.
    """
    found: list[tuple[TableName, ...]] = []
    rest = list(tables)
    certain = True

    def falls(known: Collection[TableName]) -> bool:
        return verdicts(frozenset(known)) in FALLEN

    while falls(rest):
        first = [table for table in rest if table in hint]
        smallest = _minimal(falls, first if falls(first) else rest)
        for table in smallest:
            certain &= verdicts(frozenset(smallest) - {table}) != "undecided"
        found.append(tuple(smallest))
        if not smallest:
            return Culprits(((),), certain)
        rest = [table for table in rest if table not in smallest]
    certain &= verdicts(frozenset(rest)) != "undecided"
    return Culprits(tuple(found), certain)


def _minimal(falls: Callable[[Collection[TableName]], bool], tables: Sequence[TableName]) -> list[TableName]:
    """Halving (QuickXplain, Junker 2004): some log(n) tests for each table found instead of n; then, because tests may
    end undecided, one table is left out at a time."""
    if falls(()):
        return []
    found = sorted(_halving(falls, [], [], list(tables)))
    for table in list(found):
        without = [other for other in found if other != table]
        if falls(without):
            found = without
    return found


def _halving(
    falls: Callable[[Collection[TableName]], bool],
    background: list[TableName],
    added: Sequence[TableName],
    tables: list[TableName],
) -> list[TableName]:
    if added and falls(background):
        return []
    if len(tables) == 1:
        return tables
    middle = len(tables) // 2
    left, right = tables[:middle], tables[middle:]
    of_right = _halving(falls, background + left, left, right)
    of_left = _halving(falls, background + of_right, of_right, left)
    return of_left + of_right
