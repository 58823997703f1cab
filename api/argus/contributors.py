"""Who contributes to the cells of a table made of microdata, as files of tau-ARGUS list it."""

from dataclasses import replace

import numpy as np

from tableseal.api.argus.listed import listed_cells
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import Amounts, Policy, Release
from tableseal.audit.rules import PQ, Dominance
from tableseal.audit.rules.facts import Facts


def with_contributors(release: Release, at: int, *, holdings: bool) -> Release:
    """The release whose table at a position says how many contribute to each cell and what the largest give; itself if
    there are no microdata, or the table says it.

    holdings: they count as one contributor each, else their members do.
    """
    table = release.tables[at]
    if release.microdata is None or table.frequency is not None or release.measures[table.measure].kind == "count":
        return release
    cells, _ = merge_cells(release)
    facts = Facts(release, cells)
    found = (facts if holdings else facts.of_units).contributions
    if found is None:
        return release
    cell = listed_cells(release, cells, at)
    known = found.covered[cell]
    frequency = Amounts(found.frequency[cell], known)
    tops = tuple(Amounts(np.abs(found.nth(rank))[cell], known) for rank in range(_most(release.policy)))
    tables = list(release.tables)
    tables[at] = replace(table, frequency=frequency, contributors=tops)
    return replace(release, tables=tuple(tables))


def _most(policy: Policy | None) -> int:
    """How many of the largest contributions rules ask for, two at least."""
    rules = () if policy is None else policy.primary
    wanted = [rule.n for rule in rules if isinstance(rule, Dominance)]
    wanted += [1 + rule.coalition for rule in rules if isinstance(rule, PQ)]
    return max(2, *wanted) if wanted else 2
