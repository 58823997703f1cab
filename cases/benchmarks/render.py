"""Results -> docs/BENCHMARKS.md: tables in Markdown, the words from template.md."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from cases.benchmarks import scaling
from cases.benchmarks.competitors import COMPETITORS, LINEAR, OURS
from cases.benchmarks.families import FAMILIES
from cases.benchmarks.large import large_table
from cases.benchmarks.pattern_targets import PATTERN_TARGETS
from cases.benchmarks.rows import Point, Results, Row
from cases.benchmarks.seeds import SEED_TARGETS, survey_table
from cases.benchmarks.suppression import suppression_table
from cases.benchmarks.suppressors import SUPPRESSORS
from cases.benchmarks.targets import TARGETS, Target

TEMPLATE = Path(__file__).with_name("template.md")
NOTHING = "–"
NOT_INSTALLED = "not installed"

OWN = [c for c in COMPETITORS if c.name.startswith(OURS) and c.name != LINEAR]
OTHERS = [c for c in COMPETITORS if c not in OWN]


def render(results: Results) -> str:
    """The page."""
    measured = {row.instance for row in results.rows}
    shown = [*sorted(measured - set(FAMILIES)), *(name for name in FAMILIES if name in measured)]
    return TEMPLATE.read_text("utf-8").format(
        machine="; ".join(
            f"{name} {value}" if name not in _PLAIN else value for name, value in results.machine.items()
        ),
        dates=_dates([*results.rows, *results.points]),
        versions=_versions(results.rows),
        bounds=bounds_table(results, shown),
        ours=_ours(results, shown),
        agreement=_agreement(results, shown),
        targets=_targets(TARGETS, results),
        pattern_targets=_targets(PATTERN_TARGETS, results) if results.patterns else "not measured",
        suppression=suppression_table(results) if results.patterns else "not measured",
        seeds=survey_table(results, SUPPRESSORS) or "not measured",
        large=large_table(results) or "not measured",
        seed_targets=_targets(SEED_TARGETS, results) if survey_table(results, SUPPRESSORS) else "",
        scaling=_scaling(results),
        start=_start(results.point(scaling.START)),
    )


_PLAIN = ("processor", "memory", "system")


def table(header: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = [header, ["---", *("---:" for _ in header[1:])], *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def seconds(value: float) -> str:
    """Three digits, whole seconds from 100 on."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}" if value >= 0.01 else f"{value:.4f}"


def factor(value: float) -> str:
    """Two digits below ten, whole above."""
    return f"{value:,.0f}x" if value >= 10 else f"{value:.2g}x"


def _time(row: Row | Point | None) -> str:
    """CPU seconds, or why there are none."""
    if row is None:
        return NOTHING
    value = row.seconds if isinstance(row, Row) else row.cpu
    own = isinstance(row, Point) or row.competitor.startswith(OURS)
    if value is None:
        return {"missing": NOTHING if own else NOT_INSTALLED, "limit": f"> {row.limit:g}"}.get(row.status, "failed")
    return ("→ " if isinstance(row, Row) and row.extrapolated else "") + seconds(value)


def bounds_table(results: Results, instances: Sequence[str]) -> str:
    """CPU seconds of every competitor, and how many times our bounds alone are faster."""

    def line(name: str) -> list[str]:
        ours = results.row(name, OURS)
        some = next(row for row in results.rows if row.instance == name)
        cells = [name, f"{some.cells:,}", f"{some.withheld:,}", _time(ours)]
        return cells + [_beside(results.row(name, c.name), ours) for c in OTHERS]

    return table(
        ["instance", "cells", "withheld", "**tableseal**", *(c.title for c in OTHERS)],
        [line(name) for name in instances],
    )


def _beside(row: Row | None, ours: Row | None) -> str:
    said = _time(row)
    if row is None or ours is None or ours.seconds is None:
        return said
    if row.seconds is not None:
        return f"{said} ({factor(row.seconds / ours.seconds)})"
    return f"{said} (> {factor(row.limit / ours.seconds)})" if row.status == "limit" else said


def _ours(results: Results, instances: Sequence[str]) -> str:
    files = [c for c in OWN if c.name != OURS]

    def line(name: str) -> list[str]:
        row = results.row(name, OURS)
        shares, exact, peak = NOTHING, NOTHING, NOTHING
        if row is not None and row.status == "measured":
            ordered = sorted(row.methods.items(), key=lambda item: -item[1])
            shares = ", ".join(f"{step} {_percent(share)}" for step, share in ordered)
            exact = NOTHING if row.exact is None else _percent(row.exact)
            peak = NOTHING if row.peak_mb is None else f"{row.peak_mb:,.0f}"
        times = [_time(r) for r in (row, *(results.row(name, c.name) for c in files))]
        wall = NOTHING if row is None or row.wall is None else seconds(row.wall)
        return [name, times[0], wall, *times[1:], peak, exact, shares]

    titles = [c.title.removeprefix("tableseal: ") for c in files]
    header = ["instance", "bounds alone", "wall", *titles, "MB", "proved and attained", "shares"]
    return table(header, [line(name) for name in instances])


def _percent(share: float) -> str:
    """Never rounded up to all, or down to nothing."""
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    return f"{min(max(100 * share, 0.01), 99.99):.4g}%"


def _agreement(results: Results, instances: Sequence[str]) -> str:
    def line(name: str) -> list[str]:
        return [name, *(_agrees(results.row(name, c.name)) for c in COMPETITORS)]

    return table(["instance", *(c.title for c in COMPETITORS)], [line(name) for name in instances])


def _agrees(row: Row | None) -> str:
    if row is None or row.status != "measured":
        return NOTHING
    if row.wrong:
        return f"**{row.wrong:,} DIFFER** of {row.compared:,}"
    return f"all {row.compared:,}" if row.compared else "nothing to compare with"


def _targets(targets: Sequence[Target], results: Results) -> str:
    return table(["target", "measured", "met"], [[target.words, *target.check(results)] for target in targets])


def _scaling(results: Results) -> str:
    curves = ((curve, [p for name in names if (p := results.point(name))]) for curve, names in scaling.CURVES.items())
    return "\n\n".join(f"{_CURVE[curve]}\n\n{_curve(points)}".lstrip() for curve, points in curves if points)


_CURVE = {"size": "", "trees": "With three trees of groups and leaves, and a few in a hundred cells withheld:"}
"""What is said before the table of a curve; the first one stands below the words of the page."""


def _curve(points: Sequence[Point]) -> str:
    body = [
        [
            f"{p.cells:,}",
            f"{p.withheld:,}",
            _time(p),
            NOTHING if p.wall is None else seconds(p.wall),
            NOTHING if p.peak_mb is None else f"{p.peak_mb:,.0f}",
        ]
        for p in points
    ]
    return table(["cells", "withheld", "CPU s", "wall s", "MB"], body)


def _start(point: Point | None) -> str:
    if point is None or point.cpu is None or point.wall is None:
        return "not measured"
    return f"{seconds(point.cpu)} s CPU, {seconds(point.wall)} s wall from the start of the command to its exit"


def _dates(measured: Sequence[Row | Point]) -> str:
    dates = sorted({one.date for one in measured})
    return NOTHING if not dates else dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"


def _versions(rows: Sequence[Row]) -> str:
    found = {package: version for row in rows for package, version in row.versions.items() if package in _NAMED}
    return "Competitors: " + ", ".join(f"{name} {found[name]}" for name in _NAMED if name in found) + "."


_NAMED = ("gconfid", "pytauargus", "swiglpk", "highspy", "pulp")
