"""The counts of a release, changed by cell keys."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.equations import Equations, build_equations
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.naming import place_of
from tableseal.audit.model import Release, Rounding
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.protections.cell_keys.additive import Additive, Asked, least_range, nearest_additive
from tableseal.suppression.protections.cell_keys.counts import perturbed_counts
from tableseal.suppression.protections.cell_keys.entropy import Wanted, table_of_maximum_entropy
from tableseal.suppression.protections.cell_keys.of_release import CellKeys
from tableseal.suppression.protections.cell_keys.ptable import PTable, Stated, check


@dataclass(frozen=True)
class Changes:
    """How counts are changed, publicly.

    Attributes
    ----------
    wanted: range, variance, counts that are never published, share that stays; of a table of one's own the variance and
        the share are its own.
    own: a perturbation table in place of that of maximum entropy. unbiased_from: from this count on it is unbiased.
    threshold: counts below it, after the change, are withheld.
    additive: the nearest table that adds up is published.
    """

    wanted: Wanted
    own: PTable | None = None
    unbiased_from: int | None = 0
    threshold: int = 0
    additive: bool = False

    def table(self, modulus: int) -> PTable:
        """The perturbation table, which keeps what is stated.

        Raises
        ------
        InputError: it does not, or its keys are others; there is none as it is wanted.
        """
        if self.own is None:
            return table_of_maximum_entropy(self.wanted, modulus)
        check(self.own, Stated(Fraction(self.wanted.range), self.wanted.never, True, self.unbiased_from))
        if self.own.modulus != modulus:
            text = f"the perturbation table is for keys below {self.own.modulus}, and these are below {modulus}."
            raise InputError(text, at=OptionName("modulus"))
        return self.own

    @property
    def stated(self) -> Rounding:
        """What everybody may know of a published count."""
        share = None if self.wanted.unchanged is None or self.additive else Fraction(repr(self.wanted.unchanged))
        return Rounding(1, "cell_key", (), self.wanted.range, self.wanted.never, True, share)


@dataclass(frozen=True)
class ChangedCounts:
    """shown: int64 (cells), published counts; known: bool (cells), False where one is withheld for the threshold: it is
    at most `most_withheld`. additive: of tables that add up, how near they are."""

    shown: NDArray[np.int64]
    known: NDArray[np.bool_]
    most_withheld: int
    additive: Additive | None = None


def changed_counts(
    release: Release,
    cells: Cells,
    counts: NDArray[np.int64],
    known_zero: NDArray[np.bool_],
    keys: CellKeys,
    changes: Changes,
    limits: Limits,
) -> ChangedCounts:
    """Every count by the key of its cell and by nothing else, so that a cell is changed alike in every table, order of
    rows, process and release.

    counts: int64 (cells), true ones. known_zero: bool (cells), zeros that everybody knows, which stay.

    Raises
    ------
    InputError: a measure that is no count, a negative count, a perturbation table that does not keep what is stated;
        additive tables with a threshold, or where there are none within the range (which least range has one).
    LimitError: the time is over before there is an additive table.
    """
    _refuse_others(release, cells, counts)
    if changes.additive and changes.threshold:
        raise InputError("what is withheld cannot add up.", at=OptionName("threshold"))
    found = perturbed_counts(counts, keys.key, changes.table(keys.modulus), threshold=changes.threshold)
    shown = np.where(known_zero, 0, found.shown)
    if not changes.additive:
        return ChangedCounts(shown, found.known | known_zero, changes.threshold - 1 + changes.wanted.range)
    asked = asked_of(build_equations(release, cells, deciding(Highs())), shown, known_zero, changes.wanted)
    additive = nearest_additive(asked, limits)
    if additive is None:
        least = least_range(asked, limits)
        text = f"no table that adds up is within {asked.range} of the true counts; the least range with one is {least}."
        raise InputError(text, at=OptionName("range"))
    everything = np.ones(len(counts), np.bool_)
    return ChangedCounts(additive.shown[: len(counts)], everything, 0, additive)


def asked_of(equations: Equations, shown: NDArray[np.int64], known_zero: NDArray[np.bool_], wanted: Wanted) -> Asked:
    """The relations of a release that published counts have to fulfil: all that are equations."""
    relations = np.flatnonzero(equations.lower == equations.upper)
    columns = equations.matrix.shape[1]
    rest = columns - len(shown)
    return Asked(
        matrix=equations.matrix[relations],
        right=equations.lower[relations],
        truth=equations.value,
        target=np.concatenate([shown, np.zeros(rest, np.int64)]),
        published=np.arange(columns) < len(shown),
        stays=np.concatenate([known_zero, np.zeros(rest, np.bool_)]),
        range=wanted.range,
        never=wanted.never,
    )


def _refuse_others(release: Release, cells: Cells, counts: NDArray[np.int64]) -> None:
    for name, measure in release.measures.items():
        if measure.kind != "count" or measure.unit != 1:
            text = f"measure {name} is no count; cell keys of magnitudes need their contributions."
            raise InputError(text, at=OptionName("method", "cell-key"))
    negative = np.flatnonzero(counts < 0)
    if len(negative):
        raise InputError(
            "is negative; cell keys change counts of records.", at=place_of(release, cells, int(negative[0]))
        )
