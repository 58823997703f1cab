"""What the survey owes: 40 tables in eight clusters, as a plan."""

from collections.abc import Sequence
from typing import Any

from cases.survey.classifications import ACTIVITIES_FILE, FORMS, OWNERS, REGIONS_FILE, SIZES

YEARS = (2024, 2025)

_MONEY = (
    "turnover", "domestic", "export", "wages", "value_added", "investment", "machines", "buildings", "research",
    "energy", "electricity", "fuels", "employees",
)  # fmt: skip

_TABLES: dict[str, tuple[tuple[str, ...], ...]] = {
    "turnover": (
        ("activity@A88", "size"),
        ("activity@A88", "region@NUTS1"),
        ("activity@A21", "region@NUTS2"),
        ("region@NUTS3", "size"),
        ("activity@A21", "owner"),
        ("activity@A21", "form"),
    ),
    "domestic": (("activity@A21", "size"), ("region@NUTS2", "size"), ("activity@A10", "owner")),
    "export": (("activity@A21", "size"), ("region@NUTS2", "size"), ("activity@A10", "owner")),
    "employees": (
        ("activity@A88", "size"),
        ("activity@A21", "region@NUTS2"),
        ("region@NUTS3", "size"),
        ("activity@A21", "form"),
        ("activity@A10", "owner"),
    ),
    "wages": (("activity@A88", "size"), ("activity@A21", "region@NUTS2"), ("region@NUTS3",), ("activity@A10", "owner")),
    "value_added": (("activity@A88", "size"), ("activity@A21", "region@NUTS2"), ("region@NUTS3",)),
    "investment": (("activity@A88",), ("activity@A21", "size"), ("region@NUTS2", "size")),
    "machines": (("activity@A21", "size"), ("region@NUTS2", "size")),
    "buildings": (("activity@A21", "size"),),
    "research": (("activity@A21", "size"), ("region@NUTS2",), ("activity@A10", "owner")),
    "energy": (("activity@A88",), ("activity@A21", "region@NUTS1")),
    "electricity": (("activity@A21", "region@NUTS1"),),
    "fuels": (("activity@A21", "region@NUTS1"),),
}
"""Measure -> variables of each of its tables. Counts of firms: all pairs of `_PAIRS` besides."""

_PAIRS = ("activity@A88", "region@NUTS2")


_COARSE = {"A88": "A10", "A21": "A10", "NUTS3": "NUTS1", "NUTS2": "NUTS1"}
"""Levels of the small survey in place of those of the whole one."""


def plan_of(year: int, *, small: bool = False) -> dict[str, Any]:
    """The plan of one year, whose records are beside it. small: to the upper levels only."""
    tables = [
        {
            "name": "_".join((measure, *by)).replace("@", "_"),
            "measure": measure,
            "by": list(by),
            "where": {"year": str(year)},
        }
        for measure, all_by in _TABLES.items()
        for by in _coarser(all_by, small)
    ]
    [pair] = _coarser([_PAIRS], small)
    return {
        "tableseal-plan": 1,
        "title": f"Structural business statistics {year}",
        "measures": {name: {"kind": "magnitude"} for name in _MONEY} | {"firms": {"kind": "count"}},
        "variables": {
            "activity": {"total": "all", "file": ACTIVITIES_FILE, "levels": ["A10", "A21", "A88"]},
            "region": {"total": "X", "file": REGIONS_FILE, "levels": ["NUTS1", "NUTS2", "NUTS3"]},
            "size": {"total": "all", "codes": SIZES},
            "form": {"total": "all", "codes": FORMS},
            "owner": {"total": "all", "codes": OWNERS},
            "year": {"codes": [str(known) for known in YEARS]},
        },
        "populations": {"year": {"year": str(year)}},
        "equations": [
            "turnover = domestic + export",
            "investment = machines + buildings",
            "energy = electricity + fuels",
        ],
        "tables": tables,
        "combinations": [
            {
                "measures": ["firms"],
                "choose": 2,
                "of": [*pair, "size"],
                "population": "year",
            }
        ],
        "microdata": {
            "file": f"records_{year}.csv",
            "values": {name: name for name in _MONEY},
            "id": "firm",
            "holding": "holding",
        },
        "policy": {"primary": [{"threshold": 3}, {"p_percent": 10}]},
        "method": "heuristic",
    }


def _coarser(tables: Sequence[tuple[str, ...]], small: bool) -> list[tuple[str, ...]]:
    """The tables of the small survey: the same, down to upper levels, each once."""
    if not small:
        return list(tables)

    def coarse(said: str) -> str:
        name, at, level = said.partition("@")
        return name + at + _COARSE.get(level, level)

    return list(dict.fromkeys(tuple(map(coarse, by)) for by in tables))
