"""A report on the terminal."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING

from tableseal.audit.language import counted, phrase, plurals_of, put, words_of
from tableseal.audit.language import gettext as _
from tableseal.audit.model.release import Release
from tableseal.audit.report.asked import Asked
from tableseal.audit.report.call import Call
from tableseal.audit.report.columns import Column, folded
from tableseal.audit.report.frame import framed
from tableseal.audit.report.model import BeyondHelp, Report, ReportCell
from tableseal.audit.report.next_step import next_step
from tableseal.audit.report.words import (
    ASCII,
    BEYOND_HELP,
    WAYS_PAST,
    applied,
    beyond_help_words,
    cell_name,
    figure,
    implied_line,
    insider_words,
    interval,
    possible,
    printable,
    risk,
    secondary_exposure,
    steps_words,
    totals_of,
    verdict,
    verdict_line,
    worst_first,
)
from tableseal.audit.said import Do

if TYPE_CHECKING:
    from rich.console import Console

NARROWEST = 80
"""Columns below which the table of cells is no longer readable; narrower terminals break its lines
themselves."""

COLUMN_NAMES = words_of(("table", "cell", "status", "interval", "values", "risk", "verdict"))
"""Heads of the table of cells."""

COLUMNS = (
    Column("table", least=5),
    Column("cell", least=12),
    Column("status"),
    Column("interval", least=10),
    Column("values", right=True, least=6),
    Column("risk", right=True),
    Column("verdict", least=15),
)
"""Of the table of cells."""

REPORT_COLOURS = {"safe": "bold green", "unsafe": "bold red", "undecided": "bold yellow"}
CELL_COLOURS = {
    "exposed": "bold red",
    "underprotected": "red",
    "undecided": "yellow",
    "protected": "green",
    "not_judged": "dim",
}


def render_text(
    report: Report,
    *,
    colour: bool,
    width: int,
    limit: int | None,
    release: Release | None = None,
    panel: bool = False,
    asked: Asked | None = None,
    computed: Sequence[str] = (),
) -> str:
    """The report for a terminal, in the order of need: verdict, rule, what to do next; cells, the worst first, and
    their arithmetic; notes; what identifies the audit; and the verdict again, which is what a terminal shows last.

    Parameters
    ----------
    colour: with escape sequences for colours; without, everything but the codes and titles of the release is ASCII.
    width: columns of the terminal.
    limit: longest list of cells, and of exposures; what is left out is counted. None: no limit.
    release: if given, variables that stand at their total are left out of cells' names.
    panel: with the measures of risk side by side. asked: how the audit was asked for, in whose words advice is (None: a
    command in general). computed: how it was computed, line by line.
    """
    asked = asked or Call()
    body, verdict = _console(colour, width), _console(colour, width)
    _print_body(body, report, release, colour, limit, asked)
    if panel:
        _print_panel(body, report)
    if computed:
        body.print("\n" + _("How it was computed"), style="bold")
        for line in computed:
            body.print(f"  {line}", soft_wrap=True)
    body.print()
    for line in _identity(report):
        body.print(line, soft_wrap=True)
    verdict.print(verdict_line(report), style=REPORT_COLOURS[report.verdict], soft_wrap=True)
    following = next_step(report, asked)
    said = None if following is None else printable(following)
    lines = framed(" ".join(_lines(verdict)), [applied(report)], said, _lines(body))
    return "\n".join(lines) + "\n"


def _console(colour: bool, width: int) -> "Console":
    """One that keeps what is printed."""
    from rich.console import Console

    return Console(
        file=io.StringIO(),
        width=max(width, NARROWEST),
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        no_color=not colour,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )


def _lines(console: "Console") -> list[str]:
    """What was printed."""
    stream = console.file
    assert isinstance(stream, io.StringIO)
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def _print_body(
    console: "Console", report: Report, release: Release | None, colour: bool, limit: int | None, asked: Asked
) -> None:
    """Title and counts, cells and their arithmetic, notes."""
    if report.title:
        console.print(printable(report.title), style="bold")
    for line in _summary_lines(report):
        console.print(line)
    totals = totals_of(release)
    ordered = [cell for _, cell in worst_first(report)]
    more = asked.spelled(Do("more rows"))
    _print_cells(console, ordered, totals, colour, limit, more)
    unlisted = [implied_line(cell, totals, ASCII) for cell in report.implied]
    _print_findings(console, _("Cells that no row lists"), unlisted, limit, more)
    exposures = [f"{printable(cell.table)}: {printable(cell.reveals.text)}" for cell in ordered if cell.reveals]
    _print_findings(console, _("How exposed cells are computed"), exposures, limit, more)
    insiders = [
        f"{_named(cell, totals)}: {insider_words(cell.insider, ASCII)}"
        for cell in ordered
        if cell.insider and cell.reason != "ranks"
    ]
    _print_findings(console, _("Insiders"), insiders, limit, more)
    beyond = [f"{_named(found, totals)}: {beyond_help_words(found, ASCII)}" for found in report.beyond_help]
    _print_findings(console, _(BEYOND_HELP), beyond, limit, more)
    if any(found.accepted is None for found in report.beyond_help):
        console.print(_(WAYS_PAST))
    steps = [
        f"{printable(cell.table)}: {cell_name(cell.cell, totals)}: {steps_words(cell, ASCII)}"
        for cell in ordered
        if cell.steps
    ]
    _print_findings(console, _("As one table after another is released"), steps, limit, more)
    notes = [note for note in report.notes if note.code != "not_judged"]  # its text is the headline
    if notes:
        console.print("\n" + _("Notes"), style="bold")
        for note in notes:
            console.print(f"  - {printable(phrase(asked.words(note.text)))}")


def _summary_lines(report: Report) -> list[str]:
    summary = report.summary
    judged = [
        counted(count, one, several)
        for count, (one, several) in zip(
            (
                summary.exposed,
                summary.secondary_exposed,
                summary.underprotected,
                summary.undecided,
                summary.protected,
                summary.protected_continuous,
                summary.not_judged,
            ),
            _JUDGED,
            strict=True,
        )
        if count
    ]
    cells = counted(summary.cells, "{n} cell", "{n} cells")
    published = counted(summary.published, "{n} published", "{n} published")
    withheld = counted(summary.withheld, "{n} withheld", "{n} withheld")
    verdicts = ", ".join(judged) or _("no open cell")
    return [
        put("{cells}: {published}, {withheld}.", cells=cells, published=published, withheld=withheld),
        put("Verdicts: {verdicts}.", verdicts=verdicts),
        *_implied_summary(report),
    ]


_JUDGED = plurals_of(
    (
        ("{n} exposed", "{n} exposed"),
        ("{n} secondary and exposed", "{n} secondary and exposed"),
        ("{n} underprotected", "{n} underprotected"),
        ("{n} undecided", "{n} undecided"),
        ("{n} protected", "{n} protected"),
        ("{n} protected on a continuous basis", "{n} protected on a continuous basis"),
        ("{n} not judged", "{n} not judged"),
    )
)
"""What the summary says of one cell and of several."""


def _identity(report: Report) -> list[str]:
    """Size of the released system, and what was audited by which policy."""
    summary = report.summary
    lines = [
        put(
            "Released system: rank {rank}, {freedom}, {components}; bounds: {bounds}.",
            rank=summary.rank,
            freedom=counted(summary.degrees_of_freedom, "{n} degree of freedom", "{n} degrees of freedom"),
            components=counted(summary.components, "{n} component", "{n} components"),
            bounds=printable(report.bounds),
        )
    ]
    if report.confidential:
        policy = report.policy_sha256 or _("none")
        lines.append(put("Release {release}; policy {policy} (SHA-256).", release=report.release_sha256, policy=policy))
    return lines


def _implied_summary(report: Report) -> list[str]:
    """What was looked at that no row lists."""
    count = report.summary.implied
    if count is None or not count.looked_at:
        return []
    found = [_("none computed")]
    if count.computed:
        computed = counted(count.computed, "{n} of them can be computed", "{n} of them can be computed")
        found = [computed, counted(count.narrow, "{n} narrow", "{n} narrow")]
    left = put("; {n} not decided", n=count.left_out) if count.left_out else ""
    return [
        put(
            "{combinations} that no row lists looked at: {found}, {sensitive}{left}.",
            combinations=counted(count.looked_at, "{n} combination", "{n} combinations"),
            found=", ".join(found),
            sensitive=counted(count.sensitive, "{n} sensitive", "{n} sensitive"),
            left=left,
        )
    ]


def _print_panel(console: "Console", report: Report) -> None:
    if not report.risk_panel:
        return
    console.print("\n" + _("Risk side by side"), style="bold")
    for entry in report.risk_panel:
        console.print(f"  - {phrase(entry.title)}")
        for line in (
            _("; ").join(figure(f, ASCII) for f in entry.figures),
            put("Tells: {what}", what=phrase(entry.tells)),
            put("Does not tell: {what}", what=phrase(entry.does_not_tell)),
        ):
            console.print(fill(line, console.width, initial_indent="      ", subsequent_indent="        "))


def _print_cells(
    console: "Console",
    cells: list[ReportCell],
    totals: Mapping[str, str | None],
    colour: bool,
    limit: int | None,
    more: str,
) -> None:
    from rich.text import Text

    if not cells:
        return
    shown = cells if limit is None else cells[:limit]
    several = len({cell.measure for cell in cells}) > 1
    rows = []
    for cell in shown:
        name = cell_name(cell.cell, totals)
        if several:
            name += f" ({printable(cell.measure)})"
        row = [
            printable(cell.table),
            name,
            phrase(printable(cell.status)),
            _interval(cell),
            possible(cell, ASCII),
            risk(cell.risk, ASCII),
            verdict(cell),
        ]
        style = "magenta" if secondary_exposure(cell) else CELL_COLOURS[cell.verdict]
        rows.append([*map(Text, row[:-1]), Text(row[-1], style=style)])
    console.print()
    columns = [replace(column, heading=_(column.heading)) for column in COLUMNS]
    console.print(folded(columns, rows, colour=colour))
    left = len(cells) - len(shown)
    _print_left_out(console, left, counted(left, "{n} more cell", "{n} more cells"), more)


def _interval(cell: ReportCell) -> str:
    text = interval(cell.lower, cell.upper, ASCII)
    if not cell.exact and cell.attained is not None:
        text += "\n" + put("reached {interval}", interval=interval(*cell.attained, ASCII))
    return text


def _named(cell: ReportCell | BeyondHelp, totals: Mapping[str, str | None]) -> str:
    return f"{printable(cell.table)}: {cell_name(cell.cell, totals)}"


def _print_findings(console: "Console", heading: str, findings: list[str], limit: int | None, more: str) -> None:
    if not findings:
        return
    shown = findings if limit is None else findings[:limit]
    console.print(f"\n{heading}", style="bold")
    for finding in shown:
        console.print(f"  - {finding}")
    left = len(findings) - len(shown)
    _print_left_out(console, left, counted(left, "{n} more finding", "{n} more findings"), more)


def _print_left_out(console: "Console", count: int, what: str, more: str) -> None:
    """what: that is left out, with its number; more: where it is."""
    if count > 0:
        console.print(put("... and {what}: {where}.", what=what, where=more), style="dim")
