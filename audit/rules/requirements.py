"""Withheld cells of which nothing says how wide their interval must stay."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import Policy, Release, Status
from tableseal.audit.rules.facts import Facts
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
        own = facts.at(rule.level)
        measured = own.of_kinds(rule.kinds)
        concerned |= measured
        lacking |= measured & ~rule.known(own)
    return unknown & (lacking | ~concerned)
