"""Patterns of several programs on the same tables, each checked by an independent linear program."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from cases.benchmarks import rows, surveys, unprotected
from cases.benchmarks.competitors.protocol import installed
from cases.benchmarks.pattern_check import underprotected
from cases.benchmarks.pattern_targets import gap
from cases.benchmarks.process import run
from cases.benchmarks.rows import Pattern, Results
from cases.benchmarks.suppressors import SUPPRESSORS

WORKER = (sys.executable, "-m", "cases.benchmarks.pattern_worker")

SECONDS = {"f3d_20": 300.0, "f3d_10s": 60.0, "mh3d_small": 60.0, "lf_mid": 30.0, "lm_mid": 30.0}
"""Of the searches, where a table gets other than LONG seconds."""

LONG = 120.0

SETUP = 60.0
"""CPU seconds beside the limit, for imports and the warm-up."""

ROOM = 2.0
"""Times the seconds that a process may use: programs that watch the clock do so between steps."""


@dataclass(frozen=True)
class Suppressions:
    """How to measure: see `bench.Settings`."""

    root: Path
    core: int | None
    fresh: bool
    tell: Callable[[str], None]

    def measure(self, results: Results, names: Sequence[str], wanted: Sequence[Any]) -> Results:
        """All programs on a table, each in a process of its own."""
        for name in names:
            for suppressor in wanted:
                if not suppressor.linked and unprotected.is_linked(self.root, name):
                    continue
                if not unprotected.suits(name, suppressor.name):
                    continue
                known = results.pattern(name, suppressor.name)
                of = rows.fingerprint([name, rows.versions(suppressor), rows.way(suppressor)])
                if known is not None and known.of == of and not self.fresh:
                    continue
                made = self._one(name, suppressor, of)
                results = results.with_pattern(made)
                self.tell(f"{name}, {suppressor.title}: {said(made)}")
        return results

    def _one(self, name: str, suppressor: Any, of: str) -> Pattern:
        seconds = SECONDS.get(name, LONG)
        empty = Pattern(name, suppressor.name, of, "missing", seconds, rows.today())
        if not installed(suppressor.packages):
            return empty
        with TemporaryDirectory() as own:
            path = Path(own) / "job.json"
            job = {"suppressor": suppressor.name, "instance": name, "root": str(self.root), "seconds": seconds}
            path.write_text(json.dumps(job), "utf-8")
            used = run([*WORKER, str(path)], core=self.core, cpu_limit=ROOM * seconds + SETUP)
            if used.stopped:
                return replace(empty, status="limit")
            if used.code:
                return replace(empty, status="failed", message=used.last_error)
            pattern = np.load(path.with_name("pattern.npy"))
            result = json.loads(path.with_name("result.json").read_text("utf-8"))
        instance, cost = unprotected.load(self.root, name)
        secondary = pattern & ~instance.primary
        return replace(
            empty,
            status="measured",
            cells=len(pattern),
            primaries=int(instance.primary.sum()),
            secondaries=int(secondary.sum()),
            cost=float(cost[secondary].sum()),
            bound=result["bound"],
            underprotected=int(underprotected(instance, pattern).sum()),
            cpu=result["cpu"],
            wall=result["wall"],
        )


def _family(name: str) -> str:
    return name.partition("/")[0]


def said(made: Pattern) -> str:
    """Cost, proved gap, seconds and what is wrong with it; or why there is no pattern."""
    if made.cost is None:
        return {"limit": f"> {made.limit:g} s", "missing": "not installed"}.get(made.status, "failed")
    unproved = gap(made)
    proved = "" if unproved is None else " optimal" if unproved == 0 else f" gap {unproved:.2%}"
    wrong = f", **{made.underprotected} under-protected**" if made.underprotected else ""
    return f"{made.cost:,.0f}{proved}, {made.cpu:.3g} s{wrong}"


def suppression_table(results: Results) -> str:
    """Markdown: a line for each table, a column for each program. Seeds of a family have a table of their own."""
    names = [n for n in dict.fromkeys(p.instance for p in results.patterns) if _family(n) not in surveys.SURVEYS]
    lines = [
        "| table | cells | primaries | " + " | ".join(s.title for s in SUPPRESSORS) + " |",
        "| --- | ---: | ---: |" + " ---: |" * len(SUPPRESSORS),
    ]
    for name in names:
        made = {p.suppressor: p for p in results.patterns if p.instance == name}
        some = next((p for p in made.values() if p.cells), None)
        size = [f"{some.cells:,}", f"{some.primaries:,}"] if some else ["–", "–"]
        told = [said(made[s.name]) if s.name in made else "–" for s in SUPPRESSORS]
        lines.append("| " + " | ".join([name, *size, *told]) + " |")
    return "\n".join(lines)
