"""Cells against seconds and memory, from file to report, and the time that the command takes to start."""

import sys
from dataclasses import asdict, replace
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory

from cases.benchmarks.families import Family, dimension, generate
from cases.benchmarks.instance import Instance
from cases.benchmarks.process import run
from cases.benchmarks.releases import write
from cases.benchmarks.rows import Point, fingerprint, own_sources, today

START = "start"
"""Name of the point that tells how long the command takes on a table of 100 cells."""

START_RUNS = 5

COMMAND = (sys.executable, "-m", "cases.benchmarks.measured_command")

VERDICTS = (0, 1, 3)
"""Exit codes of an audit that came to an end."""

SIZES = {
    START: Family(((9,), (9,)), mean=4, primary=2),
    **{
        name: Family(branches, mean=100, primary=2)
        for name, branches in {
            "size1": ((5,), (3, 4), (5,)),
            "size2": ((5, 5), (3, 4), (5,)),
            "size3": ((5, 5), (3, 4, 4), (5,)),
            "size4": ((5, 5, 4), (3, 4, 4), (5,)),
            "size5": ((5, 5, 4), (3, 4, 4, 4), (5,)),
            "size6": ((5, 5, 4), (3, 4, 4, 4), (5, 5)),
        }.items()
    },
    **{
        name: Family(branches, mean=400, primary=2, zeros=0.1, spread=1.0)
        for name, branches in {
            "trees4": ((4, 4), (4, 4), (4, 5)),
            "trees5": ((6, 6), (6, 7), (6, 7)),
            "trees6": ((9, 10), (9, 10), (9, 10)),
            "trees7": ((14, 14), (14, 14), (14, 15)),
        }.items()
    },
}
"""Point -> its counts. size1 to size6, a million cells: like hierL, with larger counts. trees4 to trees7, ten thousand
to ten million cells: three trees of groups and leaves, a few in a hundred withheld."""

CURVES = {"size": [f"size{k}" for k in range(1, 7)], "trees": [f"trees{k}" for k in range(4, 8)]}
"""Points of each curve, from the smallest; where one reaches the limit, larger ones are left out."""


def instance(name: str) -> Instance:
    """The counts of a point."""
    return generate(name, SIZES[name])


def cells(name: str) -> int:
    """Number of cells of a point, without making it."""
    return prod(len(dimension("", branches).codes) for branches in SIZES[name].branches)


def larger(name: str) -> set[str]:
    """Points after this one on its curve."""
    return {one for curve in CURVES.values() if name in curve for one in curve[curve.index(name) + 1 :]}


def key(name: str) -> str:
    """Fingerprint of a point."""
    return fingerprint([name, asdict(SIZES[name]), own_sources()])


def measure(name: str, *, core: int | None, limit: float) -> Point:
    """Run the command on a point; quick ones several times, and the quickest run counts."""
    made = instance(name)
    size, withheld = len(made.values), int(made.withheld.sum())
    with TemporaryDirectory() as folder:
        release = write(made, Path(folder))
        del made
        results = []
        for _ in range(START_RUNS if name == START else 1):
            memory = Path(folder) / "megabytes"
            arguments = [str(memory), "audit", str(release), "--json", str(Path(folder) / "report.json")]
            used = run([*COMMAND, *arguments], core=core, cpu_limit=limit)
            results.append((used, float(memory.read_text()) if memory.exists() else None))
    used, peak = min(results, key=lambda result: result[0].cpu)
    point = Point(name, size, withheld, key(name), "measured", limit, today())
    if used.stopped:
        return replace(point, status="limit")
    if used.code not in VERDICTS:
        return replace(point, status="failed", message=used.last_error)
    return replace(point, cpu=used.cpu, wall=used.wall, peak_mb=peak)
