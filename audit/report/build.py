"""From bounds, rules and insiders to the report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Literal

import numpy as np

from audit.bounds.component import End, TargetBounds
from audit.bounds.engine import CellBounds
from audit.bounds.reveal import Argument
from audit.measures.feasible_tables import Effort, TablePosterior
from audit.measures.insiders.findings import InsiderAudit
from audit.measures.posterior import disclosure_risk, entropy_bits
from audit.measures.rank_view import RankView
from audit.measures.sap.requirement import SapFinding
from audit.model import Note, Policy, Require, Status
from audit.prepare import Prepared
from audit.report.arithmetic import reveals
from audit.report.exact_json import significant
from audit.report.model import (
    CellRank,
    InsiderFinding,
    OverTables,
    Possible,
    Report,
    ReportCell,
    Step,
    Summary,
)
from audit.report.panel import Facts, risk_panel
from audit.report.verdict import Judged, judge, reach
from audit.rules import Sensitivity


@dataclass(frozen=True)
class Findings:
    """Everything that was found out about a release; keys are positions among the open cells.

    tables: of each open cell, None where it was not computed; effort: what that was allowed to cost.
    withheld: positions of the withheld cells, which `rank` speaks of.
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
    sap: SapFinding | None = None

    @property
    def recoverable(self) -> frozenset[int]:
        """Positions of the cells that speak against the release: SAP is above the limit, and their zeros are among
        those that can be recovered."""
        return self.sap.cells if self.sap is not None and self.sap.above else frozenset()


class _Decimals(dict[int | Fraction, Fraction]):
    """Values in units -> in the measure's decimals; the same few values come again and again."""

    def __init__(self, unit: Fraction) -> None:
        super().__init__()
        self._unit = unit

    def __missing__(self, value: int | Fraction) -> Fraction:
        result = self[value] = value * self._unit
        return result

    def of(self, value: int | Fraction | None) -> Fraction | None:
        """The same where there may be no limit."""
        return None if value is None else self[value]


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
    listed_in = _listings(prepared)
    ranks = _cell_ranks(findings)
    decimals = [_Decimals(measure.unit) for measure in prepared.release.measures.values()]
    open_rows = [
        _open_cell(findings, k, require, listed_in[cell], ranks.get(k), decimals[int(prepared.cells.measure[cell])])
        for k, cell in enumerate(prepared.system.open_cells.tolist())
    ]
    rows = open_rows + _published_findings(findings, listed_in)
    if policy is None or not policy.primary:
        notes = (*notes, Note("no_rule", "No rule was applied: the statuses in the file decide what is sensitive."))
    if timed_out:
        notes = (
            *notes,
            Note(
                "time_limit",
                "The time limit was reached: what it left open is undecided, and arithmetic may be missing.",
            ),
        )
    if prepared.release.intruder.prior is not None:
        notes = (*notes, Note("prior_knowledge", "Intervals start from the intruder's prior knowledge."))
    if findings.sap is not None:
        notes = (*notes, findings.sap.note())
    summary = _summary(prepared, rows, system_rank, components)
    return Report(
        verdict=_verdict(rows, require, findings.sap),
        title=prepared.release.title,
        release_sha256=digest,
        policy_sha256=policy.sha256 if policy is not None and policy.sha256 else None,
        bounds=bounds,
        summary=summary,
        cells=tuple(rows),
        notes=notes,
        risk_panel=risk_panel(
            Facts(
                prepared,
                summary,
                findings.bounds.bounds,
                [row for row in open_rows if row.verdict != "not_judged"],
                findings.rank.decrease,
                findings.effort,
            )
        ),
    )


def _cell_ranks(findings: Findings) -> dict[int, CellRank]:
    found = findings.rank
    return {k: CellRank(bool(found.alone[i]), bool(found.recomputable[i])) for i, k in enumerate(findings.withheld)}


def _over_tables(found: TablePosterior | None, *, single: bool) -> OverTables | None:
    if single:
        return OverTables(0.0, "exact", None, (0.0, 0.0), None, None)
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


def _verdict(
    rows: list[ReportCell], require: Require, sap: SapFinding | None
) -> Literal["safe", "unsafe", "undecided"]:
    if sap is not None and sap.above:
        return "unsafe"
    sensitive = [r for r in rows if r.sensitive and r.verdict != "not_judged"]
    if any(r.verdict == "underprotected" for r in sensitive):
        return "unsafe"
    if not require.exposed and any(r.verdict == "exposed" for r in sensitive):
        return "unsafe"
    if sap is not None and sap.above is None:
        return "undecided"
    return "undecided" if any(r.verdict == "undecided" for r in sensitive) else "safe"


def _listings(prepared: Prepared) -> list[list[str]]:
    """Names of the tables that list each cell, in release order."""
    cells, tables = prepared.cells, prepared.release.tables
    names: list[list[str]] = [[] for _ in range(len(cells))]
    pairs = np.unique(np.column_stack([cells.listing_cell, cells.listing_table]), axis=0)
    for cell, table in pairs.tolist():
        names[cell].append(tables[table].name)
    for cell in np.flatnonzero(cells.row < 0).tolist():
        if not names[cell]:
            names[cell].append(tables[int(cells.table[cell])].name)
    return names


