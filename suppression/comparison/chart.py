"""Cost against protection as a chart: the places of marks, line and ticks in an SVG of fixed size."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor, isfinite, log10

from tableseal.audit.report.words import HTML, number

WIDTH, HEIGHT = 520, 300
HOME = "tableseal.suppression.comparison"
"""Package of the templates."""

LEFT, RIGHT, TOP, BOTTOM = 56, 16, 34, 44


@dataclass(frozen=True)
class Dot:
    """One method in the plane. letter: its sign; text: what is read out and shown when pointed at."""

    letter: str
    text: str
    cost: float
    good: float
    safe: bool


@dataclass(frozen=True)
class Placed:
    """A mark at its place in the picture; several methods at one place share it."""

    x: float
    y: float
    letters: str
    text: str
    safe: bool


@dataclass(frozen=True)
class Tick:
    """A line of an axis: where, and what it stands for. text: empty where there is no room for it."""

    at: float
    text: str


@dataclass(frozen=True)
class Chart:
    """A picture, ready to be drawn. line: points of the trade-off curve, as SVG wants them; empty: there is none."""

    title: str
    across: str
    upward: str
    marks: tuple[Placed, ...]
    line: str
    columns: tuple[Tick, ...]
    rows: tuple[Tick, ...]


def chart(title: str, across: str, upward: str, dots: list[Dot], curve: list[tuple[float, float]]) -> Chart | None:
    """The chart of methods and of a curve (cost, good); None where there is nothing to draw.

    What has no limit is drawn at the upper edge.
    """
    if not dots:
        return None
    finite = [g for g in (*(d.good for d in dots), *(g for _, g in curve)) if isfinite(g)]
    most_cost = max([d.cost for d in dots] + [c for c, _ in curve]) or 1.0
    most_good = max(finite, default=0.0) or 1.0
    columns, rows = _ticks(most_cost), _ticks(most_good)
    x_end, y_end = columns[-1], rows[-1]

    def x(cost: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * cost / x_end, 1)

    def y(good: float) -> float:
        share = good / y_end if isfinite(good) else 1.04
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share, 1)

    places: dict[tuple[float, float], list[Dot]] = {}
    for dot in dots:
        places.setdefault((x(dot.cost), y(dot.good)), []).append(dot)
    marks = tuple(
        Placed(*at, _signs([d.letter for d in here]), "; ".join(d.text for d in here), all(d.safe for d in here))
        for at, here in places.items()
    )
    return Chart(
        title,
        across,
        upward,
        marks,
        " ".join(f"{x(c)},{y(g)}" for c, g in curve) if len(curve) > 1 else "",
        _spaced([Tick(x(t), _figure(t)) for t in columns]),
        tuple(Tick(y(t), _figure(t)) for t in rows),
    )


def _signs(letters: list[str]) -> str:
    """Letters stand together; signs of several letters are set apart."""
    return (" " if any(len(letter) > 1 for letter in letters) else "").join(letters)


def _figure(value: float) -> str:
    """A number of an axis as the tables write theirs: all digits, and no powers of ten."""
    return number(Fraction(str(value)), HTML)


SIGN = 6.5
"""Width of a digit of an axis, and of the room between two figures."""


def _spaced(ticks: list[Tick]) -> tuple[Tick, ...]:
    """Figures along an axis, each in the middle below its line: as many as do not run into each other, the first among
    them, and none that runs out of the picture."""
    widths = [SIGN * (len(tick.text) + 1) for tick in ticks]
    step = next(n for n in range(1, len(ticks) + 1) if n == len(ticks) or ticks[n].at - ticks[0].at >= max(widths))
    return tuple(
        Tick(tick.at, tick.text if k % step == 0 and tick.at + width / 2 <= WIDTH else "")
        for k, (tick, width) in enumerate(zip(ticks, widths, strict=True))
    )


def _ticks(most: float) -> list[float]:
    """Round numbers from 0 to just beyond the largest value, four to eight of them."""
    step: float = 10.0 ** floor(log10(most))
    for part in (0.2, 0.5, 1.0):
        if most / (step * part) <= 7:
            step *= part
            break
    count = int(most / step) + (most / step > int(most / step))
    return [round(step * k, 12) for k in range(count + 1)]


def picture(drawn: Chart) -> str:
    """A chart as an SVG file of its own."""
    from tableseal.audit.report.page import asset, template

    style = asset("picture.css", HOME)
    text: str = template("picture.svg", HOME).render(chart=drawn, style=style, width=WIDTH, height=HEIGHT)
    return text
