"""Published counts of areas -> what each table says of each area."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tableseal.audit.errors import InputError, Place, unknown
from tableseal.audit.hypercube.model import Ints
from tableseal.audit.linear.absent import finest_codes
from tableseal.audit.model import Hierarchy, Release, Status, Table
from tableseal.audit.wording import listing, quoted

RELEASED = (Status.PUBLISHED, Status.CONSENT, Status.MUST_PUBLISH, Status.FROZEN, Status.STRUCTURAL_ZERO)


@dataclass(frozen=True, repr=False)
class Margin:
    """A published table: counts of every area by some variables, at the finest codes that it lists.

    Attributes
    ----------
    name: of the table. variables: positions. sizes: its codes of each. group: int64 (inner codes) for each of its
        variables, the code that holds each.
    start: int64 (areas + 1); cell, value: int64, its cells that are not 0: those of area a are start[a]:start[a + 1],
        each with its number row by row.
    """

    name: str
    variables: tuple[int, ...]
    sizes: tuple[int, ...]
    group: tuple[Ints, ...]
    start: Ints
    cell: Ints
    value: Ints


@dataclass(frozen=True, repr=False)
class AreaTables:
    """What is published of areas.

    areas: their codes. variables: names of the others. codes: of each the inner codes, those that some table tells
    apart: what one calls inner cells are combinations of these. margins: the tables. passed: those that are not of
    areas.
    """

    areas: tuple[str, ...]
    variables: tuple[str, ...]
    codes: tuple[tuple[str, ...], ...]
    margins: tuple[Margin, ...]
    passed: tuple[str, ...] = ()

    @property
    def inner(self) -> tuple[int, ...]:
        """How many inner codes each variable has."""
        return tuple(map(len, self.codes))

    def part(self, first: int, last: int) -> "AreaTables":
        """Some of the areas."""

        def some(margin: Margin) -> Margin:
            start = margin.start[first : last + 1]
            rows = slice(int(start[0]), int(start[-1]))
            return replace(margin, start=start - start[0], cell=margin.cell[rows], value=margin.value[rows])

        return replace(self, areas=self.areas[first:last], margins=tuple(map(some, self.margins)))


def area_tables(release: Release, areas: str, where: Place) -> AreaTables:
    """The tables of a release that tell counts of areas.

    Combinations that a table does not list are 0 at the finest level that it lists, unless it says otherwise; what it
    lists above that level follows from the rest.

    Parameters
    ----------
    areas: the variable of places. where: the release, for messages.

    Raises
    ------
    InputError: no such variable; no table of it; several measures; tables that list other areas than the first, parts
        of a classification, or a part of the population; cells that are withheld, rounded or left out.
    """
    if areas not in release.variables:
        raise unknown("variable", areas, release.variables, where)
    place = list(release.variables).index(areas)
    chosen = [t for t in release.tables if areas in t.named and release.measures[t.measure].kind == "count"]
    if not chosen:
        raise InputError(f"no table of counts has the variable {quoted(areas)}.", at=where)
    measures = dict.fromkeys(table.measure for table in chosen)
    if len(measures) > 1:
        raise InputError(f"tables of areas are of one measure; these are of {listing(measures)}.", at=where)
    finest = [
        {h.name: _finest(table, h, at) for at, h in enumerate(release.variables.values()) if h.name in table.named}
        for table in chosen
    ]
    own = finest[0][areas]
    for table, codes in zip(chosen, finest, strict=True):
        if not np.array_equal(codes[areas], own):
            text = (
                f"lists other codes of {quoted(areas)} than {quoted(chosen[0].name)}; areas are the same in all tables."
            )
            raise InputError(text, at=table.where)
        _refuse_parts(table, release)
    names = [name for name in release.variables if name != areas and any(name in codes for codes in finest)]
    group: list[list[Ints | None]] = [[None] * len(names) for _ in chosen]
    inner = []
    for at, name in enumerate(names):
        hierarchy = release.variables[name]
        telling = [k for k, codes in enumerate(finest) if name in codes]
        held = np.array([_of_leaf(hierarchy, finest[k][name]) for k in telling])
        _, first, leaves = np.unique(held, axis=1, return_index=True, return_counts=True)
        order = np.argsort(first)
        for k, column in zip(telling, held, strict=True):
            group[k][at] = column[first[order]]
        above = [
            [int(finest[k][name][c]) for k, c in zip(telling, held[:, leaf], strict=True)] for leaf in first[order]
        ]
        inner.append(tuple(_inner_name(hierarchy, *one) for one in zip(above, leaves[order].tolist(), strict=True)))
    margins = tuple(
        _margin(table, release, place, own, codes, names, group[k])
        for k, (table, codes) in enumerate(zip(chosen, finest, strict=True))
    )
    passed = tuple(table.name for table in release.tables if table not in chosen)
    hierarchy = release.variables[areas]
    return AreaTables(
        tuple(hierarchy.codes[code] for code in own.tolist()), tuple(names), tuple(inner), margins, passed
    )


def _finest(table: Table, hierarchy: Hierarchy, at: int) -> Ints:
    """int64: the codes of the finest level that a table lists.

    Raises
    ------
    InputError: together they are not all of the classification.
    """
    codes = finest_codes(hierarchy, table.codes[:, at]).astype(np.int64)
    held = np.bincount(hierarchy.members[codes].indices, minlength=len(hierarchy.leaves))
    if (held != 1).any():
        leaf = hierarchy.codes[int(hierarchy.leaves[int(np.argmax(held != 1))])]
        number = int(held[held != 1][0])
        text = f"{quoted(leaf)} of {quoted(hierarchy.name)} is in {number} of its finest codes, not in one"
        raise InputError(f"{text}; a table of areas divides the whole classification.", at=table.where)
    return codes


def _of_leaf(hierarchy: Hierarchy, codes: Ints) -> Ints:
    """int64 (leaves): which of the codes holds each."""
    found = np.zeros(len(hierarchy.leaves), np.int64)
    for k, code in enumerate(codes.tolist()):
        found[hierarchy.members.indices[hierarchy.members.indptr[code] : hierarchy.members.indptr[code + 1]]] = k
    return found


def _inner_name(hierarchy: Hierarchy, above: Sequence[int], leaves: int) -> str:
    """The name of the leaves, so many, that all of these codes hold: the code that holds just these, or all of them."""
    size = np.diff(hierarchy.members.indptr)
    smallest = min(above, key=lambda code: int(size[code]))
    named = [smallest] if int(size[smallest]) == leaves else list(dict.fromkeys(above))
    return " & ".join(hierarchy.codes[code] for code in named)


def _refuse_parts(table: Table, release: Release) -> None:
    for at, hierarchy in enumerate(release.variables.values()):
        if hierarchy.name not in table.named and (table.codes[:, at] != hierarchy.total_index).any():
            raise InputError(f"is of a part of {quoted(hierarchy.name)} (`where`), not of all.", at=table.where)
    if table.rounding is not None:
        raise InputError("is rounded or changed; reconstruction is of exact counts.", at=table.where)
    if table.absent.leaves == "not_released":
        raise InputError("does not release what it does not list; reconstruction is of whole tables.", at=table.where)


def _margin(
    table: Table,
    release: Release,
    place: int,
    areas: Ints,
    finest: dict[str, Ints],
    names: Sequence[str],
    group: Sequence[Ints | None],
) -> Margin:
    own = [at for at, name in enumerate(names) if name in finest]
    sizes = tuple(len(finest[names[at]]) for at in own)
    variables = list(release.variables)
    inside = np.ones(len(table.codes), np.bool_)

    def position(variable: int, codes: Ints) -> Ints:
        of_code = np.full(len(release.variables[variables[variable]].codes), -1, np.int64)
        of_code[codes] = np.arange(len(codes))
        found: Ints = of_code[table.codes[:, variable]]
        return found

    area = position(place, areas)
    inside &= area >= 0
    cell = np.zeros(len(table.codes), np.int64)
    for at, size in zip(own, sizes, strict=True):
        digit = position(variables.index(names[at]), finest[names[at]])
        inside &= digit >= 0
        cell = cell * size + digit
    open_rows = np.flatnonzero(inside & (~table.value.known | ~np.isin(table.status, RELEASED)))
    if len(open_rows):
        text = "is not published; reconstruction is of tables of exact counts (for others there is `audit`)."
        raise InputError(text, at=table.place(int(open_rows[0])))
    rows = np.flatnonzero(inside & (table.value.units != 0))
    negative = rows[table.value.units[rows] < 0]
    if len(negative):
        raise InputError("a count is negative.", at=table.place(int(negative[0])))
    rows = rows[np.lexsort((cell[rows], area[rows]))]
    start = np.concatenate([[0], np.cumsum(np.bincount(area[rows], minlength=len(areas)))])
    groups = tuple(g for at in own if (g := group[at]) is not None)
    return Margin(table.name, tuple(own), sizes, groups, start, cell[rows], table.value.units[rows])
