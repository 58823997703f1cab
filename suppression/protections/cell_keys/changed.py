"""The counts of a release, changed by cell keys."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.of_release import build_equations
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.naming import place_of
from tableseal.audit.model import Note, Release, Rounding
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.protections.cell_keys.additive import Additive, Asked, least_range, nearest_additive
from tableseal.suppression.protections.cell_keys.counts import perturbed_counts
from tableseal.suppression.protections.cell_keys.of_release import keys_of_cells
from tableseal.suppression.protections.cell_keys.ptable import PTable
from tableseal.suppression.protections.cell_keys.settings import CellKeySettings, scheme_of


@dataclass(frozen=True)
class ChangedCounts:
    """What becomes of the counts of a release.

    Attributes
    ----------
    shown: int64 (cells), published counts. known: bool (cells), False where one is withheld because it is small: its
        true count is at most `most_withheld`.
    stated: what everybody may know. table: by which counts were changed. notes: what to know of the keys.
    additive: of tables that add up, how near they are.
    """

    shown: NDArray[np.int64]
    known: NDArray[np.bool_]
    most_withheld: int
    stated: Rounding
    table: PTable
    notes: tuple[Note, ...]
    additive: Additive | None = None


def changed_counts(
    release: Release,
    cells: Cells,
    counts: NDArray[np.int64],
    known_zero: NDArray[np.bool_],
    settings: CellKeySettings,
    limits: Limits,
) -> ChangedCounts:
    """Every count by the key of its cell and by nothing else, so that a cell is changed alike in every table, order of
    rows, process and release.

    counts: int64 (cells), true ones. known_zero: bool (cells), zeros that everybody knows, which stay.

    Raises
    ------
    InputError: a measure that is no count, a negative count, keys or a perturbation table that cannot be used; no
        additive table within the range (which least range has one).
    LimitError: the time is over before there is an additive table.
    """
    _refuse_others(release, cells, counts)
    keys = keys_of_cells(release, cells, counts, settings.modulus, missing_keys=settings.missing_keys)
    scheme = scheme_of(settings, release.ptable, keys.modulus)
    where = None if release.ptable is None else release.ptable.source
    found = perturbed_counts(counts, keys.key, scheme.table, threshold=settings.withhold_below, where=where)
    shown, known = np.where(known_zero, 0, found.shown), found.known | known_zero
    additive = None
    if settings.additive:
        asked = asked_of(build_equations(release, cells, deciding(Highs())), shown, known_zero, scheme.stated)
        additive = _additive(asked, limits)
        shown = additive.shown[: len(counts)]
    most = settings.withhold_below - 1 + scheme.stated.range
    return ChangedCounts(shown, known, most, scheme.stated, scheme.table, keys.notes, additive)


def _additive(asked: Asked, limits: Limits) -> Additive:
    found = nearest_additive(asked, limits)
    if found is None:
        least = least_range(asked, limits)
        text = f"no table that adds up is within {asked.range} of the true counts; the least range with one is {least}."
        raise InputError(text, at=OptionName("range"))
    return found


def asked_of(equations: Equations, shown: NDArray[np.int64], known_zero: NDArray[np.bool_], stated: Rounding) -> Asked:
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
        range=stated.range,
        never=stated.never,
    )


def _refuse_others(release: Release, cells: Cells, counts: NDArray[np.int64]) -> None:
    for name, measure in release.measures.items():
        if measure.kind != "count" or measure.unit != 1:
            text = f"measure {name} is no count; cell keys of magnitudes need their contributions."
            raise InputError(text, at=OptionName("method", "cell-key"))
    negative = np.flatnonzero(counts < 0)
    if len(negative):
        at = place_of(release, cells, int(negative[0]))
        raise InputError("is negative; cell keys change counts of records.", at=at)
