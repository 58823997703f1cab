"""The audit: what an intruder can work out from a release, and whether it may go out."""

from dataclasses import dataclass, replace
from math import isinf
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from tableseal.audit.attackers.audit import audit_attackers
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.conflict import conflict
from tableseal.audit.bounds.engine import CellBounds, bound_forms
from tableseal.audit.bounds.plan import full, shuttle_only
from tableseal.audit.clock import now
from tableseal.audit.errors import AdditivityError, InputError
from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.execution.state import State
from tableseal.audit.exposures import arithmetic
from tableseal.audit.implied.find import find_implied
from tableseal.audit.implied.grids import axes_of
from tableseal.audit.implied.narrow import Bounding
from tableseal.audit.in_hand.handed import Handed, checked
from tableseal.audit.in_hand.of_records import table_of_records
from tableseal.audit.io.canonical import release_digest
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.measures.feasible_tables import QUICK, Belief, Effort, TablePosterior, table_posteriors
from tableseal.audit.measures.rank_view import rank_view
from tableseal.audit.model import WHAT_IF, Note, Policy, Release, Status
from tableseal.audit.periods import assumed_note
from tableseal.audit.periods.alone import fallen_together
from tableseal.audit.prepare import Prepared, check_sums, prepare
from tableseal.audit.progress import Phases, Progress, silent
from tableseal.audit.proof.model import Proof
from tableseal.audit.reduction import reduction
from tableseal.audit.report.build import Findings, build_report
from tableseal.audit.report.model import Report
from tableseal.audit.rules import assess, completed
from tableseal.audit.rules.agreement import check_contributors
from tableseal.audit.rules.applying import refuse_idle
from tableseal.audit.rules.knows_rule import with_readers
from tableseal.audit.solvers.highs import Highs
from tableseal.audit.sparse import rows_at
from tableseal.audit.truths import impossible_truths
from tableseal.audit.whatif import MISFIT, what_if_misfit
from tableseal.audit.whatif import withhold_primaries as only_primaries

Bounds = Literal["shuttle", "lp", "integer"]


@dataclass(frozen=True)
class Explain:
    """How the answer was computed: seconds per step and what each method closed. Not part of the report."""

    seconds: tuple[tuple[str, float], ...]
    bounds: CellBounds
    size: tuple[int, int, int]

    def lines(self) -> list[str]:
        """The same in words."""
        rows, columns, nonzeros = self.size
        lines = [f"system: {rows:,} released statements, {columns:,} base cells, {nonzeros:,} coefficients"]
        by_method: dict[str, list[float]] = {}
        for use in self.bounds.used:
            total = by_method.setdefault(use.step, [0, 0, 0, 0, 0.0])
            total[0] += 1
            total[1] = max(total[1], use.columns)
            total[2] += use.asked
            total[3] += use.closed
            total[4] += use.seconds
        solved = int(self.bounds.determined.sum())
        lines.append(f"determined by the equations alone: {solved:,} of {len(self.bounds.determined):,} open cells")
        for step, (parts, largest, asked, closed, seconds) in by_method.items():
            lines.append(
                f"{step}: {int(parts):,} components (largest: {int(largest):,} base cells), "
                f"closed {int(closed):,} of {int(asked):,} open ends, {seconds:.3f} s"
            )
        lines += [f"{name}: {seconds:.3f} s" for name, seconds in self.seconds]
        return lines


@dataclass(frozen=True)
class AuditResult:
    """The report, how it was computed, and where it was asked for its proof.

    posteriors: over tables, of the first cells of the report (those that are open); None where it was not computed.
    """

    report: Report
    explain: Explain
    proof: Proof | None = None
    posteriors: tuple[TablePosterior | None, ...] = ()


