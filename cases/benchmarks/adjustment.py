"""Tabular adjustment of tables that are drawn anew: changes, what is proved of them, and time, by size.

As a worker: python -m cases.benchmarks.adjustment JOB.json writes the outcome beside the job.
"""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic, process_time

import numpy as np

from cases.benchmarks import rows, surveys
from cases.benchmarks.competitors.protocol import cpu_seconds
from cases.benchmarks.linked import margins_of, positions
from cases.benchmarks.machine import machine
from cases.benchmarks.process import PATIENCE, run
from cases.benchmarks.releases import to_protect
from cases.benchmarks.runs import runs_said
from cases.benchmarks.suppressors import ProcessorTime
from cases.benchmarks.surveys import SEEDS, Survey

NAME = "adjustment"

WORKER = (sys.executable, "-m", "cases.benchmarks.adjustment")

TEMPLATE = Path(__file__).with_name("adjustment_template.md")

SHARE = Fraction(1, 2)

RANGE = {"counts": 5, "turnover": 0}
"""What readers are told, by kind; a share of all."""

FEW = 2.0
"""Contributors of a cell of four classifications, in the mean, so that some in tables of three have to be protected."""

SETUP = 60.0
"""CPU seconds for imports and the release."""


@dataclass(frozen=True)
class Patient(ProcessorTime):
    """Seconds of the processor, told to solvers, which count those of the clock, as so many times more: other work on
    the machine ends no linear program."""

    def seconds_left(self) -> float:
        """What solvers are told."""
        return PATIENCE * super().seconds_left()

    def share(self, part: float) -> "Patient":
        """The same with a part of the processor's time that is left."""
        return replace(self, until=process_time() + part * super().seconds_left())


@dataclass(frozen=True)
class Size:
    """cells: of the tables. branches: see `Family`. limit: CPU seconds of the method. margins: of linked tables, the
    dimensions of each; none: one table of all."""

    cells: int
    branches: tuple[tuple[int, ...], ...]
    limit: float
    margins: tuple[tuple[int, ...], ...] = ()

    @property
    def seeds(self) -> int:
        """How many tables of it are drawn: all of them are measured in one run of some half hour."""
        return 5 if self.limit < 20 else 3 if self.limit < 100 else 1


SIZES = (
    Size(1_024, ((3, 4), (3, 4), (3,)), 5.0),
    Size(3_276, ((5, 4), (4, 4), (5,)), 8.0),
    Size(9_920, ((5, 5), (3, 4, 4), (4,)), 12.0),
    Size(28_985, ((5, 5), (4, 4, 4), (10,)), 45.0),
    Size(100_215, ((5, 5, 4), (4, 4, 4), (8,)), 300.0),
)

LINKED = (
    Size(2_048, ((3, 4), (3, 4), (3,), (4,)), 8.0, ((0, 1, 2), (0, 1, 3))),
    Size(19_840, ((5, 5), (3, 4, 4), (4,), (5,)), 45.0, ((0, 1, 2), (0, 1, 3))),
    Size(89_080, ((5, 5, 4), (4, 4, 4), (4,), (3,)), 150.0, ((0, 1, 2), (0, 1, 3))),
    Size(963, ((5, 5), (4, 4), (5,)), 8.0, ((0, 1), (0, 2), (1, 2))),
)
"""The last: no table lists the cells that all three have in common."""

TABLES = {f"{kind}_{size.cells}": size for size in SIZES for kind in RANGE} | {
    f"linked_{size.cells}": size for size in LINKED
}
"""`counts_1024`, `turnover_1024`, and so on; linked tables are of turnover."""


@dataclass(frozen=True)
class Adjusted:
    """One table. status: measured, limit, failed. change: sum of absolute changes of all cells, recomputed; bound: none
    is proved smaller. off: relations that do not add up; short: sensitive cells that moved too little. cpu, wall:
    seconds. run: when the run began that measured it."""

    table: str
    status: str
    cells: int = 0
    sensitive: int = 0
    change: int = 0
    bound: float = 0.0
    off: int = 0
    short: int = 0
    cpu: float = 0.0
    message: str = ""
    wall: float = 0.0
    run: str = ""

    @property
    def gap(self) -> float:
        """(change - bound) / change."""
        return max(0.0, 1 - self.bound / self.change) if self.change else 0.0


def names(only: Sequence[str]) -> list[str]:
    """Tables `FAMILY/SEED` of some families, sizes (cells), seeds (`FAMILY/SEED`), or all."""
    every = [f"{family}/{seed}" for family, size in TABLES.items() for seed in SEEDS[: size.seeds]]
    wanted = set(only) - {NAME}
    return [n for n in every if not wanted or {n, n.partition("/")[0]} & wanted]


