"""Controlled rounding by several programs on the same tables: what each changes, whether it adds up, and its time.

As a worker: python -m cases.benchmarks.protection JOB.json writes the outcome beside the job.
"""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import numpy as np

from cases.benchmarks import adjustment, folder, rows
from cases.benchmarks.competitors.protocol import cpu_seconds, installed, version_of
from cases.benchmarks.families import Family, counts
from cases.benchmarks.instance import Instance
from cases.benchmarks.linked import Linked, margins_of
from cases.benchmarks.machine import machine
from cases.benchmarks.process import run
from cases.benchmarks.protectors import PROTECTORS
from cases.benchmarks.runs import runs_said

WORKER = (sys.executable, "-m", "cases.benchmarks.protection")

SCHEMA = "tableseal/benchmark-protection/1"

TEMPLATE = Path(__file__).with_name("protection_template.md")

LIMIT = 30.0
"""CPU seconds of a program for a table; imports come on top."""

SETUP = 30.0

FILES = ("f2d_30", "f2d_100", "f3d_6", "f3d_10", "f3d_20", "fh2d_mid", "fh2d_big", "fh3d_small", "fh3d_mid")
"""Shipped tables of counts."""

SECTION = "\n## Tabular adjustment\n"
"""Where the section of tabular adjustment begins, the last of the page."""

BASES = (3, 5)

SEEDS = range(1, 4)
"""Of each family."""

DRAWN = {
    "two-way": Family(((40,), (25,)), mean=8, primary=2),
    "two-way, nested": Family(((6, 5), (4, 4)), mean=8, primary=2),
    "three-way": Family(((12,), (8,), (6,)), mean=8, primary=2),
    "three-way, nested": Family(((4, 4), (3, 4), (5,)), mean=8, primary=2),
}
"""Tables drawn anew for each seed."""

LONG = ("linked", "three-way, nested", "f3d_20", "fh3d_mid", "f2d_100", "fh2d_big")
"""Tables and families that take longest."""

LINKED = {
    "linked": (Family(((4, 4), (3, 4), (5,), (6,)), mean=2, primary=2), ((0, 1, 2), (0, 1, 3))),
    "crossed": (Family(((5, 5), (4, 4), (5,)), mean=8, primary=2), ((0, 1), (0, 2), (1, 2))),
}
"""Linked tables, each over some of the dimensions; what `crossed` ones have in common no table lists."""


@dataclass(frozen=True)
class Rounded:
    """One program on one table.

    status: measured, none (it says that no zero-restricted table exists, or gives none), limit, failed, missing, unfit
    (it is not for linked tables).
    change: sum of absolute changes; bound: none is proved smaller, where the program tells. beyond: steps beyond the
    two neighbouring multiples; off: relations that do not add up. cpu, wall: seconds. run: when the run began that
    measured it.
    """

    table: str
    base: int
    program: str
    status: str
    cells: int = 0
    change: int | None = None
    bound: float | None = None
    beyond: int = 0
    off: int = 0
    cpu: float = 0.0
    message: str = ""
    wall: float = 0.0
    run: str = ""


def load(name: str) -> Instance | Linked:
    """A shipped table, or one that is drawn, or linked ones: `FAMILY/SEED`."""
    family, _, seed = name.rpartition("/")
    if not family:
        return folder.load(folder.DATA, name)
    drawn, margins = LINKED[family] if family in LINKED else (DRAWN[family], ())
    dimensions, values = counts(drawn, int(seed))
    none = np.zeros(len(values), np.bool_)
    level = np.zeros(len(values), np.int64)
    whole = Instance(name, False, dimensions, values, none, none, level, level)
    return margins_of(whole, margins) if margins else whole


def jobs(only: Sequence[str]) -> list[tuple[str, int, str]]:
    """(table, base, program) of all, or of tables and families of some names; those that take longest first."""
    tables = [*(f"{family}/{seed}" for family in (*LINKED, *DRAWN) for seed in SEEDS), *FILES]
    chosen = [name for name in tables if not only or {name, name.rpartition("/")[0]} & set(only)]
    every = [(name, base, program.name) for name in chosen for base in BASES for program in PROTECTORS]
    return sorted(every, key=lambda job: job[0] not in LONG and job[0].rpartition("/")[0] not in LONG)


def in_order(found: Iterable[Rounded]) -> list[Rounded]:
    """Rows as pages list them; those of tables that are no longer measured are left out."""
    known = {(r.table, r.base, r.program): r for r in found}
    tables = [*FILES, *(f"{family}/{seed}" for family in (*DRAWN, *LINKED) for seed in SEEDS)]
    order = [(name, base, program.name) for name in tables for base in BASES for program in PROTECTORS]
    return [known[key] for key in order if key in known]


