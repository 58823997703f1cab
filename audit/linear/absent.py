"""Combinations without a row: zeros that the reader knows, sums that can be added up, or nothing.

`absent: leaves` concerns the finest level that a table itself lists; a table of group codes says nothing of the
leaves below.
"""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.linear.inclusion import members_of, overlaps
from tableseal.audit.linear.keys import KeySpace, Lookup
from tableseal.audit.linear.marks import marks
from tableseal.audit.model import Amounts, Hierarchy, Release, Status, Table
from tableseal.audit.said import InFile, Said

LARGEST = 20_000_000
"""More combinations than this in one table are refused rather than built."""


@dataclass(frozen=True)
class Completed:
    """What a table says without a row.

    zero_codes: (n x variables) codes of combinations known to be zero.
    sum_codes, sums: computed totals (`totals: compute`) and their values.
    """

    zero_codes: NDArray[np.int32]
    sum_codes: NDArray[np.int32]
    sums: Amounts


def finest_codes(hierarchy: Hierarchy, listed: NDArray[np.integer]) -> NDArray[np.int32]:
    """Codes of the finest level that a table lists: listed codes with no listed code inside them, and leaves that lie
    inside a listed sum but inside no finer listed code.

    A table that lists codes of one level only (no sum beside its parts) is taken to be of the whole population; one
    whose sums cover a part of the classification speaks of that part only. A variable without total is never
    completed.
    """
    chosen = np.zeros(len(hierarchy.codes), np.bool_)
    chosen[listed] = True
    listed = np.flatnonzero(chosen)
    covers = members_of(hierarchy)[listed]
    size = covers.sum(axis=1)
    inner, outer, common = overlaps(covers, covers)
    inside = (common == size[inner]) & (size[inner] < size[outer])
    is_sum = np.zeros(len(listed), dtype=np.bool_)
    is_sum[outer[inside]] = True
    chosen[listed[is_sum]] = False
    if is_sum.any():
        in_scope = np.asarray(covers[np.flatnonzero(is_sum)].sum(axis=0)) > 0
    else:
        in_scope = np.full(len(hierarchy.leaves), hierarchy.total is not None)
    covered = np.asarray(covers[np.flatnonzero(~is_sum)].sum(axis=0)) > 0
    chosen[hierarchy.leaves[in_scope & ~covered]] = True
    return np.flatnonzero(chosen).astype(np.int32)


def finest_axes(table: Table, release: Release) -> list[NDArray[np.int32]]:
    """Per variable the codes of the finest level that a table lists. A variable that it does not name stands at one
    code, and the table says nothing of the others."""
    return [
        finest_codes(h, table.codes[:, v]) if h.name in table.named else np.unique(table.codes[:, v])
        for v, h in enumerate(release.variables.values())
    ]


def rows_left_out(table: Table, release: Release) -> int:
    """Combinations of the finest level that a table lists of which it says nothing, as they have no row."""
    if table.absent.leaves != "not_released" or len(table.codes) == 0:
        return 0
    finest = finest_axes(table, release)
    inside = np.all([np.isin(table.codes[:, v], own) for v, own in enumerate(finest)], axis=0)
    return prod(map(len, finest)) - len(np.unique(table.codes[inside], axis=0))


