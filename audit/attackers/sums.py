"""Sums that equations between measures state: turnover = domestic + export, in one cell or over several."""

from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.keys import KeySpace, Lookup, named_keys
from tableseal.audit.model import Link, LinkTerm, Release

Sum = tuple[int, tuple[int, ...]]
"""A cell, and the two or more cells that make it up."""


def sums_of(release: Release, cells: Cells) -> list[Sum]:
    """Links that say of one cell that it is the sum of two or more others (each perhaps several times): not of one
    alone, as equal figures of two years say nothing about who stands behind them. Links with cells that no table has
    are left out."""
    added = [terms for link in release.links if (terms := _sum(link)) is not None]
    every = [term for whole, parts in added for term in (whole, *parts)]
    keys = KeySpace.of(release).keys(cells.measure, cells.codes)
    found = Lookup.of(keys).find(named_keys(release, every))
    sums, at = [], iter(found.tolist())
    for _, parts in added:
        whole, *own = (next(at) for _ in range(1 + len(parts)))
        if min(whole, *own) >= 0:
            sums.append((whole, tuple(own)))
    return sums


def _sum(link: Link) -> tuple[LinkTerm, tuple[LinkTerm, ...]] | None:
    """(whole, parts) if a link says so."""
    if link.lower != 0 or link.upper != 0:
        return None
    for sign in (1, -1):
        wholes = [term for term in link.terms if term.coefficient * sign > 0]
        parts = tuple(term for term in link.terms if term.coefficient * sign < 0)
        if len(wholes) == 1 and len(parts) > 1:
            return wholes[0], parts
    return None
