"""Why each cell is withheld, in the letters of the agency's policy (SBS: A, B, C, D; SDMX: A, O, T, D, ...)."""

from dataclasses import replace

import numpy as np

from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import Policy, Release, Status
from tableseal.audit.rules import Sensitivity, assess


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
    given = policy.reasons
    rules = zip(sensitivity.rules, policy.primary, strict=True)
    of_rule = {text: next((given[name] for name in rule.reason if name in given), "") for text, rule in rules}
    found = []
    for status, rule in zip(statuses, sensitivity.rule, strict=True):
        if rule in of_rule:
            found.append(of_rule[rule])
        else:
            found.append(given.get("secondary" if status == Status.SECONDARY else "status", ""))
    return found
