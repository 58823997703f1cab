"""Risk and utility of a table of a generator.

Source: Shlomo, Antal & Elliot 2015, (3), sections 4.2 and 4.3.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Annotated

import numpy as np

from tableseal.audit.codec.declared import PUBLIC, SPARSE
from tableseal.audit.hypercube.model import Ints
from tableseal.audit.measures.risk.hellinger import hellinger_counts, utility
from tableseal.audit.measures.risk.split_risk import Spectrum, terms_after, terms_before
from tableseal.audit.measures.risk.table_risk import weigh
from tableseal.suppression.generator.policy import RiskLimit
from tableseal.suppression.generator.protection import Protection

CAP = 10
"""Protected counts above it stand for themselves in the risk, as in the study of the paper."""


@dataclass(frozen=True)
class Figures:
    """How risky and how useful a table is. Risks are left out where they are not defined: one cell, or nobody."""

    risk_before: Annotated[float | None, "Of the true table.", SPARSE]
    risk: Annotated[float | None, "After protection, never above that before.", SPARSE]
    utility: Annotated[
        float | None,
        "1 less the Hellinger distance to the true table, over the root of its total; of sums 1 less the sum of all "
        "changes without sign, over that of the true sums.",
        SPARSE,
    ]
    expected_utility: Annotated[
        float | None,
        "The same as users may reckon it, from published counts and how widely counts change.",
        PUBLIC,
        SPARSE,
    ] = None
    within: Annotated[
        float | None,
        "Of sums: each differs from the true one by this share of its largest contribution at most.",
        PUBLIC,
        SPARSE,
    ] = None


def risk_before(counts: Ints, limit: RiskLimit) -> float | None:
    """Of a true table; None: not defined."""
    if len(counts) < 2 or not counts.any():
        return None
    return float(weigh(terms_before(Spectrum.of(counts, len(counts)), split=True), limit.weights))


def risk_after(
    counts: Ints, shown: Ints, before: float | None, protection: Protection, limit: RiskLimit
) -> float | None:
    """Of a protected table; None: not defined."""
    if before is None:
        return None
    found = terms_after(counts, shown, len(counts), protection.transition, split=True, cap=CAP)
    return min(before, float(weigh(found.terms, limit.weights)))


def utility_of(counts: Ints, shown: Ints) -> float:
    """1 - HD / sqrt N; 1 for a table without units that is shown so."""
    total = int(counts.sum())
    if total == 0:
        return float(not shown.any())
    return float(utility(hellinger_counts(counts, shown), np.asarray(float(total))))


def kept_of_sums(total: Ints, shown: Ints) -> float:
    """1 less the changes of sums over the sums, without signs; not below 0; 1 for sums that are all 0 and shown so."""
    size, changed = float(np.abs(total).sum()), float(np.abs(shown - total).sum())
    return float(not changed) if size == 0 else max(0.0, 1 - changed / size)


def expected_utility(shown: Ints, variance: float) -> float:
    """What a reader reckons. A change d of a count G moves its root by d / (2 sqrt G), nearly, so that HD^2 is the sum
    of variance / (8 G). The distance itself would tell true counts of a small table.

    Examples
    --------
    >>> round(expected_utility(np.array([100, 400]), 2.0), 4)
    0.9975
    """
    filled = shown[shown > 0].astype(np.float64)
    if not len(filled):
        return 1.0
    return max(0.0, 1 - sqrt(float((variance / (8 * filled)).sum()) / float(filled.sum())))
