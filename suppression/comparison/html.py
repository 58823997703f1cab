"""A comparison as one self-contained page: figures, charts of cost against protection, and all patterns drawn over each
other on the tables. Nothing is loaded from anywhere, and there is no script."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from string import ascii_uppercase

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.model import Release, Table
from tableseal.audit.report.applied import applied_words
from tableseal.audit.report.grid import Codes, Shown, amount, drawn
from tableseal.audit.report.page import asset, source_hash, template
from tableseal.audit.report.words import HTML, number, printable
from tableseal.audit.version import engine_version
from tableseal.suppression.comparison.chart import HEIGHT, WIDTH, Chart, Dot, chart
from tableseal.suppression.comparison.compare import Comparison, Outcome
from tableseal.suppression.comparison.figures import AuditFigures
from tableseal.suppression.comparison.text import (
    UTILITY,
    cost_of,
    gap_of,
    limited,
    notes_of,
    secondary_of,
    utility_rows,
)

HOME = "tableseal.suppression.comparison"
DRAWN = 20_000
"""Most cells drawn on the page. Beyond, only lines that hold a withheld cell are drawn."""

SHADES = 4
"""Steps of colour for the share of methods that withhold a cell."""


@dataclass(frozen=True)
class Line:
    """One method in the table of figures, in words. drawn: its pattern is drawn on the tables."""

    letter: str
    method: str
    figures: tuple[str, ...]
    notes: str
    verdict: str
    drawn: bool


def comparison_html(comparison: Comparison) -> str:
    """The page. Same comparison, same page: no timing stands on it."""
    style = asset("report.css") + asset("compare.css", HOME)
    problem = comparison.problem
    letters = {o.method: _letter(k) for k, o in enumerate(comparison.outcomes)}
    page: str = template("compare.html", HOME).render(
        csp=f"default-src 'none'; style-src '{source_hash(style)}'; base-uri 'none'; form-action 'none'",
        style=style,
        title=printable(problem.release.title) or "Untitled release",
        cells=number(problem.listed, HTML),
        primary=number(int(problem.primary.sum()), HTML),
        applied=printable(applied_words(problem.rules, True)),
        lines=[_line(comparison, o, letters[o.method]) for o in comparison.outcomes],
        charts=[c for c in _charts(comparison, letters) if c is not None],
        utility=[(letters[o.method], row) for o in comparison.outcomes for row in utility_rows(comparison, o)],
        utility_head=UTILITY,
        limit=problem.policy.require.table_risk is not None,
        maps=[c for c in _maps(comparison, letters) if c is not None],
        changed=[c for c in _changed(comparison, letters) if c is not None],
        width=WIDTH,
        height=HEIGHT,
        curve=[
            (
                number(int((p.pattern & ~problem.primary).sum()), HTML),
                number(comparison.cost(p.cost), HTML),
                str(p.rank),
                limited(p.least_bits),
                limited(p.mean_bits),
            )
            for p in comparison.curve
        ],
        sheets=drawn(problem.release, *_drawing(comparison, letters), lambda number: False, DRAWN),
        digest=comparison.digest,
        engine=engine_version(),
    )
    return page


def _letter(position: int) -> str:
    """A, B, ..., Z, AA, ..."""
    return (_letter(position // 26 - 1) if position >= 26 else "") + ascii_uppercase[position % 26]


def _line(comparison: Comparison, outcome: Outcome, letter: str) -> Line:
    p = outcome.protection
    value = "; ".join(
        number(v, HTML) + (f" {printable(name)}" if len(outcome.value) > 1 else "") for name, v in outcome.value.items()
    )
    protection = ("-",) * 9 if p is None else _protection(p)
    return Line(
        letter,
        printable(outcome.method),
        (secondary_of(comparison, outcome), value or "-", cost_of(comparison, outcome), gap_of(outcome), *protection),
        printable(". ".join(note[:1].upper() + note[1:] for note in notes_of(outcome))),
        "" if p is None else p.verdict,
        outcome.pattern is not None,
    )


def _protection(p: AuditFigures) -> tuple[str, ...]:
    return (
        str(p.exposed),
        str(p.underprotected),
        str(p.secondary_exposed),
        limited(p.least_width),
        limited(p.mean_width),
        limited(p.least_bits),
        limited(p.mean_bits),
        str(p.rank),
        str(p.degrees_of_freedom),
    )


def _charts(comparison: Comparison, letters: Mapping[str, str]) -> list[Chart | None]:
    curve = [(float(comparison.cost(p.cost)), p) for p in comparison.curve]
    return [
        chart(
            "Cost and least entropy",
            "cost of secondary cells",
            "bits of the sensitive cell with least",
            _dots(comparison, letters, lambda p: p.least_bits),
            [(cost, p.least_bits) for cost, p in curve],
        ),
        chart(
            "Cost and mean entropy",
            "cost of secondary cells",
            "mean bits of sensitive cells",
            _dots(comparison, letters, lambda p: p.mean_bits),
            [(cost, p.mean_bits) for cost, p in curve],
        ),
        chart(
            "Cost and rank",
            "cost of secondary cells",
            "rank taken from the released system",
            _dots(comparison, letters, lambda p: p.rank),
            [(cost, p.rank) for cost, p in curve],
        ),
    ]


def _dots(
    comparison: Comparison, letters: Mapping[str, str], good: Callable[[AuditFigures], float | None]
) -> list[Dot]:
    dots = []
    for o in comparison.outcomes:
        if o.found is None or o.protection is None:
            continue
        value = good(o.protection)
        if value is not None:
            text = f"{o.method}: cost {cost_of(comparison, o)}, {limited(value)}, {o.protection.verdict}"
            cost = float(comparison.cost(o.found.cost))
            dots.append(Dot(letters[o.method], text, cost, value, o.protection.verdict == "safe"))
    return dots


def _maps(comparison: Comparison, letters: Mapping[str, str]) -> list[Chart | None]:
    """Risk against lost utility, a map for each table of counts (Shlomo, Antal & Elliot 2015, figure 2, where utility
    runs the other way): what is below and to the left is better. The line is the policy's limit."""
    limit = comparison.problem.policy.require.table_risk
    found: dict[str, list[Dot]] = {}
    for o in comparison.outcomes:
        for table in o.changes.tables if o.changes is not None else ():
            if table.risk_after is None or table.utility is None or table.risk_before is None:
                continue
            here = found.setdefault(
                table.table, [Dot("R1", f"unprotected: R1 {table.risk_before:.4f}", 0, table.risk_before, False)]
            )
            text = f"{o.method}: R2 {table.risk_after:.4f}, utility {table.utility:.4f}"
            safe = o.protection is not None and o.protection.verdict == "safe"
            here.append(Dot(letters[o.method], text, max(0.0, 1 - table.utility), table.risk_after, safe))
    maps = []
    for name, dots in found.items():
        line = None if limit is None else (float(limit), "limit of the policy")
        maps.append(chart(printable(name), "utility lost", "risk R2", dots, [], line))
    return maps


