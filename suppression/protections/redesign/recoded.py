"""A release whose categories are published as a design says."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.absent import complete
from tableseal.audit.linear.keys import KeySpace
from tableseal.audit.model import Absent, Amounts, Hierarchy, Release, Status, Table
from tableseal.suppression.protections.apply import with_rows
from tableseal.suppression.protections.redesign.design import Design, Group, Space, Tree
from tableseal.suppression.protections.subject import Subject

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

LONGEST = 60
"""Characters of a name up to which all its parts are named."""


@dataclass(frozen=True)
class Recoding:
    """What becomes of the codes of a variable.

    Attributes
    ----------
    before: the classification as it was.
    to: int64 (old codes): the published code of each: itself, or that of its group.
    groups: the groups of the variable, with their codes. names: of the codes.
    """

    before: Hierarchy
    to: Ints
    groups: tuple[tuple[Group, int], ...]
    names: tuple[str, ...]

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """The classification with the new codes after all others."""
        parts = [[self.before.codes[m] for m in group.members] for group, _ in self.groups]
        return self.before.with_combined([*zip(self.names, parts, strict=True)]) if parts else self.before

    @property
    def hidden(self) -> Bools:
        """bool (old codes): not published."""
        found: Bools = self.to != np.arange(len(self.to))
        return found

    def direct(self, listed: Ints) -> Bools:
        """bool (old codes): listed ones that are published, or that are below no listed one that becomes the same: what
        a group is added up of."""
        there = np.zeros(len(self.to), np.bool_)
        there[listed] = True
        found = there.copy()
        parent = self.before.parents[0]
        for code in np.flatnonzero(there & self.hidden).tolist():
            at = int(parent[code])
            while 0 <= at < len(self.to) and self.to[at] == self.to[code]:
                found[code] &= not there[at]
                at = int(parent[at])
        return found


Recodings = tuple[Recoding, ...]
"""Of all variables, in their order."""


def recoding(tree: Tree, design: Design, variable: int) -> Recoding:
    """The new codes of a variable: `A+B` for A and B; all that is below a code becomes that code."""
    hierarchy = tree.hierarchy
    own = [group for group in design if group.variable == variable]
    to = np.arange(len(hierarchy.codes))
    names: list[str] = []
    taken, new = set(hierarchy.codes), 0
    groups: list[tuple[Group, int]] = []
    for group in own:
        if tree.whole(group):
            code, name = group.parent, hierarchy.codes[group.parent]
        else:
            code, name = len(hierarchy.codes) + new, name_of([hierarchy.codes[m] for m in group.members], taken)
            taken.add(name)
            new += 1
        for member in group.members:
            to[list(tree.below[member])] = code
        names.append(name)
        groups.append((group, code))
    return Recoding(hierarchy, to, tuple(groups), tuple(names))


def name_of(parts: Sequence[str], taken: set[str]) -> str:
    """The name of combined categories.

    Examples
    --------
    >>> name_of(["A", "B"], set())
    'A+B'
    >>> name_of([f"region {k}" for k in range(40)], set())
    'region 0+38 more+region 39'
    """
    name = "+".join(parts)
    if len(name) > LONGEST and len(parts) > 2:
        name = f"{parts[0]}+{len(parts) - 2} more+{parts[-1]}"
    while name in taken:
        name += "*"
    return name


def recodings(space: Space, design: Design) -> Recodings:
    """Of all variables."""
    return tuple(recoding(tree, design, v) for v, tree in enumerate(space.trees))


def spelled_out(subject: Subject) -> Release:
    """The release with true values, and a row for every zero that its tables tell by having none (status ABSENT, after
    all others): a zero of a combined category is not told any more."""
    release = subject.release
    space = KeySpace.of(release)

    def full(table: Table, cell: Ints) -> Table:
        listed = with_rows(table, complete(table, release, space).zero_codes)
        more = len(listed.codes) - len(cell)
        absent = np.arange(len(listed.codes)) >= len(cell)
        truth = Amounts(np.pad(subject.value[cell], (0, more)), np.ones(len(absent), np.bool_))

        def nothing(amounts: Amounts | None) -> Amounts | None:
            return None if amounts is None else Amounts(amounts.units, amounts.known | absent)

        return replace(
            listed,
            status=np.where(absent, ABSENT, listed.status).astype(np.int8),
            truth=truth,
            frequency=nothing(listed.frequency),
            weighted=nothing(listed.weighted),
            absent=Absent("not_released", "not_released"),
        )

    tables = tuple(full(*pair) for pair in zip(release.tables, subject.rows, strict=True))
    return replace(release, tables=tables)


ABSENT = np.int8(-1)
"""Status, here alone, of a zero that a table tells by having no row."""


def recoded(release: Release, recoded_by: Recodings, primary: Sequence[Bools]) -> Release:
    """The release as it goes out: categories that are combined stay as withheld rows, of which the agency knows the
    true value, and their sums are published.

    release: spelled out. primary: bool (rows) of each table, sensitive ones.
    """
    variables = {name: one.hierarchy for name, one in zip(release.variables, recoded_by, strict=True)}
    tables = tuple(_recoded(*pair, recoded_by) for pair in zip(release.tables, primary, strict=True))
    return replace(release, variables=variables, tables=tables)


def _recoded(table: Table, primary: Bools, by: Recodings) -> Table:
    hidden = np.zeros(len(table.codes), np.bool_)
    for v, one in enumerate(by):
        hidden |= one.hidden[table.codes[:, v]]
    known_zero = table.status == Status.STRUCTURAL_ZERO
    withheld = np.where(primary, np.int8(Status.PRIMARY), np.int8(Status.SECONDARY))
    shown = np.where(table.status > Status.STRUCTURAL_ZERO, np.int8(Status.PUBLISHED), table.status)
    shown = np.where(table.status == ABSENT, np.int8(Status.STRUCTURAL_ZERO), shown)
    status = np.where(known_zero, table.status, np.where(hidden, withheld, shown)).astype(np.int8)
    value = Amounts(np.where(hidden, 0, table.truth.units), ~hidden)
    own = replace(table, status=status, value=value)
    codes, part, row = _sums(table, by)
    return _with_sums(own, table.status, codes, part, row) if len(codes) else own


def _sums(table: Table, by: Recodings) -> tuple[NDArray[np.int32], Ints, Ints]:
    """Cells of combined categories that a table does not list yet: their codes, and which rows each adds up (sum, row).
    One of which the table lacks parts is none."""
    rows, width = table.codes.shape
    inside, moved, weight = np.ones(rows, np.bool_), np.zeros(rows, np.bool_), np.ones(rows)
    target, size = np.empty((rows, width), np.int32), []
    for v, one in enumerate(by):
        own = table.codes[:, v]
        inside &= one.direct(np.unique(own).astype(np.int64))[own]
        target[:, v] = one.to[own]
        moved |= target[:, v] != own
        size.append(np.diff(one.hierarchy.members.indptr))
        weight *= size[v][own]
    row = np.flatnonzero(inside & moved)
    codes, part = np.unique(target[row], axis=0, return_inverse=True)
    whole = np.prod([size[v][codes[:, v]] for v in range(width)], axis=0, dtype=float)
    covered = np.bincount(part.ravel(), weights=weight[row], minlength=len(codes)) == whole
    listed = {tuple(one) for one in table.codes[~moved].tolist()}
    new = covered & np.array([tuple(one) not in listed for one in codes.tolist()], np.bool_)
    place = np.cumsum(new) - 1
    chosen = new[part.ravel()]
    return codes[new].astype(np.int32), place[part.ravel()[chosen]], row[chosen]


def _with_sums(table: Table, status: NDArray[np.int8], codes: NDArray[np.int32], part: Ints, row: Ints) -> Table:
    """The table with rows of sums, each where its first part stands."""
    more = len(codes)

    def added(amounts: Amounts) -> Amounts:
        units, lacking = np.zeros(more, np.int64), np.zeros(more, np.int64)
        np.add.at(units, part, amounts.units[row])
        np.add.at(lacking, part, ~amounts.known[row])
        return Amounts(np.where(lacking == 0, units, 0), lacking == 0)

    listed = with_rows(table, codes)
    zero, value = np.ones(more, np.bool_), added(table.truth)
    np.logical_and.at(zero, part, (status[row] == Status.STRUCTURAL_ZERO) | (status[row] == ABSENT))
    new_status = np.where(zero, np.int8(Status.STRUCTURAL_ZERO), np.int8(Status.PUBLISHED))
    first = np.full(more, len(table.codes), np.int64)
    np.minimum.at(first, part, row)
    order = np.argsort(np.concatenate([np.arange(len(table.codes)), first - 0.5]), kind="stable")
    n = len(table.codes)

    def longer(amounts: Amounts | None, sums: Amounts) -> Amounts:
        assert amounts is not None
        return Amounts(np.concatenate([amounts.units[:n], sums.units]), np.concatenate([amounts.known[:n], sums.known]))

    found = replace(
        listed,
        status=np.concatenate([table.status, new_status]).astype(np.int8),
        value=longer(listed.value, value),
        truth=longer(listed.truth, value),
        frequency=None if table.frequency is None else longer(listed.frequency, added(table.frequency)),
        weighted=None if table.weighted is None else longer(listed.weighted, added(table.weighted)),
        contributors=tuple(map(longer, listed.contributors, _largest(table, part, row, more))),
    )
    return found.take(order)


def _largest(table: Table, part: Ints, row: Ints, more: int) -> list[Amounts]:
    """The largest contributions of sums, of those that are known of all their parts; of different contributors."""
    if not table.contributors:
        return []
    units = np.stack([np.where(c.known, c.units, 0)[row] for c in table.contributors])
    known = np.stack([c.known[row] for c in table.contributors])
    found = []
    sums = np.tile(part, len(units))
    rank = np.lexsort((-units.ravel(), sums))
    start = np.searchsorted(sums[rank], np.arange(more))
    for k in range(len(table.contributors)):
        all_known, number = np.ones(more, np.bool_), table.frequency
        fewer = table.truth.units[row] == 0
        if number is not None:
            fewer |= number.known[row] & (number.units[row] <= k)
        np.logical_and.at(all_known, part, known[k] | fewer)
        at = rank[np.minimum(start + k, len(rank) - 1)]
        there = all_known & (sums[at] == np.arange(more))
        found.append(Amounts(np.where(there, units.ravel()[at], 0), there))
    return found
