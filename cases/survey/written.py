"""The survey as files: records, classifications and plans."""

import json
from pathlib import Path

from cases.survey.classifications import ACTIVITIES_FILE, REGIONS_FILE, activities_csv, regions_csv
from cases.survey.owed import YEARS, plan_of
from cases.survey.records import a_year_later, drawn, records_csv

SMALL, WHOLE = 8_000, 1_000_000
"""Firms."""


def write(folder: Path, firms: int, *, small: bool, concentration: float = 1.0) -> tuple[Path, ...]:
    """Write the files of both years into a folder; gives the plans. The same firms, the same files. concentration: see
    `records.drawn`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ACTIVITIES_FILE).write_text(activities_csv(), "utf-8")
    (folder / REGIONS_FILE).write_text(regions_csv(), "utf-8")
    first = drawn(firms, concentration=concentration)
    for year, records in zip(YEARS, (first, a_year_later(first)), strict=True):
        (folder / f"records_{year}.csv").write_text(records_csv(records, year), "utf-8")
        (folder / f"plan_{year}.json").write_text(json.dumps(plan_of(year, small=small), indent=1), "utf-8")
    return tuple(folder / f"plan_{year}.json" for year in YEARS)
