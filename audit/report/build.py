"""From bounds, rules and insiders to the report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from tableseal.audit.attackers.answer import InsiderAudit
from tableseal.audit.bounds.component import End
from tableseal.audit.bounds.engine import CellBounds
from tableseal.audit.bounds.reveal import Argument
from tableseal.audit.codec.exact_json import significant
from tableseal.audit.measures.feasible_tables import Effort, TablePosterior
from tableseal.audit.measures.rank_view import RankView
from tableseal.audit.measures.risk.posterior import disclosure_risk, entropy_bits
from tableseal.audit.model import BELIEVABLE, Note, Policy, Require, Status
from tableseal.audit.prepare import Prepared
from tableseal.audit.report.arithmetic import Words, reveals, stated
from tableseal.audit.report.beyond_help import beyond_help, finding, in_force, notes_on_accepted
from tableseal.audit.report.described import Decimals, DescribedCell, described, lp_ends
from tableseal.audit.report.implied import implied_cells, implied_count, implied_notes, implied_verdict, worst
from tableseal.audit.report.insider_risk import insider_risk
from tableseal.audit.report.missing import computed_missing, missing_note
from tableseal.audit.report.model import (
    BeyondHelp,
    CellRank,
    OverTables,
    Possible,
    ReleaseVerdict,
    Report,
    ReportCell,
    Step,
    Summary,
)
from tableseal.audit.report.no_row import without_row
from tableseal.audit.report.panel import Facts, risk_panel
from tableseal.audit.report.public import WEIGHED
from tableseal.audit.report.unknown import ASSUMED_NOTE, UNKNOWN_NOTE, assumed_in_words, unknown_in_words
from tableseal.audit.report.verdict import Judged, judge, reach
from tableseal.audit.report.wider import wider_note
from tableseal.audit.rules import Sensitivity, is_judged, nothing_judged
from tableseal.audit.rules.applying import idle_notes
from tableseal.audit.rules.judging import partly_judged, rules_in_words, unjudged
from tableseal.audit.rules.knows_rule import RULE_UNKNOWN, of_rows_left_out, readers_matter
from tableseal.audit.rules.requirements import unknown_requirements
from tableseal.audit.rules.too_fine import too_fine

if TYPE_CHECKING:
    from tableseal.audit.attacks.confidence import ConfidenceFinding
    from tableseal.audit.implied.find import Implied
    from tableseal.audit.measures.risk.requirement import TableRiskFinding
    from tableseal.audit.measures.sap.requirement import SapFinding


TIME_LIMIT = Note(
    "time_limit", "The time limit was reached: what it left open is undecided, and arithmetic may be missing."
)
PRIOR = Note("prior_knowledge", "Intervals start from the intruder's prior knowledge.")
NO_RULE = Note(
    "no_rule", "No rule was applied: the statuses, roundings and intervals in the file decide what is sensitive."
)

WORD = {status: status.word for status in Status}


@dataclass(frozen=True)
class Findings:
    """Everything that was found out about a release; keys are positions among the open cells.

    tables: of each open cell, None where it was not computed; effort: what that was allowed to cost.
    withheld: positions of the withheld cells, which `rank` speaks of.
    implied: cells that no row lists, None where they were not looked for; implied_arguments: position -> arithmetic.
    impossible: cells whose stated true values cannot be. weighed: tables have a prior that was given.
    """

    prepared: Prepared
    bounds: CellBounds
    sensitivity: Sensitivity
    insiders: InsiderAudit
    arguments: Mapping[int, Argument]
    steps: Mapping[int, tuple[Step, ...]]
    tables: Sequence[TablePosterior | None]
    effort: Effort
    withheld: Sequence[int]
    rank: RankView
    sap: "SapFinding | None" = None
    table_risk: "TableRiskFinding | None" = None
    confidence: "ConfidenceFinding | None" = None
    implied: "Implied | None" = None
    implied_arguments: Mapping[int, Argument] = field(default_factory=dict)
    impossible: frozenset[int] = frozenset()
    weighed: bool = False

    @property
    def recoverable(self) -> frozenset[int]:
        """Positions of the cells that speak against the release: SAP is above the limit, and their zeros are among
        those that can be recovered."""
        return self.sap.cells if self.sap is not None and self.sap.above else frozenset()


def build_report(
    findings: Findings,
    *,
    policy: Policy | None,
    bounds: str,
    digest: str,
    system_rank: int,
    components: int,
    notes: tuple[Note, ...],
    timed_out: bool,
) -> Report:
    """Judge every cell and the release."""
    prepared = findings.prepared
    require = policy.require if policy is not None else Require()
    names = tuple(prepared.release.measures)
    decimals = [Decimals(measure.unit) for measure in prepared.release.measures.values()]
    words = Words(prepared)
    open_cells = described(prepared, findings.sensitivity, prepared.system.open_cells)
    accepted = in_force(prepared.release, prepared.cells)
    helpless = {
        k: beyond_help(cell, names[cell.measure], insiders, decimals[cell.measure], accepted.get(cell.cell))
        for k, insiders in sorted(findings.insiders.ranks.items())
        if (cell := open_cells[k]).sensitive
    }
    writer = _CellWriter(findings, require, names, decimals, words)
    ranks = _cell_ranks(findings)
    open_rows = [writer.open_cell(k, cell, ranks.get(k), helpless.get(k)) for k, cell in enumerate(open_cells)]
    rows = open_rows + writer.published()
    judged, said = _judging(findings, policy or Policy())
    told = [*notes, *said]
    unknown = unknown_requirements(prepared.release, prepared.cells, policy or Policy(), findings.sensitivity)
    if unknown.any():
        told.append(Note(UNKNOWN_NOTE, unknown_in_words(int(unknown.sum())), int(unknown.sum())))
    assumed = sum(map(_assumed, rows))
    if assumed:
        told.append(Note(ASSUMED_NOTE, assumed_in_words(assumed), assumed))
    told += notes_on_accepted(prepared.release, tuple(helpless.values()))
    told += [TIME_LIMIT] if timed_out else []
    told += [] if prepared.release.intruder.prior is None else [PRIOR]
    told += [WEIGHED] if findings.weighed else []
    told += [found.note() for found in (findings.sap, findings.table_risk) if found is not None]
    told += _confidence_notes(findings.confidence, notes)
    wider = wider_note(prepared.release, rows)
    told += [] if wider is None else [wider]
    found = findings.implied
    implied = [] if found is None else implied_cells(found, findings.implied_arguments, words, decimals)
    count = implied_count(found)
    missing = computed_missing(open_rows)
    told += implied_notes(count, policy or Policy(), prepared.release, missing=len(missing))
    told += [*missing_note(missing), *without_row(prepared, findings.sensitivity)]
    summary = replace(_summary(prepared, rows, system_rank, components), implied=count)
    limits = findings.sap, findings.table_risk, findings.confidence
    verdict = worst(
        _verdict(rows, require),
        *(_by_limit(found.above) for found in limits if found is not None),
        implied_verdict(implied, count, require, missing=len(missing)),
        "safe" if wider is None and not findings.impossible else "undecided",
    )
    asked = [row for row in open_rows if row.verdict != "not_judged"]
    decrease, effort, weighed = findings.rank.decrease, findings.effort, findings.weighed
    return Report(
        verdict=verdict if judged else "undecided",
        judged=judged,
        rules=rules_in_words(findings.sensitivity, require),
        title=prepared.release.title,
        release_sha256=digest,
        policy_sha256=policy.sha256 if policy is not None and policy.sha256 else None,
        bounds=bounds,
        summary=summary,
        cells=tuple(rows),
        notes=tuple(told),
        implied=tuple(implied),
        beyond_help=tuple(helpless.values()),
        risk_panel=risk_panel(Facts(prepared, summary, findings.bounds.bounds, asked, decrease, effort, weighed)),
    )


def _assumed(row: ReportCell) -> bool:
    """Whether a cell is too narrow for a threshold which, without its true value, nobody can say it is below."""
    asked = row.truth is None and row.rule is None and row.required is not None
    return asked and row.reason == "protection"


def _judging(findings: Findings, policy: Policy) -> tuple[bool, tuple[Note, ...]]:
    """Whether anything says what is sensitive, and what has to be said of that."""
    release, cells = findings.prepared.release, findings.prepared.cells
    left = unjudged(release, cells, policy, findings.sensitivity)
    if not is_judged(release, cells, policy, findings.sensitivity):
        return False, (nothing_judged(release, cells),)
    no_rule = (NO_RULE,) if not policy.primary else (*too_fine(release, policy), *of_rows_left_out(release, policy))
    if _readers_would_know_more(findings, policy):
        no_rule = (*no_rule, RULE_UNKNOWN)
    return True, (*no_rule, *idle_notes(release, policy), *((partly_judged(left),) if left else ()))


def _readers_would_know_more(findings: Findings, policy: Policy) -> bool:
    """Whether some primary cell may lie outside what readers who know the rule would know of it."""
    prepared = findings.prepared
    told = readers_matter(prepared.release, policy)
    if told is None:
        return False
    cells = prepared.cells
    primary = (cells.status >= Status.WITHHELD) & (findings.sensitivity.sensitive | cells.sensitive_status)
    counts = np.array([m.kind == "count" for m in prepared.release.measures.values()], np.bool_)[cells.measure]
    for k in np.flatnonzero((primary & counts)[prepared.system.open_cells]).tolist():
        lower, upper = findings.bounds.bounds[k].lower.outer, findings.bounds.bounds[k].upper.outer
        if lower is None or upper is None or lower < told[0] or upper > told[1]:
            return True
    return False


def _cell_ranks(findings: Findings) -> dict[int, CellRank]:
    found = findings.rank
    kinds = {(alone, given): CellRank(alone, given) for alone in (False, True) for given in (False, True)}
    each = zip(findings.withheld, found.alone.tolist(), found.recomputable.tolist(), strict=True)
    return {k: kinds[alone, given] for k, alone, given in each}


_ONE_VALUE = OverTables(0.0, "exact", None, (0.0, 0.0), None, None)


def _over_tables(found: TablePosterior | None, *, single: bool) -> OverTables | None:
    if single:
        return _ONE_VALUE
    if found is None:
        return None
    low, high = found.ci
    return OverTables(
        significant(found.bits),
        found.method,
        found.tables,
        (significant(low), significant(high)),
        None if found.ess is None else significant(found.ess),
        None if found.rhat is None or not isfinite(found.rhat) else significant(found.rhat),
    )


def _verdict(rows: list[ReportCell], require: Require) -> ReleaseVerdict:
    sensitive = [r for r in rows if r.sensitive and r.verdict != "not_judged"]
    if any(r.verdict == "underprotected" for r in sensitive):
        return "unsafe"
    if not require.exposed and any(r.verdict == "exposed" for r in sensitive):
        return "unsafe"
    return "undecided" if any(r.verdict == "undecided" for r in sensitive) else "safe"


def _confidence_notes(found: "ConfidenceFinding | None", notes: tuple[Note, ...]) -> list[Note]:
    """What has to be said of small counts; once, where the method that changed them has said it."""
    note = None if found is None else found.note()
    if note is None or (note.code == BELIEVABLE and any(other.code == BELIEVABLE for other in notes)):
        return []
    return [note]


def _by_limit(above: bool | None) -> ReleaseVerdict:
    """What a limit of the policy on the whole release says; above: None: it is not known."""
    return "undecided" if above is None else "unsafe" if above else "safe"


class _CellWriter:
    """Makes the rows of a report. names, decimals: of each measure."""

    def __init__(
        self, findings: Findings, require: Require, names: Sequence[str], decimals: Sequence[Decimals], words: Words
    ) -> None:
        self._findings, self._require, self._words = findings, require, words
        self._names, self._decimals = names, decimals

    def open_cell(self, k: int, cell: DescribedCell, rank: CellRank | None, helpless: BeyondHelp | None) -> ReportCell:
        """Open cell k."""
        findings, decimals = self._findings, self._decimals[cell.measure]
        bounds = findings.bounds.bounds[k]
        insider = findings.insiders.findings.get(k)
        sensitive = cell.sensitive
        ranks = None if helpless is None or helpless.accepted is not None else helpless.insiders[0]
        if cell.status == Status.MISSING:
            judged = Judged("not_judged", None, None)
        else:
            judged = judge(
                bounds,
                cell.required,
                self._require,
                width=cell.width,
                insider=insider is not None and sensitive,
                insider_open=k in findings.insiders.open and sensitive,
                ranks=ranks is not None,
            )
            if k in findings.impossible and judged.verdict == "protected":
                judged = Judged("undecided", None, None)
            if cell.cell in findings.recoverable and judged.verdict in ("protected", "undecided"):
                judged, sensitive = Judged("underprotected", None, "sap"), True
        argument = findings.arguments.get(k)
        lower, upper = bounds.lower.outer, bounds.upper.outer
        single = lower is not None and lower == upper
        in_hand = reach(bounds, continuous=judged.basis == "continuous")
        possible, bits, risk = _values(1 if single else bounds.at_least, bounds.at_most)
        return ReportCell(
            table=cell.tables[0],
            also_in=cell.tables[1:],
            measure=self._names[cell.measure],
            cell=cell.codes,
            status=WORD[cell.status],
            truth=decimals.of(cell.truth),
            lower=decimals.of(lower),
            upper=decimals.of(upper),
            attained=None if in_hand is None else decimals.both(in_hand.lower, in_hand.upper),
            exact=_tight(bounds.lower) and _tight(bounds.upper),
            lp=lp_ends(bounds, decimals),
            possible=possible,
            entropy_bits=bits,
            risk=risk,
            required=decimals.pair(cell.required),
            sensitive=sensitive,
            rule=cell.rule,
            verdict=judged.verdict,
            basis=judged.basis,
            reason=judged.reason,
            reveals=None if argument is None or lower is None else reveals(self._words, cell.cell, argument, lower),
            insider=ranks if insider is None or not sensitive else finding(insider, decimals),
            steps=findings.steps.get(k, ()),
            over_tables=_over_tables(findings.tables[k], single=single),
            rank=rank,
            insider_risk=insider_risk(findings.insiders.closest.get(k), decimals),
        )

    def published(self) -> list[ReportCell]:
        """Cells whose exact value is out although they are sensitive, or although another table withholds them."""
        findings, prepared = self._findings, self._findings.prepared
        cells = prepared.cells
        sensitive = cells.exact & (
            cells.sensitive_status | (cells.unrounded & ~cells.consent) | findings.sensitivity.sensitive
        )
        contradicted = cells.exact & cells.withheld_status & ~sensitive
        hidden = cells.withheld_status | cells.unrounded  # by another table than the one that gives it away
        recoverable = np.zeros(len(cells), np.bool_)
        recoverable[list(findings.recoverable)] = True
        recoverable &= cells.exact & ~sensitive & ~contradicted
        which = np.flatnonzero(sensitive | contradicted | recoverable)
        rows = []
        for cell in described(prepared, findings.sensitivity, which):
            own, by_sap = self._decimals[cell.measure], bool(recoverable[cell.cell])
            value = own[int(cells.lower.units[cell.cell])]
            is_sensitive = bool(sensitive[cell.cell])
            rows.append(
                ReportCell(
                    table=cell.tables[0],
                    also_in=cell.tables[1:],
                    measure=self._names[cell.measure],
                    cell=cell.codes,
                    status=cell.status.word,
                    truth=value,
                    lower=value,
                    upper=value,
                    attained=(value, value),
                    exact=True,
                    lp=(value, value),
                    possible=Possible(1, 1),
                    entropy_bits=entropy_bits(1),
                    risk=disclosure_risk(1),
                    required=own.pair(cell.required),
                    sensitive=is_sensitive or by_sap,
                    rule=cell.rule,
                    verdict="underprotected" if by_sap else "exposed",
                    basis=None,
                    reason="sap" if by_sap else "sensitive_published" if is_sensitive else None,
                    reveals=stated(self._words, cell.cell, int(cells.lower.units[cell.cell]))
                    if hidden[cell.cell]
                    else None,
                )
            )
        return rows


@lru_cache(maxsize=1 << 16)
def _values(at_least: int | None, at_most: int | None) -> tuple[Possible, float | None, float | None]:
    """How many values are possible, and entropy and risk of those that are proved to be. (The same few come again and
    again; what is the same object is written once.)"""
    risk_of = at_least if at_least is None or at_least >= 1 else 1
    return Possible(at_least, at_most), entropy_bits(risk_of), disclosure_risk(risk_of)


def _tight(end: End) -> bool:
    """Proved and reached are the same (or both have no limit)."""
    return end.unlimited if end.outer is None else end.outer == end.attained


def _summary(prepared: Prepared, rows: list[ReportCell], rank: int, components: int) -> Summary:
    cells = prepared.cells
    listed = cells.row >= 0
    separators = int(((prepared.system.cell < 0) & (prepared.system.link < 0)).sum())

    def count(verdict: str) -> int:
        return sum(r.verdict == verdict for r in rows)

    return Summary(
        cells=int(listed.sum()),
        published=int((listed & (cells.exact | (cells.status <= Status.STRUCTURAL_ZERO))).sum()),
        withheld=int((cells.status >= Status.SECONDARY).sum()),
        exposed=sum(r.verdict == "exposed" and bool(r.sensitive) for r in rows),
        secondary_exposed=sum(r.verdict == "exposed" and not r.sensitive for r in rows),
        underprotected=count("underprotected"),
        protected=sum(r.verdict == "protected" and r.basis == "integer" for r in rows),
        protected_continuous=sum(r.verdict == "protected" and r.basis == "continuous" for r in rows),
        undecided=count("undecided"),
        not_judged=count("not_judged"),
        rank=rank - separators,
        degrees_of_freedom=prepared.system.matrix.shape[1] - rank,
        components=components,
    )
