"""Post-randomisation: a category of each record becomes another one by a matrix of probabilities.

Source: Gouweleeuw, Kooiman, Willenborg & de Wolf 1998; Shlomo, Antal & Elliot 2015, section 3.3.
"""

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attacks.confidence import small_below
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.model import Release
from tableseal.suppression.protections.method import Changed, Tools
from tableseal.suppression.protections.perturbation.chain import Row
from tableseal.suppression.protections.perturbation.draws import Draws, Group, below, drawn, groups
from tableseal.suppression.protections.perturbation.possible import possible
from tableseal.suppression.protections.perturbation.settings import check_draws, check_stay
from tableseal.suppression.protections.perturbation.shown_small import confidence_of_records
from tableseal.suppression.protections.records import Records, shown_records
from tableseal.suppression.protections.subject import Subject

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class PostRandomisation:
    """How categories are changed.

    Attributes
    ----------
    variable: whose categories change. stay: with this probability a category stays, all others are as likely; a release
        with a matrix of its own (`transition`) needs none.
    invariant, draws: as of `Perturbation`. by: a variable; records of each of its codes are drawn apart.
    """

    variable: str
    stay: Fraction | None = None
    invariant: bool = True
    draws: Draws = "quotas"
    by: str | None = None

    def __post_init__(self) -> None:
        check_stay(self.stay)
        check_draws(self.draws, made_invariant=self.invariant)


@dataclass(frozen=True)
class Categories:
    """rows: of the matrix, by position; they sum to 1."""

    rows: tuple[Row, ...]

    @staticmethod
    def of(release: Release, settings: PostRandomisation, names: list[str]) -> "Categories":
        """The matrix of a variable whose leaves have these names; states are their positions by name.

        Raises
        ------
        InputError: neither a matrix nor `stay`, or both; a matrix of another size; a variable with one leaf.
        """
        own, n = release.transition, len(names)
        if (own is None) == (settings.stay is None):
            both = "the release has a matrix of its own (`transition`); leave one of them out."
            text = both if own is not None else "is needed, or a matrix in the release (`transition`)."
            raise InputError(text, at=OptionName("stay"))
        if n < 2:
            raise InputError("has one category; there is none to change to.", at=OptionName("variable"))
        if own is None:
            assert settings.stay is not None
            other = (1 - settings.stay) / (n - 1)
            every = [[settings.stay if k == s else other for k in range(n)] for s in range(n)]
            return Categories(tuple({k: p for k, p in enumerate(row) if p} for row in every))
        if any(len(side) != n for side in (own.rows, own.rows[0])):
            found = f"{len(own.rows)} rows and {len(own.rows[0])} columns"
            raise InputError(found=found, expected=f"{n} of each, the finest codes in their order", at=own.source)
        rank = np.argsort(np.argsort(np.array(names))).tolist()
        by_leaf = [{rank[k]: p for k, p in enumerate(row) if p} for row in own.rows]
        return Categories(tuple(by_leaf[leaf] for leaf in np.argsort(rank).tolist()))

    def row(self, state: int) -> Row:
        """See `Matrix`."""
        return self.rows[state]

    def sources(self, state: int) -> set[int]:
        """See `Matrix`."""
        return {s for s, row in enumerate(self.rows) if state in row}


def post_randomise(subject: Subject, settings: PostRandomisation, tools: Tools) -> Changed:
    """Draw the categories of all records, and make the tables again.

    Raises
    ------
    InputError: see `Records.of`, `Records.variable` and `Categories.of`.
    """
    records = Records.of(subject, "post-randomisation")
    variable = records.variable(settings.variable, "variable")
    hierarchy = records.hierarchy(variable)
    names = [hierarchy.codes[leaf] for leaf in hierarchy.leaves.tolist()]
    matrix = Categories.of(subject.release, settings, names)
    by_name = np.argsort(np.array(names))  # state -> leaf
    state = np.argsort(by_name)[records.leaf(variable)]
    by = None if settings.by is None else records.variable(settings.by, "by")
    if by == variable:
        raise InputError("is the variable that changes.", at=OptionName("by", settings.by))
    strata = np.zeros(len(state), np.int64) if by is None else records.leaf(by)
    become, draw, found = state.copy(), below(tools.random), list[Group]()
    for group in groups(state, strata, records.order, matrix, made_invariant=settings.invariant):
        become[group.units] = drawn(state, group, settings.draws, draw)
        found.append(group)
    shown = records.changed(variable, by_name[become])
    known = shown_records(shown, *_reach(shown, variable, state, become, by_name, matrix, settings, found))
    return replace(known, confidence=_confidence(records, variable, state, by_name, settings, found, tools))


