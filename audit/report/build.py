"""From bounds, rules and insiders to the report."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from audit.bounds.component import End, TargetBounds
from audit.bounds.engine import CellBounds
from audit.bounds.reveal import Argument
from audit.measures.insiders.findings import InsiderAudit
from audit.measures.posterior import disclosure_risk, entropy_bits
from audit.model import Note, Policy, Require, Status
from audit.prepare import Prepared
from audit.report.arithmetic import reveals
from audit.report.model import InsiderFinding, Possible, Report, ReportCell, Step, Summary
from audit.report.verdict import Judged, judge, reach
from audit.rules import Sensitivity


@dataclass(frozen=True)
class Findings:
    """Everything that was found out about a release; keys are positions among the open cells."""

    prepared: Prepared
    bounds: CellBounds
    sensitivity: Sensitivity
    insiders: InsiderAudit
    arguments: Mapping[int, Argument]
    steps: Mapping[int, tuple[Step, ...]]


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
    rows = [_open_cell(findings, k, require, listed_in) for k in range(len(prepared.system.open_cells))]
    rows += _published_findings(findings, listed_in)
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
    summary = _summary(prepared, rows, system_rank, components)
    return Report(
        verdict=_verdict(rows, require),
        title=prepared.release.title,
        release_sha256=digest,
        policy_sha256=policy.sha256 if policy is not None and policy.sha256 else None,
        bounds=bounds,
        summary=summary,
        cells=tuple(rows),
        notes=notes,
    )


def _verdict(rows: list[ReportCell], require: Require) -> Literal["safe", "unsafe", "undecided"]:
    sensitive = [r for r in rows if r.sensitive and r.verdict != "not_judged"]
    if any(r.verdict == "underprotected" for r in sensitive):
        return "unsafe"
    if not require.exposed and any(r.verdict == "exposed" for r in sensitive):
        return "unsafe"
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


def _open_cell(findings: Findings, k: int, require: Require, listed_in: list[list[str]]) -> ReportCell:
    prepared = findings.prepared
    cell = int(prepared.system.open_cells[k])
    bounds = findings.bounds.bounds[k]
    cells, unit = prepared.cells, _unit(prepared, cell)
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
            insider=insider is not None and sensitive,
            insider_open=k in findings.insiders.open and sensitive,
        )
    argument = findings.arguments.get(k)
    lower, upper = bounds.lower.outer, bounds.upper.outer
    single = lower is not None and lower == upper
    in_hand = reach(bounds, continuous=judged.basis == "continuous")
    at_most = bounds.at_most
    at_least = 1 if single else bounds.at_least
    risk_of = at_least if at_least is None or at_least >= 1 else 1
    return ReportCell(
        table=listed_in[cell][0],
        also_in=tuple(listed_in[cell][1:]),
        measure=list(prepared.release.measures)[int(cells.measure[cell])],
        cell=tuple(prepared.release.cell_codes(cells.codes[cell]).items()),
        status=status.word,
        truth=Fraction(int(cells.truth.units[cell])) * unit if cells.truth.known[cell] else None,
        lower=None if lower is None else lower * unit,
        upper=None if upper is None else upper * unit,
        attained=None if in_hand is None else (_scaled(in_hand.lower, unit), _scaled(in_hand.upper, unit)),
        exact=_tight(bounds.lower) and _tight(bounds.upper),
        lp=_lp(bounds, unit),
        possible=Possible(at_least, at_most),
        entropy_bits=entropy_bits(risk_of),
        risk=disclosure_risk(risk_of),
        required=None if required is None else (required[0] * unit, required[1] * unit),
        sensitive=sensitive,
        rule=findings.sensitivity.rule[cell],
        verdict=judged.verdict,
        basis=judged.basis,
        reason=judged.reason,
        reveals=None if argument is None or lower is None else reveals(prepared, cell, argument, lower),
        insider=None
        if insider is None or not sensitive
        else InsiderFinding(insider.who, (_scaled(insider.lower, unit), _scaled(insider.upper, unit))),
        steps=findings.steps.get(k, ()),
    )


def _tight(end: End) -> bool:
    """Proved and reached are the same (or both have no limit)."""
    return end.unlimited if end.outer is None else end.outer == end.attained


def _lp(bounds: TargetBounds, unit: Fraction) -> tuple[Fraction | None, Fraction | None] | None:
    ends = (bounds.lower, bounds.upper)
    if any(e.lp is None and not e.unlimited for e in ends):
        return None
    low, high = (None if e.unlimited or e.lp is None else e.lp * unit for e in ends)
    return low, high


def _scaled(value: int | Fraction | None, unit: Fraction) -> Fraction | None:
    return None if value is None else value * unit


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
    rows = []
    for cell in np.flatnonzero(sensitive | contradicted).tolist():
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
                sensitive=bool(sensitive[cell]),
                rule=findings.sensitivity.rule[cell],
                verdict="exposed",
                basis=None,
                reason="sensitive_published" if sensitive[cell] else None,
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
