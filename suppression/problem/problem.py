"""What a search for secondary cells is given: which cells must be withheld, which may be, at what cost, and what every
pattern has to achieve."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.of_release import build_equations
from tableseal.audit.errors import InputError
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.linear.staying import stays_withheld
from tableseal.audit.measures.risk.posterior import disclosure_risk
from tableseal.audit.model import Policy, Release, Status
from tableseal.audit.report.applied import RULE_IT
from tableseal.audit.rules import Sensitivity, assess, completed, is_judged, nothing_judged
from tableseal.audit.rules.agreement import check_contributors
from tableseal.audit.rules.applying import refuse_idle
from tableseal.audit.rules.judging import rules_in_words
from tableseal.audit.rules.knows_rule import with_readers
from tableseal.audit.said import COMMAND, Do
from tableseal.audit.solvers.protocol import Solver
from tableseal.suppression.attackers.requirements import InsiderRequirements
from tableseal.suppression.problem.costs import Costs, cell_costs
from tableseal.suppression.problem.past import with_unknown_past, withheld_before
from tableseal.suppression.problem.refusals import refuse_differing, refuse_impossible, refuse_published
from tableseal.suppression.problem.stability import LastPeriod, earlier_pattern, last_period
from tableseal.suppression.problem.statistics import set_aside
from tableseal.suppression.problem.unlisted import unlisted


@dataclass(frozen=True)
class Problem:
    """A search problem; positions are those of the release's distinct cells, and behind them of cells that no row lists
    and that have to be protected all the same (see suppression.problem.unlisted).

    Attributes
    ----------
    release: with tables that ask about such cells, behind those of `given`. given: without. listed: how many cells are.
    primary: bool (cells), sensitive: withheld in every pattern.
    may: bool (cells), may be withheld besides.
    stays: bool (cells), withheld for others by rounded tables alone, or in an earlier period: in every pattern, and at
        no cost.
    cost: int64 (cells), of withholding; in 1 / scale.
    requirements: what every pattern has to achieve.
    reason: why each cell is sensitive (None: it is not).
    insiders: what they require. hopeless: sensitive cells whose contributors are too close to each other whatever is
        withheld, because they know their ranks.
    last: last period's pattern.
    """

    release: Release
    given: Release
    cells: Cells
    listed: int
    equations: Equations
    primary: NDArray[np.bool_]
    may: NDArray[np.bool_]
    stays: NDArray[np.bool_]
    cost: NDArray[np.int64]
    scale: int
    requirements: tuple[Requirement, ...]
    reason: tuple[str | None, ...]
    policy: Policy
    insiders: InsiderRequirements
    hopeless: tuple[int, ...]
    last: LastPeriod | None
    rules: tuple[str, ...] = ()
    """That were applied, in words."""

    def asking(self, release: Release) -> Release:
        """A release like the given one, with what asks about cells that no row lists, and statistics set aside."""
        more = self.release.tables[len(self.given.tables) :]
        posed = self.release
        return replace(release, variables=posed.variables, tables=(*release.tables, *more), statistics=posed.statistics)

    def as_given(self, release: Release) -> Release:
        """A release with these cells without what was added to ask about those that no row lists."""
        return replace(release, variables=self.given.variables, tables=release.tables[: len(self.given.tables)])

    @property
    def unlisted(self) -> int:
        """How many cells that no row lists have to be protected."""
        return len(self.cells) - self.listed

    @property
    def asked(self) -> NDArray[np.bool_]:
        """bool (cells): those that something is required of. A cell that is withheld in every pattern for another
        reason (by decision, or by a rounded table) may be computed by anybody."""
        asked = np.zeros(len(self.cells), np.bool_)
        asked[[need.cell for need in self.requirements]] = True
        return asked

    def secondary(self, pattern: NDArray[np.bool_]) -> list[int]:
        """The cells that a pattern withholds beside the sensitive ones and what an earlier period withheld."""
        return np.flatnonzero(pattern & ~self.primary & ~withheld_before(self.release, self.cells)).tolist()

    def price(self, pattern: NDArray[np.bool_]) -> int:
        """Cost of the secondary cells of a pattern, in 1 / scale."""
        return int(self.cost[pattern & ~self.primary].sum())


def build_problem(
    release: Release,
    policy: Policy,
    costs: Costs,
    solver: Solver,
    *,
    last: Release | None = None,
    limits: Limits | None = None,
) -> Problem:
    """The search problem of a release: everything withheld so far but the sensitive cells is given back first, as far
    as its true value may be shown.

    Its requirements are those of the rules, of the distances given per cell and of `require.risk`, also of cells that
    are released rounded or as intervals, and what the contributors of one cell must not find out about each other
    (`intruder.insiders`).

    last: last period's release, whose pattern is cheaper than another one. limits: for the search for cells that no row
    lists.

    Raises
    ------
    InputError: a withheld cell without a true value, or with one that it cannot have; a sensitive cell that cannot be
        withheld; a rule or a cost without its data.
    AdditivityError, ContradictionError, LimitError: see audit.prepare.
    """
    release = with_readers(release, policy, anew=True)
    merged, _ = merge_cells(release)
    sensitivity = assess(release, merged, policy)
    refuse_idle(release, policy)
    check_contributors(release, merged)
    cells = completed(release, merged)
    release = set_aside(release, cells) if release.statistics else release
    primary = to_be_withheld(cells, sensitivity)
    refuse_unjudged(release, cells, policy, sensitivity)
    refuse_differing(release, cells)
    refuse_published(release, cells, primary)
    equations = build_equations(release, with_unknown_past(release, cells), deciding(solver))
    value = equations.value[: len(cells)]
    possible = (equations.column_lower[: len(cells)] <= value) & (value <= equations.column_upper[: len(cells)])
    stays = (stays_withheld(release, cells) | withheld_before(release, cells)) & ~primary
    never_given = equations.always_open[: len(cells)] | (cells.absent_zero & ~cells.exact)
    refuse_impossible(release, cells, (primary | stays | never_given) & ~possible)
    may = possible & may_be_withheld(cells, primary | stays, value)
    before = None if last is None else last_period(release, cells, last)
    if before is None and costs.near_previous and release.earlier:
        before = earlier_pattern(release, cells)
    cost, scale = cell_costs(release, cells, value, costs, primary, may, before)
    cost = np.where(stays, 0, cost)
    listed, given, asked = len(cells), release, primary | shown_in_part(cells, sensitivity)
    further = unlisted(release, cells, primary, sensitivity, policy, solver, limits or Limits())
    if further is not None:
        release, cells = further.release, further.cells
        more = len(cells) - listed
        equations = build_equations(release, with_unknown_past(release, cells), deciding(solver))
        primary, may, stays = (np.pad(which, (0, more)) for which in (primary, may, stays))
        cost = np.pad(cost, (0, more))
        before = None if before is None else before.longer(more)
    insiders = InsiderRequirements(release, cells, policy, equations, primary, solver)
    by_ranks, hopeless = insiders.by_ranks()
    width = least_width(policy.require.risk)
    requirements = []
    for cell in np.flatnonzero(asked).tolist():
        lower, upper = sensitivity.required_lower.get(cell), sensitivity.required_upper.get(cell)
        sliding = sensitivity.required_width.get(cell) or 0
        if not policy.require.protection:
            lower, upper, sliding = None, None, 0
        if cell in by_ranks:
            low, high = by_ranks[cell]
            lower, upper = _lower(lower, low), _upper(upper, high)
        requirements.append(Requirement(cell, lower, upper, max(width, sliding)))
    if further is not None:
        requirements += further.requirements
    words = [None if s < Status.SECONDARY else Status(s).word for s in cells.status.tolist()]
    rules = (*sensitivity.rule, *[None] * (len(cells) - listed))
    reason = tuple(r or (g if p else None) for r, g, p in zip(rules, words, primary.tolist(), strict=True))
    return Problem(
        release,
        given,
        cells,
        listed,
        equations,
        primary,
        may,
        stays,
        cost,
        scale,
        tuple(requirements),
        reason,
        policy,
        insiders,
        hopeless,
        before,
        rules_in_words(sensitivity, policy.require),
    )


def refuse_unjudged(release: Release, cells: Cells, policy: Policy, sensitivity: Sensitivity) -> None:
    """Refuse to protect nothing.

    Raises
    ------
    InputError: neither a rule nor a status says what is sensitive.
    """
    if not is_judged(release, cells, policy, sensitivity):
        nothing = f"{nothing_judged(release, cells).text} There is nothing to protect yet: "
        raise InputError(nothing, *RULE_IT, COMMAND.spelled(Do("rules")), ".")


def to_be_withheld(cells: Cells, sensitivity: Sensitivity) -> NDArray[np.bool_]:
    """bool (cells): sensitive cells that every pattern withholds, or that cannot be protected.

    By a rule, or because some table withholds them and says no other reason, whatever another one publishes: but for
    those that another one shows rounded (see `shown_in_part`). And what is rounded in one table and published exactly
    in another one, unless it has to be.
    """
    by_status = cells.sensitive_status & ~cells.rounded
    unrounded = cells.unrounded & ~cells.consent & (cells.status == Status.PUBLISHED)
    result: NDArray[np.bool_] = (sensitivity.sensitive | by_status | unrounded) & (cells.status != Status.MISSING)
    return result


def shown_in_part(cells: Cells, sensitivity: Sensitivity) -> NDArray[np.bool_]:
    """bool (cells): cells that are released, but not as they are (rounded, or as an interval): nobody may compute them.

    They are not withheld, but what is withheld elsewhere can keep them open. One that another table must publish
    exactly cannot be protected.
    """
    result: NDArray[np.bool_] = sensitivity.judged(cells) & (cells.status <= Status.FROZEN)
    result &= ~cells.exact | cells.unrounded
    return result


def may_be_withheld(cells: Cells, primary: NDArray[np.bool_], value: NDArray[np.int64]) -> NDArray[np.bool_]:
    """bool (cells): cells that may be withheld to protect others. primary: those that are withheld anyway.

    Zeros stay: everyone expects them to be shown, and one that is withheld protects nothing below it. A cell with value
    0 that has contributors is no such zero.
    """
    known = cells.exact | cells.truth.known
    may = known & ~cells.rounded & ~primary & ~cells.consent
    may &= np.isin(cells.status, (Status.PUBLISHED, Status.SECONDARY)) & ~cells.absent_zero
    populated = cells.frequency.known & (cells.frequency.units > 0)
    result: NDArray[np.bool_] = may & ((value != 0) | populated)
    return result


def least_width(risk: Fraction | None) -> int:
    """How many units the values of a cell must span for its risk 1 / log2(values) to be allowed; 1 without a limit.

    Raises
    ------
    InputError: a limit that nothing below 2^60 values meets.
    """
    if risk is None:
        return 1
    low, high = 1, 2**60
    if _risky(high, risk):
        raise InputError(f"policy.require.risk: {risk} would need more than 2^60 possible values.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _risky(middle, risk) else (low, middle)
    return max(high - 1, 1)


def _risky(values: int, risk: Fraction) -> bool:
    found = disclosure_risk(values)
    return found is None or found > risk


def _lower(one: int | None, other: int) -> int:
    return other if one is None else min(one, other)


def _upper(one: int | None, other: int) -> int:
    return other if one is None else max(one, other)
