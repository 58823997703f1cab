"""A report as one self-contained HTML page: nothing is loaded from anywhere, and the page works without
scripts."""

from dataclasses import dataclass

from tableseal.audit.model.release import Release
from tableseal.audit.report.asked import Asked
from tableseal.audit.report.call import Call
from tableseal.audit.report.grid import risk_style, sheets
from tableseal.audit.report.model import InsiderFinding, Report, ReportCell
from tableseal.audit.report.next_step import next_step
from tableseal.audit.report.page import asset, source_hash, template
from tableseal.audit.report.words import (
    BEYOND_HELP,
    HTML,
    WAYS_PAST,
    applied,
    beyond_help_words,
    cell_name,
    figure,
    headline,
    insider_words,
    interval,
    number,
    over_tables,
    possible,
    printable,
    risk,
    steps_words,
    totals_of,
    verdict,
    worst_first,
)
from tableseal.audit.version import engine_version

LISTED = 3_000
"""Most cells in the list, and most exposures; worst first. The JSON report has all."""


@dataclass(frozen=True)
class ListedCell:
    """One line of the list of open cells, in words; `*_key`: numbers to sort by, infinite ends as 1e308."""

    number: int
    table: str
    name: str
    measure: str
    status: str
    interval: str
    reached: str
    values: str
    values_key: int | float
    risk: str
    risk_key: float
    insider_risk: str
    insider_risk_key: float
    insider: str
    over_tables: str
    over_tables_key: float
    required: str
    rule: str
    truth: str
    verdict: str
    verdict_key: int
    style: str


@dataclass(frozen=True)
class Exposure:
    """How one value is computed, what one insider knows, or what a cell is left with step by step."""

    number: int
    name: str
    value: str
    text: str


def render_html(report: Report, release: Release, asked: Asked | None = None) -> str:
    """The page: verdict, summary, exposures, insiders, every table as a heat map of risk, list of open cells,
    notes.

    asked: in whose words advice is (None: those of the command).

    Of a public report (`report.confidential` False) it shows only the report and what the release publishes.

    Raises
    ------
    InputError: the report does not belong to this release.
    """
    style, script = asset("report.css"), asset("report.js")
    ordered = worst_first(report)
    totals = totals_of(release)
    names = {n: cell_name(cell.cell, totals) for n, cell in ordered[:LISTED]}
    exposures = [
        Exposure(n, f"{printable(cell.table)}: {names[n]}", _one_value(cell), printable(cell.reveals.text))
        for n, cell in ordered[:LISTED]
        if cell.reveals
    ]
    insiders = [
        Exposure(
            n,
            f"{printable(cell.table)}: {names[n]}",
            "",
            insider_words(cell.insider, HTML),
        )
        for n, cell in ordered[:LISTED]
        if cell.insider and cell.reason != "ranks"
    ]
    positions = {(cell.measure, cell.cell): n for n, cell in ordered[:LISTED]}
    helpless = [
        Exposure(
            positions[found.measure, found.cell],
            f"{printable(found.table)}: {cell_name(found.cell, totals)}",
            "",
            beyond_help_words(found, HTML),
        )
        for found in report.beyond_help
        if (found.measure, found.cell) in positions
    ]
    given_away = [
        Exposure(
            n,
            cell_name(cell.cell, totals) + (f" ({printable(cell.measure)})" if len(release.measures) > 1 else ""),
            interval(cell.lower, cell.upper, HTML),
            printable(cell.reveals.text if cell.reveals else cell.rule or ""),
        )
        for n, cell in enumerate(report.implied[:LISTED])
    ]
    steps = [
        Exposure(n, f"{printable(cell.table)}: {names[n]}", "", steps_words(cell, HTML))
        for n, cell in ordered[:LISTED]
        if cell.steps
    ]
    asked = asked or Call()
    following = next_step(report, asked)
    page: str = template("report.html").render(
        csp=f"default-src 'none'; style-src '{source_hash(style)}'; script-src '{source_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        report=report,
        notes=[asked.words(note.text) for note in report.notes],
        title=printable(report.title) or "Untitled release",
        verdict=report.called,
        headline=headline(report),
        applied=applied(report),
        following=following and f"Next: {following}",
        tiles=_tiles(report),
        facts=_facts(report),
        panel=[(e.title, [figure(f, HTML) for f in e.figures], e.tells, e.does_not_tell) for e in report.risk_panel],
        exposures=exposures,
        insiders=insiders,
        given_away=given_away,
        implied=report.summary.implied,
        beyond_help=(BEYOND_HELP, helpless, WAYS_PAST if any(h.accepted is None for h in report.beyond_help) else ""),
        steps=steps,
        sheets=sheets(release, report),
        listed=[_listed(rank, n, cell, names[n]) for rank, (n, cell) in enumerate(ordered[:LISTED])],
        unlisted=max(0, len(ordered) - LISTED),
        columns=_columns(report, release),
        linked={n for n, _ in ordered[:LISTED]},
    )
    return page


