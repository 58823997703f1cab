"""Public data with known right answers (tests/data/cell_keys/README.md)."""

import csv
from pathlib import Path

from tableseal.audit.errors import Place
from tableseal.audit.io.columns import Columns

DATA = Path(__file__).parent.parent / "data" / "cell_keys"


def records(name: str, separator: str = ",") -> list[dict[str, str]]:
    """The rows of a file."""
    with (DATA / name).open() as file:
        return list(csv.DictReader(file, delimiter=separator))


def columns(rows: list[dict[str, str]], name: str = "ptable.csv") -> Columns:
    """Rows as a file that was read."""
    return Columns.of(Place(name), {key: [row[key] for row in rows] for key in rows[0]})


def ons_long_form() -> Columns:
    """The ONS table written out: 192,000 rows."""
    changes = [(row["pcv"], row["pvalue"]) for row in records("ons_changes_10_5.csv")]
    keys = [str(key) for key in range(256)]
    return Columns.of(
        Place("ptable_10_5.csv"),
        {
            "pcv": [count for count, _ in changes for _ in keys],
            "ckey": keys * len(changes),
            "pvalue": [change for _, change in changes for _ in keys],
        },
    )
