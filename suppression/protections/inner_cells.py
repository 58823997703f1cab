"""Inner cells: what every published cell is a sum of, with their true values."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from tableseal.audit.errors import InputError
from tableseal.audit.linear.naming import place_of
from tableseal.audit.model import Microdata
from tableseal.audit.rules.memberships import memberships, record_amounts
from tableseal.suppression.protections.subject import Subject


@dataclass(frozen=True)
class InnerCells:
    """forms: int64 csr (cells x inner cells), 1 where a cell holds an inner cell. value: int64 (inner cells), units.
    codes: int32 (inner cells x variables), -1 where microdata have none. measure: int64 (inner cells).
    owner: int64 (inner cells), the cell that each is; None: they are combinations of microdata."""

    forms: csr_array
    value: NDArray[np.int64]
    codes: NDArray[np.int32]
    measure: NDArray[np.int64]
    owner: NDArray[np.int64] | None = None


def inner_cells(subject: Subject) -> InnerCells:
    """The combinations of the microdata; without microdata, the cells that the tables list at the finest level.

    Raises
    ------
    InputError: sums whose parts no table lists, without microdata; microdata that do not give the true values.
    """
    if subject.release.microdata is not None:
        return true_combinations(subject, subject.release.microdata)
    return listed_cells(subject, ("; give `microdata`, or list them", "; give `microdata`"))


def listed_cells(
    subject: Subject, remedies: tuple[str, str] = ("; list them", "; list them in one table")
) -> InnerCells:
    """The cells that the tables list at the finest level.

    remedies: what to do about sums whose parts no table lists, and about tables that are crossed differently.

    Raises
    ------
    InputError: sums whose parts no table lists.
    """
    system = subject.system
    stated = np.flatnonzero(system.cell >= 0)
    _, first = np.unique(system.cell[stated], return_index=True)
    forms = csr_array(system.matrix[stated[first]])
    alone = np.flatnonzero(np.diff(forms.indptr) == 1)
    owner = np.full(forms.shape[1], -1, np.int64)
    owner[forms.indices[forms.indptr[alone]]] = alone
    unlisted = np.zeros(len(subject.cells), np.bool_)
    unlisted[np.repeat(np.arange(forms.shape[0]), np.diff(forms.indptr))[owner[forms.indices] < 0]] = True
    text = "is a sum of combinations that no table lists, so that they cannot be changed"
    subject.refuse(unlisted, text + remedies[0])
    if (system.cell < 0).any():
        raise InputError(
            f"tables are crossed differently: the combinations behind them are not known{remedies[1]}.",
            at=subject.release.tables[-1].where,
        )
    cells = subject.cells
    return InnerCells(forms, subject.value[owner], cells.codes[owner], cells.measure[owner].astype(np.int64), owner)


def true_combinations(subject: Subject, microdata: Microdata) -> InnerCells:
    """The combinations of microdata that give the true values.

    Raises
    ------
    InputError: they do not, or it is open whether some record belongs to a cell.
    """
    whole = combinations(subject, microdata)
    subject.refuse(whole.forms @ whole.value != subject.value, "has another true value than the microdata give")
    return whole


def combinations(subject: Subject, microdata: Microdata) -> InnerCells:
    """The combinations of any microdata with the classifications of a release.

    Raises
    ------
    InputError: it is open whether some record belongs to a cell, or values are missing.
    """
    release, cells = subject.release, subject.cells
    distinct, kind = np.unique(microdata.codes, axis=0, return_inverse=True)
    one = Microdata(distinct, {})
    cell, combination, covered = memberships(release, cells, one)
    subject.refuse(~covered, "is not covered by the microdata: records have no code, or a broader one")
    records = np.arange(len(kind))
    forms, values, measures = [], [], list[int]()
    for m in range(len(release.measures)):
        sample = np.flatnonzero(cells.measure == m)
        if not len(sample):
            continue
        amount, known, has = record_amounts(release, cells, microdata, np.full(len(kind), sample[0]), records)
        if not has[sample[0]] or not known.all():
            name = list(release.measures)[m]
            raise InputError(f'microdata: lack values of "{name}".', at=place_of(release, cells, int(sample[0])))
        total = np.zeros(len(distinct), np.int64)
        np.add.at(total, kind.ravel(), amount)
        own = cells.measure[cell] == m
        ends = cell[own], combination[own]
        shape = len(cells), len(distinct)
        forms.append(csr_array(coo_array((np.ones(int(own.sum()), np.int64), ends), shape=shape)))
        values.append(total)
        measures.append(m)
    codes, measure = np.tile(distinct, (len(measures), 1)), np.repeat(measures, len(distinct))
    return InnerCells(csr_array(_beside(forms)), np.concatenate(values), codes, measure)


def _beside(blocks: list[csr_array]) -> csr_array:
    from scipy.sparse import hstack

    return csr_array(hstack(blocks))
