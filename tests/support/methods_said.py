"""Settings with which tests try every method that changes values."""

from collections.abc import Mapping

OTHERS: Mapping[str, Mapping[str, str | int]] = {
    "perturbation": {"stay": "0.5", "reach": 5, "draws": "independent", "invariant": False}
}
"""Of methods without a base."""


def said(method: str, base: str = "5") -> Mapping[str, str | int]:
    """Options of a method."""
    return OTHERS.get(method, {"base": base})


def flags(method: str, base: str = "5") -> list[str]:
    """The same on the command line."""
    words = []
    for name, value in said(method, base).items():
        words += [f"--no-{name}"] if value is False else [f"--{name}", str(value)]
    return words
