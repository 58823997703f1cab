"""Chosen tables of a publication as one release: what an intruder knows who has just these."""

from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from tableseal.audit.linear.keys import KeySpace, Lookup
from tableseal.audit.model import Amounts, Policy, Release, Status, Table
from tableseal.audit.publications.publication import Publication, TableName
from tableseal.audit.together import Member, combine
from tableseal.audit.together.combine import NOTHING

NEW = 0
"""Number of the release that is new."""


def label(entry: int) -> str:
    """What an entry is called in names of tables and in messages."""
    return "new release" if entry == NEW else f"entry {entry}"


def full_name(table: TableName) -> str:
    """Name of a table among those of all entries."""
    return f"{label(table.entry)}: {table.table}"


class Shelf:
    """The releases of a publication and the new one, from which releases are put together."""

    def __init__(self, publication: Publication, new: Release) -> None:
        # What is out can no longer be withheld. Of all microdata the newest judge.
        self._releases = {
            entry.number: replace(_frozen(entry.release), microdata=None) for entry in publication.entries
        } | {NEW: new}
        self._name = publication.name

    def tables(self, entry: int) -> list[TableName]:
        """All tables of an entry."""
        return [TableName(entry, table.name) for table in self._releases[entry].tables]

    def release(
        self,
        tables: Iterable[TableName],
        policy: Policy | None,
        *,
        bare: Collection[TableName] = (),
        figures: Collection[TableName] = (),
    ) -> Release:
        """The tables as one release, judged by a policy.

        bare: of these only that they withhold cells is left (what is asked for), not what they say of any.
        figures: of these only the exact values that they publish are left.

        Raises
        ------
        InputError: they do not fit together; see `combine`.
        """
        chosen = set(tables)
        members = []
        for number, release in self._releases.items():
            names = [TableName(number, table.name) for table in release.tables]
            kept = tuple(
                _bare(table) if name in bare else _figures(table) if name in figures else table
                for name, table in zip(names, release.tables, strict=True)
                if name in chosen
            )
            if kept and chosen.intersection(names) <= set(figures):
                release = replace(release, links=(), statistics=())
            if kept:
                members.append(Member(label(number), replace(release, tables=kept, policy=policy)))
        out = {member.label for member in members} - {label(NEW)}
        return combine(members, title=self._name, policy=policy, settled=out)


def silenced(release: Release, names: Collection[str]) -> Release:
    """The same cells to protect, without what these tables release of any cell.

    Rows that released something stay (as `missing`) only for cells that another row withholds: for the agency's own
    data beside them.
    """
    space, measures = KeySpace.of(release), list(release.measures)
    keys = [space.keys(np.full(len(t.codes), measures.index(t.measure), np.int32), t.codes) for t in release.tables]
    withheld = np.concatenate([k[t.status >= Status.SECONDARY] for k, t in zip(keys, release.tables, strict=True)])
    lookup = Lookup.of(np.unique(withheld))
    tables = []
    for table, key in zip(release.tables, keys, strict=True):
        if table.name in names:
            kept = np.flatnonzero((table.status >= Status.MISSING) | (lookup.find(key) >= 0))
            tables.append(_silent(table.take(kept)))
        else:
            tables.append(table)
    return replace(release, tables=tuple(tables))


def _frozen(release: Release) -> Release:
    tables = []
    for table in release.tables:
        out = (table.status <= Status.FROZEN) & (table.status != Status.CONSENT)
        status = np.where(out, Status.FROZEN, table.status).astype(np.int8)
        status.setflags(write=False)
        tables.append(replace(table, status=status))
    return replace(release, tables=tuple(tables))


def _silent(table: Table) -> Table:
    said = table.status <= Status.STRUCTURAL_ZERO
    status = np.where(said, Status.MISSING, table.status).astype(np.int8)
    return replace(table, status=status, value=Amounts.none(len(status)), rounding=None, absent=NOTHING)


def _bare(table: Table) -> Table:
    """That it withholds cells, and nothing of what the agency knows: of another vintage that may be something else."""
    return _public(_silent(table.take(np.flatnonzero(table.status >= Status.SECONDARY))))


def _figures(table: Table) -> Table:
    """The exact values that it publishes; rules judged them when they went out."""
    exact = table.status <= Status.FROZEN if table.rounding is None else np.zeros(len(table.codes), np.bool_)
    kept = _public(table.take(np.flatnonzero(exact & table.value.known)))
    status = np.full(len(kept.codes), Status.CONSENT, np.int8)
    status.setflags(write=False)
    return replace(kept, status=status, rounding=None, absent=NOTHING)


def _public(table: Table) -> Table:
    """Without what only the agency knows, and without known bounds."""
    none = Amounts.none(len(table.codes))
    return replace(
        table,
        truth=none,
        lower=none,
        upper=none,
        frequency=None,
        weighted=None,
        contributors=(),
        protection_lower=None,
        protection_upper=None,
        protection_sliding=None,
        impossible=None,
        reason=None,
        cell_key=None,
    )
