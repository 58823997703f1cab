"""Noise on magnitudes: all that a contributor gives is multiplied by one factor of its own, away from 1.

Each contributor (holding, else unit) has a factor 1 + d or 1 - d, with d from a stated range, so that a cell with one
or few contributors moves clearly, while in a cell with many the changes cancel. Every published value is a sum of
changed contributions: all tables add up, and a cell is the same wherever it stands. Balanced: directions are chosen so
that cells that no rule calls sensitive move as little as possible.

Source: Evans, Zayatz and Slanta 1998, "Using noise for disclosure limitation of establishment tabular data";
Massell and Funk 2007 (balanced noise).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.io.numbers import decimal_text
from tableseal.audit.linear.naming import plural
from tableseal.audit.model import Amounts, Microdata, Rounding
from tableseal.audit.rules.contributors import contributor_keys
from tableseal.audit.rules.memberships import memberships
from tableseal.audit.rules.sensitivity import Sensitivity
from tableseal.suppression.protections.balance import balanced
from tableseal.suppression.protections.factors import Shape, drawn, moved
from tableseal.suppression.protections.method import Changed, Tools
from tableseal.suppression.protections.subject import Subject

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Noise:
    """least, share: factors are from 1 - share to 1 - least and from 1 + least to 1 + share. shape: of their density.
    balanced: directions are chosen for cells that need no protection; else drawn one by one."""

    share: Fraction
    least: Fraction
    shape: Shape = "triangular"
    balanced: bool = True

    def __post_init__(self) -> None:
        for name, value, below in (("share", self.share, Fraction(1)), ("least", self.least, self.share)):
            if not 0 < value < below or (value * 10**6).denominator != 1:
                bound = "1" if name == "share" else "the share"
                expected = f"above 0 and below {bound}, with at most 6 decimals"
                raise InputError(expected=expected, at=OptionName(name, decimal_text(value)))
        if self.shape not in ("triangular", "uniform"):
            raise InputError(expected="triangular or uniform", at=OptionName("shape", self.shape))


def add_noise(subject: Subject, settings: Noise, tools: Tools) -> Changed:
    """Factors follow from the seed and the names of the contributors.

    Raises
    ------
    InputError: counts, negative values, sampling weights; no microdata, or such that name no contributors or do not
        give the true values.
    """
    given = _Given.of(subject)
    factors = drawn(given.names, tools.seed, settings.least, settings.share, settings.shape)
    size = moved(given.amount, factors.share[given.contributor], settings.share)
    up = factors.up
    spared = ~subject.sensitivity(tools.policy).sensitive & ~subject.cells.sensitive_status
    if settings.balanced:
        up = balanced(given.relative(size, subject, spared), up)
    change = size * up[given.contributor]
    shown = subject.value + given.added_up(change, len(subject.cells))
    together = subject.release.intruder.coalition
    sensitivity = subject.sensitivity(tools.policy)
    subject.refuse(
        given.left_open(shown, change, sensitivity, settings.share, together),
        "is sensitive, and one of its contributors is alone in another cell: it knows its factor from there, and what "
        "it takes off here leaves too narrow an interval. Take a larger share or another seed, or do not publish the "
        "cells of single contributors"
        if together == 1
        else f"is sensitive, and up to {together} of its contributors (intruder: coalition) know their factors from "
        "other cells: what they take off here leaves too narrow an interval. Take a larger share or another seed, or "
        "do not publish cells of so few contributors",
    )
    return Changed(
        shown=Amounts(shown, np.ones(len(shown), np.bool_)),
        rounding=lambda table: Rounding(1, "noise", share=settings.share),
        additive=True,
        details=(
            plural(len(given.names), "contributor"),
            *_spread(subject, shown, spared),
            *(_of_two(given.left_open(shown, change, sensitivity, settings.share, 2)) if together == 1 else ()),
        ),
    )


def _of_two(open_to_two: NDArray[np.bool_]) -> tuple[str, ...]:
    """What is said where the policy asks for no coalitions."""
    number = int(open_to_two.sum())
    if not number:
        return ("Two contributors who put their factors together come too near to no sensitive cell",)
    cells = plural(number, "sensitive cell")
    return (f"Two contributors who put their factors together come too near to {cells} (`coalition: 2` refuses that)",)


def _largest(gains: Iterable[Fraction], number: int) -> Fraction:
    """The sum of the largest ones above 0."""
    return sum(sorted((gain for gain in gains if gain > 0), reverse=True)[:number], Fraction(0))


def _spread(subject: Subject, shown: Ints, spared: NDArray[np.bool_]) -> list[str]:
    """How far cells move, as a share of their values."""
    said = []
    for which, words in ((~spared, "sensitive cells"), (spared, "other cells")):
        own = which & (subject.value > 0)
        if own.any():
            mean = float((np.abs(shown - subject.value)[own] / subject.value[own]).mean())
            said.append(f"Mean absolute change of {words}: {100 * mean:.3g}%")
    return said


@dataclass(frozen=True)
class _Given:
    """What contributors give to cells, at the finest combination of codes that their records have.

    names: contributors, sorted. contributor, amount: int64 (entries), by measure, contributor and combination.
    cell, entry: int64 (memberships): which entries each cell adds up.
    """

    names: tuple[str, ...]
    contributor: Ints
    amount: Ints
    cell: Ints
    entry: Ints

    @staticmethod
    def of(subject: Subject) -> "_Given":
        release, cells = subject.release, subject.cells
        for name, measure in release.measures.items():
            if measure.kind == "count":
                text = f"measure {name} is a count; noise is for magnitudes."
                raise InputError(text, at=OptionName("method", "noise"))
        subject.refuse_negative("noise")
        data = release.microdata
        if data is None:
            text = "noise multiplies what each contributor gives: the release needs `microdata` with holdings or units."
            raise InputError(text, keys=("microdata.holding", "microdata.id"))
        named = _named(data)
        names, own = np.unique(np.array(named, dtype=object), return_inverse=True)
        rows = np.concatenate([data.codes, own.reshape(-1, 1)], axis=1)
        distinct, pair = np.unique(rows, axis=0, return_inverse=True)
        cell, found, covered = memberships(release, cells, Microdata(distinct[:, :-1].astype(np.int32), {}))
        subject.refuse(~covered, "is not covered by the microdata: records have no code, or a broader one")
        measures = list(release.measures)
        amount = np.concatenate([_sums(data, name, pair.ravel(), len(distinct)) for name in measures])
        given = _Given(
            names=tuple(names.tolist()),
            contributor=np.tile(distinct[:, -1].astype(np.int64), len(measures)),
            amount=amount,
            cell=cell,
            entry=cells.measure[cell].astype(np.int64) * len(distinct) + found,
        )
        differs = given.added_up(amount, len(cells)) != subject.value
        subject.refuse(differs, "has another true value than the microdata give")
        return given

    def added_up(self, of_entries: Ints, cells: int) -> Ints:
        """int64 (cells)."""
        found = np.zeros(cells, np.int64)
        np.add.at(found, self.cell, of_entries[self.entry])
        return found

    def left_open(
        self, shown: Ints, change: Ints, sensitivity: Sensitivity, share: Fraction, together: int
    ) -> NDArray[np.bool_]:
        """bool (cells): required intervals of which too little is left to `together` contributors who put together what
        they know.

        Who is alone in a published cell knows its own factor; of a cell of no more contributors than act together each
        is taken to know its own, which is at least what they can find out. They take off what they give, changed; the
        rest is within the share of what is left. Each contributor more makes that interval narrower, by as much
        whoever else takes part, so the worst are those with the largest gains, at each end.
        """
        entries = np.flatnonzero(self.amount[self.entry] > 0)
        pairs = np.stack([self.cell[entries], self.contributor[self.entry[entries]]])
        (cell, contributor), of_pair = np.unique(pairs, axis=1, return_inverse=True)
        gives, shows = np.zeros(len(cell), np.int64), np.zeros(len(cell), np.int64)
        np.add.at(gives, of_pair.ravel(), self.amount[self.entry[entries]])
        np.add.at(shows, of_pair.ravel(), (self.amount + change)[self.entry[entries]])
        number = np.bincount(cell, minlength=len(shown))
        knows = np.zeros(len(self.names), np.bool_)
        knows[contributor[number[cell] <= together]] = True
        found = np.zeros(len(shown), np.bool_)
        lower, upper = sensitivity.required_lower, sensitivity.required_upper
        for at in np.flatnonzero(sensitivity.sensitive & (number > 1)).tolist():
            own = np.arange(*np.searchsorted(cell, [at, at + 1]))
            own = own[knows[contributor[own]]]
            most = min(together, int(number[at]) - 1)
            known = list(zip(gives[own].tolist(), shows[own].tolist(), strict=True))
            least = int(shown[at]) / (1 + share) + _largest((x - y / (1 + share) for x, y in known), most)
            greatest = int(shown[at]) / (1 - share) - _largest((y / (1 - share) - x for x, y in known), most)
            too_high = bool(lower.known[at]) and least > int(lower.units[at])
            too_low = bool(upper.known[at]) and greatest < int(upper.units[at])
            found[at] = bool(known) and (too_high or too_low)
        return found

    def relative(self, size: Ints, subject: Subject, spared: NDArray[np.bool_]) -> csr_array:
        """float64 csr (contributors x cells that are to move least), changes as shares of the cells; cells in an order
        that no file changes."""
        rank = np.full(len(spared), -1, np.int64)
        inside = subject.order[(spared & (subject.value > 0))[subject.order]]
        rank[inside] = np.arange(len(inside))
        own = (rank[self.cell] >= 0) & (size[self.entry] > 0)
        cell, entry = self.cell[own], self.entry[own]
        ends = self.contributor[entry], rank[cell]
        whole = csr_array(coo_array((size[entry], ends), shape=(len(self.names), len(inside))))
        whole.sum_duplicates()
        data = whole.data / subject.value[inside][whole.indices]
        return csr_array((data, whole.indices, whole.indptr), shape=whole.shape)


def _named(data: Microdata) -> list[str]:
    """The contributor of each record.

    Raises
    ------
    InputError: sampling weights; records that name none.
    """
    if data.weight is not None and (data.weight != 1).any():
        text = "have sampling weights; noise is for sums of what records hold."
        raise InputError(text, at=data.source, keys=("microdata.weight",))
    keys = contributor_keys(data)
    without = [k for k, (kind, _) in enumerate(keys) if kind == "record"]
    if without:
        more = f" ({plural(len(without), 'such record')})" if len(without) > 1 else ""
        text = f"names neither a holding nor a unit{more}; all that one of them gives has the same factor."
        at = None if data.source is None else replace(data.source, row=without[0] + 1)
        raise InputError(text, at=at, keys=("microdata.holding", "microdata.id"))
    return [f"{kind}\0{name}" for kind, name in keys]


def _sums(data: Microdata, measure: str, pair: Ints, pairs: int) -> Ints:
    """int64 (pairs): what each contributor gives by combination.

    Raises
    ------
    InputError: no values of the measure.
    """
    values: Mapping[str, Amounts] = data.values
    if measure not in values or not values[measure].known.all():
        text = f'lack values of "{measure}".'
        raise InputError(text, at=data.source, keys=("microdata.values",))
    found = np.zeros(pairs, np.int64)
    np.add.at(found, pair, values[measure].units)
    return found
