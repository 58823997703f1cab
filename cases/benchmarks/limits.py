"""Do time limits of searches hold? Families and sizes up to 241,080 cells, short limits, with and without contributors.

python3 do.py limits [--seconds 5] [--only counts_3276]. A search keeps its limit if all that it does until the audit of
its answer takes no more than TOLERANCE beyond it in processor time; the audit comes on top.

As a worker: python -m cases.benchmarks.limits JOB.json writes the outcome beside the job.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from cases.benchmarks.competitors.protocol import cpu_seconds
from cases.benchmarks.process import Usage, peak_megabytes, run
from cases.benchmarks.releases import to_protect
from cases.benchmarks.suppressors import processor_time
from cases.benchmarks.surveys import ALL, FARMS, LARGE, SURVEYS, draw

WORKER = (sys.executable, "-m", "cases.benchmarks.limits")

SECONDS = (5.0, 60.0)

TOLERANCE = 1.1

FOR_AUDITS = 60.0
"""Wall seconds that an audit may take: enough on a busy machine to judge every sensitive cell. The intervals of others
it goes on to narrow (34,440 cells in boxes: for minutes)."""

GIVEN_UP = 600.0
"""CPU seconds beyond the limit after which a search is stopped that does not stop by itself."""

WARM_UP = "counts_3276/1"
"""Before the clock starts: what is compiled is compiled once for an installation, and loaded once by a process."""


@dataclass(frozen=True)
class Kept:
    """One search. search: CPU seconds until its answer was audited; audit: of that. cost: of the secondary cells;
    bound: what is proved of it; verdict: of the audit; everything: no pattern was found, all that may be is withheld.
    peak_mb: most memory of the process so far."""

    cells: int
    primaries: int
    search: float
    audit: float
    cost: float
    bound: float
    verdict: str
    everything: bool
    peak_mb: float

    def within(self, limit: float) -> bool:
        """The limit holds."""
        return self.search <= TOLERANCE * limit


def main(arguments: Sequence[str] | None = None) -> int:
    """Try what is asked for; exit code 1 if a limit does not hold."""
    asked = _parser().parse_args(arguments)
    if asked.job:
        _work(asked.job)
        return 0
    late = 0
    for name in asked.only or (*SURVEYS, *LARGE, *(n for n in FARMS if n.endswith(("_34440", "_241080")))):
        for insiders in (False, True):
            for seconds in asked.seconds or SECONDS:
                held, said = _tried(f"{name}/1", seconds, insiders)
                late += not held
                print(f"{name}, {seconds:g} s{', insiders' if insiders else ''}: {said}", flush=True)
    return 1 if late else 0


def _tried(name: str, seconds: float, insiders: bool) -> tuple[bool, str]:
    """Whether the limit holds, and what came of the search."""
    used, kept = in_a_process(name, seconds, insiders=insiders)
    if kept is None:
        return False, f"LATE: stopped after {used.cpu:.0f} s" if used.stopped else f"FAILED: {used.last_error}"
    held = kept.within(seconds)
    what = "everything withheld" if kept.everything else f"cost {kept.cost:,.0f}"
    times = f"{kept.search:.1f} s, then the audit {kept.audit:.1f} s"
    return held, f"{kept.cells:,} cells, {what}, {kept.verdict}, {times}{'' if held else ', LATE'}"


def in_a_process(
    name: str, seconds: float, *, insiders: bool = False, audits: float = FOR_AUDITS, core: int | None = None
) -> tuple[Usage, Kept | None]:
    """What a search in a process of its own took, and what came of it (None: it ended otherwise). audits: wall seconds
    that the audit may take."""
    with TemporaryDirectory() as folder:
        job = Path(folder) / "job.json"
        what = {"name": name, "seconds": seconds, "insiders": insiders, "audits": audits}
        job.write_text(json.dumps(what), "utf-8")
        used = run([*WORKER, "--job", str(job)], core=core, cpu_limit=seconds + audits + GIVEN_UP)
        result = job.with_name("result.json")
        return used, None if used.code else Kept(**json.loads(result.read_text("utf-8")))


def _work(path: Path) -> None:
    job = json.loads(path.read_text("utf-8"))
    searched(WARM_UP, 2.0, insiders=job["insiders"])
    path.with_name("result.json").write_text(json.dumps(asdict(searched(**job))), "utf-8")


def searched(name: str, seconds: float, insiders: bool, audits: float = FOR_AUDITS) -> Kept:
    """A search within processor seconds, as users call it. audits: wall seconds that its audit may take."""
    from tableseal.suppression.bounds.bounding import bounded
    from tableseal.suppression.reasons.explaining import explained
    from tableseal.suppression.suppress import suppress

    drawn = draw(name)
    release = to_protect(drawn.instance, drawn.cost, [drawn.given] if insiders else None)
    began = cpu_seconds()
    begun: list[float] = []

    def note(phase: str, *_: int) -> None:
        if phase == "audit":
            begun.append(cpu_seconds())

    limit = processor_time(seconds)
    made = suppress(release, time_limit=limit, audit_limit=audits, progress=note, explain=False)
    ended = cpu_seconds()
    audited = begun[-1] if begun else ended
    found, scale = explained(bounded(made)).found, made.problem.scale
    return Kept(
        cells=len(drawn.cost),
        primaries=int(drawn.instance.primary.sum()),
        search=audited - began,
        audit=ended - audited,
        cost=found.cost / scale,
        bound=found.bound / scale,
        verdict=made.verdict,
        everything=found.last_resort,
        peak_mb=peak_megabytes(),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 do.py limits", description="Do time limits of searches hold?")
    parser.add_argument("--seconds", type=float, action="append", help="limit (5 and 60); may be repeated")
    names = [*ALL]
    parser.add_argument("--only", metavar="NAME", action="append", choices=names, help=", ".join(names))
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