def _open_cell(
    findings: Findings, k: int, require: Require, tables: list[str], rank: CellRank | None, decimals: _Decimals
) -> ReportCell:
    prepared = findings.prepared
    cell = int(prepared.system.open_cells[k])
    bounds = findings.bounds.bounds[k]
    cells = prepared.cells
    status = Status(int(cells.status[cell]))
    required = _required(findings, cell)
    insider = findings.insiders.findings.get(k)
    sensitive = _sensitive(findings, cell)
    if status == Status.MISSING:
        judged = Judged("not_judged", None, None)
    else:
        judged = judge(
            bounds,
            required,
            require,
            width=findings.sensitivity.required_width.get(cell) or 0,
            insider=insider is not None and sensitive,
            insider_open=k in findings.insiders.open and sensitive,
        )
        if cell in findings.recoverable and judged.verdict in ("protected", "undecided"):
            judged, sensitive = Judged("underprotected", None, "sap"), True
    argument = findings.arguments.get(k)
    lower, upper = bounds.lower.outer, bounds.upper.outer
    single = lower is not None and lower == upper
    in_hand = reach(bounds, continuous=judged.basis == "continuous")
    at_most = bounds.at_most
    at_least = 1 if single else bounds.at_least
    risk_of = at_least if at_least is None or at_least >= 1 else 1
    return ReportCell(
        table=tables[0],
        also_in=tuple(tables[1:]),
        measure=list(prepared.release.measures)[int(cells.measure[cell])],
        cell=tuple(prepared.release.cell_codes(cells.codes[cell]).items()),
        status=status.word,
        truth=decimals[int(cells.truth.units[cell])] if cells.truth.known[cell] else None,
        lower=decimals.of(lower),
        upper=decimals.of(upper),
        attained=None if in_hand is None else (decimals.of(in_hand.lower), decimals.of(in_hand.upper)),
        exact=_tight(bounds.lower) and _tight(bounds.upper),
        lp=_lp(bounds, decimals),
        possible=Possible(at_least, at_most),
        entropy_bits=entropy_bits(risk_of),
        risk=disclosure_risk(risk_of),
        required=None if required is None else (decimals[required[0]], decimals[required[1]]),
        sensitive=sensitive,
        rule=findings.sensitivity.rule[cell],
        verdict=judged.verdict,
        basis=judged.basis,
        reason=judged.reason,
        reveals=None if argument is None or lower is None else reveals(prepared, cell, argument, lower),
        insider=None
        if insider is None or not sensitive
        else InsiderFinding(insider.who, (decimals.of(insider.lower), decimals.of(insider.upper))),
        steps=findings.steps.get(k, ()),
        over_tables=_over_tables(findings.tables[k], single=single),
        rank=rank,
    )


def _tight(end: End) -> bool:
    """Proved and reached are the same (or both have no limit)."""
    return end.unlimited if end.outer is None else end.outer == end.attained


def _lp(bounds: TargetBounds, decimals: _Decimals) -> tuple[Fraction | None, Fraction | None] | None:
    ends = (bounds.lower, bounds.upper)
    if any(e.lp is None and not e.unlimited for e in ends):
        return None
    low, high = (None if e.unlimited else decimals.of(e.lp) for e in ends)
    return low, high


def _unit(prepared: Prepared, cell: int) -> Fraction:
    return list(prepared.release.measures.values())[int(prepared.cells.measure[cell])].unit


def _required(findings: Findings, cell: int) -> tuple[int, int] | None:
    low = findings.sensitivity.required_lower.get(cell)
    high = findings.sensitivity.required_upper.get(cell)
    return None if low is None or high is None else (low, high)


def _sensitive(findings: Findings, cell: int) -> bool:
    """Primary, withheld without a reason, rounded or known by an interval, or sensitive by rule."""
    cells = findings.prepared.cells
    status = Status(int(cells.status[cell]))
    return bool(
        cells.sensitive_status[cell]
        or findings.sensitivity.sensitive[cell]
        or status in (Status.PRIMARY, Status.WITHHELD)
        or (status <= Status.FROZEN and not cells.exact[cell])
    )


def _published_findings(findings: Findings, listed_in: list[list[str]]) -> list[ReportCell]:
    """Cells whose exact value is out although they are sensitive, or although another table withholds them."""
    prepared, cells = findings.prepared, findings.prepared.cells
    sensitive = cells.exact & (cells.sensitive_status | findings.sensitivity.sensitive)
    contradicted = cells.exact & cells.withheld_status & ~sensitive
    recoverable = np.zeros(len(cells), np.bool_)
    recoverable[list(findings.recoverable)] = True
    recoverable &= cells.exact & ~sensitive & ~contradicted
    rows = []
    for cell in np.flatnonzero(sensitive | contradicted | recoverable).tolist():
        value = Fraction(int(cells.lower.units[cell])) * _unit(prepared, cell)
        required = _required(findings, cell)
        unit = _unit(prepared, cell)
        rows.append(
            ReportCell(
                table=listed_in[cell][0],
                also_in=tuple(listed_in[cell][1:]),
                measure=list(prepared.release.measures)[int(cells.measure[cell])],
                cell=tuple(prepared.release.cell_codes(cells.codes[cell]).items()),
                status=Status(int(cells.status[cell])).word,
                truth=value,
                lower=value,
                upper=value,
                attained=(value, value),
                exact=True,
                lp=(value, value),
                possible=Possible(1, 1),
                entropy_bits=entropy_bits(1),
                risk=disclosure_risk(1),
                required=None if required is None else (required[0] * unit, required[1] * unit),
                sensitive=bool(sensitive[cell] or recoverable[cell]),
                rule=findings.sensitivity.rule[cell],
                verdict="underprotected" if recoverable[cell] else "exposed",
                basis=None,
                reason="sap" if recoverable[cell] else "sensitive_published" if sensitive[cell] else None,
            )
        )
    return rows


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
