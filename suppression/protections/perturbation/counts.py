"""Perturbation of counts by a transition matrix, and what everybody may know of it.

Source: Shlomo, Antal & Elliot 2015, section 3.3.
"""

from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attacks.confidence import small_below
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.model import Release
from tableseal.audit.said import NEGATIVE, Said
from tableseal.audit.wording import listing, suggestion
from tableseal.suppression.protections.believed import believed
from tableseal.suppression.protections.inner_cells import InnerCells, inner_cells
from tableseal.suppression.protections.method import Changed, Tools
from tableseal.suppression.protections.perturbation.behind_restored import Drawing, behind_restored
from tableseal.suppression.protections.perturbation.chain import Counts, Row
from tableseal.suppression.protections.perturbation.draws import below, drawn, groups
from tableseal.suppression.protections.perturbation.possible import possible
from tableseal.suppression.protections.perturbation.restored import Restoring
from tableseal.suppression.protections.perturbation.settings import Perturbation
from tableseal.suppression.protections.perturbation.sums import stratum_sums
from tableseal.suppression.protections.ranges import within as within_ranges
from tableseal.suppression.protections.subject import Subject, order_by_names

Ints = NDArray[np.int64]


def perturb(subject: Subject, settings: Perturbation, tools: Tools) -> Changed:
    """Counts by the matrix of the settings.

    Raises
    ------
    InputError: a measure that is no count, values that may be negative, no matrix, no such variable; inner cells that
        are not known (see `inner_cells`). LimitError: the time is over before margins are restored.
    """
    _refuse_others(subject)
    matrix = settings.matrix(subject.release)
    inner = _apart(subject) if settings.margins == "apart" else inner_cells(subject)
    if settings.margins == "restored" and inner.owner is None:
        text = "with `microdata` every listed cell is a margin of their combinations, and none would change; leave "
        raise InputError(text, "`microdata` out, or choose other margins.", at=OptionName("margins", "restored"))
    strata = strata_of(subject, inner, settings.by)
    fixed = np.zeros(len(inner.value), np.bool_) if inner.owner is None else subject.known_zero[inner.owner]
    order = order_by_names(subject.release, inner.codes, inner.measure)
    become, draw = inner.value.copy(), below(tools.random)
    chances: list[tuple[int, int, Row]] = []
    units = order[~fixed[order]]
    for group in groups(inner.value, strata, units, matrix, made_invariant=settings.invariant):
        become[group.units] = drawn(inner.value, group, settings.draws, draw)
        chances += zip(group.states, group.number, group.rows, strict=True)
    if settings.margins == "restored":
        drawing = Drawing(matrix, settings.draws, settings.invariant, strata, units)
        return _restored(subject, inner, become, matrix, drawing, tools)
    behind = _behind(become, strata, matrix, settings)
    shown = np.asarray(inner.forms @ become)
    low, high = (np.asarray(inner.forms @ np.where(fixed, 0, end)) for end in _ends(become, strata, behind))
    wider = np.zeros(len(shown), np.bool_)
    if settings.invariant:  # then a stratum has, at least, the counts that are shown, as everybody knows
        quotas = settings.draws == "quotas"  # and no others, and as many
        low, high, wider = stratum_sums(inner.forms, become, strata, behind, ~fixed, quotas=quotas)
        wider &= subject.sensitivity(tools.policy).sensitive
    # Inner cells that are no cells of a table are not published.
    small = small_below(tools.policy or subject.release.policy)
    confidence = None if inner.owner is None else believed(chances, small)
    return within_ranges(
        subject, shown, low, high, additive=settings.margins == "added", confidence=confidence, wider=bool(wider.any())
    )


def strata_of(subject: Subject, inner: InnerCells, by: str | None) -> Ints:
    """int64 (inner cells): which have a matrix of their own together; different for each measure.

    Raises
    ------
    InputError: no such variable.
    """
    if by is None:
        return inner.measure.astype(np.int64)
    variables = subject.release.variables
    if by not in variables:
        text = f"there is no such variable{suggestion(by, variables)}; variables are {listing(variables)}."
        raise InputError(text, at=OptionName("by", by))
    codes = inner.codes[:, list(variables).index(by)].astype(np.int64)
    return (codes + 1) * len(subject.release.measures) + inner.measure


def _behind(become: Ints, strata: Ints, matrix: Counts, settings: Perturbation) -> dict[int, dict[int, set[int]]]:
    """Of each stratum, shown count -> counts that may stand behind it."""
    return {
        stratum: possible(
            Counter(become[strata == stratum].tolist()), matrix, settings.draws, made_invariant=settings.invariant
        )
        for stratum in np.unique(strata).tolist()
    }


