"""Add up sosialFiktiv.csv to the leaf rows of the two tables (the reader never adds up rows by itself).

Run in this folder: python3 aggregate.py
Writes by_fylke.csv and by_kostragr.csv, and the groupings regions_by_fylke.csv and regions_by_kostragr.csv.
"""

import csv
from collections import Counter
from pathlib import Path

FOLDER = Path(__file__).parent


def write(name: str, header: list[str], rows: list[tuple[object, ...]]) -> None:
    """One CSV file beside this script."""
    with (FOLDER / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main() -> None:
    """Read the data once, write the four files."""
    with (FOLDER / "sosialFiktiv.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for group in ("fylke", "kostragr"):
        sums: Counter[tuple[str, str, str]] = Counter()
        for row in rows:
            sums[row[group], row["hovedint"], row["mnd"]] += int(row["ant"])
        order = sorted(sums.items(), key=lambda item: (int(item[0][0]), item[0][1:]))
        write(f"by_{group}.csv", [group, "hovedint", "mnd", "ant"], [(*key, n) for key, n in order])
        pairs = sorted({(int(row["region"]), int(row[group])) for row in rows})
        write(f"regions_by_{group}.csv", ["code", "parent"], list(pairs))


if __name__ == "__main__":
    main()
