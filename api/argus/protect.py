"""<SUPPRESS> of a job: our search, with what its arguments mean here."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from tableseal.api.argus.plan import METHODS
from tableseal.api.argus.tables import Built
from tableseal.api.options.suppress import SuppressOptions
from tableseal.audit.io.argus import commands as c
from tableseal.audit.io.numbers import decimal
from tableseal.audit.model import InsiderKind, Note, Release
from tableseal.audit.progress import Progress
from tableseal.suppression.problem.decisions import Decision

if TYPE_CHECKING:
    from tableseal.suppression.answer import Suppression

_HUNDRED = 100


@dataclass(frozen=True)
class Asked:
    """What the arguments mean. minutes: for the search (None: no limit). prior: how near readers know a withheld value,
    as a fraction of it. insiders: single contributors count as attackers."""

    minutes: Fraction | None = None
    prior: Fraction | None = None
    insiders: bool = True


def asked_of(command: c.Suppress) -> Asked:
    """The meaning of the arguments of a method; one that is left out is as if nothing was said."""
    numbers = [decimal(text) if text.strip() else None for text in command.arguments[:4]]
    flags = [text.strip() for text in command.arguments[1:4]]
    match command.method:
        case "GH":  # a-priori bounds in percent, size of the model, singletons
            percent = numbers[0] if numbers else None
            prior = percent / _HUNDRED if percent is not None and 0 < percent < _HUNDRED else None
            return Asked(prior=prior, insiders=flags[1:2] != ["0"])
        case "MOD":  # minutes for each sub-table, singletons, singletons with others, few contributors
            return Asked(insiders=not flags or any(flag != "0" for flag in flags))
        case "OPT":
            return Asked(minutes=numbers[0] if numbers else None)
    return Asked()


def protect(
    command: c.Suppress, release: Release, built: Sequence[Built], notes: list[Note], progress: Progress | None
) -> "Suppression":
    """The release of the tables that a command names, protected and audited.

    Raises
    ------
    InputError, LimitError: as `suppression.suppress.suppress`.
    """
    from tableseal.api.suppressing import run_suppression

    method, asked = METHODS[command.method], asked_of(command)
    said = [method.why]
    kinds: tuple[InsiderKind, ...] = ("singletons",) if asked.insiders else ()
    release = replace(release, intruder=replace(release.intruder, insiders=kinds))
    who = "single contributors" if asked.insiders else "no contributors"
    said.append(f"{who} count as attackers, as in tau-ARGUS; `tableseal audit` asks about all")
    if asked.prior is not None:
        share = f"{float(asked.prior * _HUNDRED):g} percent (second number of GH; 100: nothing beforehand)"
        said.append(f"readers are taken to know withheld values to within {share}")
        release = replace(release, intruder=replace(release.intruder, prior=asked.prior))
    if asked.minutes is not None:
        said.append(f"the search has {float(asked.minutes):g} minutes")
    notes.append(Note("argus_method", f"{command.at}: {command.method}: {'; '.join(said)}."))
    options = SuppressOptions(
        method=method.ours,
        cost="distance" if any(one.distance for one in built) else "column",
        time_limit=None if asked.minutes is None else float(asked.minutes * 60),
        explain=False,
    )
    return run_suppression(release, options, decisions=_by_hand(built), progress=progress)


def _by_hand(built: Sequence[Built]) -> tuple[Decision, ...]:
    """Cells that a-priori files withhold for others (M) stay withheld."""
    found: dict[tuple[tuple[str, str], ...], Decision] = {}
    for one in built:
        for codes in one.kept:
            cell = tuple(zip(one.table.variables, codes, strict=True))
            why = "secondary by hand (M)"
            found[cell] = Decision("accept", cell, one.table.response, why, "a-priori file", "")
    return tuple(found.values())