def one(name: str, base: int, program: str, core: int | None) -> Rounded:
    """A program on a table, in a process of its own on a core."""
    packages = next(p for p in PROTECTORS if p.name == program)
    if not packages.linked and name.rpartition("/")[0] in LINKED:
        return Rounded(name, base, program, "unfit")
    return _one(name, base, program, packages.packages, core)


def _one(name: str, base: int, program: str, packages: tuple[str, ...], core: int | None) -> Rounded:
    if not installed(packages):
        return Rounded(name, base, program, "missing")
    with TemporaryDirectory() as own:
        job = Path(own) / "job.json"
        job.write_text(json.dumps({"table": name, "base": base, "program": program}), "utf-8")
        used = run([*WORKER, str(job)], core=core, cpu_limit=LIMIT + SETUP)
        if used.stopped:
            return Rounded(name, base, program, "limit")
        if used.code:
            return Rounded(name, base, program, "failed", message=used.last_error)
        return Rounded(**json.loads(job.with_name("result.json").read_text("utf-8")))


def work(path: Path) -> None:
    """Do a job."""
    job = json.loads(path.read_text("utf-8"))
    program = next(p for p in PROTECTORS if p.name == job["program"])
    program.rounded(load("two-way/1"), 3, LIMIT)  # loads what it needs
    instance, base = load(job["table"]), int(job["base"])
    cpu, wall = cpu_seconds(), monotonic()
    shown = program.rounded(instance, base, LIMIT)
    cpu, wall = cpu_seconds() - cpu, monotonic() - wall
    steps, low = shown // base, instance.values // base
    high = low + (instance.values % base > 0)
    off = int((instance.equations @ shown != 0).sum()) + int((shown % base != 0).sum())
    done = Rounded(
        job["table"],
        base,
        program.name,
        "none" if off else "measured",
        len(shown),
        int(np.abs(shown - instance.values).sum()),
        program.bound,
        int(np.maximum(np.maximum(low - steps, steps - high), 0).sum()),
        off,
        cpu,
        wall=wall,
    )
    path.with_name("result.json").write_text(json.dumps(asdict(done)), "utf-8")


def said(done: Rounded) -> str:
    """Changes, what is proved, steps beyond, seconds; or why there is nothing."""
    if done.status != "measured" or done.change is None:
        words = {"limit": f"> {LIMIT:g} s", "missing": "not installed", "none": "none", "unfit": "–"}
        return words.get(done.status, "failed")
    proved = ""
    if done.bound is not None:
        gap = max(0.0, 1 - done.bound / max(1, done.change))
        proved = " optimal" if gap == 0 else f" gap {gap:.1%}"
    further = f", {done.beyond} beyond" if done.beyond else ""
    return f"{done.change:,}{proved}{further}, {done.cpu:.2g} s"


def page(found: Sequence[Rounded], minutes: Mapping[str, float] | None = None) -> str:
    """The page: words from protection_template.md, tables from what was measured."""
    versions = ", ".join(f"{p.packages[0]} {version_of(p.packages[0]) or 'not installed'}" for p in PROTECTORS[1:])
    return TEMPLATE.read_text("utf-8").format(
        machine="; ".join(f"{key} {value}" for key, value in machine().items()),
        date=rows.today(),
        versions=versions,
        files=_files(found),
        seeds=_seeds(found) if any("/" in r.table for r in found) else "not measured",
        runs=runs_said(found, minutes or {}),
        limit=f"{LIMIT:g}",
        better="; ".join(f"{r.table} base {r.base} ({r.program})" for r in worse(found)) or "on no table",
    )


def _files(found: Sequence[Rounded]) -> str:
    keys = list(dict.fromkeys((r.table, r.base) for r in found if "/" not in r.table))
    lines = ["| table | cells | base | " + " | ".join(p.title for p in PROTECTORS) + " |"]
    lines.append("| --- | ---: | ---: |" + " ---: |" * len(PROTECTORS))
    for name, base in keys:
        own = {r.program: r for r in found if (r.table, r.base) == (name, base)}
        cells = max(r.cells for r in own.values())
        told = [said(own[p.name]) if p.name in own else "not measured" for p in PROTECTORS]
        lines.append(f"| {name} | {cells:,} | {base} | " + " | ".join(told) + " |")
    return "\n".join(lines)


