"""What is known of a listed cell, in words: for lists, for maps, and for the cell by itself."""

from collections.abc import Mapping
from math import inf
from typing import NamedTuple

from tableseal.audit.language import phrase
from tableseal.audit.report.model import BeyondHelp, InsiderFinding, ReportCell
from tableseal.audit.report.words import (
    HTML,
    beyond_help_words,
    cell_name,
    insider_words,
    interval,
    number,
    over_tables,
    possible,
    printable,
    risk,
    secondary_exposure,
    steps_words,
    verdict,
)


class CellWords(NamedTuple):
    """A listed cell in words; empty: nothing is known. insider_risk: for the contributor who is closest, `known_by`.
    text, style, hint: how a map shows it."""

    table: str
    name: str
    measure: str
    status: str
    interval: str
    reached: str
    values: str
    risk: str
    insider_risk: str
    known_by: str
    over_tables: str
    required: str
    rule: str
    truth: str
    verdict: str
    style: str
    text: str
    hint: str
    one_value: str
    arithmetic: str
    insider: str
    steps: str
    beyond_help: str


def cell_words(
    cell: ReportCell, totals: Mapping[str, str | None], published: str | None = None, helpless: BeyondHelp | None = None
) -> CellWords:
    """A listed cell in words. published: the value that the release gives, if any; helpless: what no pattern mends."""
    text, hint = map_words(cell, published)
    known = cell.insider_risk
    return CellWords(
        table=printable(", ".join((cell.table, *cell.also_in))),
        name=cell_name(cell.cell, totals),
        measure=printable(cell.measure),
        status=cell.status.replace("_", " "),
        interval=interval(cell.lower, cell.upper, HTML),
        reached="" if cell.exact or cell.attained is None else interval(*cell.attained, HTML),
        values=possible(cell, HTML),
        risk=risk(cell.risk, HTML),
        insider_risk="" if known is None else risk(known.risk, HTML),
        known_by="" if known is None else insider_words(InsiderFinding(known.who, known.whose, known.estimates), HTML),
        over_tables=over_tables(cell.over_tables, HTML),
        required="" if cell.required is None else interval(*cell.required, HTML),
        rule=phrase(printable(cell.rule or "")),
        truth="" if cell.truth is None else number(cell.truth, HTML),
        verdict=verdict(cell),
        style=risk_style(cell),
        text=text,
        hint=hint,
        one_value=number(cell.lower, HTML) if cell.lower is not None and cell.lower == cell.upper else "",
        arithmetic=phrase(printable(cell.reveals.text)) if cell.reveals else "",
        insider=insider_words(cell.insider, HTML) if cell.insider and cell.reason != "ranks" else "",
        steps=steps_words(cell, HTML) if cell.steps else "",
        beyond_help="" if helpless is None else beyond_help_words(helpless, HTML),
    )


def map_words(cell: ReportCell, published: str | None) -> tuple[str, str]:
    """What stands in a map, and the hint behind it: the interval, or the one value that is left."""
    if cell.reason == "sensitive_published" and published is not None:
        text = published
    elif cell.lower is not None and cell.lower == cell.upper:
        text = f"= {number(cell.lower, HTML)}"
    else:
        text = interval(cell.lower, cell.upper, HTML)
    mark = {"underprotected": "▲ ", "undecided": "? "}.get(cell.verdict, "")
    if cell.reason == "sensitive_published":
        mark = "! "
    rounded = f"published as {published}, " if published is not None and cell.status in ("published", "frozen") else ""
    hint = phrase(
        f"{cell.status.replace('_', ' ')}, {rounded}{possible(cell, HTML)} possible, "
        f"risk {risk(cell.risk, HTML)}, {verdict(cell)}"
    )
    return mark + text, hint


def risk_style(cell: ReportCell) -> str:
    """Class names of an open cell: how risky it is, and its verdict where that needs a sign."""
    if cell.verdict == "exposed":
        return "x2" if secondary_exposure(cell) else "x"
    value = inf if cell.risk is None else cell.risk
    level = (value > 0) + sum(value >= bound for bound in (1 / 8, 1 / 4, 1 / 2))  # 256, 16 and 4 possible values
    return f"r{level}" + (" u" if cell.verdict == "underprotected" else "")
