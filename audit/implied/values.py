"""Rules over combinations that have one value."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audit.bounds.engine import point
from audit.implied.cells import as_cells
from audit.implied.computed import Computed
from audit.implied.danger import Danger
from audit.implied.grids import Grid
from audit.implied.judged import Chosen, Judged, forms_of
from audit.implied.naming import named
from audit.implied.tallies import tallies
from audit.implied.unions import unions
from audit.model import Amounts, Entropy, Policy, Status, Threshold
from audit.prepare import Prepared
from audit.rules import Sensitivity
from audit.rules.unlisted import assess_unlisted

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
    danger = Danger.of(policy, nonnegative=prepared.system.nonnegative)
    microdata = prepared.release.microdata is not None
    tallied = danger is not None and bool(prepared.cells.frequency.known.any())
    judged, by_value, chosen, values = 0, [], list[tuple[Grid, NDArray[np.int64]]](), [np.empty(0, np.int64)]
    room, apart = MOST_JUDGED, _counted_apart(prepared, policy)
    for grid, c in found:
        quick = danger is not None and grid.is_count(prepared.release) and not microdata and not apart[grid.measure]
        if quick and danger is not None:
            judged += len(c.at)
            at = np.flatnonzero(danger.holds(c.value))
        else:
            fine = _unions(prepared, policy, sensitivity, grid, c.at)
            judged += int(fine.sum())
            at = np.flatnonzero(~fine)[:room] if microdata or tallied else np.empty(0, np.int64)
            room -= len(at)
        chosen.append((grid, c.at[at]))
        values.append(c.value[at])
        by_value.append(np.full(len(at), quick))
    value, quickly = np.concatenate(values), np.concatenate([np.empty(0, np.bool_), *by_value])
    truth = Amounts(value, np.ones(len(value), np.bool_))
    frequency = Amounts.none(len(value))
    if tallied and not microdata and not quickly.all():
        frequency = tallies(prepared, forms_of(prepared, chosen))
    zero = np.zeros(len(value), np.bool_)
    if danger is not None and danger.low <= 0:
        zero = _known_zeros(prepared, chosen)
    names = named(prepared, chosen)
    rules, could = assess_unlisted(names.release, as_cells(names, truth, frequency, zero), policy)
    could &= frequency.known | microdata | ~apart[names.measure]
    judged += int((could & ~quickly).sum())
    some = Judged(chosen, truth, frequency, rules, tuple(point(v) for v in value.tolist()))
    return some.only(rules.sensitive), judged


def _counted_apart(prepared: Prepared, policy: Policy) -> NDArray[np.bool_]:
    """bool (measures): counts that are not numbers of respondents, as the agency's frequencies say (weighted counts),
    where a threshold asks for respondents. Their values do not judge them."""
    cells, measures = prepared.cells, list(prepared.release.measures.values())
    apart = np.zeros(len(measures), np.bool_)
    if any(isinstance(rule, Threshold) and rule.of == "respondents" for rule in policy.primary):
        differ = cells.frequency.known & cells.truth.known & (cells.frequency.units != cells.truth.units)
        apart[cells.measure[differ]] = True
    return apart & np.array([measure.kind == "count" for measure in measures], np.bool_)


def _unions(
    prepared: Prepared, policy: Policy, sensitivity: Sensitivity, grid: Grid, at: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """bool (combinations): nothing but published cells put together, none of them sensitive, where the rules find no
    fault with a whole of such parts."""
    cells = prepared.cells
    if not prepared.system.nonnegative or any(isinstance(rule, Entropy) for rule in policy.primary):
        return np.zeros(len(at), np.bool_)
    fine = cells.exact & ~sensitivity.sensitive & ~cells.sensitive_status & ~cells.consent
    return unions(grid, cells, fine)[np.searchsorted(grid.unlisted, at)]


def _known_zeros(prepared: Prepared, chosen: Chosen) -> NDArray[np.bool_]:
    """bool (combinations): sums of zeros that everyone knows."""
    cells = prepared.cells
    zero = (cells.status == Status.STRUCTURAL_ZERO) | ((cells.row < 0) & cells.exact & (cells.truth.units == 0))
    parts = [unions(grid, cells, zero)[np.searchsorted(grid.unlisted, at)] for grid, at in chosen]
    return np.concatenate([np.empty(0, np.bool_), *parts])
