"""The two definitions of SAP, of an attack: chooses how to compute."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.errors import InputError, LimitError, OptionName
from tableseal.audit.measures.sap.attack import Attack
from tableseal.audit.measures.sap.closed_form import rounded_table_and_total
from tableseal.audit.measures.sap.curve import curve, curve_of_tight, exact_curve
from tableseal.audit.measures.sap.enumeration import MOST_SAMPLES, number_of_samples, unrecovered_by_enumeration
from tableseal.audit.measures.sap.monte_carlo import NetworkStates, States, estimate
from tableseal.audit.measures.sap.network import Network, network
from tableseal.audit.measures.sap.result import Sampling, Sap, from_bounds
from tableseal.audit.measures.sap.solve import Checker
from tableseal.audit.measures.sap.subsets import recovery_polynomial
from tableseal.audit.measures.sap.tight import Tight, tight_groups
from tableseal.audit.progress import Progress, silent

NO_LIMITS = Limits()


@dataclass(frozen=True)
class Exact:
    """A resolved SAP found without sampling, and bool (leaves): those whose zero some sample was seen to recover."""

    sap: Sap
    leaves: NDArray[np.bool_]


@dataclass(frozen=True)
class Effort:
    """How a resolved SAP may be computed.

    exact: exact fractions even where they are long, and no estimate.
    replicates: random orders of an estimate; None: 10,000 on a network, 300 elsewhere.
    """

    exact: bool = False
    replicates: int | None = None
    seed: int = 0
    confidence: float = 0.99


def static_sap(attack: Attack, n: tuple[int, ...], *, exact: bool = False, limits: Limits = NO_LIMITS) -> Sap:
    """SAP of Smith & Elliot 2007 (2.3): a zero is recovered if the sample exhausts a cell whose true count is its
    tightest upper bound.

    Raises
    ------
    InputError: sample sizes that are not possible. LimitError: exact fractions that are too long.
    """
    n = attack.sizes(n)
    return _static(attack, tight_groups(attack, network(attack), max(n), limits), n, exact)


def resolved_sap(
    attack: Attack,
    n: tuple[int, ...],
    effort: Effort = Effort(),
    *,
    progress: Progress = silent,
) -> Sap:
    """Probability that subtracting the sample from all that is released, and solving again in whole numbers, recovers a
    zero. Exact where a closed form, the sets of exhausted cells or the samples can be gone through; else an estimate.

    Raises
    ------
    InputError: sample sizes that are not possible, or no replicates. LimitError: exact was asked for and is out of
    reach.
    """
    n = attack.sizes(n)
    net = network(attack)
    found = exactly(attack, net, n, exact=effort.exact)
    if found is not None:
        return found.sap
    if effort.exact:
        text = "Resolved SAP is out of exact reach for these sizes; ask for smaller n, or without "
        raise LimitError(text, OptionName("exact"), ".")
    if effort.replicates is not None and effort.replicates < 1:
        raise InputError(found=str(effort.replicates), expected="at least 1", at=OptionName("replicates"))
    tight = tight_groups(attack, net, max(n), NO_LIMITS)
    proved = Tight(tight.certain, tight.certain, (tight.zero_known[0], tight.zero_known[0]))
    static = _static(attack, proved, n, exact=False)
    if proved.zero_known[0]:
        return Sap("resolved", static.method, static.total, n, static.exact, static.value, static.error)
    judge: States = Checker(attack, tight.certain, NO_LIMITS) if net is None else NetworkStates(attack, net)
    replicates = effort.replicates or (300 if net is None else 10_000)
    sampling = Sampling(effort.confidence, replicates, effort.seed)
    return estimate(attack, judge, tight.certain, static, sampling, progress)


def exactly(
    attack: Attack, net: Network | None, n: tuple[int, ...], *, exact: bool, limits: Limits = NO_LIMITS
) -> Exact | None:
    """Resolved SAP without sampling; None where that is out of reach. Samples that stay open give proved bounds."""
    if net is None and number_of_samples(attack, n) > MOST_SAMPLES:
        return None
    tight = tight_groups(attack, net, max(n), limits)
    leaves = tight.certain[attack.groups]
    if net is not None:
        return _by_network(attack, net, tight, n, exact=exact)
    checker = Checker(attack, tight.certain, limits)
    at_least, at_most = unrecovered_by_enumeration(attack, checker, n)
    low = exact_curve(at_most, attack.total, n, "resolved", "every sample")
    if at_least == at_most:
        return Exact(low, leaves | checker.leaves)
    high = exact_curve(at_least, attack.total, n, "resolved", "every sample")
    return Exact(_between(low, high, "every sample, some open"), leaves | checker.leaves)


def _by_network(attack: Attack, net: Network, tight: Tight, n: tuple[int, ...], *, exact: bool) -> Exact | None:
    reachable = attack.sampled | (attack.counts == 0)
    leaves = tight.certain[attack.groups] & reachable
    if attack.rows.shape[0] == 0:
        return Exact(curve_of_tight(tight.counts(attack), attack.total, n, "resolved", exact=exact), leaves)
    if _only_total(attack):
        bound = int(attack.row_high.min())
        found = rounded_table_and_total(attack.counts, attack.low, attack.high, bound, n, exact=exact)
        above = attack.counts > attack.low
        all_above = int(attack.counts[above].sum())
        if attack.total == bound and all_above <= max(n):
            leaves = leaves | (attack.counts + np.where(above, 0, all_above) <= max(n))
        return Exact(found, leaves)
    by_sets = recovery_polynomial(attack, net, np.flatnonzero(leaves).tolist(), max(n))
    if by_sets is None:
        return None
    return Exact(curve(by_sets.q, attack.total, n, "resolved", exact=exact), leaves | by_sets.leaves)


def _static(attack: Attack, tight: Tight, n: tuple[int, ...], exact: bool) -> Sap:
    low = curve_of_tight(tight.counts(attack), attack.total, n, "static", exact=exact)
    if tight.decided:
        return low
    high = curve_of_tight(tight.counts(attack, possible=True), attack.total, n, "static", exact=exact)
    return _between(low, high, "some upper bounds open")


def _between(low: Sap, high: Sap, method: str) -> Sap:
    bounds = [(_float_down(low.bounds(k)[0]), _float_up(high.bounds(k)[1])) for k in range(len(low.n))]
    return from_bounds(low.definition, method, low.total, low.n, bounds)


def _float_down(value: Fraction) -> float:
    return max(0.0, float(value) - 2.0**-53)


def _float_up(value: Fraction) -> float:
    return min(1.0, float(value) + 2.0**-53)


def _only_total(attack: Attack) -> bool:
    """Nothing but single cells and their total is released, anybody can be known, and any zero counts."""
    return (
        attack.rows.shape[0] == 1
        and attack.rows.nnz == len(attack.counts)
        and bool(attack.sampled.all() and attack.targets.all())
    )
