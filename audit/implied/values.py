"""Rules over combinations that have one value."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.engine import point
from tableseal.audit.implied.cells import as_cells
from tableseal.audit.implied.computed import Computed
from tableseal.audit.implied.danger import Danger
from tableseal.audit.implied.grids import Grid
from tableseal.audit.implied.judged import Chosen, Judged, forms_of
from tableseal.audit.implied.naming import named
from tableseal.audit.implied.tallies import tallies
from tableseal.audit.implied.telling import Telling
from tableseal.audit.implied.unions import unions
from tableseal.audit.model import Amounts, Policy, Status
from tableseal.audit.prepare import Prepared
from tableseal.audit.rules import Sensitivity, Threshold
from tableseal.audit.rules.unlisted import assess_unlisted

MOST_JUDGED = 50_000
"""Combinations that are judged one by one (from microdata, or from frequencies); the others are counted as not
judged."""


def judge_values(
    prepared: Prepared,
    policy: Policy,
    sensitivity: Sensitivity,
    found: Sequence[tuple[Grid, Computed]],
) -> tuple[Judged, int]:
    """(the sensitive ones of combinations with one value, how many of all could be judged).

    sensitivity: what the rules say of listed cells.
    """
    others = any(not (rule.of_records or rule.of_lines or isinstance(rule, Threshold)) for rule in policy.primary)
    danger = Danger.of(policy, nonnegative=prepared.system.nonnegative)
    telling = Telling.of(prepared.release, prepared.cells)
    microdata = prepared.release.microdata is not None
    columns = _columns(prepared, policy)
    tallied = any(stated is not None for stated in columns)
    by_value = telling.of_all(policy) & (not microdata) & (not others)
    judged, quickly, chosen, values = 0, [], list[tuple[Grid, NDArray[np.int64]]](), [np.empty(0, np.int64)]
    room = MOST_JUDGED
    for grid, c in found:
        quick = bool(by_value[grid.measure])
        if quick and danger is not None:
            judged += len(c.at)
            at = np.flatnonzero(danger.holds(c.value))
        else:
            fine = _unions(prepared, policy, sensitivity, grid, c.at)
            judged += int(fine.sum())
            at = np.flatnonzero(~fine)[:room] if microdata or tallied or others else np.empty(0, np.int64)
            room -= len(at)
        chosen.append((grid, c.at[at]))
        values.append(c.value[at])
        quickly.append(np.full(len(at), quick))
    value, quick_ones = np.concatenate(values), np.concatenate([np.empty(0, np.bool_), *quickly])
    truth = Amounts(value, np.ones(len(value), np.bool_))
    frequency, weighted = (
        Amounts.none(len(value))
        if stated is None or microdata or quick_ones.all()
        else tallies(prepared, forms_of(prepared, chosen), stated)
        for stated in columns
    )
    zero = None
    if danger is not None and danger.low <= 0:
        zero = _known_zeros(prepared, chosen)
    names = named(prepared, chosen)
    cells = as_cells(names, truth, frequency, weighted, zero)
    rules, could = assess_unlisted(telling.facts(names.release, cells), policy)
    judged += int((could & ~quick_ones).sum())
    some = Judged(chosen, truth, frequency, weighted, rules, tuple(point(v) for v in value.tolist()))
    return some.only(rules.sensitive), judged


def _columns(prepared: Prepared, policy: Policy) -> tuple[Amounts | None, Amounts | None]:
    """(numbers of respondents, sums of weights) of the cells, where a threshold asks for them and some are given."""
    asked = {rule.of for rule in policy.primary if isinstance(rule, Threshold)}
    number, weight = prepared.cells.frequency, prepared.cells.weighted
    return (
        number if "respondents" in asked and number.known.any() else None,
        weight if "weighted" in asked and weight.known.any() else None,
    )


def _unions(
    prepared: Prepared, policy: Policy, sensitivity: Sensitivity, grid: Grid, at: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """bool (combinations): nothing but published cells put together, none of them sensitive, where the rules find no
    fault with a whole of such parts."""
    cells = prepared.cells
    if not (prepared.system.nonnegative and all(rule.subadditive or rule.of_lines for rule in policy.primary)):
        return np.zeros(len(at), np.bool_)
    fine = cells.exact & ~sensitivity.sensitive & ~cells.sensitive_status & ~cells.consent
    return unions(grid, cells, fine)[np.searchsorted(grid.unlisted, at)]


def _known_zeros(prepared: Prepared, chosen: Chosen) -> NDArray[np.bool_]:
    """bool (combinations): sums of zeros that everyone knows."""
    cells = prepared.cells
    zero = (cells.status == Status.STRUCTURAL_ZERO) | ((cells.row < 0) & cells.exact & (cells.truth.units == 0))
    parts = [unions(grid, cells, zero)[np.searchsorted(grid.unlisted, at)] for grid, at in chosen]
    return np.concatenate([np.empty(0, np.bool_), *parts])
