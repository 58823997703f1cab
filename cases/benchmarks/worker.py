"""One measurement in a process of its own: python -m cases.benchmarks.worker JOB.json

Warms up on small tables of several shapes (imports, compiled kernels), prepares the instance, and runs the timed part;
quick work is run several times and the quickest counts. Writes the result beside the job.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from cases.benchmarks.competitors import BY_NAME
from cases.benchmarks.competitors.protocol import Answer, Competitor, OutOfTimeError, cpu_seconds
from cases.benchmarks.families import Family, generate
from cases.benchmarks.instance import Instance
from cases.benchmarks.process import limit_cpu, peak_megabytes

WARM_UP = (
    Family(((6,), (6,)), mean=4, primary=2),
    Family(((4,), (4,), (4,)), mean=4, primary=2),
    Family(((3, 3), (2, 2), (3,)), mean=6, primary=2),
)

OUT_OF_TIME = 75
"""Exit code of a worker whose competitor gave up at the limit."""

RUNS = 5
QUICK = 5.0
"""CPU seconds that all runs together may take before another one is started."""

SHARE_FOR_BOUNDS = 0.8
"""Of the limit, after which competitors that can stop by themselves do."""


@dataclass(frozen=True)
class Job:
    """What to measure, and where the files are."""

    competitor: str
    instance: str
    limit: float


@dataclass(frozen=True)
class Measured:
    """CPU and wall seconds of the quickest run, memory of the process, ends computed and shares by method."""

    cpu: float
    wall: float
    runs: int
    peak_mb: float
    done: int
    methods: dict[str, float]


def main(path: Path) -> None:
    """Do a job; result.json and answer.npz are written into the job's folder."""
    job = Job(**json.loads(path.read_text("utf-8")))
    competitor = BY_NAME[job.competitor]
    budget = SHARE_FOR_BOUNDS * job.limit

    def renew() -> None:
        limit_cpu(job.limit)

    for family in WARM_UP:
        measure(competitor, generate("warm-up", family), budget, renew, runs=1)
    measured, answer = measure(competitor, Instance.load(Path(job.instance)), budget, renew, runs=RUNS)
    save(answer, path.with_name("answer.npz"))
    path.with_name("result.json").write_text(json.dumps(asdict(measured)), "utf-8")


def measure(
    competitor: Competitor, instance: Instance, budget: float, renew: Callable[[], None], *, runs: int
) -> tuple[Measured, Answer]:
    """Time a competitor on an instance.

    budget: see `Competitor.task`. renew: called before each step, which may take the whole limit.
    """
    renew()
    with TemporaryDirectory() as folder:
        task = competitor.task(instance, Path(folder), budget)
        times: list[tuple[float, float]] = []
        while len(times) < runs and sum(cpu for cpu, _ in times) < QUICK:
            renew()
            cpu, wall = cpu_seconds(), perf_counter()
            found = task.run()
            times.append((cpu_seconds() - cpu, perf_counter() - wall))
        peak = peak_megabytes()
        renew()
        answer = task.read(found)
    return Measured(*min(times), len(times), peak, answer.done, dict(answer.methods)), answer


def save(answer: Answer, path: Path) -> None:
    """Write the ends."""
    kinds: dict[str, Any] = {"linear": answer.linear, "outer": answer.outer, "attained": answer.attained}
    np.savez_compressed(path, **{kind: ends for kind, ends in kinds.items() if ends is not None})


def load(path: Path) -> Answer:
    """Read what `save` wrote."""
    with np.load(path) as file:
        return Answer(file["linear"], *(file.get(kind) for kind in ("outer", "attained")))


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except OutOfTimeError:
        sys.exit(OUT_OF_TIME)