def _seeds(found: Sequence[Rounded]) -> str:
    lines = ["| tables | base | program | change above ours | steps beyond | CPU seconds | none in time |"]
    lines.append("| --- | ---: | --- | ---: | ---: | ---: | ---: |")
    for family in (*DRAWN, *LINKED):
        for base in BASES:
            ours = {r.table: r.change for r in found if (r.program, r.base) == (PROTECTORS[0].name, base)}
            for program in PROTECTORS:
                own = [
                    r for r in found if (r.table.rpartition("/")[0], r.base, r.program) == (family, base, program.name)
                ]
                done = [r for r in own if r.status == "measured"]
                if not own or all(r.status == "unfit" for r in own):
                    continue
                cells = ["–"] * 3
                if done:
                    above = [(r.change or 0) / (ours.get(r.table) or 1) - 1 for r in done]
                    cells = [
                        f"{median(above):.1%} ({max(above):.1%})",
                        f"{median(r.beyond for r in done):g} ({max(r.beyond for r in done)})",
                        f"{median(r.cpu for r in done):.2g} ({max(r.cpu for r in done):.2g})",
                    ]
                lines.append(
                    f"| {family} | {base} | {program.title} | " + " | ".join([*cells, str(len(own) - len(done))]) + " |"
                )
    return "\n".join(lines)


def worse(found: Sequence[Rounded]) -> list[Rounded]:
    """Where another program has a better additive table: fewer steps beyond, or as many and nearer."""
    ours = {(r.table, r.base): r for r in found if r.program == PROTECTORS[0].name}
    result = []
    for other in found:
        own = ours.get((other.table, other.base))
        if (
            own is not None
            and other.status == "measured"
            and (own.change is None or (other.beyond, other.change or 0) < (own.beyond, own.change))
        ):
            result.append(other)
    return result


def write(found: Sequence[Rounded], output: Path) -> Path:
    """PROTECTION_BENCHMARKS.md and .json; gives the page."""
    path = output / "PROTECTION_BENCHMARKS.md"
    beside = document_of(output).get(adjustment.NAME)
    minutes = document_of(output).get("minutes", {})
    document = {"schema": SCHEMA, "machine": machine(), "minutes": minutes, "rows": [asdict(r) for r in found]}
    if beside is not None:
        document[adjustment.NAME] = beside
    path.write_text(page(found, minutes) + _section(beside, minutes), "utf-8")
    path.with_suffix(".json").write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    return path


def document_of(output: Path) -> dict[str, Any]:
    """PROTECTION_BENCHMARKS.json as it is; empty: there is none."""
    path = output / "PROTECTION_BENCHMARKS.json"
    known: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return known


def write_adjusted(found: Sequence[adjustment.Adjusted], output: Path) -> Path:
    """The section of tabular adjustment alone: what the page says of roundings stays."""
    path = output / "PROTECTION_BENCHMARKS.md"
    said = adjustment.today() | {"rows": [asdict(r) for r in found]}
    known = path.read_text("utf-8").partition(SECTION)[0] if path.exists() else ""
    before = document_of(output)
    path.write_text(known + _section(said, before.get("minutes", {})), "utf-8")
    document = {"schema": SCHEMA, **before, adjustment.NAME: said}
    path.with_suffix(".json").write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    return path


def rounded_before(output: Path) -> list[Rounded]:
    """What is known of roundings."""
    return [Rounded(**row) for row in document_of(output).get("rows", ())]


def adjusted_before(output: Path) -> list[adjustment.Adjusted]:
    """What is known of tabular adjustment."""
    return [adjustment.Adjusted(**row) for row in document_of(output).get(adjustment.NAME, {}).get("rows", ())]


def write_minutes(output: Path, run: str, minutes: float) -> None:
    """How long a run has taken up to now; pages say it from when they are written next. Earlier runs stay while rows of
    them do."""
    known = document_of(output)
    rows = [*known.get("rows", ()), *known.get(adjustment.NAME, {}).get("rows", ())]
    kept = {name: m for name, m in known.get("minutes", {}).items() if any(row.get("run") == name for row in rows)}
    known |= {"schema": SCHEMA, "minutes": kept | {run: round(minutes, 1)}}
    path = output / "PROTECTION_BENCHMARKS.json"
    path.write_text(json.dumps(known, indent=1) + "\n", "utf-8")


def _section(said: dict[str, Any] | None, minutes: Mapping[str, float]) -> str:
    if said is None:
        return ""
    own = [adjustment.Adjusted(**row) for row in said["rows"]]
    return "\n" + adjustment.section(own, {name: said[name] for name in ("machine", "date")}, minutes)


if __name__ == "__main__":
    work(Path(sys.argv[1]))