def in_order(found: Iterable[Adjusted]) -> list[Adjusted]:
    """Rows as the page lists them; those of tables that are no longer measured are left out."""
    known = {done.table: done for done in found}
    return [known[name] for name in names(()) if name in known]


def one(name: str, core: int | None) -> Adjusted:
    """A table, in a process of its own on a core."""
    with TemporaryDirectory() as own:
        job = Path(own) / "job.json"
        job.write_text(json.dumps({"table": name}), "utf-8")
        used = run([*WORKER, str(job)], core=core, cpu_limit=2 * TABLES[name.partition("/")[0]].limit + SETUP)
        if used.stopped:
            return Adjusted(name, "limit")
        if used.code:
            return Adjusted(name, "failed", message=used.last_error)
        return Adjusted(**json.loads(job.with_name("result.json").read_text("utf-8")))


def work(path: Path) -> None:
    """Do a job."""
    name = json.loads(path.read_text("utf-8"))["table"]
    path.with_name("result.json").write_text(json.dumps(asdict(adjusted(name))), "utf-8")


def adjusted(name: str) -> Adjusted:
    """The outcome for a table, checked apart from the method: relations, levels and changes are computed anew."""
    from tableseal.suppression.protections.method import Tools
    from tableseal.suppression.protections.subject import subject_of
    from tableseal.suppression.protections.tabular_adjustment import TabularAdjustment, adjust

    family, _, seed = name.partition("/")
    kind, size = family.partition("_")[0], TABLES[family]
    mean = FEW if size.margins else Survey.mean
    drawn = surveys.drawn(name, Survey(size.branches, kind != "counts", mean), int(seed)).instance
    instance = margins_of(drawn, size.margins) if size.margins else drawn
    subject = subject_of(to_protect(instance, instance.values.astype(np.float64)))
    settings = TabularAdjustment(SHARE, RANGE.get(kind, 0))
    cpu, wall = cpu_seconds(), monotonic()
    changed = adjust(subject, settings, Tools(limits=Patient(until=process_time() + size.limit)))
    cpu, wall = cpu_seconds() - cpu, monotonic() - wall
    assert changed.optimised is not None
    place, totals = positions(instance), {d.name: d.codes[0] for d in drawn.dimensions}
    shown = instance.values.copy()
    for codes, value in zip(subject.cells.codes, changed.shown.units.tolist(), strict=True):
        named = subject.release.cell_codes(codes).items()
        shown[place[frozenset((n, c) for n, c in named if c != totals[n])]] = value
    moved = shown - instance.values
    short = instance.primary & (moved < np.maximum(instance.above, 1)) & (-moved < np.maximum(instance.below, 1))
    return Adjusted(
        name,
        "measured",
        len(shown),
        int(instance.primary.sum()),
        int(np.abs(moved).sum()),
        float(changed.optimised.bound),
        int((instance.equations @ shown != 0).sum()),
        int(short.sum()),
        cpu,
        wall=wall,
    )


def section(found: Sequence[Adjusted], said: dict[str, str], minutes: Mapping[str, float]) -> str:
    """The section of the page: words from adjustment_template.md, medians and worst by family. said: machine, date;
    minutes: see `runs_said`."""
    lines = ["| tables | cells | sensitive | seeds | changes | bound | gap | CPU seconds | none in time |"]
    lines.append("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for family, size in TABLES.items():
        own = [r for r in found if r.table.partition("/")[0] == family]
        done = [r for r in own if r.status == "measured"]
        if not own:
            lines.append(f"| {family.partition('_')[0]} | {size.cells:,} | not measured |" + " – |" * 6)
            continue
        cells = ["–"] * 5
        if done:
            cells = [
                f"{median(r.sensitive for r in done):,.0f}",
                f"{median(r.change for r in done):,.0f}",
                f"{median(r.bound for r in done):,.0f}",
                f"{median(r.gap for r in done):.1%} ({max(r.gap for r in done):.1%})",
                f"{median(r.cpu for r in done):.3g} ({max(r.cpu for r in done):.3g})",
            ]
        row = [cells[0], str(len(own)), *cells[1:], str(len(own) - len(done))]
        lines.append(f"| {family.partition('_')[0]} | {size.cells:,} | " + " | ".join(row) + " |")
    measured = [r for r in found if r.status == "measured"]
    return TEMPLATE.read_text("utf-8").format(
        table="\n".join(lines),
        off=sum(r.off for r in measured),
        short=sum(r.short for r in measured),
        tables=len(measured),
        runs=runs_said(found, minutes),
        **said,
    )


def today() -> dict[str, str]:
    """What a section says of when and where it was measured."""
    return {"machine": "; ".join(f"{k} {v}" for k, v in machine().items()), "date": rows.today()}


if __name__ == "__main__":
    work(Path(sys.argv[1]))
