"""Write the survey: python -m cases.survey FOLDER [--firms 1000000]"""

import argparse
import json
from pathlib import Path

from cases.survey.classifications import ACTIVITIES_FILE, REGIONS_FILE, activities_csv, regions_csv
from cases.survey.owed import YEARS, plan_of
from cases.survey.records import a_year_later, drawn, records_csv


def write(folder: Path, firms: int) -> tuple[Path, ...]:
    """Write records, classifications and plans of both years into a folder; gives the plans."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ACTIVITIES_FILE).write_text(activities_csv(), "utf-8")
    (folder / REGIONS_FILE).write_text(regions_csv(), "utf-8")
    first = drawn(firms)
    for year, records in zip(YEARS, (first, a_year_later(first)), strict=True):
        (folder / f"records_{year}.csv").write_text(records_csv(records, year), "utf-8")
        (folder / f"plan_{year}.json").write_text(json.dumps(plan_of(year), indent=1), "utf-8")
    return tuple(folder / f"plan_{year}.json" for year in YEARS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m cases.survey")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--firms", type=int, default=2000)
    given = parser.parse_args()
    print(*write(given.folder, given.firms), sep="\n")
