"""What a method that changes values is given: the cells of a release with their true values."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.of_release import build_equations
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.linear.absent import complete
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.keys import KeySpace
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.linear.naming import place_of, places_of, plural
from tableseal.audit.linear.system import LinearSystem, build_system
from tableseal.audit.model import COLUMNS_LEFT_OUT, Absent, Amounts, Policy, Release, Status, Table
from tableseal.audit.prepare import check_sums
from tableseal.audit.rules import completed
from tableseal.audit.rules.assess import assess
from tableseal.audit.rules.sensitivity import Sensitivity
from tableseal.audit.said import NEGATIVE, Said
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.protections.apply import with_rows


@dataclass(frozen=True)
class Subject:
    """A release that is to be changed.

    Attributes
    ----------
    release: with a row for every total that its tables compute, its tables by name.
    cells: distinct cells. value: int64 (cells), true values in units of their measures.
    known_zero: bool (cells), zeros that everybody knows, which stay.
    """

    release: Release
    cells: Cells
    value: NDArray[np.int64]
    known_zero: NDArray[np.bool_]

    @cached_property
    def equations(self) -> Equations:
        """The relations between all cells.

        Raises
        ------
        InputError: true values do not add up.
        """
        return build_equations(self.release, self.cells, deciding(Highs()))

    @cached_property
    def system(self) -> LinearSystem:
        """Every cell as a sum of base cells."""
        everything = np.ones(len(self.cells), np.bool_)
        said = Amounts(self.value.copy(), everything)
        cells = replace(self.cells, lower=said, upper=said, exact=everything.copy())
        return build_system(self.release, cells, self.value, self.value)

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """int64 (cells): the cells in an order that neither that of tables and rows nor that of codes in the files
        changes; whoever draws for one cell after another goes through them so."""
        return order_by_names(self.release, self.cells.codes, self.cells.measure)

    @cached_property
    def rows(self) -> tuple[NDArray[np.int64], ...]:
        """Of each table int64 (rows): the cell that each row lists."""
        order = np.argsort(self.cells.listing_table, kind="stable")
        ends = np.cumsum([len(table.codes) for table in self.release.tables])[:-1]
        return tuple(np.split(self.cells.listing_cell[order], ends))

    def sensitivity(self, policy: Policy | None) -> Sensitivity:
        """What the rules say of the cells. policy: overrides the release's own.

        Raises
        ------
        InputError: as `audit.rules.assess`.
        """
        return assess(self.release, self.cells, policy or self.release.policy or Policy())

    def refuse_negative(self, method: str) -> None:
        """Of methods for values that everybody knows not to be negative.

        Raises
        ------
        InputError: one is, or may be.
        """
        self.refuse(self.value < 0, f"is negative, which {method} is not for")
        if not self.nonnegative:
            text = Said("values may be negative (", NEGATIVE, f"), which {method} is not for.")
            raise InputError(text, at=OptionName("method", method))

    @property
    def nonnegative(self) -> bool:
        """Whether everybody knows that no value is negative."""
        return self.release.intruder.nonnegative

    def bases(self, units: dict[str, int]) -> NDArray[np.int64]:
        """int64 (cells): the base of each cell. units: measure -> base in its units."""
        return np.array([units[name] for name in self.release.measures], np.int64)[self.cells.measure]

    def refuse(self, wrong: NDArray[np.bool_], text: str, remedy: str | None = None) -> None:
        """Name the first of the cells with something wrong.

        Raises
        ------
        InputError: there is one; `text` says what is wrong, `remedy` what to do, and more than one are counted.
        """
        found = np.flatnonzero(wrong)
        if len(found):
            more = f" ({plural(len(found), 'such cell')})" if len(found) > 1 else ""
            at = place_of(self.release, self.cells, int(found[0]))
            places = places_of(self.release, self.cells, found[:8].tolist())
            raise InputError(f"{text}{more}{'' if remedy else '.'}", at=at, places=places, remedy=remedy)


def order_by_names(release: Release, codes: NDArray[np.int32], measure: NDArray[np.integer]) -> NDArray[np.int64]:
    """int64 (n): combinations of codes by the names of measures and codes. codes: (n x variables), -1: none."""
    measures = np.argsort(np.argsort(list(release.measures)))
    ranks = []
    for name in sorted(release.variables, reverse=True):
        own = codes[:, list(release.variables).index(name)]
        rank = np.argsort(np.argsort(np.array(release.variables[name].codes)))
        ranks.append(np.where(own < 0, -1, rank[own]))
    return np.lexsort((*ranks, measures[measure])).astype(np.int64)


def subject_of(release: Release) -> Subject:
    """The cells of a release with their true values; what is withheld so far counts as any other cell.

    Raises
    ------
    InputError: a cell without a true value, one that is rounded already or that is out already; statistics, which are
        computed from true values; what `audit.linear.merge` and `audit.prepare` refuse.
    """
    if release.statistics:
        text = "percentages, rates and means of true values tell what is changed in tables; leave `statistics` out."
        raise InputError(text, at=release.statistics[0].table.where)
    release = replace(  # by name, so that no answer hangs on the order of tables
        release,
        tables=tuple(_written_out(table, release) for table in sorted(release.tables, key=lambda table: table.name)),
        notes=tuple(note for note in release.notes if note.code != COLUMNS_LEFT_OUT),
    )
    merged, _ = merge_cells(release)
    check_sums(release, merged)
    cells = completed(release, merged)
    known = cells.exact | cells.truth.known
    value = np.where(cells.exact, cells.lower.units, cells.truth.units)
    zero = (cells.status == Status.STRUCTURAL_ZERO) | (cells.absent_zero & cells.exact)
    subject = Subject(release, cells, np.where(known, value, 0), zero)
    subject.refuse(cells.rounded, "is rounded already; give the table with true values")
    subject.refuse(~known, "has no true value, and what is changed starts from true values; add a truth column")
    subject.refuse(cells.status == Status.FROZEN, "is out already (frozen), so that its value cannot be changed")
    return subject


def _written_out(table: Table, release: Release) -> Table:
    """The table with a row for every total that it computes: readers cannot add up what was changed."""
    if table.absent.totals != "compute" or table.rounding is not None:
        return table
    done = complete(table, release, KeySpace.of(release))
    listed = with_rows(table, done.sum_codes)
    units, known = listed.value.units.copy(), listed.value.known.copy()
    units[len(table.codes) :], known[len(table.codes) :] = done.sums.units, done.sums.known
    value = Amounts(units, known)
    truth = Amounts(np.where(known, units, listed.truth.units), known | listed.truth.known)
    return replace(listed, value=value, truth=truth, absent=Absent(table.absent.leaves, "not_released"))