def _changed(comparison: Comparison, letters: Mapping[str, str]) -> list[Chart | None]:
    """Mean change against least entropy, a map for each measure: of counts and of magnitudes, whatever was done."""
    found: dict[str, list[Dot]] = {}
    for o in comparison.outcomes:
        bits = None if o.protection is None else o.protection.least_bits
        for change in o.changes.measures if o.changes is not None and bits is not None else ():
            assert bits is not None
            assert o.protection is not None
            text = f"{o.method}: mean change {change.mean:.4g}, {limited(bits)} bits, {o.protection.verdict}"
            dot = Dot(letters[o.method], text, change.mean, bits, o.protection.verdict == "safe")
            found.setdefault(change.measure, []).append(dot)
    upward = "bits of the sensitive cell with least"
    return [
        chart(f"{printable(name)}: change and least entropy", "mean change", upward, dots, [])
        for name, dots in found.items()
    ]


def _drawing(
    comparison: Comparison, letters: Mapping[str, str]
) -> tuple[list[list[Codes]], Callable[[Table, Mapping[Codes, int], Mapping[Codes, Shown]], Callable[[Codes], Shown]]]:
    """(places that any method withholds, by table; how a table's places are drawn)."""
    problem = comparison.problem
    cells = problem.cells
    patterns = {letters[o.method]: o.pattern for o in comparison.outcomes if o.pattern is not None}
    withheld = problem.primary.copy()
    for pattern in patterns.values():
        withheld |= pattern
    own = []
    for t in range(len(problem.release.tables)):
        here = cells.listing_cell[cells.listing_table == t]
        own.append([tuple(codes) for codes in cells.codes[here[withheld[here]]].tolist()])
    order = np.argsort(cells.listing_table, kind="stable")
    starts = np.searchsorted(cells.listing_table[order], np.arange(len(problem.release.tables)))
    names = [table.name for table in problem.release.tables]

    def shown(table: Table, rows: Mapping[Codes, int], unlisted: Mapping[Codes, Shown]) -> Callable[[Codes], Shown]:
        first = int(starts[names.index(table.name)])
        cell_of = cells.listing_cell[order[first : first + len(table.codes)]]

        def at(place: Codes) -> Shown:
            row = rows.get(place)
            if row is None:
                return unlisted.get(place, Shown("", ""))
            return _overlaid(problem.release, table, comparison, patterns, int(cell_of[row]))

        return at

    return own, shown


def _overlaid(
    release: Release, table: Table, comparison: Comparison, patterns: Mapping[str, NDArray[np.bool_]], cell: int
) -> Shown:
    """The true value of a cell with the letters of the methods that withhold it."""
    problem = comparison.problem
    known = problem.cells.exact[cell] or problem.cells.truth.known[cell]
    value = amount(release, table, int(problem.equations.value[cell])) if known else "×"
    if problem.primary[cell]:
        return Shown(f"{value} •", "own", hint=f"sensitive: {printable(problem.reason[cell] or 'given')}")
    by = [letter for letter, pattern in patterns.items() if pattern[cell]]
    if not by:
        return Shown(value, "v")
    shade = ceil(SHADES * len(by) / len(patterns))
    return Shown(f"{value} {''.join(by)}", f"w{shade}", hint=f"withheld by {len(by)} of {len(patterns)} methods")
