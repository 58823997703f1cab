"""The benchmark's command: python -m cases.benchmarks, or python3 do.py bench."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from cases.benchmarks import folder, large, protect_run, protection, rows, scaling, suppression, unprotected
from cases.benchmarks.bench import Bench, Settings, instance_names, make
from cases.benchmarks.competitors import BY_NAME, COMPETITORS, OURS
from cases.benchmarks.machine import machine
from cases.benchmarks.process import ROOT
from cases.benchmarks.render import bounds_table, render
from cases.benchmarks.rows import Results
from cases.benchmarks.seeds import seeded, survey_table
from cases.benchmarks.suppressors import SUPPRESSORS
from cases.benchmarks.surveys import ALL, SURVEYS
from tableseal.audit.errors import InputError

LIMIT = 120.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is asked for and not yet known, write page and JSON; exit code 1 if answers disagree."""
    wanted = _parser().parse_args(arguments)
    instances, points = instance_names(wanted.instances), list(scaling.SIZES)
    if wanted.list:
        print("\n".join(["instances:", *instances, "", "competitors:", *BY_NAME, "", "size:", *points]))
        return 0
    if wanted.suppress:
        return _suppress(wanted)
    if wanted.protect:
        return _protect(wanted)
    unknown = sorted(set(wanted.only) - {*instances, *_tables(instances), *BY_NAME, *points})
    if unknown:
        print(f'Error: --only: nothing is named "{unknown[0]}"; --list shows all names.', file=sys.stderr)
        return 2
    competitors = [c for c in COMPETITORS if c.name in wanted.only] or COMPETITORS
    tables = [name for name in instances if {name, name.partition(":")[0]} & set(wanted.only)]
    sizes = [name for name in points if name in wanted.only]
    if not tables and not sizes:
        tables = instances
        sizes = points if not wanted.only else []
    page, data = wanted.output / "BENCHMARKS.md", wanted.output / "BENCHMARKS.json"
    wanted.output.mkdir(parents=True, exist_ok=True)

    def save(results: Results) -> None:
        rows.write(results, data)
        page.write_text(render(results), "utf-8")

    settings = Settings(wanted.limit, wanted.core, wanted.cache, wanted.fresh, lambda said: print(said, flush=True))
    known = rows.read(data, machine())
    if data.exists() and not known.rows:
        print("What is known was measured on another machine or with other versions; it is replaced.")
    bench = Bench(known, settings, save)
    try:
        for name in tables:
            bench.measure(make(wanted.instances, name), competitors)
        bench.points(sizes)
    except InputError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped; what was measured is kept, and the next run goes on from there.", file=sys.stderr)
        return 130
    if tables:
        print(f"\nCPU seconds for all bounds (in brackets: times ours)\n{bounds_table(bench.results, tables)}\n")
    print(f"Written: {page} and {data.name}")
    disagreeing = [row for row in bench.results.rows if row.wrong]
    for row in disagreeing:
        print(f"DIFFERENT: {row.instance}, {row.competitor}: {row.wrong:,} of {row.compared:,} ends", file=sys.stderr)
    return 1 if disagreeing else 0


def _suppress(wanted: argparse.Namespace) -> int:
    """Measure programs that choose secondary cells; exit code 1 if a pattern of ours is not safe."""
    names = [*unprotected.names(wanted.instances), *large.NAMES]
    programs = {s.name: s for s in SUPPRESSORS}
    only = {one for name in wanted.only for one in _drawn(name)}
    more = sorted(name for name in only if unprotected.drawn_anew(name) and name not in names)
    unknown = sorted(only - {*names, *more, *programs})
    if unknown:
        known = ", ".join((*names, *ALL, *programs))
        print(f'Error: --only: nothing is named "{unknown[0]}"; there are {known}.')
        return 2
    wanted.output.mkdir(parents=True, exist_ok=True)
    data = wanted.output / "BENCHMARKS.json"
    results = rows.read(data, machine())
    measure = suppression.Suppressions(
        wanted.instances, wanted.core, wanted.fresh, lambda said: print(said, flush=True)
    )
    whole = large.LargeTables(wanted.core, wanted.fresh, measure.tell)
    for name in [n for n in (*names, *more) if n in only] or names:
        chosen = [programs[s] for s in programs if s in only] or list(SUPPRESSORS)
        own = large.is_large(name)
        results = whole.measure(results, [name]) if own else measure.measure(results, [name], chosen)
        rows.write(results, data)
        (wanted.output / "BENCHMARKS.md").write_text(render(results), "utf-8")
    tables = suppression.suppression_table(results), survey_table(results, SUPPRESSORS), large.large_table(results)
    print("\n" + "\n\n".join(tables) + f"\n\nWritten: {data}")
    unsafe = [p for p in results.patterns if p.underprotected and p.suppressor.startswith(OURS)]
    for made in unsafe:
        print(f"UNSAFE: {made.instance}, {made.suppressor}: {made.underprotected} under-protected", file=sys.stderr)
    return 1 if unsafe else 0


