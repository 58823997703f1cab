"""One program on one table in a process of its own: python -m cases.benchmarks.pattern_worker JOB.json

Writes the pattern and the seconds beside the job.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from cases.benchmarks import folder, unprotected
from cases.benchmarks.competitors.protocol import cpu_seconds
from cases.benchmarks.process import limit_cpu
from cases.benchmarks.suppressors import SUPPRESSORS

WARM_UP = "f2d_30"


def main(path: Path) -> None:
    """Do a job: {"suppressor", "instance", "root", "seconds"}."""
    job = json.loads(path.read_text("utf-8"))
    suppressor = next(s for s in SUPPRESSORS if s.name == job["suppressor"])
    for name in (WARM_UP, job["instance"]):
        root = Path(job["root"]) if name != WARM_UP else folder.DATA
        instance, cost = unprotected.load(root, name)
        with TemporaryDirectory() as own:
            limit_cpu(2 * job["seconds"])
            cpu, wall = cpu_seconds(), perf_counter()
            pattern = suppressor.pattern(instance, cost, root, Path(own), job["seconds"])
            cpu, wall = cpu_seconds() - cpu, perf_counter() - wall
    np.save(path.with_name("pattern.npy"), pattern)
    path.with_name("result.json").write_text(json.dumps({"cpu": cpu, "wall": wall, "bound": suppressor.bound}), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
