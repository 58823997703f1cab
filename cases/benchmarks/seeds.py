"""What programs withhold of tables drawn for several seeds: medians, the worst beside them, and targets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from cases.benchmarks.pattern_targets import gap
from cases.benchmarks.rows import Pattern, Results
from cases.benchmarks.surveys import SEEDS, SURVEYS
from cases.benchmarks.targets import NO, UNKNOWN, YES

QUICK, PEER, BEST = "tableseal_modular", "pytauargus_mod", "tableseal_optimal"
"""Our quick method, the one that it is to beat, and the search that is never to be dearer than a quick one."""

OURS_QUICK = (QUICK, "tableseal_heuristic")

WORST = 1.02
"""Times the peer's cost that the quick method may take on any table."""

LARGE = 3_000
"""Cells from which the quick method is to take no longer than the peer."""


def seeded(family: str) -> list[str]:
    """Names of the tables of a family."""
    return [f"{family}/{seed}" for seed in SEEDS]


def survey_table(results: Results, suppressors: Sequence[Any]) -> str:
    """Markdown: a line for each family, a column for each program: median cost, how much dearer than the cheapest safe
    pattern of the table (median, worst), seconds (median, worst), what fails. Empty if nothing was measured."""
    header = ["family", "cells", *(s.title for s in suppressors)]
    lines = [header, ["---", *("---:" for _ in header[1:])]]
    for family in SURVEYS:
        made = {s.name: _made(results, family, s.name) for s in suppressors}
        cells = max((p.cells for of in made.values() for p in of.values()), default=0)
        if not cells:
            continue
        cheapest = _cheapest(made.values())
        lines.append([family, f"{cells:,}", *(_said(made[s.name], cheapest) for s in suppressors)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) if lines[2:] else ""


def _made(results: Results, family: str, suppressor: str) -> dict[str, Pattern]:
    """Table -> what a program makes of it, where it was tried."""
    found = {name: results.pattern(name, suppressor) for name in seeded(family)}
    return {name: made for name, made in found.items() if made is not None and made.status != "missing"}


def _cheapest(of_programs: Any) -> dict[str, float]:
    """Table -> cost of the cheapest pattern that an independent program calls safe."""
    result: dict[str, float] = {}
    for of in of_programs:
        for name, made in of.items():
            if made.cost is not None and not made.underprotected:
                result[name] = min(made.cost, result.get(name, made.cost))
    return result


def _said(made: dict[str, Pattern], cheapest: dict[str, float]) -> str:
    done = {name: p for name, p in made.items() if p.cost is not None}
    if not done:
        return "–" if not made else f"nothing on {len(made)}"
    costs = [p.cost for p in done.values() if p.cost is not None]
    dearer = [_times(p.cost, cheapest[name]) - 1 for name, p in done.items() if name in cheapest]
    times = [p.cpu for p in done.values()]
    parts = [f"{median(costs):,.0f}"]
    if dearer:
        parts.append(f"{median(dearer):+.1%} ({max(dearer):+.1%})")
    gaps = [g for p in done.values() if (g := gap(p)) is not None]
    if gaps:
        parts.append(f"gap {median(gaps):.1%} ({max(gaps):.1%})")
    parts.append(f"{median(times):.3g} s ({max(times):.3g})")
    if len(done) < len(made):
        parts.append(f"nothing on {len(made) - len(done)}")
    unsafe = [p.underprotected for p in done.values() if p.underprotected]
    if unsafe:
        parts.append(f"**{sum(unsafe)} under-protected on {len(unsafe)}**")
    return ", ".join(parts)


def _times(cost: float | None, other: float) -> float:
    """How many times another cost; of nothing, nothing is one time and more is endless."""
    assert cost is not None
    return cost / other if other else 1.0 if cost == 0 else float("inf")


@dataclass(frozen=True)
class OverSeeds:
    """A target over all seeds of a family. words: what it says; reached: (what was measured, whether it is met) from
    the patterns of each table by program; needs: these programs."""

    family: str
    said: str
    needs: tuple[str, ...]
    reached: Callable[[list[dict[str, Pattern]]], tuple[str, bool]]

    @property
    def words(self) -> str:
        """The target in words."""
        return f"{self.family}: {self.said}"

    def check(self, results: Results) -> tuple[str, str]:
        """What was measured, and whether it is met; a pattern of ours that is unsafe or missing misses all."""
        by_program = {program: _made(results, self.family, program) for program in self.needs}
        if not all(len(of) == len(SEEDS) for of in by_program.values()):
            return UNKNOWN, UNKNOWN
        tables = [{program: of[name] for program, of in by_program.items()} for name in seeded(self.family)]
        ours = [p for of in tables for p in of.values() if p.suppressor != PEER]
        if any(p.cost is None or p.underprotected for p in ours):
            return "a pattern is missing or unsafe", NO
        compared = [of for of in tables if all(p.cost is not None for p in of.values())]
        if not compared:
            return "the other program has no pattern", YES
        measured, met = self.reached(compared)
        return measured, YES if met else NO


def _as_cheap(tables: list[dict[str, Pattern]]) -> tuple[str, bool]:
    times = [_times(of[QUICK].cost, of[PEER].cost or 0.0) for of in tables]
    return f"{median(times):.3f} times, at most {max(times):.3f}", median(times) <= 1 and max(times) <= WORST


def _as_quick(tables: list[dict[str, Pattern]]) -> tuple[str, bool]:
    ours, theirs = (median(of[program].cpu for of in tables) for program in (QUICK, PEER))
    return f"{ours:.3g} s beside {theirs:.3g} s", ours <= theirs


def _never_worse(tables: list[dict[str, Pattern]]) -> tuple[str, bool]:
    worse = sum((of[BEST].cost or 0.0) > min(of[q].cost or 0.0 for q in OURS_QUICK) for of in tables)
    return f"dearer on {worse} of {len(tables)}", worse == 0


def _cells(family: str) -> int:
    return int(family.rpartition("_")[2])


SEED_TARGETS = (
    *(
        OverSeeds(f, f"quick at most as dear as MOD in the median, {WORST - 1:.0%} on any", (QUICK, PEER), _as_cheap)
        for f in SURVEYS
    ),
    *(OverSeeds(f, "quick in MOD's time", (QUICK, PEER), _as_quick) for f in SURVEYS if _cells(f) >= LARGE),
    *(OverSeeds(f, "optimal never dearer than a quick method", (BEST, *OURS_QUICK), _never_worse) for f in SURVEYS),
)
