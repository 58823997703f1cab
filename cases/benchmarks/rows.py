"""Measured rows: what was measured of which competitor on which instance, kept in a JSON file and reused."""

import hashlib
import inspect
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from cases.benchmarks.competitors.protocol import version_of
from cases.benchmarks.process import ROOT

SCHEMA = "tableseal/benchmark/1"

OWN_SOURCES = ("audit", "suppression", "api")

Status = Literal["measured", "limit", "failed", "missing"]
"""limit: stopped at the limit. failed: ended with an error. missing: the competitor is not installed."""


@dataclass(frozen=True)
class Row:
    """One competitor on one instance.

    Attributes
    ----------
    cells, withheld: size of the instance. digest: its fingerprint.
    of: fingerprint of the instance, the versions and the way the competitor is used; a row is reused while they stay
        the same.
    cpu, wall: seconds of the timed part. Where `done` is less than all 2 * withheld ends (a sample, or cut by the
        limit), seconds for all are extrapolated: `seconds`.
    compared, wrong, worst: see `agreement.Agreement`.
    exact: share of ends that are proved and attained, where the competitor tells.
    """

    instance: str
    competitor: str
    cells: int
    withheld: int
    digest: str
    of: str
    status: Status
    limit: float
    date: str
    versions: dict[str, str] = field(default_factory=dict)
    cpu: float | None = None
    wall: float | None = None
    runs: int = 0
    peak_mb: float | None = None
    done: int = 0
    methods: dict[str, float] = field(default_factory=dict)
    compared: int = 0
    wrong: int = 0
    worst: float = 0.0
    exact: float | None = None
    message: str = ""

    @property
    def whole(self) -> bool:
        """Nothing would change with more time."""
        return self.status == "missing" or (self.status == "measured" and not self.extrapolated)

    @property
    def extrapolated(self) -> bool:
        """Only a part of the ends was computed."""
        return self.status == "measured" and self.done < 2 * self.withheld

    @property
    def seconds(self) -> float | None:
        """CPU seconds for all ends; None if nothing was measured."""
        if self.cpu is None or self.done == 0:
            return None
        return self.cpu * 2 * self.withheld / self.done


@dataclass(frozen=True)
class Point:
    """One size of the scaling curve, or the start of the command: the whole command in a process of its own."""

    name: str
    cells: int
    withheld: int
    of: str
    status: Status
    limit: float
    date: str
    cpu: float | None = None
    wall: float | None = None
    peak_mb: float | None = None
    message: str = ""


@dataclass(frozen=True)
class Pattern:
    """What one program withholds of one table (see `Row` for what the fields have in common).

    cost: of the secondary cells; bound: what no safe pattern can go below, where the program tells.
    underprotected: primaries that an independent linear program bounds more closely than required.
    """

    instance: str
    suppressor: str
    of: str
    status: Status
    limit: float
    date: str
    cells: int = 0
    primaries: int = 0
    secondaries: int = 0
    cost: float | None = None
    bound: float | None = None
    underprotected: int = 0
    cpu: float = 0.0
    wall: float = 0.0
    message: str = ""


@dataclass(frozen=True)
class Large:
    """A search of a large table as users call it, and an audit of what came of it (see `Row` for what the fields have
    in common).

    search: CPU seconds of everything, with an audit; audit: of another audit of the answer, which says `verdict`.
    bound: what is proved of the cost of safe patterns.
    """

    table: str
    of: str
    status: Status
    limit: float
    date: str
    cells: int
    primaries: int = 0
    search: float = 0.0
    audit: float = 0.0
    peak_mb: float = 0.0
    cost: float = 0.0
    bound: float = 0.0
    verdict: str = ""
    message: str = ""


@dataclass(frozen=True)
class Results:
    """Everything measured on one machine."""

    machine: dict[str, str]
    rows: tuple[Row, ...] = ()
    points: tuple[Point, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    large_tables: tuple[Large, ...] = ()

    def row(self, instance: str, competitor: str) -> Row | None:
        """The row of a competitor on an instance."""
        return next((r for r in self.rows if (r.instance, r.competitor) == (instance, competitor)), None)

    def point(self, name: str) -> Point | None:
        """The point of a name."""
        return next((p for p in self.points if p.name == name), None)

    def with_row(self, row: Row) -> "Results":
        """The results with one row put in or replaced."""
        rest = [r for r in self.rows if (r.instance, r.competitor) != (row.instance, row.competitor)]
        return replace(self, rows=(*rest, row))

    def pattern(self, instance: str, suppressor: str) -> Pattern | None:
        """What a program withholds of a table."""
        return next((p for p in self.patterns if (p.instance, p.suppressor) == (instance, suppressor)), None)

    def with_pattern(self, made: Pattern) -> "Results":
        """The results with one pattern put in or replaced."""
        rest = [p for p in self.patterns if (p.instance, p.suppressor) != (made.instance, made.suppressor)]
        return replace(self, patterns=(*rest, made))

    def large(self, table: str) -> Large | None:
        """What was measured of a large table."""
        return next((made for made in self.large_tables if made.table == table), None)

    def with_large(self, made: Large) -> "Results":
        """The results with one large table put in or replaced."""
        rest = (other for other in self.large_tables if other.table != made.table)
        return replace(self, large_tables=(*rest, made))

    def of_instance(self, name: str, digest: str) -> "Results":
        """The results without rows of another instance of that name."""
        return replace(self, rows=tuple(r for r in self.rows if r.instance != name or r.digest == digest))

    def with_point(self, point: Point) -> "Results":
        """The results with one point put in or replaced."""
        return replace(self, points=(*(p for p in self.points if p.name != point.name), point))


def read(path: Path, machine: dict[str, str]) -> Results:
    """Results measured before on this machine; none if there is no file or it tells of another machine."""
    if not path.exists():
        return Results(machine)
    results = parse(json.loads(path.read_text("utf-8")))
    return results if results.machine == machine else Results(machine)


def parse(document: Any) -> Results:
    """Results from their JSON document."""
    return Results(
        document["machine"],
        tuple(Row(**row) for row in document["rows"]),
        tuple(Point(**point) for point in document["points"]),
        tuple(Pattern(**made) for made in document.get("patterns", ())),
        tuple(Large(**made) for made in document.get("large_tables", ())),
    )


def write(results: Results, path: Path) -> None:
    """Write the results; an interrupted write leaves the old file."""
    document = {"schema": SCHEMA, **asdict(results)}
    written = path.with_suffix(".part")
    written.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    written.replace(path)


def today() -> str:
    """Date of a measurement."""
    return datetime.now(UTC).date().isoformat()


def versions(competitor: Any) -> dict[str, str]:
    """Versions that a measurement of a competitor depends on; ours includes a digest of the sources."""
    found = {package: version_of(package) or "" for package in competitor.packages}
    if "tableseal" in found:
        found |= {"sources": own_sources(), "highspy": version_of("highspy") or ""}
    return found


def way(competitor: Any) -> str:
    """Digest of the file that says how a competitor is used."""
    return hashlib.sha256(Path(inspect.getfile(type(competitor))).read_bytes()).hexdigest()[:12]


def own_sources() -> str:
    """Digest of our own Python files."""
    digest = hashlib.sha256()
    for folder in OWN_SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(str(path.relative_to(ROOT)).replace(os.sep, "/").encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def fingerprint(parts: Sequence[Any]) -> str:
    """Digest of what a measurement depends on."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