def _ends(become: Ints, strata: Ints, behind: Mapping[int, Mapping[int, set[int]]]) -> tuple[Ints, Ints]:
    """Smallest and largest count that may stand behind each (int64, int64)."""
    low, high = np.empty_like(become), np.empty_like(become)
    for stratum, near in behind.items():
        own = np.flatnonzero(strata == stratum)
        for k, counts in near.items():
            at = own[become[own] == k]
            low[at], high[at] = min(counts), max(counts)
    return low, high


def _apart(subject: Subject) -> InnerCells:
    """Every cell is its own."""
    from scipy.sparse import eye_array

    cells, n = subject.cells, len(subject.cells)
    return InnerCells(
        csr_array(eye_array(n, dtype=np.int64)),
        subject.value,
        cells.codes,
        cells.measure.astype(np.int64),
        np.arange(n),
    )


def _restored(
    subject: Subject, inner: InnerCells, become: Ints, matrix: Counts, drawing: Drawing, tools: Tools
) -> Changed:
    assert inner.owner is not None
    steps = 2 if drawing.made_invariant else 1
    restoring = Restoring(subject, inner)

    def within(counts: Ints) -> tuple[Ints, Ints]:
        return _each(counts, lambda count: matrix.ends(count, steps))

    shown = restoring.nearest(restoring.targets(become[None])[0], within(inner.value), tools.limits)
    margin = np.ones(len(shown), np.bool_)
    margin[inner.owner] = False
    behind = {k: _may_be(k, matrix, steps) for k in np.unique(shown[inner.owner]).tolist()}
    low, high = shown.copy(), shown.copy()
    low[inner.owner], high[inner.owner] = _each(shown[inner.owner], lambda k: (behind[k][0], behind[k][-1]))
    stays = margin | subject.known_zero
    low, high = np.where(stays, shown, low), np.where(stays, shown, high)
    # Every table with these margins that the matrix may take to what is shown can be the true one (see `restored`).
    one_by_one = not drawing.made_invariant and drawing.draws == "independent"
    exact = one_by_one and all(k in matrix.row(count) for k, counts in behind.items() for count in counts)
    if exact:
        return within_ranges(subject, shown, low, high, additive=True)
    found = None
    if not _more_is_known(subject.release):
        found = behind_restored(shown[inner.owner], drawing, restoring, within, tools.limits)
    if found is None:
        return within_ranges(subject, shown, low, high, additive=True, details=(WIDER,), wider=True)
    low[inner.owner], high[inner.owner] = found.low, found.high
    return within_ranges(subject, shown, low, high, additive=True, details=(found.words,))


def _more_is_known(release: Release) -> bool:
    """Whether readers are told more of true values than published margins and ranges."""
    bounded = any(table.lower.known.any() or table.upper.known.any() for table in release.tables)
    return bool(release.statements or bounded or release.intruder.prior is not None)


def _may_be(shown: int, matrix: Counts, steps: int) -> range:
    """From the smallest to the largest count that may be shown as this one."""
    far = matrix.reach * steps
    near = range(max(0, shown - far), shown + far + 1)
    found = [count for count in near if matrix.ends(count, steps)[0] <= shown <= matrix.ends(count, steps)[1]]
    return range(found[0], found[-1] + 1)


def _each(counts: Ints, ends: Callable[[int], tuple[int, int]]) -> tuple[Ints, Ints]:
    """Both ends of each count (int64, int64)."""
    distinct, at = np.unique(counts, return_inverse=True)
    found = np.array([ends(count) for count in distinct.tolist()], np.int64).reshape(-1, 2)[at.ravel()]
    return found[:, 0], found[:, 1]


WIDER = (
    "Who tries the method on every table with these margins finds more of inner cells than what is told of them; "
    "without an invariant matrix and with independent draws what is told is all"
)
"""Of restored margins, for the agency."""


def _refuse_others(subject: Subject) -> None:
    release = subject.release
    wrong = np.array([m.kind != "count" or m.unit != 1 for m in release.measures.values()])
    subject.refuse(wrong[subject.cells.measure], "is no count; counts are perturbed")
    subject.refuse(subject.value < 0, "is negative; counts are perturbed")
    if not subject.nonnegative:
        text = Said("values may be negative (", NEGATIVE, "); counts are perturbed.")
        raise InputError(text, at=OptionName("method", "perturbation"))
