"""What is concluded of one cell: protected only from tables in hand, exposed only from what is proved impossible."""

from fractions import Fraction
from math import ceil, floor
from typing import Literal, NamedTuple

from tableseal.audit.bounds.component import TargetBounds
from tableseal.audit.measures.risk.posterior import disclosure_risk
from tableseal.audit.model import Require
from tableseal.audit.report.model import Reason, Verdict


class Judged(NamedTuple):
    """Verdict, what it rests on, and why where it is bad."""

    verdict: Verdict
    basis: Literal["integer", "continuous"] | None
    reason: Reason | None


class Reach(NamedTuple):
    """Interval that solutions in hand reach; None at an end: no limit. basis: whole-unit tables or real ones."""

    lower: int | Fraction | None
    upper: int | Fraction | None
    basis: Literal["integer", "continuous"]


def reach(bounds: TargetBounds, *, continuous: bool) -> Reach | None:
    """What solutions in hand reach, None if there is none."""
    ends: list[int | Fraction | None] = []
    for end in (bounds.lower, bounds.upper):
        value = end.continuous if continuous and end.continuous is not None else end.attained
        if value is None and not end.unlimited:
            return None
        ends.append(None if end.unlimited else value)
    uses = continuous and any(e.continuous is not None for e in (bounds.lower, bounds.upper))
    return Reach(ends[0], ends[1], "continuous" if uses else "integer")


def judge(
    bounds: TargetBounds,
    required: tuple[int, int] | None,
    require: Require,
    *,
    width: int = 0,
    insider: bool,
    insider_open: bool,
    ranks: bool = False,
) -> Judged:
    """Verdict on an open, judged cell.

    required: interval in units that must stay possible; width: what must be spanned, wherever that lies; insider: an
    insider gets too close; insider_open: it is not shown that none does. ranks: contributors are too close to each
    other whatever is withheld, and nobody has accepted that: said only where nothing is found that a pattern can mend.
    """
    lower, upper = bounds.lower.outer, bounds.upper.outer
    if lower is not None and lower == upper:
        return Judged("exposed", None, None)
    need = required if require.protection else None
    if need is not None and ((lower is not None and lower > need[0]) or (upper is not None and upper < need[1])):
        return Judged("underprotected", None, "protection")
    span = width if require.protection else 0
    if lower is not None and upper is not None and upper - lower < span:
        return Judged("underprotected", None, "protection")
    if insider:
        return Judged("underprotected", None, "insider")
    if _risky(bounds.at_most, require):
        return Judged("underprotected", None, "risk")
    if ranks:
        return Judged("underprotected", None, "ranks")
    if insider_open:
        return Judged("undecided", None, None)
    # A real solution in hand speaks for protection only where no integer one does, and is marked.
    for continuous in (False, True):
        if continuous and require.basis == "integer":
            break
        found = reach(bounds, continuous=continuous)
        if found is not None and _covers(found, need, span) and not _risky(bounds.at_least, require):
            return Judged("protected", found.basis, None)
    return Judged("undecided", None, None)


def _risky(values: int | None, require: Require) -> bool:
    if require.risk is None or values is None:
        return False
    risk = disclosure_risk(max(values, 1))
    return risk is None or risk > require.risk


def _covers(found: Reach, need: tuple[int, int] | None, span: int) -> bool:
    """Room for two whole values, and for the required span, is shown to be possible, and both ends of what is required
    are reached."""
    if found.lower is not None and found.upper is not None and found.upper - found.lower < span:
        return False
    if found.lower is not None and found.upper is not None and ceil(found.lower) >= floor(found.upper):
        return False
    if need is None:
        return True
    low_ok = found.lower is None or found.lower <= need[0]
    high_ok = found.upper is None or found.upper >= need[1]
    return low_ok and high_ok
