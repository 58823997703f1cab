"""Tables of nine cells: how many audits a second, from Python and as a batch (over HTTP: `do.py faults load`).

python -m cases.benchmarks.small [SECONDS]
"""

import json
import os
import sys
import time
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from cases.benchmarks.process import run
from cases.service.figures import Figure, table, where
from cases.service.orders import VARIANTS, release

COMMAND = ("-c", "from tableseal.api.cli import main; main()")

WARM = 20
"""Audits before the clock starts: what is loaded or compiled once."""

EACH = 20
"""Releases of a batch for each second asked for."""

LIMIT = 3_600.0
"""CPU seconds after which a batch is given up."""


def in_a_loop(seconds: float) -> tuple[int, float, float]:
    """Audits with their report as JSON, one after another in this process: (how many, wall seconds, CPU seconds)."""
    import tableseal as ts

    documents = [release(number) for number in range(1, VARIANTS + 1)]
    for at in range(WARM):
        ts.audit(documents[at % VARIANTS]).to_json()
    count, begun, cpu = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() < begun + seconds:
        ts.audit(documents[count % VARIANTS]).to_json()
        count += 1
    return count, time.perf_counter() - begun, time.process_time() - cpu


def from_python(seconds: float, processes: int) -> list[Figure]:
    """A loop on each core."""
    with get_context("spawn").Pool(processes) as pool:
        found = pool.map(in_a_loop, [seconds] * processes, chunksize=1)
    count = sum(done for done, _, _ in found)
    return [
        Figure(f"audits a second, {processes} processes", f"{sum(done / wall for done, wall, _ in found):.1f}"),
        Figure("processor time of an audit", f"{1000 * sum(cpu for _, _, cpu in found) / max(1, count):.1f} ms"),
    ]


def as_batch(count: int, processes: int, folder: Path) -> list[Figure]:
    """`tableseal batch` of many files against the same of as few as start all processes."""
    used, few = [], processes + 1
    for name, files in (("few", few), ("all", few + count)):
        inside = folder / name
        inside.mkdir()
        for number in range(1, files + 1):
            (inside / f"{number}.json").write_text(json.dumps(release(number)), "utf-8")
        options = ("--jobs", str(processes), "-o", str(folder / f"{name}.results"))
        used.append(run([sys.executable, *COMMAND, "batch", str(inside), *options], core=None, cpu_limit=LIMIT))
    start, whole = used
    wall, cpu = max(whole.wall - start.wall, 1e-9), whole.cpu - start.cpu
    return [
        Figure(f"releases a second, {processes} processes", f"{count / wall:.1f}"),
        Figure("processor time of a release", f"{1000 * cpu / count:.1f} ms"),
        Figure("all were audited", f"{few + count}", start.code == whole.code == 0),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print a table; exit code 1 if a batch did not do its work."""
    given = sys.argv[1:] if arguments is None else arguments
    seconds = float(given[0]) if given else 20.0
    processes = os.cpu_count() or 1
    found = {"Python": from_python(seconds, processes)}
    with TemporaryDirectory(prefix="tableseal-") as folder:
        found["batch"] = as_batch(max(1, int(seconds * EACH)), processes, Path(folder))
    print(f"Nine cells, on {where()}.\n\n| from | what | found | |\n| --- | --- | --- | --- |")
    for name, figures in found.items():
        print(table(name, figures))
    return 0 if all(figure.ok is not False for figures in found.values() for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
