"""What a search for secondary cells is given: which cells must be withheld, which may be, at what cost, and what every
pattern has to achieve."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.bounds.component import Limits
from audit.bounds.plan import deciding
from audit.decision.cuts import Requirement
from audit.decision.equations import Equations, build_equations
from audit.errors import InputError
from audit.linear.cells import Cells
from audit.linear.merge import merge_cells
from audit.linear.naming import full_name, places_of, plural
from audit.measures.posterior import disclosure_risk
from audit.model import Policy, Release, Status
from audit.report.applied import WHAT_TO_SAY
from audit.rules import Sensitivity, assess, completed, is_judged, nothing_judged
from audit.rules.judging import rules_in_words
from audit.rules.readers import with_readers
from audit.solvers.protocol import Solver
from suppression.costs import Costs, cell_costs
from suppression.insiders import Insiders
from suppression.stability import LastPeriod, last_period
from suppression.statistics import set_aside
from suppression.unlisted import unlisted


@dataclass(frozen=True)
class Problem:
    """A search problem; positions are those of the release's distinct cells, and behind them of cells that no row lists
    and that have to be protected all the same (see suppression.unlisted).

    Attributes
    ----------
    release: with tables that ask about such cells, behind those of `given`. given: without. listed: how many cells are.
    primary: bool (cells), sensitive: withheld in every pattern.
    may: bool (cells), may be withheld besides.
    cost: int64 (cells), of withholding; in 1 / scale.
    requirements: what every pattern has to achieve.
    reason: why each cell is sensitive (None: it is not).
    insiders: who else attacks. hopeless: sensitive cells whose contributors are too close to each other whatever is
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
    cost: NDArray[np.int64]
    scale: int
    requirements: tuple[Requirement, ...]
    reason: tuple[str | None, ...]
    policy: Policy
    insiders: Insiders
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
    """The search problem of a release: everything withheld so far but the sensitive cells is given back first.

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
    cells = completed(release, merged)
    release = set_aside(release, cells) if release.statistics else release
    primary = sensitivity.sensitive | (cells.status >= Status.WITHHELD)
    # One table calls it sensitive, and another publishes it: it is to be withheld in both.
    primary |= cells.sensitive_status & cells.exact & ~cells.rounded
    primary &= cells.status != Status.MISSING
    refuse_unjudged(release, cells, policy, sensitivity)
    _refuse_published(release, cells, primary)
    equations = build_equations(release, cells, deciding(solver))
    value = equations.value[: len(cells)]
    possible = (equations.column_lower[: len(cells)] <= value) & (value <= equations.column_upper[: len(cells)])
    _refuse_impossible(release, cells, primary & ~possible)
    may = possible & may_be_withheld(cells, primary, value)
    before = None if last is None else last_period(release, cells, last)
    cost, scale = cell_costs(release, cells, value, costs, primary, may, before)
    listed, given, asked = len(cells), release, primary | shown_in_part(cells, sensitivity)
    further = unlisted(release, cells, primary, sensitivity, policy, solver, limits or Limits())
    if further is not None:
        release, cells = further.release, further.cells
        more = len(cells) - listed
        equations = build_equations(release, cells, deciding(solver))
        primary, may, cost = (np.concatenate([a, np.zeros(more, a.dtype)]) for a in (primary, may, cost))
        before = None if before is None else before.longer(more)
    insiders = Insiders(release, cells, policy, equations, primary, solver)
    within, hopeless = insiders.within()
    width = least_width(policy.require.risk)
    requirements = []
    for cell in np.flatnonzero(asked).tolist():
        lower, upper = sensitivity.required_lower.get(cell), sensitivity.required_upper.get(cell)
        sliding = sensitivity.required_width.get(cell) or 0
        if not policy.require.protection:
            lower, upper, sliding = None, None, 0
        if cell in within:
            low, high = within[cell]
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
        raise InputError(f"{nothing_judged(release, cells).text} There is nothing to protect yet: {WHAT_TO_SAY}.")


def shown_in_part(cells: Cells, sensitivity: Sensitivity) -> NDArray[np.bool_]:
    """bool (cells): cells that are released, but not as they are (rounded, or as an interval): nobody may compute them.

    Only one that another table publishes exactly is withheld, but what is withheld elsewhere can keep them open.
    """
    result: NDArray[np.bool_] = sensitivity.judged(cells) & (cells.status <= Status.FROZEN)
    result &= ~cells.exact | cells.unrounded
    return result


def may_be_withheld(cells: Cells, primary: NDArray[np.bool_], value: NDArray[np.int64]) -> NDArray[np.bool_]:
    """bool (cells): cells that may be withheld to protect others.

    Zeros stay: everyone expects them to be shown, and one that is withheld protects nothing below it. A cell with value
    0 that has contributors is no such zero.
    """
    known = cells.exact | cells.truth.known
    may = known & ~cells.rounded & ~primary & ~cells.consent
    may &= np.isin(cells.status, (Status.PUBLISHED, Status.SECONDARY))
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


def _refuse_impossible(release: Release, cells: Cells, impossible: NDArray[np.bool_]) -> None:
    """A true value that contradicts what everybody is taken to know of withheld cells; it is confidential."""
    at = np.flatnonzero(impossible)
    if len(at):
        nonempty = "`intruder: {nonempty: true}` (a withheld cell is at least one unit) or " * release.intruder.nonempty
        raise InputError(
            f"{full_name(release, cells, int(at[0]))}: is withheld, but its true value contradicts {nonempty}what "
            f"bounds everybody knows of it ({plural(len(at), 'such cell')})",
            places_of(release, ((int(cells.table[c]), int(cells.row[c])) for c in at.tolist())),
        )


def _refuse_published(release: Release, cells: Cells, primary: NDArray[np.bool_]) -> None:
    """A sensitive cell that is out already, must be published or stands nowhere in a table cannot be withheld."""
    for status, why in (
        (Status.MUST_PUBLISH, "must be published"),
        (Status.FROZEN, "has been published already (frozen)"),
        (Status.STRUCTURAL_ZERO, "is a zero that everyone knows"),
    ):
        at = np.flatnonzero(primary & (cells.status == status))
        if len(at):
            raise InputError(
                f"{full_name(release, cells, int(at[0]))}: is sensitive, but {why}; it cannot be protected"
            )
    at = np.flatnonzero(primary & cells.rounded)
    if len(at):
        raise InputError(
            f"{full_name(release, cells, int(at[0]))}: is sensitive and stands in a rounded table "
            f"({plural(len(at), 'such cell')}). A search does not choose what a rounded table withholds: leave the "
            "cell's value out (empty, status `primary`, its true value in the column of true values), and the search "
            "sees to it that the rounded values around it do not give it away; or protect the exact table, and round "
            "what that publishes",
            places_of(release, ((int(cells.table[c]), int(cells.row[c])) for c in at.tolist())),
        )