def _drawn(name: str) -> list[str]:
    """The tables that a name asks for: a family those of its seeds, a large one the first."""
    if name in SURVEYS:
        return seeded(name)
    return [f"{name}/1"] if name in ALL else [name]


def _protect(wanted: argparse.Namespace) -> int:
    """Measure programs that round, and tabular adjustment; exit code 1 if another one has a better table than ours."""
    wrong, known = protect_run.unknown(wanted.only)
    if wrong:
        print(f'Error: --only: nothing is named "{wrong[0]}"; there are {", ".join(known)}.', file=sys.stderr)
        return 2
    wanted.output.mkdir(parents=True, exist_ok=True)
    cores = _cores() if wanted.all_cores else [wanted.core]
    found = protect_run.measure(
        wanted.only, cores, wanted.output, fresh=wanted.fresh, tell=lambda said: print(said, flush=True)
    )
    print(f"Written: {wanted.output / 'PROTECTION_BENCHMARKS.md'}")
    better = protection.worse(found)
    for row in better:
        print(f"BETTER THAN OURS: {row.table}, base {row.base}, {row.program}", file=sys.stderr)
    return 1 if better else 0


def _tables(instances: Sequence[str]) -> set[str]:
    """Names without the pattern."""
    return {name.partition(":")[0] for name in instances}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 do.py bench",
        description="Measure our bounds and those of other programs on the same tables; write docs/BENCHMARKS.md. "
        "Every row is written as it is done; what is known for this machine and these versions is not measured again.",
    )
    parser.add_argument(
        "--only",
        metavar="NAME",
        action="append",
        default=[],
        help="an instance (hierL, mh3d_mid, mh3d_mid:gconfid), a competitor (gconfid) or a size (size6, trees7, "
        "start); may be repeated",
    )
    parser.add_argument(
        "--limit", metavar="SECONDS", type=_seconds, default=LIMIT, help=f"CPU seconds for each row ({LIMIT:g})"
    )
    parser.add_argument(
        "--instances", metavar="DIR", type=Path, default=folder.DATA, help="folder of instance folders (those shipped)"
    )
    parser.add_argument("--suppress", action="store_true", help="choose secondary cells instead of bounding them")
    parser.add_argument(
        "--protect", action="store_true", help="round by several programs; write docs/PROTECTION_BENCHMARKS.md"
    )
    parser.add_argument("--fresh", action="store_true", help="measure again what is known")
    parser.add_argument("--core", metavar="N", type=int, default=_last_core(), help="core to run on (the last one)")
    parser.add_argument(
        "--all-cores", action="store_true", help="with --protect: on all cores at once, a program on each"
    )
    parser.add_argument("--output", metavar="DIR", type=Path, default=ROOT / "docs", help="where the page is written")
    parser.add_argument(
        "--cache", metavar="DIR", type=Path, default=ROOT / ".bench", help="where answers are kept for comparison"
    )
    parser.add_argument("--list", action="store_true", help="list all names and stop")
    return parser


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 1 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError("expected at least 1 second")
    return seconds


def _cores() -> list[int | None]:
    if not hasattr(os, "sched_getaffinity"):
        return [None]
    return [*sorted(os.sched_getaffinity(0))]


def _last_core() -> int | None:
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


if __name__ == "__main__":
    sys.exit(main())
