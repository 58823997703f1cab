"""Posterior entropy of every open cell when all tables that fit a release are equally likely (or weighted by a prior).

A table is an assignment of whole multiples of the unit to the base cells of the reduced system. Components do not
influence each other, so a cell that reaches into several is a sum of independent pieces.
"""

from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.measures.feasible_tables.count import LogWeight, count_tables
from tableseal.audit.measures.feasible_tables.distribution import Distribution, added, jackknife, normalised
from tableseal.audit.measures.feasible_tables.prior import IMPOSSIBLE, Prior
from tableseal.audit.measures.feasible_tables.sample import sample_tables
from tableseal.audit.measures.feasible_tables.split import split
from tableseal.audit.measures.feasible_tables.tidy import tidied
from tableseal.audit.progress import Progress, silent
from tableseal.audit.solvers.protocol import Solver


@dataclass(frozen=True)
class Effort:
    """How much work entropies over tables may be.

    transitions: of the exact count, in all; samples: tables to sample where that is not enough, 0: none; seed: of all
    random numbers.
    """

    transitions: int
    samples: int = 0
    seed: int = 0


QUICK = Effort(50_000)
"""What every audit can afford: about 50 ms."""

THOROUGH = Effort(2_000_000, samples=4_096)
"""When asked: exact up to some seconds, sampled beyond."""


NO_LIMITS = Limits()


@dataclass(frozen=True)
class TablePosterior:
    """What is known of one cell over tables.

    distribution: probability of each value, in units.
    bits: Shannon entropy; method: `exact` (every table counted) or `sampled`.
    tables: number of tables of the components that the cell reaches into; None if sampled.
    ci: 95% confidence interval of the entropy, both ends `bits` if exact.
    ess, rhat: effective sample size and split R-hat, the worst of the components; None if exact.
    """

    distribution: Distribution
    bits: float
    method: Literal["exact", "sampled"]
    tables: int | None
    ci: tuple[float, float]
    ess: float | None = None
    rhat: float | None = None


@dataclass(frozen=True)
class _Piece:
    """The part of a cell that lies in one component; `without`: by all chains but one, empty if exact."""

    whole: Distribution
    without: tuple[Distribution, ...] = ()
    tables: int | None = None
    ess: float | None = None
    rhat: float | None = None


def table_posteriors(
    reduced: Reduced,
    forms: csr_array,
    effort: Effort,
    solver: Solver,
    limits: Limits = NO_LIMITS,
    *,
    skip: NDArray[np.bool_] | None = None,
    prior: Prior | None = None,
    progress: Progress = silent,
) -> tuple[TablePosterior | None, ...]:
    """Posterior of every form over tables; None where it was not computed: too much work, or no limit.

    Parameters
    ----------
    forms: int64 (forms x columns of the system).
    limits: what is not done by the deadline is not computed. skip: bool (forms), forms that are not wanted.
    prior: weight of each table; None: all are equally likely.
    """
    unwanted = np.zeros(forms.shape[0], np.bool_) if skip is None else skip
    tidy = tidied(reduced)
    if tidy is None:  # no table fits
        return tuple(None for _ in unwanted)
    cut = split(tidy, forms, unwanted)
    work = []
    for c, component in cut.components.items():
        room = (component.column_upper - component.column_lower + 1).astype(np.float64)
        if (component.column_lower > NO_LOWER).all() and (component.column_upper < NO_UPPER).all():
            work.append((float(np.log2(room).sum()), c, component))
    solved: dict[tuple[int, int], _Piece | None] = {}
    left = effort.transitions
    for done, (_, c, component) in enumerate(sorted(work, key=lambda w: w[:2])):
        if limits.out_of_time():
            break
        if component.matrix.shape[1] > left and not effort.samples:
            continue  # each column takes a transition at least
        weight = None if prior is None else _on_columns(prior, cut.columns[c])
        found, used = _solve(component, left, effort, solver, limits, weight)
        left -= used
        solved |= {(c, t): piece for t, piece in enumerate(found)}
        progress("entropy over tables", done + 1, len(work))
    return tuple(
        None if unwanted[f] else _posterior(cut.constant[f], [solved.get(part) for part in parts])
        for f, parts in enumerate(cut.parts)
    )


def _on_columns(prior: Prior, members: NDArray[np.int64]) -> LogWeight:
    def log_weight(columns: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.float64]:
        return prior.log_weight(members[columns], values)

    return log_weight


def _solve(
    component: Component, left: int, effort: Effort, solver: Solver, limits: Limits, weight: LogWeight | None
) -> tuple[list[_Piece | None], int]:
    """(each target's part, transitions used): counted if that is affordable, else sampled if samples are asked for."""
    counted, used = count_tables(component, left, weight)
    if counted is not None and counted.tables:
        if weight is not None and any(not sum(m.mass) > 0 for m in counted.masses):
            raise IMPOSSIBLE
        return [_Piece(normalised(m.first, m.mass), tables=counted.tables) for m in counted.masses], used
    sampled = None
    if counted is None and effort.samples:
        sampled = sample_tables(component, effort.samples, effort.seed, solver, limits, weight)
    if sampled is None:
        return [None] * component.targets.shape[0], used
    return [_Piece(s.whole, s.without, None, s.ess, s.rhat) for s in sampled], used


def _posterior(constant: int, parts: list[_Piece | None]) -> TablePosterior | None:
    """Of a constant plus independent pieces."""
    pieces = [p for p in parts if p is not None]
    if len(pieces) < len(parts):
        return None
    point = Distribution(constant, np.ones(1))
    whole = added([point, *(p.whole for p in pieces)])
    if whole is None:
        return None
    sampled = [p for p in pieces if p.without]
    if not sampled:
        tables = prod(p.tables or 1 for p in pieces)
        bits = whole.bits()
        return TablePosterior(whole, bits, "exact", tables, (bits, bits))
    without = [
        added([point, *(p.without[k] if p.without else p.whole for p in pieces)])
        for k in range(len(sampled[0].without))
    ]
    bits, ci = jackknife(whole.bits(), [w.bits() for w in without if w is not None], whole.most_bits)
    return TablePosterior(
        whole, bits, "sampled", None, ci, min(p.ess or 0.0 for p in sampled), max(p.rhat or 0.0 for p in sampled)
    )