def _tiles(report: Report) -> list[tuple[str, str, str, str]]:
    """(figure, label, remark, class) of the summary."""
    s = report.summary
    continuous = f"{number(s.protected_continuous, HTML)} on a continuous basis" if s.protected_continuous else ""
    wasted = "withheld for nothing" if s.secondary_exposed else ""
    tiles = [
        (s.cells, "cells", "", ""),
        (s.published, "published", "", ""),
        (s.withheld, "withheld", "", ""),
        (s.exposed, "exposed", "", "bad" if s.exposed else ""),
        (
            s.secondary_exposed,
            "secondary exposed",
            wasted,
            "warn" if s.secondary_exposed else "",
        ),
        (s.underprotected, "underprotected", "", "bad" if s.underprotected else ""),
        (s.undecided, "undecided", "", "warn" if s.undecided else ""),
        (s.protected, "protected", continuous, "good" if s.protected else ""),
        (s.not_judged, "not judged", "", ""),
    ]
    hidden = () if report.confidential else ("secondary exposed", "underprotected")
    return [(number(n, HTML), label, remark, css) for n, label, remark, css in tiles if label not in hidden]


def _facts(report: Report) -> list[tuple[str, str]]:
    """Name and value of what identifies the audit."""
    s = report.summary
    facts = [
        ("Bounds", printable(report.bounds)),
        ("Rank of the released system", number(s.rank, HTML)),
        ("Degrees of freedom", number(s.degrees_of_freedom, HTML)),
        ("Independent components", number(s.components, HTML)),
        ("Engine", f"tableseal {engine_version()}"),
    ]
    if report.confidential:
        facts.append(("Release (SHA-256)", report.release_sha256 or ""))
        facts.append(("Policy (SHA-256)", report.policy_sha256 or "none: no rule was applied"))
    return facts


def _columns(report: Report, release: Release) -> set[str]:
    """Columns of the list that not every report needs."""
    needed = {
        "measure": len(release.measures) > 1,
        "insider_risk": any(cell.insider_risk is not None for cell in report.cells),
        "over_tables": any(cell.over_tables is not None for cell in report.cells),
        "truth": any(cell.truth is not None for cell in report.cells),
        "required": any(cell.required is not None for cell in report.cells),
        "rule": any(cell.rule is not None for cell in report.cells),
    }
    return {name for name, is_needed in needed.items() if is_needed}


def _one_value(cell: ReportCell) -> str:
    return number(cell.lower, HTML) if cell.lower is not None and cell.lower == cell.upper else ""


def _listed(rank: int, position: int, cell: ReportCell, name: str) -> ListedCell:
    reached = "" if cell.exact or cell.attained is None else interval(*cell.attained, HTML)
    most, known = cell.possible.at_most, cell.insider_risk
    return ListedCell(
        number=position,
        table=printable(", ".join((cell.table, *cell.also_in))),
        name=name,
        measure=printable(cell.measure),
        status=cell.status.replace("_", " "),
        interval=interval(cell.lower, cell.upper, HTML),
        reached=reached,
        values=possible(cell, HTML),
        values_key=1e308 if most is None else most,
        risk=risk(cell.risk, HTML),
        risk_key=1e308 if cell.risk is None else cell.risk,
        insider_risk="" if known is None else risk(known.risk, HTML),
        insider_risk_key=-1 if known is None else 1e308 if known.risk is None else known.risk,
        insider="" if known is None else insider_words(InsiderFinding(known.who, known.whose, known.estimates), HTML),
        over_tables=over_tables(cell.over_tables, HTML),
        over_tables_key=1e308 if cell.over_tables is None else cell.over_tables.entropy_bits,
        required="" if cell.required is None else interval(*cell.required, HTML),
        rule=printable(cell.rule or ""),
        truth="" if cell.truth is None else number(cell.truth, HTML),
        verdict=verdict(cell),
        verdict_key=rank,
        style=risk_style(cell),
    )
