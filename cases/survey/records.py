"""The records: firms in holdings, whose activities, regions and sizes are as uneven as real ones, in two years.

Drawn from one seed: the same number of firms gives the same records.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cases.survey.classifications import DIVISIONS, FORMS, OWNERS, REGIONS, SIZES

_LOCATION = np.array([1.0, 2.6, 3.4, 4.6, 6.4])
"""Mean of the logarithm of staff by size."""

_SHARE = np.array([0.72, 0.14, 0.08, 0.045, 0.015])
"""Of firms by size."""

_IN_HOLDINGS, _HOLDING_OF = 0.06, 4
"""Share of firms that belong to a holding, and how many firms one has."""

_GONE, _GROWTH = 0.04, 0.12
"""Share of firms that end within a year (as many begin), and standard deviation of the logarithm of growth."""


@dataclass(frozen=True)
class Firms:
    """One entry a firm. identity: of the firm, the same in both years. holding: -1: none. The rest: positions in the
    classifications, and amounts in thousands."""

    identity: NDArray[np.int64]
    holding: NDArray[np.int64]
    division: NDArray[np.int64]
    district: NDArray[np.int64]
    size: NDArray[np.int64]
    form: NDArray[np.int64]
    owner: NDArray[np.int64]
    amounts: dict[str, NDArray[np.int64]]


def drawn(firms: int, seed: int = 2024, concentration: float = 1.0) -> Firms:
    """The records of the first year. concentration: how much more unevenly than usually firms are spread over
    activities and regions, as powers of Zipf's shares (2: of a million firms 9 cells of activity and size have one or
    two, 3: 77, and nearly a hundred none)."""
    rng = np.random.default_rng(seed)
    size = rng.choice(len(SIZES), firms, p=_SHARE)
    identity = np.arange(firms)
    joined = rng.random(firms) < _IN_HOLDINGS * (1 + 2 * size)
    holdings = max(1, int(joined.sum()) // _HOLDING_OF)
    holding = np.where(joined, rng.integers(0, holdings, firms), -1)
    seats = rng.choice(len(REGIONS), firms, p=_uneven(len(REGIONS), 0.6 * concentration, rng))
    return Firms(
        identity=identity,
        holding=holding,
        division=rng.choice(len(DIVISIONS), firms, p=_uneven(len(DIVISIONS), 1.0 * concentration, rng)),
        district=seats,
        size=size,
        form=np.minimum(rng.integers(0, len(FORMS), firms) + (size > 1), len(FORMS) - 1),
        owner=np.where(rng.random(firms) < 0.2, rng.integers(1, len(OWNERS), firms), 0),
        amounts=_amounts(size, rng),
    )


def a_year_later(firms: Firms, seed: int = 2025) -> Firms:
    """The same firms a year later: most have grown or shrunk, some are gone, and as many are new."""
    rng = np.random.default_rng(seed)
    n = len(firms.identity)
    growth = np.exp(rng.normal(0.03, _GROWTH, n))
    parts = {name: np.round(column * growth).astype(np.int64) for name, column in firms.amounts.items()}
    new = rng.random(n) < _GONE
    fresh = _amounts(firms.size, rng)
    amounts = {name: np.where(new, fresh[name], column) for name, column in parts.items()}
    return replace(
        firms,
        identity=np.where(new, firms.identity + n, firms.identity),
        holding=np.where(new, -1, firms.holding),
        amounts=_with_sums(amounts),
    )


def _amounts(size: NDArray[np.int64], rng: np.random.Generator) -> dict[str, NDArray[np.int64]]:
    n = len(size)
    staff = np.maximum(1, np.round(np.exp(rng.normal(_LOCATION[size], 0.6)))).astype(np.int64)

    def amount(per_head: float, spread: float, share: float = 1.0) -> NDArray[np.int64]:
        drawn = np.round(staff * per_head * np.exp(rng.normal(0, spread, n)))
        return np.where(rng.random(n) < share, drawn, 0).astype(np.int64)

    exporting = 0.1 + 0.15 * size
    found = {
        "employees": staff,
        "wages": amount(32, 0.3),
        "domestic": amount(120, 0.9),
        "export": np.where(rng.random(n) < exporting, amount(60, 1.2), 0),
        "value_added": amount(45, 0.6),
        "machines": amount(6, 1.2, 0.6),
        "buildings": amount(3, 1.4, 0.3),
        "research": np.where(rng.random(n) < exporting / 3, amount(2, 1.3), 0),
        "electricity": amount(2, 0.8),
        "fuels": amount(1, 1.0, 0.7),
    }
    return _with_sums(found)


def _with_sums(amounts: dict[str, NDArray[np.int64]]) -> dict[str, NDArray[np.int64]]:
    return amounts | {
        "turnover": amounts["domestic"] + amounts["export"],
        "investment": amounts["machines"] + amounts["buildings"],
        "energy": amounts["electricity"] + amounts["fuels"],
    }


def _uneven(codes: int, power: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Shares as those of Zipf, in any order."""
    shares = 1 / np.arange(1, codes + 1) ** power
    found: NDArray[np.float64] = rng.permutation(shares / shares.sum())
    return found


def records_csv(firms: Firms, year: int) -> str:
    """The records as a file: one row a firm."""
    district = np.array([f"X{code}" for code in REGIONS])[firms.district]
    named = ((SIZES, firms.size), (FORMS, firms.form), (OWNERS, firms.owner))
    columns = [
        [f"f{k}" for k in firms.identity.tolist()],
        ["" if k < 0 else f"h{k}" for k in firms.holding.tolist()],
        [str(year)] * len(firms.identity),
        np.array(DIVISIONS)[firms.division].tolist(),
        district.tolist(),
        *(np.array(codes)[at].tolist() for codes, at in named),
        *(map(str, column.tolist()) for column in firms.amounts.values()),
    ]
    heads = ("firm", "holding", "year", "activity", "region", "size", "form", "owner", *firms.amounts)
    return "\n".join([",".join(heads), *map(",".join, zip(*columns, strict=True))]) + "\n"
