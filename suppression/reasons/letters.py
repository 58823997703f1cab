"""Why each cell is withheld, in the letters of the agency's policy (SBS: A, B, C, D; SDMX: A, O, T, D, ...)."""

from dataclasses import replace

import numpy as np

from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import Dominance, Policy, Reason, Release, Rule, Status
from tableseal.audit.rules import Sensitivity, assess

_NAMES: dict[str, Reason] = {
    "Threshold": "threshold",
    "Dominance": "dominance",
    "PQ": "pq",
    "Entropy": "entropy",
    "Request": "request",
    "Attribute": "attribute",
}


def with_letters(release: Release) -> Release:
    """A protected release whose tables say for each withheld cell why it is, if its policy has letters for reasons."""
    policy = release.policy
    if policy is None or not policy.reasons:
        return release
    cells, _ = merge_cells(release)
    letters = np.array(_letters(policy, cells.status.tolist(), assess(release, cells, policy)), dtype=object)
    order = np.argsort(cells.listing_table, kind="stable")
    listed, tables, offset = cells.listing_cell[order], [], 0
    for table in release.tables:
        of_rows = letters[listed[offset : offset + len(table.codes)]]
        offset += len(table.codes)
        hidden = (table.status >= Status.SECONDARY).tolist()
        tables.append(replace(table, reason=tuple(str(x) if h else "" for x, h in zip(of_rows, hidden, strict=True))))
    return replace(release, tables=tuple(tables))


def _letters(policy: Policy, statuses: list[int], sensitivity: Sensitivity) -> list[str]:
    """A letter for each cell: of the first rule that finds it sensitive, of its status, or of secondary cells."""
    rules = dict(zip(sensitivity.rules, policy.primary, strict=True))
    of_rule = {text: _of_rule(policy, rule) for text, rule in rules.items()}
    found = []
    for status, rule in zip(statuses, sensitivity.rule, strict=True):
        if rule in of_rule:
            found.append(of_rule[rule])
        else:
            found.append(policy.reasons.get("secondary" if status == Status.SECONDARY else "status", ""))
    return found


def _of_rule(policy: Policy, rule: Rule) -> str:
    """The letter of a rule; "" if there is none."""
    own: dict[int, Reason] = {1: "dominance_by_one", 2: "dominance_by_two"}
    name = _NAMES[type(rule).__name__]
    if isinstance(rule, Dominance) and own.get(rule.n, name) in policy.reasons:
        name = own.get(rule.n, name)
    return policy.reasons.get(name, "")