def audit(
    release: Release,
    *,
    policy: Policy | None = None,
    bounds: Bounds = "integer",
    withhold_primaries: bool = False,
    cumulative: bool = False,
    entropy: Effort = QUICK,
    prior: Belief | None = None,
    time_limit: float | None = None,
    prove: bool = False,
    progress: Progress | None = None,
    executor: Executor = HERE,
    state: State | None = None,
    handed: Handed | None = None,
) -> AuditResult:
    """Audit a release.

    Parameters
    ----------
    policy: overrides the release's own policy.
    bounds: `shuttle` (propagation only), `lp` (linear programming, rounded outward), `integer`.
    withhold_primaries: audit the what-if that exactly the sensitive cells are withheld.
    cumulative: also give each cell's interval as one table after another is released.
    entropy: what entropies over tables may cost; the default counts small components exactly.
    prior: what is likely before the release, for entropies over tables; None: all tables are equally likely.
    time_limit: seconds after which open ends stay open.
    prove: also write a proof that can be checked without this program.
    progress: told (step, done, total); total 0: unknown.
    state: remembers the bounds found so far, so that work that was cut short or crashed goes on from there.
    executor: where components and insiders are worked on; the report is the same anywhere.
    handed: tables that may fit, such as those by which a search chose its pattern. Those that do show what no others
        showed in time.

    Raises
    ------
    InputError: the release or policy cannot be used (values that do not add up, contradictions, missing data).
    LimitError: the release is too large.
    """
    tell = progress or silent
    if prove and (withhold_primaries or release.intruder.prior is not None):
        raise _NO_PROOF
    phases = Phases(tell)
    phases.begin("cells and rules")
    limits = Limits(None if time_limit is None else now() + time_limit, integer=bounds == "integer")
    rules = policy or release.policy
    release = with_readers(release, rules)
    given, notes = merge_cells(release)
    applied = rules or Policy()
    sensitivity = assess(release, given, applied)
    refuse_idle(release, applied)
    notes = (*notes, *check_contributors(release, given))
    cells = completed(release, given)
    hidden = None
    if withhold_primaries:
        check_sums(release, given)
        hidden = (given.status >= Status.SECONDARY) & ~given.exact
        cells = only_primaries(release, cells, sensitivity)
        notes = (*notes, Note(WHAT_IF, "What-if: exactly the sensitive cells are withheld, all others published."))
    engine = Highs()
    method = shuttle_only() if bounds == "shuttle" else full(engine)
    prepared = None
    phases.begin("linear system and additivity")
    try:
        prepared = prepare(release, cells, hidden=hidden)
        phases.begin("reduction")
        reduced = reduction(prepared)
        keeping = replace(limits, prove=prove)
        phases.begin("bounds")
        found = bound_forms(reduced, prepared.system.forms, method, keeping, tell, executor=executor, state=state)
        shown = None if handed is None else checked(handed, prepared, reduced, axes_of(prepared))
        found = found if shown is None else found.reaching(*shown.reached())
    except AdditivityError as error:
        raise what_if_misfit(error) if withhold_primaries else error from None
    except InfeasibleError:
        if withhold_primaries and hidden is not None and (hidden & cells.exact).any():
            raise MISFIT from None
        assert prepared is not None
        raise conflict(prepared, engine) from None
    uncounted = replace(limits, values=False)
    # Units that are subtracted (SAP) may make any cell sensitive.
    judged = sensitivity.judged(cells) if applied.require.sap is None else np.ones(len(cells), np.bool_)
    phases.begin("insiders")
    # Records are a table that fits: where vertices are full of fractions, others are found from there.
    records = None
    if release.microdata is not None and bounds == "integer":
        records = table_of_records(prepared, reduced, axes_of(prepared))
    found, insiders = audit_attackers(
        prepared, reduced, found, sensitivity, judged, applied, engine, uncounted, tell, executor, records, shown
    )
    sap = None
    if applied.require.sap is not None:
        from tableseal.audit.measures.sap.requirement import judge_sap

        phases.begin("subtraction (SAP)")
        sap = judge_sap(prepared, applied.require.sap, limits)
    phases.begin("risk of whole tables")
    table_risk = None
    if applied.require.table_risk is not None:
        from tableseal.audit.measures.risk.requirement import judge_table_risk

        table_risk = judge_table_risk(release, applied.require.table_risk, applied.require.table_risk_measure)
    confidence = None
    if cells.rounded.any() or applied.require.confidence is not None:
        from tableseal.audit.attacks.confidence import judge_confidence

        confidence = judge_confidence(release, cells, applied)
    phases.begin("cells that no row lists")
    implied = None
    if applied.implied != "off":
        bounding = Bounding(prepared.system.forms, method, engine, uncounted) if applied.implied == "all" else None
        implied = find_implied(prepared, reduced, applied, sensitivity, bounding)
    phases.begin("arithmetic of exposures")
    told = arithmetic(prepared, reduced, found, implied, judged, engine, keeping, tell)
    steps = {}
    if cumulative:
        from tableseal.audit.measures.cumulative import cumulative_steps

        phases.begin("cumulative view")
        steps = cumulative_steps(release, cells, method, uncounted, tell, what_if=withhold_primaries)
    truths = impossible_truths(prepared, found)
    digest = release_digest(release)
    proof = None
    if prove:
        from tableseal.audit.proof.write import prove as write_proof

        phases.begin("proof")
        also = implied, told.unlisted
        proof = write_proof(prepared, reduced, found, told.listed, digest, engine, limits, tell, *also)
    forms, open_cells = prepared.system.forms, prepared.system.open_cells
    single = np.array([b.lower.outer is not None and b.lower.outer == b.upper.outer for b in found.bounds], np.bool_)
    weights = None if prior is None else prior.on(release, prepared.system.base)
    phases.begin("entropy over tables")
    tables = table_posteriors(reduced, forms, entropy, engine, limits, skip=single, prior=weights, progress=tell)
    phases.begin("rank of the system")
    withheld = np.flatnonzero(cells.status[open_cells] >= Status.SECONDARY)
    rank = rank_view(_equations(prepared), reduced.rank, rows_at(forms, withheld), found.determined[withheld])
    phases.begin("report")
    findings = Findings(
        prepared,
        found,
        sensitivity,
        insiders,
        told.listed,
        steps,
        tables,
        entropy,
        withheld.tolist(),
        rank,
        sap,
        table_risk,
        confidence,
        implied,
        told.unlisted,
        truths.open,
        weighed=prior is not None,
    )
    report = build_report(
        findings,
        policy=rules,
        bounds=bounds,
        digest=digest,
        system_rank=reduced.rank,
        components=reduced.components,
        notes=(
            *release.notes,
            *assumed_note(release),
            *notes,
            *insiders.notes,
            *told.notes,
            *((truths.note,) if truths.note else ()),
        ),
        timed_out=limits.out_of_time(),
    )
    if release.earlier and not withhold_primaries:
        left = limits.seconds_left()

        def of_one_period(alone: Release) -> Report:
            return audit(alone, bounds=bounds, time_limit=None if isinf(left) else left, executor=executor).report

        together = fallen_together(report, replace(release, policy=rules), of_one_period)
        report = replace(report, notes=(*report.notes, *together))
    phases.end()
    matrix = prepared.system.matrix
    return AuditResult(report, Explain(phases.seconds, found, (*matrix.shape, matrix.nnz)), proof, tables)


_NO_PROOF = InputError(
    "A proof is checked against the released tables alone. A what-if is no release, and an intruder's prior rests on "
    "true values: neither can be proved. Leave out --proof, or audit the release itself."
)


def _equations(prepared: Prepared) -> csr_array:
    """Everything that is known exactly, in short rows."""
    rows = prepared.differenced
    return rows_at(rows.matrix, np.flatnonzero(rows.lower == rows.upper))
