"""The table of base cells that records give: of each combination it shows a value that fits, and most are not 0.

Tables that programs find lie in corners, where nearly all base cells are 0. Beside one of them this one settles most
questions whether a combination can have another value.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.in_hand.axes import Axis
from tableseal.audit.in_hand.tables import Table, fits
from tableseal.audit.linear.base import BaseTable
from tableseal.audit.linear.inclusion import members_of
from tableseal.audit.linear.integers import bound_sum
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.model import Hierarchy, Microdata
from tableseal.audit.prepare import Prepared
from tableseal.audit.sparse import row_of_entries

Ints = NDArray[np.int64]

_OUTSIDE, _UNKNOWN = -1, -2
"""Atom of a code that has nothing in the block; of one that does not say which atom it is in."""


def table_of_records(prepared: Prepared, reduced: Reduced, axes: list[tuple[Axis, ...]]) -> Table | None:
    """What the records add up to, in components where that fits; None: there are no records, or only a sample."""
    release = prepared.release
    records = release.microdata
    if records is None or records.weight is not None:
        return None
    base, hierarchies = prepared.system.base, list(release.variables.values())
    measures = list(release.measures)
    value, known = np.zeros(base.columns, np.int64), reduced.fixed.copy()
    for table in base.tables:
        measure = measures[base.blocks[table.block].measure]
        sums = _sums(records, measure, table, hierarchies, axes[table.block])
        if sums is not None:
            own = slice(table.offset, table.offset + table.size)
            value[own], known[own] = sums, True
    value = np.where(reduced.fixed, reduced.value, value)
    return Table(value, known & fits(reduced, value, known), False)


def _sums(
    records: Microdata, measure: str, table: BaseTable, hierarchies: list[Hierarchy], axes: tuple[Axis, ...]
) -> Ints | None:
    """int64 (base cells of the table); None where a record does not say where it belongs, or what it gives."""
    given = records.values.get(measure)
    amount = np.ones(len(records.codes), np.int64) if given is None else given.units
    column, inside = np.zeros(len(amount), np.int64), np.ones(len(amount), np.bool_)
    open_ones = np.zeros(len(amount), np.bool_) if given is None else ~given.known
    for v, (hierarchy, axis) in enumerate(zip(hierarchies, axes, strict=True)):
        atom = np.append(_atoms(hierarchy, axis), _everything(axis))[records.codes[:, v]]
        inside &= atom != _OUTSIDE
        if v in table.variables:
            open_ones |= atom == _UNKNOWN
            column = column * axis.points.shape[1] + np.maximum(atom, 0)
        else:
            open_ones |= (atom == _UNKNOWN) & bool((axis.leaf_atom < 0).any())
    if (open_ones & inside).any():
        return None
    return bound_sum(amount[inside], column[inside], table.size)


def _everything(axis: Axis) -> int:
    """Of records without a code: the only atom, where that is all there is."""
    return 0 if axis.points.shape[1] == 1 and (axis.leaf_atom >= 0).all() else _UNKNOWN


def _atoms(hierarchy: Hierarchy, axis: Axis) -> Ints:
    """int64 (codes): the atom that all leaves of a code are in."""
    members = csr_array(members_of(hierarchy))
    atom = axis.leaf_atom[members.indices]
    row, codes = row_of_entries(members), members.shape[0]
    least, most = np.full(codes, np.iinfo(np.int64).max), np.full(codes, -1)
    np.minimum.at(least, row, atom)
    np.maximum.at(most, row, atom)
    return np.where(most < 0, _OUTSIDE, np.where(least == most, most, _UNKNOWN))
