"""Cost against protection as a chart: the places of marks, line and ticks in an SVG of fixed size."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, isfinite, log10

from tableseal.audit.report.words import HTML, number

WIDTH, HEIGHT = 520, 300
HOME = "tableseal.suppression.comparison"
"""Package of the templates."""

LEFT, RIGHT, TOP, BOTTOM = 56, 16, 34, 44

LETTER = 8.5
"""Width of a letter beside a mark, in bold."""

Box = tuple[float, float, float, float]
"""Left, upper, right, lower edge."""


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
    """A mark at its place in the picture; several methods at one place share it. right, below: on which side of it its
    letters stand, where they run into nothing else."""

    x: float
    y: float
    letters: str
    text: str
    safe: bool
    right: bool = True
    below: bool = False

    @property
    def room(self) -> Box:
        """Of its letters."""
        width = LETTER * len(self.letters)
        left = self.x + 8 if self.right else self.x - 8 - width
        return (
            (left, self.y + 5, left + width, self.y + 18)
            if self.below
            else (left, self.y - 17, left + width, self.y - 4)
        )


@dataclass(frozen=True)
class Tick:
    """A line of an axis: where, and what it stands for. text: empty where there is no room for it."""

    at: float
    text: str


@dataclass(frozen=True)
class Chart:
    """A picture, ready to be drawn. line: points of the trade-off curve, as SVG wants them; empty: there is none.
    limit: a line from side to side, with its name."""

    title: str
    across: str
    upward: str
    marks: tuple[Placed, ...]
    line: str
    columns: tuple[Tick, ...]
    rows: tuple[Tick, ...]
    limit: Tick | None = None


def chart(
    title: str,
    across: str,
    upward: str,
    dots: list[Dot],
    curve: list[tuple[float, float]],
    limit: tuple[float, str] | None = None,
) -> Chart | None:
    """The chart of methods and of a curve (cost, good); None where there is nothing to draw.

    What has no limit is drawn at the upper edge. limit: a value of the upward axis to draw a line at, and its name.
    """
    if not dots:
        return None
    levels = [] if limit is None else [limit[0]]
    finite = [g for g in (*(d.good for d in dots), *(g for _, g in curve), *levels) if isfinite(g)]
    columns, rows = _ticks(max([d.cost for d in dots] + [c for c, _ in curve])), _ticks(max(finite, default=0.0))
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
    drawn = None if limit is None else Tick(y(limit[0]), limit[1])
    return Chart(
        title,
        across,
        upward,
        _beside(marks, drawn),
        " ".join(f"{x(c)},{y(g)}" for c, g in curve) if len(curve) > 1 else "",
        _spaced([Tick(x(t), _figure(t)) for t in columns]),
        tuple(Tick(y(t), _figure(t)) for t in rows),
        drawn,
    )


def _beside(marks: tuple[Placed, ...], limit: Tick | None) -> tuple[Placed, ...]:
    """The marks with their letters where they run into no mark, line and other letters, if there is such a side."""
    taken = [(m.x - 6, m.y - 6, m.x + 6, m.y + 6) for m in marks]
    if limit is not None:
        taken += [(0.0, limit.at - 1, WIDTH, limit.at + 1), (LEFT, limit.at - 14, LEFT + 6 * len(limit.text), limit.at)]
    placed = []
    for mark in marks:
        ways = [replace(mark, right=right, below=below) for right in (True, False) for below in (False, True)]
        inside = [
            way for way in ways if way.room[0] >= LEFT and way.room[2] <= WIDTH and way.room[3] <= HEIGHT - BOTTOM
        ]
        free = [way for way in inside if not any(_meet(way.room, other) for other in taken)]
        placed.append(next(iter((*free, *inside, mark))))
        taken.append(placed[-1].room)
    return tuple(placed)


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


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


NOTHING = 1e-9
"""A largest value below this is what floats leave of 0."""


def _ticks(most: float) -> list[float]:
    """Round numbers from 0 to just beyond the largest value, four to eight of them."""
    most = most if most > NOTHING else 1.0
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
