"""Withheld cells of which nothing says how wide their interval must stay."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import PQ, Attribute, Dominance, Entropy, Policy, Release, Request, Rule, Status, Threshold
from tableseal.audit.rules.facts import Facts
from tableseal.audit.rules.largest import largest
from tableseal.audit.rules.sensitivity import Sensitivity

Mask = NDArray[np.bool_]


def unknown_requirements(release: Release, cells: Cells, policy: Policy, sensitivity: Sensitivity) -> Mask:
    """bool (cells): cells that are withheld as sensitive, by their status alone, where neither distances are given nor
    every rule that concerns them has its data (no rule does: none could judge them). None where the policy itself says
    what is enough: no protection but from exact disclosure, or (without rules) a limit of risk."""
    if not policy.require.protection or (policy.require.risk is not None and not policy.primary):
        return np.zeros(len(cells), np.bool_)
    unknown: Mask = cells.status >= Status.WITHHELD
    for required in (sensitivity.required_lower, sensitivity.required_upper, sensitivity.required_width):
        unknown &= ~required.known
    unknown &= np.array([rule is None for rule in sensitivity.rule], np.bool_)
    if not unknown.any():
        return unknown
    facts = Facts(release, cells)
    concerned, lacking = (np.zeros(len(cells), np.bool_) for _ in range(2))
    for rule in policy.primary:
        measured, known = _data(rule, facts)
        concerned |= measured
        lacking |= measured & ~known
    return unknown & (lacking | ~concerned)


def _data(rule: Rule, facts: Facts) -> tuple[Mask, Mask]:
    """(cells that a rule concerns, cells for which it has all that it needs)."""
    if not isinstance(rule, Attribute | Request) and rule.level == "unit":
        facts = facts.of_units
    sources = facts.contributions
    covered = np.zeros(len(facts.cells), np.bool_) if sources is None else sources.covered
    match rule:
        case Threshold():
            known = facts.weighted(rule.count)[0] if rule.of == "weighted" else facts.frequency.known
            return facts.counts | facts.magnitudes, known
        case Dominance():
            return facts.magnitudes, largest(facts, rule.n, "dominance").known
        case PQ():
            return facts.magnitudes, largest(facts, 2, "pq").known
        case Entropy():
            return facts.magnitudes, covered
        case Request():
            return facts.counts | facts.magnitudes, covered
        case Attribute():
            return facts.counts, facts.value.known
