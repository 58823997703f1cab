"""Shipped cases of `tableseal attack`."""

from typing import TYPE_CHECKING

from tableseal.api.cases.case import Expected, Run
from tableseal.audit.attacks.replay import AttackSettings, replay
from tableseal.audit.io import read_release
from tableseal.audit.progress import Progress

if TYPE_CHECKING:
    from tableseal.audit.attacks.result import AttackReport, Tally
    from tableseal.audit.codec.exact_json import Json


def compute(run: Run, progress: Progress) -> "AttackReport":
    """Attack the release of a run, without curves. Options: the fields of `AttackSettings`."""
    settings = AttackSettings(curve=False, **run.options)  # type: ignore[arg-type]  # the dataclass has a say
    return replay(read_release(run.release, policy=run.policy), settings, progress=progress)


def look_up(report: "AttackReport", expected: Expected) -> "Json":
    """One value: `sums proved zeros` or `averaging guessed all`, [true counts aimed at, come back exactly, within 1];
    `sums example`, its arithmetic; `averaging range`, how wide changes must be; `published all`, without any attack."""
    attack, *rest = expected.field.split()
    if attack == "published":
        return _tally(getattr(report.as_published, rest[0]))
    found = next(one for one in report.attacks if one.attack == attack)
    if rest == ["example"]:
        return found.example
    if rest == ["range"]:
        return found.range_at_least
    return _tally(getattr(getattr(found, rest[0]), rest[1]))


def _tally(tally: "Tally") -> "Json":
    return [tally.counts, tally.exact, tally.within_one]
