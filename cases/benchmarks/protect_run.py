"""One run of the benchmark of protections: roundings by several programs and tabular adjustment, on several cores."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic

from cases.benchmarks import adjustment, protection
from cases.benchmarks.adjustment import Adjusted
from cases.benchmarks.protection import Rounded
from cases.benchmarks.spread import Job, spread


def unknown(only: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names among these that nothing has, and all that there are."""
    known = {*protection.FILES, *protection.DRAWN, *protection.LINKED, adjustment.NAME, *adjustment.TABLES}
    return sorted({name.rpartition("/")[0] or name for name in only} - known), sorted(known)


def jobs(only: Sequence[str], done: Sequence[str]) -> list[Job[Rounded | Adjusted]]:
    """What is to be measured: adjustments first, which take longest.

    done: adjustments that are known.
    """
    own = {adjustment.NAME, *adjustment.TABLES}
    asked = {name.rpartition("/")[0] or name for name in only}
    adjusted = [n for n in adjustment.names(only) if n not in done] if asked & own or not asked else []
    adjusted.sort(key=lambda name: -adjustment.TABLES[name.partition("/")[0]].limit)
    rounded = (
        protection.jobs([n for n in only if (n.rpartition("/")[0] or n) not in own]) if asked - own or not asked else []
    )
    return [partial(adjustment.one, name) for name in adjusted] + [partial(protection.one, *job) for job in rounded]


def measure(
    only: Sequence[str], cores: Sequence[int | None], output: Path, *, fresh: bool, tell: Callable[[str], None]
) -> list[Rounded]:
    """Measure and write the page after each row; gives all roundings that are known then."""
    rounded = {(r.table, r.base, r.program): r for r in protection.rounded_before(output)}
    adjusted = {r.table: r for r in protection.adjusted_before(output)}
    done = [] if fresh else [name for name, row in adjusted.items() if row.status == "measured"]
    began = datetime.now(UTC).strftime(f"%Y-%m-%d %H:%M UTC, {len(cores)} at once")
    start = monotonic()
    for row in spread(jobs(only, done), cores):
        row = replace(row, run=began)
        if isinstance(row, Rounded):
            rounded[row.table, row.base, row.program] = row
            tell(f"{row.table}, base {row.base}, {row.program}: {protection.said(row)}")
        else:
            adjusted[row.table] = row
            tell(f"{row.table}: {row}")
        protection.write_minutes(output, began, (monotonic() - start) / 60)
        protection.write(protection.in_order(rounded.values()), output)
        protection.write_adjusted(adjustment.in_order(adjusted.values()), output)
    tell(f"All in {(monotonic() - start) / 60:.1f} minutes.")
    return protection.in_order(rounded.values())
