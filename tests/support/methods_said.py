"""Settings with which tests try every method that changes values."""

from collections.abc import Mapping, Sequence
from typing import Any

OTHERS: Mapping[str, Mapping[str, Any]] = {
    "perturbation": {"stay": "0.5", "reach": 5, "draws": "independent", "invariant": False},
    "post-randomisation": {"variable": "sex", "stay": "0.8"},
    "record-swapping": {"variable": "district", "rate": ("0.3",)},
    "sampling": {"share": "0.5"},
    "synthetic": {},
}
"""Of methods without a base."""

OF_RECORDS = ("post-randomisation", "record-swapping", "sampling")
"""Methods that change records."""


def said(method: str, base: str = "5") -> Mapping[str, Any]:
    """Options of a method."""
    return OTHERS.get(method, {"base": base} if method.endswith("rounding") else {})


def flags(method: str, base: str = "5") -> list[str]:
    """The same on the command line."""
    words = []
    for name, value in said(method, base).items():
        each = value if isinstance(value, tuple) else (value,)
        words += [f"--no-{name}"] if value is False else [word for one in each for word in (f"--{name}", str(one))]
    return words


def records_of(first: str, second: str, counts: Mapping[Sequence[str], int]) -> Mapping[str, list[str]]:
    """Columns of records, so many with each two codes."""
    codes = [[pair[k] for pair, n in counts.items() for _ in range(n)] for k in range(2)]
    return {first: codes[0], second: codes[1]}
