"""What `tableseal risk` found, as JSON and as text."""

from tableseal.audit.codec.documents import json_of
from tableseal.audit.measures.risk.assess_risk import PartRisk
from tableseal.audit.measures.risk.result import RiskResult
from tableseal.audit.measures.risk.sample_risk import SampleRisk
from tableseal.audit.report.columns import Column, aligned

UNSETTLED = 1e-9
"""What margins of a model may miss without a remark."""

LISTED = 60
"""Parts of a table that the text lists; the JSON has all."""


def risk_json(report: RiskResult) -> str:
    """The report as JSON text, tableseal/risk/1."""
    return json_of(report) + "\n"


def risk_text(report: RiskResult) -> str:
    """The report for people: what was measured and how, a line a table, and what is to be known about it."""
    lines = [_headline(report), *_drawn(report)]
    if report.parts:
        lines += ["", *_table(report)]
    if report.sample is not None:
        lines += ["", *_sample_lines(report.sample)]
    lines += _divergence_lines(report) + _distribution_lines(report)
    remarks = _remarks(report)
    if remarks:
        lines += ["", *remarks]
    return "\n".join(lines) + "\n"


def _headline(report: RiskResult) -> str:
    formula = report.formula
    how = "L2 form" if formula.weights is None else "weights " + ", ".join(f"{w:g}" for w in formula.weights)
    form = f", form {formula.form}" if formula.definition == "a14" else ""
    return f"Risk of {report.name}: definition {formula.definition}{form}, {how}."


def _drawn(report: RiskResult) -> list[str]:
    if report.versions == 0:
        return []
    if not report.drawn:
        return ["R2, HD and utility: of the protected table."]
    base, seed = report.drawn["rounding"], report.drawn["seed"]
    means = f"means over {report.versions:,} random roundings to base {base}, seed {seed}"
    ends = [part.after for part in report.parts if part.after is not None]
    exact = sum(end.outcomes is not None for end in ends)
    if not exact:
        return [f"R2, HD and utility: {means}."]
    if exact == len(ends):
        return [f"R2, HD and utility: exact expectations over all random roundings to base {base}."]
    return [f"R2, HD and utility: exact expectations over all random roundings of {exact} parts (+- 0), else {means}."]


def _table(report: RiskResult) -> list[str]:
    protected = report.versions > 0
    random = report.versions > 1
    error = ["+-"] if random else []
    figures = ["R2", *error, "HD", *error, "utility"] if protected else []
    columns = [Column("table"), *(Column(name, right=True) for name in ("K", "N", "zeros", "R1", *figures))]
    lines = aligned(columns, (_row(part, protected, random) for part in report.parts[: LISTED + 1]))
    more = len(report.parts) - LISTED - 1
    return lines + ([f"... and {more:,} more parts (all are in the JSON)"] if more > 0 else [])


def _row(part: PartRisk, protected: bool, random: bool) -> list[str]:
    name = ", ".join(f"{variable}={code}" for variable, code in part.where.items()) or "whole"
    row = [name, f"{part.cells:,}", f"{part.total:,}", f"{part.zeros:,}"]
    if part.risk is None:
        return [*row, "undefined"]
    row.append(f"{part.risk:.4f}")
    if protected and part.after is not None:
        end = part.after
        row.append(f"{end.risk.mean:.4f}")
        row += [f"{end.risk.error:.2g}"] if random else []
        row.append(f"{end.distance.mean:.4f}")
        row += [f"{end.distance.error:.2g}"] if random else []
        row.append(f"{end.utility.mean:.4f}")
    return row


def _divergence_lines(report: RiskResult) -> list[str]:
    end = report.whole.after if report.whole is not None else None
    if end is None or not end.divergences:
        return []
    lines = ["", "Divergence of the whole table from its protected version:"]
    for found in end.divergences:
        if found.value is None:
            often = "" if report.versions == 1 else f" in {found.infinite:.4g} of all versions"
            lines.append(f"  {found.name}: infinite{often} (a cell with units is empty in the other table)")
        else:
            error = f" +- {found.value.error:.2g}" if found.value.error else ""
            lines.append(f"  {found.name}: {found.value.mean:.6g}{error}")
    return lines


def _distribution_lines(report: RiskResult) -> list[str]:
    found = report.distribution
    if found is None:
        return []
    protected = found.classes[0].after is not None
    names = ("cells", "%", *(("protected",) if protected else ()))
    rows = []
    for part in found.classes:
        last = "and over" if part.most is None else "" if part.most == part.least else f"- {part.most}"
        shown = [f"{part.cells:,}", f"{100 * part.share:.1f}", *([f"{part.after:,}"] if part.after is not None else [])]
        rows.append([f"{part.least} {last}".rstrip(), *shown])
    columns = [Column("count"), *(Column(name, right=True) for name in names)]
    return ["", f"Counts of cells (mean {found.mean:,.1f}):", *aligned(columns, rows)]


def _sample_lines(found: SampleRisk) -> list[str]:
    settings = found.settings
    smoothing = [f"{settings.smoothing.added:g} added to every cell"] if settings.smoothing.added else []
    smoothing += ["pseudo-Bayes smoothing"] if settings.smoothing.pseudo_bayes else []
    lines = [
        f"Sample of n = {found.size:,} from a population of N = {found.population:,}; {settings.model} model, "
        f"{' and '.join(smoothing) or 'no smoothing'}; {found.samples:,} "
        f"{'sample' if found.samples == 1 else 'samples'}, {found.versions:,} populations drawn for each."
    ]
    if found.true_r2 is not None:
        lines.append(f"  true R1       {found.true_r1:.4f}")
        lines.append(f"  true R2       {found.true_r2.mean:.4f} +- {found.true_r2.error:.2g}")
    for name, value in (("R1", found.r1), ("R2", found.r2)):
        lines.append(f"  estimated {name}  {value.mean:.4f} +- {value.error:.2g}")
    return lines


def _remarks(report: RiskResult) -> list[str]:
    remarks: list[str] = []
    if report.versions > 1 or report.sample is not None:
        remarks.append("+- is the Monte-Carlo standard error of the mean; it shrinks with more repetitions.")
    if report.sample is not None:
        remarks.append("It says nothing of how well the model fits the population.")
        missed = report.sample.missed
        if missed > UNSETTLED:
            remarks.append(f"Margins of the model still miss those of the sample by up to {missed:.1e} of its units.")
    if report.formula.definition == "a14" and report.formula.form == "ratio" and report.versions:
        remarks.append("Form ratio is the formula as printed in 2014; it is upside down: more uncertainty, more risk.")
    if report.formula.definition == "a14" and report.formula.form == "a14-published" and report.versions:
        remarks.append("Form a14-published only reproduces the figures printed in 2014; use uncertainty to judge.")
    ends = [part.after for part in report.parts if part.after is not None]
    above = sum(end.above_original for end in ends)
    if above:
        remarks.append(f"{above:,} times the risk came out above that of the original and was replaced by it.")
    if ends and ends[0].lost:
        remarks.append(
            f"Up to {ends[0].lost:.1%} of the units of the whole table are expected in cells with a value that no "
            "protected cell has; they are lost to the measure."
        )
    if ends and ends[0].impossible:
        remarks.append(
            f"In up to {ends[0].impossible:,} cells the stated method cannot have made the protected count of the "
            "original one: is it the right method?"
        )
    undefined = sum(part.undefined is not None for part in report.parts)
    if undefined:
        remarks.append(f"{undefined:,} parts have one cell or no units: R1 and R2 are not defined for them.")
    return remarks
