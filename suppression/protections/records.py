"""Releases of counts whose records are changed: their records, the tables that become of them, and what is known."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from tableseal.audit.errors import InputError, OptionName, Place
from tableseal.audit.linear.naming import plural
from tableseal.audit.model import Hierarchy, Microdata
from tableseal.audit.rules.memberships import memberships
from tableseal.audit.wording import listing, quoted, suggestion
from tableseal.suppression.protections.inner_cells import combinations, true_combinations
from tableseal.suppression.protections.method import Changed
from tableseal.suppression.protections.ranges import within
from tableseal.suppression.protections.subject import Subject, order_by_names

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Records:
    """The records of a release of counts, each of which counts one.

    Attributes
    ----------
    data: the microdata; they give the true values of the subject.
    """

    subject: Subject
    data: Microdata

    @staticmethod
    def of(subject: Subject, method: str) -> "Records":
        """The records of a release.

        Raises
        ------
        InputError: no microdata, with weights, a measure that is no count of records; true values that are others.
        """
        data = subject.release.microdata
        if data is None:
            text = "changes records; give `microdata`."
            raise InputError(text, at=OptionName("method", method), keys=("microdata",))
        if data.weight is not None:
            raise InputError("have weights; records that count one are changed.", at=data.source)
        counted = [m.kind == "count" and name not in data.values for name, m in subject.release.measures.items()]
        subject.refuse(~np.array(counted)[subject.cells.measure], "is no count of records; these are changed")
        true_combinations(subject, data)
        return Records(subject, data)

    @cached_property
    def order(self) -> Ints:
        """int64 (records): by the names of their codes, so that the order of rows never matters."""
        return order_by_names(self.subject.release, self.data.codes, np.zeros(len(self.data.codes), np.int64))

    def variable(self, name: str, option: str) -> int:
        """The position of a variable.

        Raises
        ------
        InputError: there is none, or a record has no code of it, or one that is broken down.
        """
        variables = self.subject.release.variables
        if name not in variables:
            text = f"there is no such variable{suggestion(name, variables)}; variables are {listing(variables)}."
            raise InputError(text, at=OptionName(option, name))
        at = list(variables).index(name)
        open_records = np.flatnonzero(self.leaf(at) < 0)
        if len(open_records):
            where = self.data.source or Place("microdata")
            more = f" ({plural(len(open_records), 'such record')})" if len(open_records) > 1 else ""
            text = f"has no code of {quoted(name)} at its finest level{more}."
            raise InputError(text, at=replace(where, row=int(open_records[0]) + 1))
        return at

    def leaf(self, variable: int) -> Ints:
        """int64 (records): which leaf each has, -1 for none."""
        return self._leaf_of(variable)[self.data.codes[:, variable]]

    def _leaf_of(self, variable: int) -> Ints:
        hierarchy = self.hierarchy(variable)
        found = np.full(len(hierarchy.codes) + 1, -1, np.int64)  # the last is for no code
        found[hierarchy.leaves] = np.arange(len(hierarchy.leaves))
        return found

    def hierarchy(self, variable: int) -> Hierarchy:
        """The classification at a position."""
        return list(self.subject.release.variables.values())[variable]

    def changed(self, variable: int, leaf: Ints) -> "Records":
        """The same with other leaves of a variable. leaf: int64 (records)."""
        codes = self.data.codes.copy()
        codes[:, variable] = self.hierarchy(variable).leaves[leaf]
        return Records(self.subject, replace(self.data, codes=codes))

    def covering(self, besides: set[int]) -> Mask:
        """bool (cells): whose codes cover everything in all variables but some."""
        cells = self.subject.cells
        result = np.ones(len(cells), np.bool_)
        for v in range(cells.codes.shape[1]):
            if v not in besides:
                everything = np.asarray(self.hierarchy(v).dense.all(axis=1))
                result &= everything[cells.codes[:, v]]
        return result

    @cached_property
    def values(self) -> Ints:
        """int64 (cells): how many records each cell has."""
        found = combinations(self.subject, self.data)
        return np.asarray(found.forms @ found.value)

    def by_state(self, variables: list[int], state: Ints, states: int) -> csr_array:
        """int64 csr (cells x states): how many records are in each state of those that agree with the cell in all
        variables but some. state: int64 (records)."""
        subject = self.subject
        cell_codes, codes = subject.cells.codes.copy(), self.data.codes.copy()
        for variable in variables:
            cell_codes[:, variable] = codes[:, variable] = self.hierarchy(variable).leaves[0]
        keyed = np.column_stack([subject.cells.measure, cell_codes])
        distinct, own = np.unique(keyed, axis=0, return_inverse=True)
        kinds, kind = np.unique(codes, axis=0, return_inverse=True)
        some = replace(subject.cells, measure=distinct[:, 0].astype(np.int32), codes=distinct[:, 1:].astype(np.int32))
        cell, combination, _ = memberships(subject.release, some, Microdata(kinds, {}))
        ones = np.ones(len(cell), np.int64)
        inside = csr_array(coo_array((ones, (cell, combination)), shape=(len(distinct), len(kinds))))
        there = (np.ones(len(state), np.int64), (kind.ravel(), state))
        return csr_array(csr_array(inside @ csr_array(coo_array(there, shape=(len(kinds), states))))[own.ravel()])


def shown_records(records: Records, come: Ints, gone: Ints, least: Ints, *, details: tuple[str, ...] = ()) -> Changed:
    """The tables of changed records.

    come: int64 (cells), how many records at most may have come to what is shown of a cell; gone: how many may have left
    it. least: int64 (cells), no true count is below.
    """
    shown = records.values
    low, high = np.maximum(shown - come, least), shown + gone
    return within(records.subject, shown, low, high, details=details)
