"""The base table of a release or a matrix: its attack, and what its leaves are called."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tableseal.audit.errors import InputError
from tableseal.audit.linear.difference import Differenced
from tableseal.audit.linear.integers import product
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.linear.naming import plural
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.linear.reduce import reduce
from tableseal.audit.linear.system import LinearSystem
from tableseal.audit.measures.sap.attack import Attack, Ints, attack
from tableseal.audit.model import Release, Status
from tableseal.audit.prepare import Prepared, prepare
from tableseal.audit.rules import completed
from tableseal.audit.said import NEGATIVE, Said

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Population:
    """An attack whose leaves have names.

    Attributes
    ----------
    attack: on the base table, the cross-classification of all variables.
    variables: variable -> code -> bool (leaves), the leaves that the code covers.
    leaves: variable -> code of each leaf.
    bare: the leaves are those of a matrix without codes.
    """

    attack: Attack
    variables: Mapping[str, Mapping[str, Flags]]
    leaves: Mapping[str, tuple[str, ...]]
    bare: bool = False

    def named(self, leaf: int) -> str:
        """A leaf in words."""
        return ", ".join(f"{v}={codes[leaf]}" for v, codes in self.leaves.items())

    def select(self, cell: Mapping[str, str]) -> Flags:
        """Leaves that all the given codes cover.

        Raises
        ------
        InputError: an unknown variable or code, or codes that have no leaf in common.
        """
        found = np.ones(len(self.attack.counts), np.bool_)
        for variable, code in cell.items():
            codes = self.variables[self._checked(variable)]
            if code not in codes:
                raise InputError(f'variable "{variable}" has no code "{code}" in these tables.')
            found &= codes[code]
        if not found.any():
            raise InputError("No cell has " + ", ".join(f"{v}={c}" for v, c in cell.items()) + ".")
        return found

    def labels(self, variables: tuple[str, ...]) -> Ints:
        """int64 (leaves): equal for leaves with the same codes of these variables."""
        keys = list(zip(*(self.leaves[self._checked(v)] for v in variables), strict=True))
        place = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        return np.array([place[key] for key in keys], dtype=np.int64)

    def known_in(self, variables: tuple[str, ...]) -> "Population":
        """The same against an intruder who knows these variables of each unit, and not the others."""
        return replace(self, attack=self.attack.known_in(self.labels(variables)))

    def aimed_at(self, cells: list[Mapping[str, str]]) -> "Population":
        """Only zeros of these cells (and of the cells that they are sums of) count."""
        chosen = np.zeros(len(self.attack.counts), np.bool_)
        for cell in cells:
            chosen |= self.select(cell)
        return replace(self, attack=self.attack.aimed_at(chosen))

    def given(self, variables: tuple[str, ...]) -> Iterator[tuple[Mapping[str, str], Attack]]:
        """The conditional table of each combination of key codes: units are drawn from it, only its zeros count.

        Tables without units are left out: they hold nobody to be found.
        """
        labels = self.labels(variables)
        for label in range(int(labels.max()) + 1):
            members = labels == label
            leaf = int(np.argmax(members))
            part = self.attack.among(members)
            if part.total > 0 and part.targets.any():
                yield {v: self.leaves[v][leaf] for v in variables}, part

    def _checked(self, variable: str) -> str:
        if variable not in self.leaves:
            raise InputError(f'There is no variable "{variable}"; variables: {", ".join(self.leaves)}.')
        return variable


def of_matrix(base: Attack, shape: tuple[int, int]) -> Population:
    """Leaves of a matrix in row-major order are named by `row` and `column`, from 1."""
    place = np.indices(shape).reshape(2, -1) + 1
    leaves = {name: tuple(map(str, axis.tolist())) for name, axis in zip(("row", "column"), place, strict=True)}
    covers = {
        name: {str(k): axis == k for k in range(1, size + 1)}
        for name, axis, size in zip(("row", "column"), place, shape, strict=True)
    }
    return Population(base, covers, leaves, bare=True)


def of_release(release: Release) -> Population:
    """The base table of a release of counts with true values.

    Raises
    ------
    InputError: not one measure of counts; values that may be negative; true values that are missing, that do not add up
        or that the release does not allow; tables whose cross-classification is not known.
    """
    _refuse_other_measures(release)
    cells, _ = merge_cells(release)
    return of_prepared(prepare(release, completed(release, cells)))


def of_prepared(prepared: Prepared) -> Population:
    """As `of_release`, of a release whose system stands already."""
    release, system = prepared.release, prepared.system
    _refuse_other_measures(release)
    variables, leaves = _names(release, system)
    counts = _true_counts(prepared, leaves)
    _refuse_untrue(prepared, counts)
    base = attack(counts, rows=system.matrix, row_low=system.lower, row_high=system.upper)
    return Population(base.aimed_at(~structural_zeros(prepared)), variables, leaves)


def structural_zeros(prepared: Prepared) -> Flags:
    """bool (leaves): listed as structural zeros, so that nobody learns anything from them."""
    system, cells = prepared.system, prepared.cells
    listed = (cells.status == Status.STRUCTURAL_ZERO) & (cells.row >= 0)
    rows = np.flatnonzero((system.cell >= 0) & listed[system.cell])
    found = np.zeros(system.matrix.shape[1], np.bool_)
    found[system.matrix[rows].indices] = True
    return found


def _refuse_other_measures(release: Release) -> None:
    measures = list(release.measures.values())
    if len(measures) != 1 or measures[0].kind != "count":
        found = ", ".join(f"{m.name} ({m.kind})" for m in measures)
        raise InputError(f"SAP is defined for one measure of counts; this release has {found}.")
    if not release.intruder.nonnegative:
        raise InputError(Said("SAP is defined for counts, which are never negative; the release says ", NEGATIVE, "."))


def _names(release: Release, system: LinearSystem) -> tuple[dict[str, dict[str, Flags]], dict[str, tuple[str, ...]]]:
    """(variable -> code -> leaves, variable -> code of each leaf)."""
    base = system.base
    if base.separators:
        names = " and ".join(
            " x ".join(list(release.variables)[v] for v in table.variables) for table in base.tables[:2]
        )
        raise InputError(
            f"SAP is about the zeros of one table over all variables, but no table crosses {names}; list that table "
            "too, with its true values and status missing where it is not released."
        )
    covers: dict[str, dict[str, Flags]] = {}
    leaves: dict[str, tuple[str, ...]] = {}
    for v, (name, hierarchy) in enumerate(release.variables.items()):
        codes: dict[str, Flags] = {}
        labels: list[str] = []
        for table in base.tables:
            atoms = base.blocks[table.block].atoms[v]
            grid = np.indices(table.shape).reshape(len(table.shape), table.size)
            here = grid[table.variables.index(v)] if v in table.variables else None
            size = np.diff(atoms.indptr)
            of_atom = [hierarchy.codes[0]] * atoms.shape[1]
            for code in np.flatnonzero(size).tolist():
                inside = atoms.indices[atoms.indptr[code] : atoms.indptr[code + 1]]
                part = np.full(table.size, size[code] == atoms.shape[1]) if here is None else np.isin(here, inside)
                flags = codes.setdefault(hierarchy.codes[code], np.zeros(base.columns, np.bool_))
                flags[table.offset : table.offset + table.size] |= part
                if size[code] == 1:
                    of_atom[int(inside[0])] = hierarchy.codes[code]
                elif here is None and size[code] == atoms.shape[1]:
                    of_atom[0] = hierarchy.codes[code]
            labels += [of_atom[0]] * table.size if here is None else [of_atom[a] for a in here.tolist()]
        covers[name], leaves[name] = codes, tuple(labels)
    return covers, leaves


def _true_counts(prepared: Prepared, leaves: Mapping[str, tuple[str, ...]]) -> Ints:
    """The base table, from every true value that is known (sums too)."""
    system, cells = prepared.system, prepared.cells
    known = cells.truth.known[system.open_cells]
    rows = csr_array(vstack([system.matrix[system.exact], system.forms[known]], format="csr", dtype=np.int64))
    values = np.concatenate([system.lower[system.exact], cells.truth.units[system.open_cells[known]]])
    at = np.arange(len(values))
    identity = csr_array((np.ones(len(values), np.int64), (at, at)), shape=(len(values), len(values)))
    try:
        reduced = reduce(Differenced(rows, values, values, identity), nonnegative=True)
    except InfeasibleError:
        raise InputError("SAP: the true values of the release do not add up to one table of counts.") from None
    if not reduced.fixed.all():
        leaf = int(np.argmin(reduced.fixed))
        name = ", ".join(f"{v}={codes[leaf]}" for v, codes in leaves.items())
        raise InputError(
            f"SAP needs the true count of every cell of the table over all variables; that of {name} "
            f"({plural(int((~reduced.fixed).sum()), 'cell')} in all) is not given and does not follow from the others. "
            "Add a `truth` column, and list cells that are not released with status missing."
        )
    return reduced.value


def _refuse_untrue(prepared: Prepared, counts: Ints) -> None:
    system, release = prepared.system, prepared.release
    sums = product(system.matrix, counts)
    wrong = np.flatnonzero((sums < system.lower) | (sums > system.upper))
    if not len(wrong):
        return
    cell = int(system.cell[wrong[0]])
    if cell < 0:
        raise InputError("SAP: the true values do not satisfy a link of the release.")
    table = release.tables[int(prepared.cells.table[cell])].name
    name = ", ".join(f"{v}={c}" for v, c in release.cell_codes(prepared.cells.codes[cell]).items())
    raise InputError(
        f'table "{table}", cell {name}: the true value is not among those that what is released of the cell allows '
        "(published value, rounding or known bounds)."
    )


def cells_of_leaves(prepared: Prepared) -> dict[int, int]:
    """Leaf -> the cell of the release that is this leaf alone, where there is one."""
    system = prepared.system
    found: dict[int, int] = {}
    for matrix, cells in ((system.matrix, system.cell), (system.forms, system.open_cells)):
        for row in np.flatnonzero(np.diff(matrix.indptr) == 1).tolist():
            cell = int(cells[row])
            if cell >= 0:
                found.setdefault(int(matrix.indices[matrix.indptr[row]]), cell)
    return found
