"""One table of a release -> its leaf cells as counts."""

from math import prod

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, LimitError, OptionName
from tableseal.audit.linear.absent import finest_codes
from tableseal.audit.linear.inclusion import members_of, overlaps
from tableseal.audit.linear.naming import plural
from tableseal.audit.model import Hierarchy, Release, Status, Table
from tableseal.audit.model.count_table import Axis, CountTable
from tableseal.audit.said import InFile, Said

LARGEST = 2**62
"""Cells of a table: their positions are 64-bit integers."""


def leaf_counts(release: Release, *, published: bool = False, table: str | None = None) -> CountTable:
    """The counts of a table at the finest level it lists: no totals, no groups.

    Parameters
    ----------
    published: what is published (rounded or perturbed values), else the true counts.
    table: name of the table; may be left out if there is only one.

    Raises
    ------
    InputError: no such table, no table of counts, a leaf cell without the value that is needed, a negative count, or
        one cell with two values.
    LimitError: more than 2^62 cells.
    """
    chosen = _table(release, table)
    where = chosen.where
    if release.measures[chosen.measure].kind != "count":
        raise InputError(_no_count(release, chosen), at=where)
    at = [v for v, name in enumerate(release.variables) if name in chosen.named]
    hierarchies = [list(release.variables.values())[v] for v in at]
    finests = [finest_codes(hierarchy, chosen.codes[:, v]) for v, hierarchy in zip(at, hierarchies, strict=True)]
    places: list[NDArray[np.int64]] = []
    for v, hierarchy, finest in zip(at, hierarchies, finests, strict=True):
        place = np.full(len(hierarchy.codes), -1, dtype=np.int64)
        place[finest] = np.arange(len(finest))
        places.append(place[chosen.codes[:, v]])
    leaf = np.ones(len(chosen.codes), dtype=np.bool_)
    for place in places:
        leaf &= place >= 0
    rows = np.flatnonzero(leaf)
    values = _values(release, chosen, rows, published)
    shape = tuple(len(finest) for finest in finests)
    if prod(shape) > LARGEST:
        raise LimitError(f"{prod(shape):,} combinations of its codes are more than 2^62.", at=where)
    flat = np.zeros(len(rows), dtype=np.int64)
    if places:
        flat = np.ravel_multi_index(tuple(place[rows] for place in places), shape).astype(np.int64)
    index, first, group = np.unique(flat, return_index=True, return_inverse=True)
    differs = np.flatnonzero(values != values[first][group.ravel()])
    if len(differs):
        raise _wrong(release, chosen, rows[differs[0]], "is listed twice, with two values.")
    axes = tuple(_axis(hierarchy, finest) for hierarchy, finest in zip(hierarchies, finests, strict=True))
    found = CountTable(where, axes, index.astype(np.int64), values[first])
    missing = found.cells - len(index)
    if missing and chosen.absent.leaves != "zero":
        text = f"{plural(missing, 'leaf cell has', 'leaf cells have')} no row, and the table says "
        said = InFile("absent", {"leaves": chosen.absent.leaves}, keyword="absent")
        raise InputError(text, Said(said, "; the measure needs every count."), at=where)
    return found


def _table(release: Release, name: str | None) -> Table:
    names = [table.name for table in release.tables]
    if name is None and len(names) > 1:
        text = f"the release has {len(names)} tables ({', '.join(names)}); say which with "
        raise InputError(text, OptionName("table"), ".")
    if name is not None and name not in names:
        raise InputError(f'there is no table "{name}"; tables are {", ".join(names)}.')
    return release.tables[0 if name is None else names.index(name)]


def _no_count(release: Release, table: Table) -> str:
    """Why a magnitude is no frequency table: a negative or fractional value that is published, where there is one."""
    unit = release.measures[table.measure].unit
    known = table.value.known & (table.status <= Status.FROZEN)
    odd = known & ((table.value.units < 0) | (table.value.units * unit.numerator % unit.denominator != 0))
    if not odd.any():
        return f'the measure "{table.measure}" is a magnitude; risk is measured of tables of counts (kind: count).'
    row = int(np.flatnonzero(odd)[0])
    kind = "negative" if table.value.units[row] < 0 else "fractional"
    return f"{_cell(release, table, row)} has a {kind} value; risk is measured of tables of counts."


def _axis(hierarchy: Hierarchy, finest: NDArray[np.int32]) -> Axis:
    """The finest codes, and every code that is a union of them."""
    members = members_of(hierarchy)
    sizes = members.sum(axis=1)
    code, part, common = overlaps(members, members[finest])
    inside = common == sizes[finest][part]
    code, part = code[inside], part[inside]
    covered = np.zeros(len(sizes), dtype=np.int64)
    np.add.at(covered, code, sizes[finest][part])
    order = np.lexsort((part, code))
    ends = np.searchsorted(code[order], np.arange(len(sizes) + 1))
    groups = {
        hierarchy.codes[at]: tuple(part[order[ends[at] : ends[at + 1]]].tolist())
        for at in np.flatnonzero((covered == sizes) & (sizes > 0)).tolist()
    }
    return Axis(hierarchy.name, tuple(hierarchy.codes[at] for at in finest), groups)


def _values(release: Release, table: Table, rows: NDArray[np.int64], published: bool) -> NDArray[np.int64]:
    amounts = table.value if published else table.truth
    zero = table.status[rows] == Status.STRUCTURAL_ZERO
    known = amounts.known[rows] | zero
    if not known.all():
        row = rows[int(np.flatnonzero(~known)[0])]
        needed = "a published value" if published else "a true value (`truth`, or a value beside its status)"
        raise _wrong(release, table, row, f"has no count; the measure needs {needed} of every cell.")
    values = np.where(zero, 0, amounts.units[rows])
    if (values < 0).any():
        row = rows[int(np.flatnonzero(values < 0)[0])]
        raise _wrong(release, table, row, "has a negative count.")
    return values


def _wrong(release: Release, table: Table, row: int, problem: str) -> InputError:
    return InputError(f"{_cell(release, table, row)} {problem}", at=table.where, places=[table.place(row)])


def _cell(release: Release, table: Table, row: int) -> str:
    codes = release.cell_codes(table.codes[row])
    named = {variable: code for variable, code in codes.items() if variable in table.named}
    return "cell " + ", ".join(f"{variable}={code}" for variable, code in named.items())
