"""The survey as files: records, classifications and plans."""

from pathlib import Path
from typing import Any

from cases.survey.accepted import accepted_before, put
from cases.survey.classifications import ACTIVITIES_FILE, REGIONS_FILE, activities_csv, regions_csv
from cases.survey.owed import YEARS, plan_of
from cases.survey.records import a_year_later, drawn, records_csv

SMALL, WHOLE = 8_000, 1_000_000
"""Firms."""


def write(folder: Path, firms: int, *, small: bool, concentration: float = 1.0) -> tuple[Path, ...]:
    """Write the files of both years into a folder; gives the plans. The same firms, the same files, but for what was
    accepted since. concentration: see `records.drawn`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ACTIVITIES_FILE).write_text(activities_csv(), "utf-8")
    (folder / REGIONS_FILE).write_text(regions_csv(), "utf-8")
    first = drawn(firms, concentration=concentration)
    plans = tuple(folder / f"plan_{year}.json" for year in YEARS)
    for plan, year, records in zip(plans, YEARS, (first, a_year_later(first)), strict=True):
        _written(plan, plan_of(year, small=small), folder / f"records_{year}.csv", records_csv(records, year))
    return plans


def _written(plan: Path, owed: dict[str, Any], records: Path, rows: str) -> None:
    """Write a plan and its records; of the same records what was accepted stays so."""
    same = records.exists() and records.read_text("utf-8") == rows
    accepted = accepted_before(plan) if same else []
    if not same:
        plan.unlink(missing_ok=True)
        records.write_text(rows, "utf-8")
    put(plan, owed | ({"accept": accepted} if accepted else {}))
