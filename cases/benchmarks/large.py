"""Searches of large tables as users call them, with their audits: what the shapes of `surveys.FARMS` take and cost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod

from cases.benchmarks import limits, rows
from cases.benchmarks.rows import Large, Results
from cases.benchmarks.surveys import ALL, FARMS

NAMES = tuple(f"{family}/1" for family in FARMS)

SECONDS = {100_000: 60.0, 500_000: 600.0, 1_000_000: 1_800.0}
"""Of a search of up to so many cells."""

FOR_AUDITS = 900.0
"""Wall seconds that an audit may take (241,080 cells: 94 s for bounds)."""


def is_large(name: str) -> bool:
    """Whether a table is one of those shapes."""
    return name.partition("/")[0] in FARMS


@dataclass(frozen=True)
class LargeTables:
    """How to measure: see `bench.Settings`."""

    core: int | None
    fresh: bool
    tell: Callable[[str], None]

    def measure(self, results: Results, names: Sequence[str]) -> Results:
        """Each table in a process of its own."""
        for name in names:
            of, known = rows.fingerprint([name, rows.own_sources()]), results.large(name)
            if known is None or known.of != of or self.fresh:
                made = self._one(name, of)
                results = results.with_large(made)
                self.tell(" | ".join(_line(made)))
        return results

    def _one(self, name: str, of: str) -> Large:
        cells = int(name.partition("/")[0].rpartition("_")[2])
        seconds = next(s for most, s in SECONDS.items() if cells <= most)
        empty = Large(name, of, "limit", seconds, rows.today(), cells)
        used, kept = limits.in_a_process(name, seconds, audits=FOR_AUDITS, core=self.core)
        if kept is None:
            return empty if used.stopped else replace(empty, status="failed", message=used.last_error)
        return replace(
            empty,
            status="measured",
            primaries=kept.primaries,
            search=kept.search,
            audit=kept.audit,
            peak_mb=kept.peak_mb,
            cost=kept.cost,
            bound=kept.bound,
            verdict=kept.verdict,
        )


def large_table(results: Results) -> str:
    """Markdown: a line for each table that was measured; empty if none was."""
    header = ["table", "shape", "cells", "sensitive", "s", "MB", "cost", "proved", "gap", "audit", "its s"]
    lines = [header, ["---", "---", *("---:" for _ in header[2:])]]
    lines += [_line(made) for name in NAMES if (made := results.large(name)) is not None]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) if lines[2:] else ""


def _line(made: Large) -> list[str]:
    family = made.table.partition("/")[0]
    shape = " x ".join(str(_codes(branches)) for branches in ALL[family].branches)
    begin = [family, shape, f"{made.cells:,}"]
    if made.status != "measured":
        nothing = f"> {made.limit:,.0f}" if made.status == "limit" else "failed"
        return [*begin, "–", nothing, *("–" for _ in range(6))]
    gap = 1 - made.bound / made.cost if made.cost else 0.0
    numbers = (made.primaries, made.search, made.peak_mb, made.cost, made.bound)
    return [*begin, *(f"{n:,.0f}" for n in numbers), f"{gap:.1%}", made.verdict, f"{made.audit:,.0f}"]


def _codes(branches: Sequence[int]) -> int:
    """Codes of a classification with so many branches on each level."""
    return 1 + sum(prod(branches[: level + 1]) for level in range(len(branches)))