def leaf_signature(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """(codes x 2) hash of the set of leaves of each code; equal sets have equal rows (128 bits, fixed seed)."""
    result: NDArray[np.int64] = hierarchy.members @ marks(20030407, len(hierarchy.leaves), 2)
    return result


def complete(table: Table, release: Release, space: KeySpace) -> Completed:
    """Zeros and sums that a table releases without listing them, by its `absent` setting.

    Raises
    ------
    InputError: `leaves: error` and a combination has no row; `totals: compute` on a rounded table.
    LimitError: more than 20 million combinations.
    """
    width = len(release.variables)
    nothing = Completed(np.empty((0, width), np.int32), np.empty((0, width), np.int32), Amounts.none(0))
    if table.absent.leaves == "not_released" and table.absent.totals == "not_released":
        return nothing
    if len(table.codes) == 0:
        return nothing
    finest = finest_axes(table, release)
    _check_size(table, finest)
    measure = list(release.measures).index(table.measure)
    lookup = Lookup.of(_keys(space, measure, table.codes))
    grid = _grid(finest)
    absent = grid[lookup.find(_keys(space, measure, grid)) < 0]
    if table.absent.leaves == "error" and len(absent):
        cell = ", ".join(f"{v}={c}" for v, c in release.cell_codes(absent[0]).items())
        more = f" ({len(absent)} such combinations)" if len(absent) > 1 else ""
        raise InputError(
            f"no row for {cell}{more}; expected a row for every combination, because the table says ",
            Said(InFile("absent", {"leaves": "error"}, keyword="absent")),
            at=table.where,
            keys=("absent",),
        )
    zeros = absent if table.absent.leaves == "zero" else absent[:0]
    if table.absent.totals != "compute":
        return Completed(zeros, nothing.sum_codes, nothing.sums)
    codes, sums = _sums(table, release, space, finest)
    return Completed(zeros, codes, sums)


def _keys(space: KeySpace, measure: int, codes: NDArray[np.int32]) -> NDArray[np.int64] | NDArray[np.void]:
    return space.keys(np.full(len(codes), measure, dtype=np.int32), codes)


def _grid(axes: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes)).astype(np.int32)


def _check_size(table: Table, axes: list[NDArray[np.int32]]) -> None:
    size = prod(len(a) for a in axes)
    if size > LARGEST:
        rest = {"leaves": "not_released", "totals": "not_released"}
        raise LimitError(
            f'table "{table.name}": {size:,} combinations of the codes it lists are more than {LARGEST:,}; say ',
            Said(InFile("absent", rest, keyword="absent"), " or split the table"),
            places=[table.where],
        )


def _sums(
    table: Table, release: Release, space: KeySpace, finest: list[NDArray[np.int32]]
) -> tuple[NDArray[np.int32], Amounts]:
    """Add true values over the finest level for every sum that the table does not list."""
    if table.rounding is not None:
        text = f'table "{table.name}": totals: compute adds true values and cannot be combined with rounding; '
        raise InputError(text, "list the rounded totals", places=[table.where])
    hierarchies = list(release.variables.values())
    shape = tuple(len(f) for f in finest)
    place = [np.full(len(h.codes), -1, np.int64) for h in hierarchies]
    for axis, codes in zip(place, finest, strict=True):
        axis[codes] = np.arange(len(codes))
    at = np.stack([place[v][table.codes[:, v]] for v in range(len(finest))])
    fine = (at >= 0).all(axis=0)
    flat = np.ravel_multi_index(tuple(at[:, fine]), shape)
    value = np.zeros(prod(shape), dtype=np.int64)
    unknown = np.full(prod(shape), table.absent.leaves != "zero", dtype=np.int64)
    zero = table.status[fine] == Status.STRUCTURAL_ZERO
    value[flat] = np.where(zero, 0, table.truth.units[fine])
    unknown[flat] = ~(table.truth.known[fine] | zero)
    axes, adders = [], []
    for v, (hierarchy, codes) in enumerate(zip(hierarchies, finest, strict=True)):
        named = hierarchy.name in table.named
        sums, adder = _sum_codes(hierarchy, codes, table.codes[:, v]) if named else (codes, _itself(len(codes)))
        axes.append(sums)
        adders.append(adder)
    _check_size(table, axes)
    totals = _apply(value.reshape(shape), adders)
    gaps = _apply(unknown.reshape(shape), adders)
    grid = _grid(axes)
    is_sum = np.zeros(len(grid), dtype=np.bool_)
    for v, codes in enumerate(finest):
        is_sum |= ~np.isin(grid[:, v], codes)
    measure = list(release.measures).index(table.measure)
    same = [_same_leaves(hierarchy) for hierarchy in hierarchies]

    def meant(codes: NDArray[np.int32]) -> NDArray[np.int64] | NDArray[np.void]:
        return _keys(space, measure, np.stack([same[v][codes[:, v]] for v in range(len(same))], axis=1))

    is_new = Lookup.of(meant(table.codes)).find(meant(grid)) < 0
    keep = is_new & is_sum & (gaps.ravel() == 0)
    return grid[keep], Amounts(totals.ravel()[keep], np.ones(int(keep.sum()), np.bool_))


