"""A report as one self-contained HTML page: nothing is loaded from anywhere, and the page works without
scripts."""

from dataclasses import dataclass

from tableseal.audit.language import gettext as _
from tableseal.audit.language import in_script, phrase, words_of
from tableseal.audit.model.release import Release
from tableseal.audit.report.asked import Asked
from tableseal.audit.report.cell_words import CellWords, cell_words
from tableseal.audit.report.front import Front, front_of
from tableseal.audit.report.grid import Shown, sheets
from tableseal.audit.report.model import Report, ReportCell
from tableseal.audit.report.page import asset, source_hash, template
from tableseal.audit.report.words import (
    BEYOND_HELP,
    HTML,
    WAYS_PAST,
    beyond_help_words,
    cell_name,
    interval,
    printable,
    totals_of,
    worst_first,
)

LARGEST = 3_000_000
"""Bytes of a page, at most: where it would be larger, it draws and lists half as much, and half of that (CONVENTION
796)."""

DRAWN = 8_000
"""Most cells in its maps."""

LISTED = 1_000
"""Most cells in its list, and most exposures; worst first. The JSON report has all."""


SCRIPT = words_of(("Cell", "Show in the list", "Close", "${count} of ${rows.length} shown"))
"""Words of `report.js`."""


@dataclass(frozen=True)
class ListedCell:
    """One line of the list of open cells; `*_key`: numbers to sort by, infinite ends as 1e308."""

    number: int
    words: CellWords
    values_key: int | float
    risk_key: float
    insider_risk_key: float
    over_tables_key: float
    verdict_key: int


@dataclass(frozen=True)
class Exposure:
    """How one value is computed, what one insider knows, or what a cell is left with step by step."""

    number: int
    name: str
    value: str
    text: str


def render_html(report: Report, release: Release, asked: Asked | None = None) -> str:
    """The page: verdict, figures, every table as a heat map of risk, list of open cells; folded, arithmetic, insiders,
    measures of risk, notes.

    asked: in whose words advice is (None: those of the command).

    Of a public report (`report.confidential` False) it shows only the report and what the release publishes.

    Raises
    ------
    InputError: the report does not belong to this release.
    """
    front = front_of(report, release, asked)
    ordered = worst_first(report)
    drawn, listed = DRAWN, LISTED
    while True:
        page = _page(report, release, front, ordered[:listed], drawn)
        if drawn + listed == 0 or len(page.encode()) < LARGEST:
            return page
        drawn, listed = drawn // 2, listed // 2


def _page(report: Report, release: Release, front: Front, shown: list[tuple[int, ReportCell]], drawn: int) -> str:
    """The page with these cells in its lists, and so many in its maps."""
    style, script = asset("report.css"), in_script(asset("report.js"), SCRIPT)
    totals = totals_of(release)
    listed = [_listed(rank, n, cell, cell_words(cell, totals)) for rank, (n, cell) in enumerate(shown)]
    positions = {(cell.measure, cell.cell): n for n, cell in shown}
    linked = {n for n, _ in shown}
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
            phrase(printable(cell.reveals.text if cell.reveals else cell.rule or "")),
        )
        for n, cell in enumerate(report.implied[: len(shown) or 1])
    ]
    page: str = template("report.html").render(
        csp=f"default-src 'none'; style-src '{source_hash(style)}'; script-src '{source_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        front=front,
        exposures=[
            Exposure(one.number, _where(report, one), one.words.one_value, one.words.arithmetic)
            for one in listed
            if one.words.arithmetic
        ],
        there_are=_there_are(report),
        insiders=[
            Exposure(one.number, _where(report, one), "", one.words.insider) for one in listed if one.words.insider
        ],
        given_away=given_away,
        implied=report.summary.implied,
        beyond_help=(
            _(BEYOND_HELP),
            helpless,
            _(WAYS_PAST) if any(h.accepted is None for h in report.beyond_help) else "",
        ),
        steps=[Exposure(one.number, _where(report, one), "", one.words.steps) for one in listed if one.words.steps],
        sheets=sheets(release, report, drawn),
        listed=listed,
        unlisted=len(report.cells) - len(shown),
        address=lambda cell: _address(cell, linked),
    )
    return page


def _there_are(report: Report) -> dict[str, int]:
    """How many cells each of the folded lists would have if there were room for all."""
    return {
        "exposures": sum(cell.reveals is not None for cell in report.cells),
        "insiders": sum(cell.insider is not None and cell.reason != "ranks" for cell in report.cells),
        "implied": len(report.implied),
        "beyond-help": len(report.beyond_help),
        "steps": sum(bool(cell.steps) for cell in report.cells),
    }


def _where(report: Report, one: ListedCell) -> str:
    return f"{printable(report.cells[one.number].table)}: {one.words.name}"


def _address(cell: Shown, linked: set[int]) -> str:
    """Where in the page more is said of a drawn cell; empty: nowhere."""
    return f"#c{cell.number}" if cell.number in linked else ""


def _listed(rank: int, position: int, cell: ReportCell, words: CellWords) -> ListedCell:
    most, known = cell.possible.at_most, cell.insider_risk
    return ListedCell(
        number=position,
        words=words,
        values_key=1e308 if most is None else most,
        risk_key=1e308 if cell.risk is None else cell.risk,
        insider_risk_key=-1 if known is None else 1e308 if known.risk is None else known.risk,
        over_tables_key=1e308 if cell.over_tables is None else cell.over_tables.entropy_bits,
        verdict_key=rank,
    )