def _confidence(
    records: Records,
    variable: int,
    state: Ints,
    by_name: Ints,
    settings: PostRandomisation,
    found: list[Group],
    tools: Tools,
) -> Fraction | None:
    """See `confidence_of_records`."""
    subject, n = records.subject, len(by_name)
    strata = np.zeros(len(state), np.int64)
    for number, group in enumerate(found):
        strata[group.units] = number
    return confidence_of_records(
        found,
        settings.draws,
        records.by_state([variable], strata * n + state, len(found) * n),
        records.hierarchy(variable).dense[:, by_name].astype(np.bool_),
        subject.cells.codes[:, variable].astype(np.int64),
        subject.value,
        small_below(tools.policy or subject.release.policy),
    )


def _reach(
    shown: Records,
    variable: int,
    state: Ints,
    become: Ints,
    by_name: Ints,
    matrix: Categories,
    settings: PostRandomisation,
    found: list[Group],
) -> tuple[Ints, Ints, Ints]:
    """(come, gone, least), int64 (cells): see `shown_records`.

    With quotas everybody may know how many records have gone from some categories to others, M, and as many have come.
    Of them no more are in a cell than it has records that may be, and no fewer than M less those outside.
    """
    n = len(by_name)
    cells = len(shown.subject.cells)
    code = shown.subject.cells.codes[:, variable]
    inside = shown.hierarchy(variable).dense[:, by_name].astype(np.bool_)  # codes x states
    come, gone, whole = np.zeros(cells, np.int64), np.zeros(cells, np.int64), np.ones(cells, np.bool_)
    strata = np.zeros(len(state), np.int64)
    for number, group in enumerate(found):
        strata[group.units] = number
    of_all = shown.by_state([variable], strata * n + become, len(found) * n)
    for s, group in enumerate(found):
        own, before, after = csr_array(of_all[:, s * n : s * n + n]), state[group.units], become[group.units]
        there = np.bincount(after, minlength=n)
        near = np.zeros((n, n), np.bool_)  # shown state, true state
        there_is = Counter(after.tolist())
        for k, behind in possible(there_is, matrix, settings.draws, made_invariant=settings.invariant).items():
            near[k, sorted(behind)] = True
        came, left = (inside & (~inside @ near.T))[code], (~inside & (inside @ near.T))[code]
        may_come, may_go = _sums(own, came), _sums(own, left)
        if settings.draws == "quotas":
            moved = (inside[:, before] & ~inside[:, after]).sum(axis=1)[code]
            must_come = np.maximum(0, moved - (came @ there - may_come))
            must_go = np.maximum(0, moved - (left @ there - may_go))
            come += np.minimum(moved, may_come) - must_go
            gone += np.minimum(moved, may_go) - must_come
        else:
            come, gone = come + may_come, gone + may_go
        size = np.asarray(own.sum(axis=1)).ravel()
        whole &= (size == 0) | (size == len(group.units))
    # What an invariant matrix shows in a stratum is there.
    least = (whole & settings.invariant & (shown.values > 0)).astype(np.int64)
    return come, gone, least


def _sums(number: csr_array, mask: NDArray[np.bool_]) -> Ints:
    """Of each row the sum where the mask holds."""
    found = csr_array(number.multiply(mask))
    return np.asarray(found.sum(axis=1)).ravel().astype(np.int64)
