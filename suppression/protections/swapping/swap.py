"""Targeted record swapping by a hierarchy of regions.

From the broadest level of regions to the finest, households at risk exchange their regions with households that are
alike, within the region above; further ones are drawn until the rate of the level is reached.

Source: Dalenius & Reiss 1982; Shlomo, Antal & Elliot 2015, section 3.1; levels and risk as in sdcMicro's recordSwap.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.linear.naming import decimal, plural
from tableseal.audit.wording import quoted
from tableseal.suppression.protections.method import Changed, Tools
from tableseal.suppression.protections.perturbation.draws import Below, below
from tableseal.suppression.protections.records import Records
from tableseal.suppression.protections.subject import Subject
from tableseal.suppression.protections.swapping.households import Households
from tableseal.suppression.protections.swapping.known import shown_after_swaps
from tableseal.suppression.protections.swapping.pairs import Pair, Pool, further_pairs, pairs_of_risky

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class RecordSwapping:
    """Who is swapped with whom.

    Attributes
    ----------
    variable: regions, whose first grouping gives the levels.
    rate: share of households that are swapped, of each level, the broadest first; one alone is of the finest level.
    similar: profiles (variables, with commas between them), the best first: households are alike if their records have
        the same codes; those without a partner by one profile look by the next. Households have the same size always.
    anonymity: households with a record whose codes, in its region, fewer than so many records have are at risk.
    risk_by: variables whose codes say so; none: all but the region and what is carried.
    carry: variables that are exchanged with the region.
    """

    variable: str
    rate: tuple[Fraction, ...]
    similar: tuple[str, ...] = ()
    anonymity: int | None = None
    risk_by: tuple[str, ...] = ()
    carry: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.rate:
            raise InputError(expected="a share for each level", at=OptionName("rate"))
        for share in self.rate:
            if not 0 <= share <= 1:
                raise InputError(expected="a share from 0 to 1", at=OptionName("rate", decimal(1, share)))
        if self.anonymity is not None and self.anonymity < 2:
            raise InputError(expected="2 or more", at=OptionName("anonymity", str(self.anonymity)))

    @property
    def profiles(self) -> list[list[str]]:
        """Variables of each profile."""
        return [[name.strip() for name in one.split(",")] for one in self.similar] or [[]]


@dataclass(frozen=True)
class Swapped:
    """Pairs of each level, the broadest first. alone: households at risk that found nobody, of each level."""

    pairs: tuple[tuple[Pair, ...], ...]
    alone: tuple[int, ...]


def swap(subject: Subject, settings: RecordSwapping, tools: Tools) -> Changed:
    """Exchange regions, and make the tables again.

    Raises
    ------
    InputError: see `Records.of`; variables that there are not; households whose records differ in what is exchanged;
        rates for other levels than there are, or beyond what the households of a stratum allow.
    """
    records = Records.of(subject, "record-swapping")
    region = records.variable(settings.variable, "variable")
    moves = [region, *(records.variable(name, "carry") for name in settings.carry)]
    profiles = [[records.variable(name, "similar") for name in profile] for profile in settings.profiles]
    for option, ones in (("carry", moves[1:]), ("similar", [v for profile in profiles for v in profile])):
        if region in ones:
            raise InputError("is the variable of the regions.", at=OptionName(option, settings.variable))
    risk = [records.variable(name, "risk_by") for name in settings.risk_by]
    others = [v for v in range(len(subject.release.variables)) if v not in moves]
    households = Households.of_records(records)
    names = list(subject.release.variables)
    lives = {v: households.common(records, records.leaf(v), names[v]) for v in moves}
    classes = [households.classes([records.leaf(v) for v in profile]) for profile in profiles]
    if settings.anonymity is not None and not risk:
        risk = [records.variable(names[v], "risk_by") for v in others]
    found = swapped(records, settings, households, lives[region], region, classes, risk, below(tools.random))
    partner = np.arange(len(households.size))
    for one, other in (pair for level in found.pairs for pair in level):
        partner[[one, other]] = other, one
    shown = records
    for v in moves:
        shown = shown.changed(v, lives[v][partner][households.of])
    alike = set.intersection(*(set(profile) for profile in profiles))
    return shown_after_swaps(records, shown, moves, alike, classes[-1][households.of], _said(found))


def swapped(
    records: Records,
    settings: RecordSwapping,
    households: Households,
    lives: Ints,
    region: int,
    classes: list[Ints],
    risk: list[int],
    draw: Below,
) -> Swapped:
    """The pairs. lives: int64 (households), leaf of the region; classes: of each profile, int64 (households)."""
    levels = levels_of(records, region)
    rates = settings.rate if len(settings.rate) > 1 else (*[Fraction(0)] * (len(levels) - 1), settings.rate[0])
    if len(rates) != len(levels):
        found = f"{plural(len(rates), 'rate')} for {plural(len(levels), 'level')} of {quoted(settings.variable)}"
        raise InputError(found=found, expected="one for each level, or one alone", at=OptionName("rate"))
    free = np.ones(len(lives), np.bool_)
    pairs, alone = [], []
    above = np.zeros(len(levels[0]), np.int64)
    for level, rate in zip(levels, rates, strict=True):
        here = level[lives]
        risky = _risky(records, households, here, risk, settings.anonymity)
        of_level: list[Pair] = []
        for stratum in np.unique(above).tolist():
            inside = above[lives] == stratum
            number = int(rate * int(inside.sum())) // 2
            own: list[Pair] = []
            for profile in classes:
                pools = _pools(np.flatnonzero(inside & free), profile, here, risky)
                own += _taken(pairs_of_risky(pools, draw), free)
            for profile in classes:
                pools = _pools(np.flatnonzero(inside & free), profile, here, risky)
                own += _taken(further_pairs(pools, number - len(own), draw), free)
            if len(own) < number:
                where = _name(records, region, above == stratum)
                text = (
                    f"asks for {plural(number, 'pair')} {where}, and there are {len(own)} of households that are alike."
                )
                raise InputError(text, at=OptionName("rate", decimal(1, rate)))
            of_level += own
        pairs.append(tuple(of_level))
        alone.append(int((risky & free).sum()))
        above = level
    return Swapped(tuple(pairs), tuple(alone))


def levels_of(records: Records, region: int) -> list[Ints]:
    """Of each level of regions, the broadest first: int64 (leaves), the code in which each leaf is, itself at the
    finest."""
    hierarchy = records.hierarchy(region)
    parent = hierarchy.parents[0]
    paths = []
    for leaf in hierarchy.leaves.tolist():
        path, at = [], leaf
        while at >= 0 and at != hierarchy.total_index:
            path.append(at)
            at = int(parent[at])
        paths.append(path[::-1])
    depth = max(map(len, paths))
    # A leaf that hangs higher is its own at all levels below.
    return [np.array([path[min(k, len(path) - 1)] for path in paths], np.int64) for k in range(depth)]


def _risky(records: Records, households: Households, here: Ints, risk: list[int], anonymity: int | None) -> Mask:
    """bool (households): with a record that too few others in its region are like."""
    if anonymity is None:
        return np.zeros(len(here), np.bool_)
    keys = np.column_stack([here[households.of], *(records.leaf(v) for v in risk)])
    _, key, number = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    result = np.zeros(len(here), np.bool_)
    result[households.of[number[key.ravel()] < anonymity]] = True
    return result


def _pools(candidates: Ints, profile: Ints, here: Ints, risky: Mask) -> list[Pool]:
    found: dict[int, Pool] = {}
    for household in candidates.tolist():
        pool = found.setdefault(int(profile[household]), Pool())
        pool.add(household, int(here[household]), at_risk=bool(risky[household]))
    return list(found.values())


def _taken(pairs: list[Pair], free: Mask) -> list[Pair]:
    for pair in pairs:
        free[list(pair)] = False
    return pairs


def _name(records: Records, region: int, leaves: Mask) -> str:
    """The stratum: the code that covers just these leaves."""
    hierarchy = records.hierarchy(region)
    code = next((c for c, row in enumerate(hierarchy.dense) if (row.astype(np.bool_) == leaves).all()), None)
    return "in all" if code is None else f"in {quoted(hierarchy.codes[code])}"


def _said(found: Swapped) -> tuple[str, ...]:
    """For the agency."""
    words = []
    for number, (pairs, alone) in enumerate(zip(found.pairs, found.alone, strict=True), 1):
        least = f"; at risk and without a partner: {alone:,}" if alone else ""
        words.append(f"Level {number}: {plural(2 * len(pairs), 'household')} swapped{least}")
    return tuple(words)
