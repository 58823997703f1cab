"""The run: every competitor on every instance, each in its own process, every row written as it is done."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from cases.benchmarks import folder, rows, scaling
from cases.benchmarks.agreement import compare, reference
from cases.benchmarks.competitors import BY_NAME, REFERENCES
from cases.benchmarks.competitors.protocol import Competitor
from cases.benchmarks.families import FAMILIES, generate
from cases.benchmarks.instance import Instance
from cases.benchmarks.process import run
from cases.benchmarks.rows import Point, Results, Row
from cases.benchmarks.worker import OUT_OF_TIME, Job, load

WORKER = (sys.executable, "-m", "cases.benchmarks.worker")

SETUP = 60.0
"""CPU seconds beside the limit that a process may take, for imports and the warm-up."""


def instance_names(root: Path) -> list[str]:
    """Names of all instances: those of the folder first, then the families."""
    return [*folder.names(root), *FAMILIES]


def make(root: Path, name: str) -> Instance:
    """The instance of a name."""
    return generate(name, FAMILIES[name]) if name in FAMILIES else folder.load(root, name)


@dataclass(frozen=True)
class Settings:
    """How to measure.

    limit: CPU seconds for each row. core: the core to run on, None: any. cache: folder for the answers of rows, so that
    later rows can be compared with them. fresh: measure again what is known. tell: what is done, in words.
    """

    limit: float
    core: int | None
    cache: Path
    fresh: bool
    tell: Callable[[str], None]


class Bench:
    """Measures rows and keeps their answers."""

    def __init__(self, results: Results, settings: Settings, save: Callable[[Results], None]) -> None:
        self.results, self._settings, self._save = results, settings, save

    def measure(self, made: Instance, competitors: Sequence[Competitor]) -> None:
        """All competitors on one instance, then the comparison of their answers."""
        place = self._settings.cache / made.name.replace(":", "-")
        place.mkdir(parents=True, exist_ok=True)
        made.save(place / "instance.npz")
        self.results = self.results.of_instance(made.name, made.digest)
        # References first: what they say is compared with what the others say as soon as there is a row.
        for competitor in sorted(competitors, key=lambda c: c.name not in REFERENCES):
            self._row(made, competitor, place)
            self._compare(made, place)
            self._save(self.results)

    def _row(self, made: Instance, competitor: Competitor, place: Path) -> None:
        versions = rows.versions(competitor)
        of = rows.fingerprint([made.digest, versions, rows.way(competitor)])
        known = self.results.row(made.name, competitor.name)
        if known is not None and known.of == of and self._keeps(known, place):
            return
        withheld = int(made.withheld.sum())
        row = Row(
            made.name,
            competitor.name,
            len(made.values),
            withheld,
            made.digest,
            of,
            "missing",
            self._settings.limit,
            rows.today(),
        )
        if competitor.available():
            row = self._measured(replace(row, versions=versions), place)
        self.results = self.results.with_row(row)
        self._settings.tell(f"{made.name}, {competitor.title}: {_said(row.status, row.seconds, row.message)}")

    def _keeps(self, known: Row, place: Path) -> bool:
        """Whether a row needs no new measurement: it is whole, or was given no less time, and its answer is at hand."""
        if self._settings.fresh or known.status == "failed":
            return False
        if known.status == "measured" and not _answer(place, known).exists():
            return False
        return known.whole or known.limit >= self._settings.limit

    def _measured(self, row: Row, place: Path) -> Row:
        with TemporaryDirectory() as folder:
            job = Path(folder) / "job.json"
            instance = str((place / "instance.npz").resolve())
            job.write_text(json.dumps(asdict(Job(row.competitor, instance, row.limit))), "utf-8")
            used = run([*WORKER, str(job)], core=self._settings.core, cpu_limit=self._settings.limit + SETUP)
            if used.stopped or used.code == OUT_OF_TIME:
                return replace(row, status="limit")
            if used.code:
                return replace(row, status="failed", message=used.last_error)
            _answer(place, row).write_bytes(job.with_name("answer.npz").read_bytes())
            return replace(row, status="measured", **json.loads(job.with_name("result.json").read_text("utf-8")))

    def _compare(self, made: Instance, place: Path) -> None:
        """Compare all answers of an instance anew."""
        answered = [r for r in self.results.rows if r.instance == made.name and r.status == "measured"]
        answers = {r.competitor: load(_answer(place, r)) for r in answered if _answer(place, r).exists()}
        for row in answered:
            if row.competitor in answers:
                answer = answers[row.competitor]
                others = [answers[name] for name in REFERENCES if name in answers and name != row.competitor]
                found = compare(answer, BY_NAME[row.competitor].relation, made.values[made.withheld], reference(others))
                exact = None if answer.outer is None else float((answer.outer == answer.attained).mean())
                self.results = self.results.with_row(replace(row, **asdict(found), exact=exact))

    def points(self, names: Sequence[str]) -> None:
        """Points of the curves, in order; larger ones of a curve are left out once one has reached the limit."""
        limit = self._settings.limit
        left_out: set[str] = set()
        for name in names:
            if name in left_out:
                continue
            known = self.results.point(name)
            if known is None or known.of != scaling.key(name) or not self._keeps_point(known):
                known = scaling.measure(name, core=self._settings.core, limit=limit)
                self.results = self.results.with_point(known)
                self._save(self.results)
                self._settings.tell(f"{name}, {known.cells:,} cells: {_said(known.status, known.cpu, known.message)}")
            if known.status == "limit":
                left_out |= scaling.larger(name)

    def _keeps_point(self, known: Point) -> bool:
        if self._settings.fresh or known.status == "failed":
            return False
        return known.status == "measured" or known.limit >= self._settings.limit


def _answer(place: Path, row: Row) -> Path:
    return place / f"{row.competitor}.npz"


def _said(status: str, seconds: float | None, message: str) -> str:
    return f"{seconds:.3g} s" if seconds is not None else f"{status} {message}".strip()