def _same_leaves(hierarchy: Hierarchy) -> NDArray[np.int32]:
    """For each code the first one that covers the same leaves: an only child is its parent under another name. The
    total stands for itself: of a table it is a sum even where it has a single part."""
    _, first, which = np.unique(leaf_signature(hierarchy), axis=0, return_index=True, return_inverse=True)
    result = first[which.ravel()].astype(np.int32)
    if hierarchy.total is not None:
        others = np.arange(1, len(result))
        result[1:] = np.where(result[1:] == 0, others[result[1:] == 0].min(initial=len(result)), result[1:])
    return result


def _itself(size: int) -> csr_array:
    return csr_array(np.eye(size, dtype=np.int64))


def _sum_codes(
    hierarchy: Hierarchy, finest: NDArray[np.int32], listed: NDArray[np.integer]
) -> tuple[NDArray[np.int32], csr_array]:
    """Finest-level codes, and codes that a table of this classification computes: exact unions of two or more of them,
    and the total. Groups that only a `where` made (`selections`) are none unless the table lists them.

    Returns them with the 0/1 matrix that adds them up.
    """
    covers = hierarchy.members.astype(np.int64)
    size = covers.sum(axis=1)
    inside = (covers @ covers[finest].T).tocoo()
    code, part = inside.coords
    whole = inside.data == size[finest][part]
    # Of finest codes that cover the same leaves (one-child levels) only one is added up.
    _, first = np.unique(leaf_signature(hierarchy)[finest], axis=0, return_index=True)
    apart = np.isin(np.arange(len(finest)), first)
    # Finest codes of several groupings may overlap: then those of one grouping add up.
    families = [apart, *(apart & (parents[finest] >= 0) for parents in hierarchy.parents)]
    allowed = size > 0
    selections = [hierarchy.index[code] for code in hierarchy.selections]
    allowed[np.setdiff1d(selections, listed).astype(np.int64)] = False
    allowed[finest] = False
    rows = {int(f): np.array([k]) for k, f in enumerate(finest)}
    for family in families:
        chosen = whole & family[part]
        adder = csr_array(
            (np.ones(int(chosen.sum()), np.int64), (code[chosen], part[chosen])), shape=(len(size), len(finest))
        )
        parts = np.diff(adder.indptr)
        exact = (adder @ size[finest] == size) & allowed & (parts >= 1)
        exact &= (parts >= 2) | (np.arange(len(size)) == hierarchy.total_index)
        for c in np.flatnonzero(exact).tolist():
            rows.setdefault(c, adder.indices[adder.indptr[c] : adder.indptr[c + 1]])
    codes = np.array(sorted(rows), dtype=np.int32)
    lengths = [len(rows[c]) for c in codes.tolist()]
    columns = np.concatenate([rows[c] for c in codes.tolist()])
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    return codes, csr_array((np.ones(len(columns), np.int64), columns, indptr), shape=(len(codes), len(finest)))


def _apply(values: NDArray[np.int64], adders: list[csr_array]) -> NDArray[np.int64]:
    for axis, adder in enumerate(adders):
        moved = np.moveaxis(values, axis, 0)
        flat = adder @ moved.reshape(moved.shape[0], -1)
        values = np.moveaxis(flat.reshape((adder.shape[0], *moved.shape[1:])), 0, axis)
    return values
