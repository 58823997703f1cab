"""Speed of tabulation: python -m cases.benchmarks.tabulation RECORDS

Made-up records by three classifications (287 regions, 600 activities, 9 sizes, with groups above) and two measures, in
holdings of four: read from a CSV file, made into two tables, with respondents and the three largest contributions.
"""

import json
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from tableseal.audit.io.release_file import read_release
from tableseal.audit.io.yaml_text import Document
from tableseal.audit.model import Release
from tableseal.audit.tabulation.release import tabulated


def main(records: int) -> None:
    """Print seconds of the processor and of the clock, and the most memory, of reading and of adding up."""
    with tempfile.TemporaryDirectory() as folder:
        path = _written(records, Path(folder))
        release = _timed("read and values", lambda: read_release(path))
    made = _timed("contributors", lambda: tabulated(release, 3))
    cells = sum(len(table.codes) for table in made.tables)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{records:,} records, {cells:,} cells, at most {most:.1f} GiB")


def _timed(step: str, work: Callable[[], Release]) -> Release:
    clock, processor = perf_counter(), process_time()
    done = work()
    print(f"{step}: {process_time() - processor:.1f} s of the processor, {perf_counter() - clock:.1f} s", flush=True)
    return done


def _written(records: int, folder: Path) -> Path:
    """The release file, with its records beside it."""
    import polars

    rng = np.random.default_rng(1)
    sales = np.round(rng.lognormal(5, 2, records), 1)
    polars.DataFrame(
        {
            "id": np.arange(records),
            "region": rng.zipf(1.3, records) % 287,
            "activity": rng.integers(0, 600, records),
            "size": rng.integers(0, 9, records),
            "sales": sales,
            "staff": np.maximum(1, sales / 50).astype(np.int64),
            "holding": rng.integers(0, records, records) // 4,
        }
    ).write_csv(folder / "records.csv")
    document: Document = {
        "tableseal": "1",
        "title": "Speed of tabulation",
        "measures": {"sales": {"kind": "magnitude", "unit": "0.1"}, "staff": {"kind": "magnitude"}},
        "variables": {
            "region": {"total": "T", "tree": _groups(287)},
            "activity": {"total": "T", "tree": _groups(600)},
            "size": {"total": "T", "codes": [str(k) for k in range(9)]},
        },
        "tables": [{"name": m, "measure": m, "by": ["region", "activity", "size"]} for m in ("sales", "staff")],
        "microdata": {
            "file": "records.csv",
            "values": {"sales": "sales", "staff": "staff"},
            "id": "id",
            "holding": "holding",
        },
    }

    (folder / "release.json").write_text(json.dumps(document), "utf-8")
    return folder / "release.json"


def _groups(codes: int) -> Document:
    return {f"G{at}": [str(k) for k in range(at, min(at + 20, codes))] for at in range(0, codes, 20)}


if __name__ == "__main__":
    main(int(sys.argv[1]))
