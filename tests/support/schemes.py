"""Rounding as it is practised: what each scheme of the release language may show of a true value."""

from collections.abc import Callable, Mapping
from typing import Any

Shows = Callable[[int], set[int]]
"""True value -> the values that may be published for it."""


def _nearest(x: int, base: int) -> int:
    return (x + base // 2) // base * base


def _noisy(x: int, widest: int, never: int) -> set[int]:
    """Results of a perturbation table that is unbiased and never negative: zeros stay."""
    return {y for y in range(max(0, x - widest), x + widest + 1) if not 1 <= y <= never} if x else {0}


def _moved(x: int, reach: Callable[[int, int], bool], zeros: str = "stay") -> set[int]:
    """What is near enough; zeros stay unless they may change."""
    return {y for y in range(3 * x + 10) if reach(x, y)} if x or zeros == "change" else {0}


SCHEMES: Mapping[str, tuple[dict[str, Any], Shows]] = {
    "conventional 5": ({"base": 5, "method": "conventional"}, lambda x: {_nearest(x, 5)}),
    "random 5": ({"base": 5, "method": "random"}, lambda x: {x // 5 * 5, -(-x // 5) * 5}),
    "controlled 3": ({"base": 3, "method": "controlled"}, lambda x: {x // 3 * 3, -(-x // 3) * 3}),
    "up 5": ({"base": 5, "method": "up"}, lambda x: {-(-x // 5) * 5}),
    "down 4": ({"base": 4, "method": "down"}, lambda x: {x // 4 * 4}),
    "midpoint 6": ({"base": 6, "method": "midpoint"}, lambda x: {-(-x // 6) * 6 - 3 if x else 0}),
    "midpoint 5": ({"base": 5, "method": "midpoint"}, lambda x: {-(-x // 5) * 5 - 2 if x else 0}),
    "small 3": ({"base": 3, "method": "small"}, lambda x: {0, 3} if 0 < x < 3 else {x}),
    "bands": (
        {"bands": [{"lower": 1, "upper": 4, "shown": 5}, {"base": 10}]},
        lambda x: {5} if 1 <= x <= 4 else {_nearest(x, 10)},
    ),
    "bands of their own": (
        {"bands": [{"lower": 0, "upper": 9, "base": 5, "method": "down"}, {"lower": 10, "base": 10, "method": "up"}]},
        lambda x: {x // 5 * 5} if x < 10 else {-(-x // 10) * 10},
    ),
    "top": ({"top": 12}, lambda x: {min(x, 12)}),
    "base and top": (
        {"base": 5, "method": "conventional", "top": 18},
        lambda x: {18} if x >= 18 else {_nearest(x, 5)},
    ),
    "cell key 1": ({"method": "cell_key", "range": 1}, lambda x: _noisy(x, 1, 0)),
    "cell key 2, no ones": (
        {"method": "cell_key", "range": 2, "never": 1, "unchanged": "0.3"},
        lambda x: _noisy(x, 2, 1),
    ),
    "cell key 3, no ones and twos": ({"method": "cell_key", "range": 3, "never": 2}, lambda x: _noisy(x, 3, 2)),
    "cell key 2, zeros change": (
        {"method": "cell_key", "range": 2, "zeros": "change"},
        lambda x: set(range(max(0, x - 2), x + 3)),
    ),
    "noise 0.3": (
        {"method": "noise", "share": "0.3"},
        lambda x: _moved(x, lambda x, y: 10 * abs(x - y) <= 3 * x),
    ),
    "noise 0.2 or 2, zeros change": (
        {"method": "noise", "share": "0.2", "range": 2, "zeros": "change"},
        lambda x: _moved(x, lambda x, y: 5 * abs(x - y) <= max(10, x), "change"),
    ),
    "adjusted 0.25": (
        {"method": "adjusted", "share": "0.25"},
        lambda x: _moved(x, lambda x, y: 4 * abs(x - y) <= y),
    ),
    "adjusted 0.25 or 2": (
        {"method": "adjusted", "share": "0.25", "range": 2},
        lambda x: _moved(x, lambda x, y: 4 * abs(x - y) <= max(8, y)),
    ),
    "ranges": (
        {"ranges": {"0": ["0", "0"], "5": ["1", "9"], "10": ["10", None]}},
        lambda x: {0 if not x else 5 if x < 10 else 10},
    ),
}

PLAIN = ("conventional 5", "random 5", "controlled 3", "up 5", "down 4")
"""Those of a base and no more, whose tables hold nothing but rounded values."""
