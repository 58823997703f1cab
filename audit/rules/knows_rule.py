"""What readers make of the rule: a cell that is known to be withheld for a threshold is known to lie below it."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.linear.absent import rows_left_out
from tableseal.audit.model import Amounts, Note, Policy, Release, Status, Table
from tableseal.audit.rules.threshold import Threshold
from tableseal.audit.said import InFile, Said

Bounds = tuple[int, int]


def told_bounds(release: Release, policy: Policy | None) -> Bounds | None:
    """Smallest and largest value of a count that is sensitive by the policy; None where that says nothing.

    Nothing is known where another rule for counts may be the reason, or where sampling weights make counts something
    else than numbers of respondents.
    """
    rules = () if policy is None else policy.primary
    thresholds = [rule for rule in rules if isinstance(rule, Threshold)]
    if not thresholds or any("count" in rule.kinds for rule in rules if rule not in thresholds):
        return None
    if release.microdata is not None and release.microdata.weight is not None:
        return None
    lowest = 0 if any(rule.zeros for rule in thresholds) and not release.intruder.nonempty else 1
    highest = max(rule.count for rule in thresholds) - 1
    return (lowest, highest) if highest >= lowest else None


def with_readers(release: Release, policy: Policy | None = None, *, anew: bool = False) -> Release:
    """The release with what readers who know the rule know of each cell that it makes sensitive (`lower`, `upper`); as
    it is where `intruder.knows_rule` is off. Applied again it changes nothing.

    policy: goes before that of the release. anew: secondary cells are given back first (in a search), so that those
    that are sensitive will be told from others, too.

    Raises
    ------
    InputError: a primary cell of which readers would know something that is not true.
    """
    bounds = told_bounds(release, policy or release.policy)
    if not release.intruder.knows_rule or bounds is None:
        return release
    reasonless = _only_for_themselves(release, bounds)

    def told(table: Table) -> Table:
        if not _counts(release, table):
            return table
        return _with_bounds(table, bounds, _told(table, bounds, release, reasonless, anew))

    return replace(release, tables=tuple(map(told, release.tables)))


def without_readers(table: Table, release: Release) -> Table:
    """A table whose withheld cells nobody can tell apart: without what is known of those that the rule makes
    sensitive."""
    bounds = told_bounds(release, release.policy)
    if not release.intruder.knows_rule or bounds is None:
        return table
    same = (table.status >= Status.SECONDARY) & table.lower.known & (table.lower.units == bounds[0])
    same &= table.upper.known & (table.upper.units == bounds[1])
    return replace(table, lower=_less(table.lower, same), upper=_less(table.upper, same))


RULE_UNKNOWN = Note(
    "rule_not_known",
    Said(
        "Readers who know the threshold know of each cell that is withheld for it that it lies below: say ",
        InFile("intruder", {"knows_rule": True}),
        " if primary cells can be told from others, or if only primary cells are withheld. This audit takes them for "
        "readers who do not know.",
    ),
)


def readers_matter(release: Release, policy: Policy | None) -> Bounds | None:
    """The bounds that readers would know if `knows_rule` were on; None where it is, or says nothing."""
    return None if release.intruder.knows_rule else told_bounds(release, policy)


def of_rows_left_out(release: Release, policy: Policy) -> tuple[Note, ...]:
    """That of rows which are left out nothing is taken to be known, though readers know the rule."""
    if not release.intruder.knows_rule or told_bounds(release, policy) is None:
        return ()
    count = sum(rows_left_out(table, release) for table in release.tables if _counts(release, table))
    if not count:
        return ()
    text = (
        "Readers who know the rule (intruder: knows_rule) may take combinations without a row for cells below the "
        f"threshold, too, and that is not reckoned with ({count:,} left out). List them with status withheld if they "
        "are left out for it."
    )
    return (Note("rule_of_rows_unknown", text, count),)


def _counts(release: Release, table: Table) -> bool:
    return release.measures[table.measure].kind == "count" and table.rounding is None


def _value(table: Table) -> Amounts:
    known = table.truth.known
    return Amounts(np.where(known, table.truth.units, table.value.units), known | table.value.known)


def _sensitive(table: Table, bounds: Bounds) -> NDArray[np.bool_]:
    value = _value(table)
    return value.known & (value.units >= bounds[0]) & (value.units <= bounds[1])


def _only_for_themselves(release: Release, bounds: Bounds) -> bool:
    """Cells that are withheld without a reason are all withheld for the rule, as far as anybody can see."""
    for table in release.tables:
        if not _counts(release, table):
            continue
        withheld = table.status == Status.WITHHELD
        if np.isin(table.status, (Status.SECONDARY, Status.PRIMARY)).any():
            return False
        if (withheld & _value(table).known & ~_sensitive(table, bounds)).any():
            return False
    return True


def _told(table: Table, bounds: Bounds, release: Release, reasonless: bool, anew: bool) -> NDArray[np.bool_]:
    """bool (rows): of which readers know that the rule is the reason, should they be withheld."""
    value, sensitive = _value(table), _sensitive(table, bounds)
    primary = table.status == Status.PRIMARY
    false = np.flatnonzero(primary & value.known & ~sensitive)
    if len(false):
        row = int(false[0])
        cell = ", ".join(f"{v}={c}" for v, c in release.cell_codes(table.codes[row]).items())
        raise InputError(
            f'table "{table.name}", cell {cell}: is primary, but not by the threshold: readers who know the rule '
            f"(intruder: knows_rule) would take it to be {bounds[0]} to {bounds[1]}. Give it the status withheld, or "
            "leave knows_rule out.",
            places=[table.place(row)],
        )
    free = np.isin(table.status, (Status.PUBLISHED, Status.MUST_PUBLISH, Status.FROZEN))
    again = (table.status == Status.SECONDARY) | (table.status == Status.WITHHELD)
    told: NDArray[np.bool_] = primary | (free & sensitive)
    if anew:
        told = told | (again & sensitive)
    if reasonless:
        told = told | ((table.status == Status.WITHHELD) & (sensitive | ~value.known))
    return told


def _with_bounds(table: Table, bounds: Bounds, told: NDArray[np.bool_]) -> Table:
    low, high = table.lower, table.upper
    lower = np.where(told, np.where(low.known, np.maximum(low.units, bounds[0]), bounds[0]), low.units)
    upper = np.where(told, np.where(high.known, np.minimum(high.units, bounds[1]), bounds[1]), high.units)
    return replace(table, lower=Amounts(lower, low.known | told), upper=Amounts(upper, high.known | told))


def _less(amounts: Amounts, away: NDArray[np.bool_]) -> Amounts:
    return Amounts(np.where(away, 0, amounts.units), amounts.known & ~away)
