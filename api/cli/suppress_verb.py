"""`tableseal suppress`: withhold as little as possible, and prove that it is enough."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.given import given_call
from tableseal.api.cli.options import (
    DominanceOption,
    JsonOption,
    PolicyOption,
    PPercentOption,
    ReleaseArgument,
    StatusMapOption,
    ThresholdOption,
    given_rules,
)
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.reading import release_of
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from tableseal.audit.model import Release
    from tableseal.audit.report.call import Call
    from tableseal.suppression.answer import Suppression

LIMIT = 40
"""Cells listed in the text; the rest is in the JSON result."""


class Cost(StrEnum):
    """What withholding a cell costs."""

    COLUMN = "column"
    UNIT = "unit"
    VALUE = "value"
    LOG = "log"
    FREQUENCY = "frequency"
    DISTANCE = "distance"


class Basis(StrEnum):
    """What tables show that a cell is protected."""

    ANY = "any"
    INTEGER = "integer"


def suppress_verb(
    context: typer.Context,
    release: ReleaseArgument,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="Protected release to write: .yaml (with a CSV file for each table), .json, .csv (one table), or - "
            "for JSON on standard output. Written only if its audit says safe.",
        ),
    ] = None,
    confidential: Annotated[
        str | None,
        typer.Option(
            "--confidential",
            metavar="FILE",
            help="The protected release with true values, statuses and policy (.yaml or .json), for publications and "
            "--together; never for readers. Written only if the audit says safe.",
        ),
    ] = None,
    method: Annotated[str, typer.Option("--method", metavar="NAME", help="Search method.")] = "optimal",
    policy: PolicyOption = None,
    threshold: ThresholdOption = None,
    p_percent: PPercentOption = None,
    dominance: DominanceOption = None,
    status_map: StatusMapOption = None,
    cost: Annotated[
        Cost,
        typer.Option(
            help="column (of the file, else value), unit (fewest cells), value (least value), log, frequency, or "
            "distance (near the sensitive cells)."
        ),
    ] = Cost.COLUMN,
    table_weight: Annotated[
        list[str] | None,
        typer.Option("--table-weight", metavar="NAME=W", help="Factor for the costs of a table. May be repeated."),
    ] = None,
    prefer: Annotated[
        list[str] | None,
        typer.Option("--prefer", metavar="VARIABLE=CODE", help="Cells to withhold rather: ten times cheaper."),
    ] = None,
    avoid: Annotated[
        list[str] | None,
        typer.Option("--avoid", metavar="VARIABLE=CODE", help="Cells to publish rather: ten times dearer."),
    ] = None,
    insiders: Annotated[
        bool, typer.Option("--insiders/--no-insiders", help="Contributors to withheld cells count as attackers.")
    ] = True,
    basis: Annotated[
        Basis | None, typer.Option(help="Overrides require.basis of the policy: integer needs tables of whole units.")
    ] = None,
    decisions: Annotated[
        str | None,
        typer.Option("--decisions", metavar="FILE", help="Cells kept published or accepted as withheld by hand."),
    ] = None,
    last_period: Annotated[
        str | None,
        typer.Option("--last-period", metavar="RELEASE", help="Stay near the pattern of this release."),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            metavar="S",
            min=0,
            help="Seconds for everything but the audit, which gets as long again at most.",
        ),
    ] = None,
    solver: Annotated[
        str, typer.Option("--solver", metavar="NAME", help="Integer programming solver, by PuLP's name.")
    ] = "HiGHS",
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of methods that draw at random.")] = 0,
    pure: Annotated[
        bool, typer.Option("--pure", help="With --method rank: patterns need not be safe, and are labelled so.")
    ] = False,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            metavar="cells=N,cost=C",
            help="With --method rank: what secondary cells may cost (default: as the cheapest safe pattern).",
        ),
    ] = None,
    no_margins: Annotated[
        bool, typer.Option("--no-margins", help="With --method rank: leave margins out of the rank.")
    ] = False,
    best_so_far: Annotated[
        str | None,
        typer.Option(
            "--best-so-far",
            metavar="FILE",
            help="Keep the best audited pattern in FILE (JSON) while the search goes on and if it is interrupted; "
            "in the end the answer, if it is safe.",
        ),
    ] = None,
    tell_statuses: Annotated[
        bool, typer.Option("--tell-statuses", help="OUT tells primary from secondary cells.")
    ] = False,
    symbol: Annotated[
        str | None,
        typer.Option(
            "--symbol",
            metavar="MARK",
            help="Stands for a withheld value in the CSV files of OUT (default: as in the files read, or nothing).",
        ),
    ] = None,
    json: JsonOption = None,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE|-", help="Write the report of the audit as one page.")
    ] = None,
    explain: Annotated[
        bool | None,
        typer.Option(
            "--explain/--no-explain",
            help="Find out what needs each cell, whatever it takes, and say how long each step took; or nothing of it. "
            "Otherwise within what is left of the time limit. All files are written before.",
            show_default=False,
        ),
    ] = None,
) -> Code:
    """Withhold cells so that every sensitive cell stays protected, at least cost, and audit the result.

    OUT holds no withheld value and nothing else that only the agency may know; what later releases are judged with is
    in the FILE of --confidential. Exit code: 0 the audit says safe, 1 unsafe or no pattern is safe, 3 undecided.

    Example: tableseal suppress release.yaml --method optimal -o protected.yaml
    """
    inputs = (release, policy, decisions, last_period)
    targets = {"--json": json, "--html": html, "--best-so-far": best_so_far}
    check_targets(targets | {"--output": output, "--confidential": confidential}, inputs=inputs)
    if confidential is not None and confidential != STREAM and Path(confidential).suffix.lower() == ".csv":
        raise InputError(
            f"--confidential {confidential}: a CSV file has no place for the policy; write .yaml or .json."
        )
    if best_so_far == STREAM:
        raise InputError("--best-so-far -: expected a file; it is written again and again.")
    if symbol is not None:
        _check_symbol(symbol, output)
    from tableseal.api.suppressing import SuppressOptions, chosen_search, run_suppression, with_reasons
    from tableseal.suppression.problem.decisions import read_decisions

    options = SuppressOptions(
        method=method,
        cost=cost.value,
        table_weight=tuple(table_weight or ()),
        prefer=tuple(prefer or ()),
        avoid=tuple(avoid or ()),
        insiders=insiders,
        basis=None if basis is None else basis.value,
        time_limit=time_limit,
        explain=explain,
        seed=seed,
        pure=pure,
        budget=budget,
        margins=not no_margins,
    )
    chosen_search(options)  # what was asked for wrongly is said before anything is read
    loaded = release_of(
        release, policy=policy, rules=given_rules(threshold, p_percent, dominance), status_map=status_map
    )
    last = None if last_period is None else release_of(last_period, status_map=status_map)
    written = _files(loaded, "--output", output) | _files(loaded, "--confidential", confidential)
    check_targets(targets | written, inputs=(*inputs, *loaded.files, *(last.files if last is not None else ())))
    kept = _Keeper(best_so_far)
    try:
        with Progress() as progress:
            result = run_suppression(
                loaded,
                options,
                decisions=() if decisions is None else read_decisions(Path(decisions)),
                last=last,
                solver=solver,
                keep=None if best_so_far is None else kept,
                progress=progress,
            )
    except KeyboardInterrupt:
        if not kept.written:
            raise
        say(f"Interrupted; the best audited pattern so far is in {best_so_far}.", error=True)
        return Code.INTERRUPTED
    to = _Targets(output, confidential, json, html, best_so_far, tell_statuses, symbol)
    _write(result, to)
    try:
        with Progress():
            result = with_reasons(result, options)
    except KeyboardInterrupt:
        say("Interrupted while it was looked for what needs each cell; everything is written.", error=True)
    _tell(result, to, given_call(context), explain=bool(explain))
    return _code(result)


def _files(release: "Release", option: str, target: str | None) -> dict[str, str | None]:
    """Every file that the protected release needs, so that none of them overwrites an input."""
    from tableseal.audit.io import file_names

    found: dict[str, str | None] = {option: target}
    if target not in (None, STREAM):
        found |= {f"{option} ({name.name})": str(name) for name in file_names(release, Path(target))[:-1]}
    return found


class _Keeper:
    """Writes a pattern as soon as it has passed its audit, whole or not at all."""

    def __init__(self, target: str | None) -> None:
        self._target = target
        self.written = False

    def __call__(self, result: "Suppression") -> None:
        from tableseal.suppression.report import suppression_json

        assert self._target is not None
        write_target(self._target, suppression_json(result))
        self.written = True


@dataclass(frozen=True)
class _Targets:
    """What is to be written where."""

    output: str | None
    confidential: str | None
    json: str | None
    html: str | None
    best_so_far: str | None
    tell: bool
    symbol: str | None


def _write(result: "Suppression", to: _Targets) -> None:
    """The protected release first, then the results; nothing that is unsafe goes out. What goes to standard output but
    the release waits for the end."""
    from tableseal.audit.report import render_html
    from tableseal.suppression.protections.public import public_release

    if _safe(result) and result.release is not None:
        if to.output is not None:
            _write_release(public_release(result.release, tell_statuses=to.tell), to.output, to.symbol)
        if to.confidential is not None:
            _write_release(result.release, to.confidential)
    _write_results(result, to)
    if to.html is not None and result.report is not None and result.release is not None:
        write_target(to.html, render_html(result.report, result.release))


def _write_results(result: "Suppression", to: _Targets) -> None:
    from tableseal.suppression.report import suppression_json

    if to.json not in (None, STREAM):
        write_target(to.json, suppression_json(result))
    if to.best_so_far is not None and _safe(result):
        write_target(to.best_so_far, suppression_json(result))


def _tell(result: "Suppression", to: _Targets, call: "Call", *, explain: bool) -> None:
    """What was found in words, and in files again if more is known now."""
    from tableseal.suppression.report import suppression_json, suppression_text

    if result.needs:
        _write_results(result, to)
    if to.json == STREAM:
        write_target(STREAM, suppression_json(result))
    taken = STREAM in (to.json, to.html, to.output, to.confidential)
    text = suppression_text(
        result, limit=LIMIT, call=call, output=to.output, confidential=to.confidential, seconds=explain
    )
    say(text, error=taken)


def _safe(result: "Suppression") -> bool:
    """There is a pattern, and its audit passes."""
    return result.verdict == "safe"


def _check_symbol(symbol: str, output: str | None) -> None:
    """Refuse a symbol that is none, or that no file would have."""
    from tableseal.audit.io import check_symbol
    from tableseal.audit.wording import quoted

    if output in (None, STREAM) or Path(output).suffix.lower() == ".json":
        raise InputError(f"--symbol {quoted(symbol)}: is for CSV files; write them with -o NAME.yaml or NAME.csv.")
    check_symbol(symbol, Path(output))


def _write_release(release: "Release", target: str, symbol: str | None = None) -> None:
    from tableseal.audit.io import canonical_json, release_files

    if target == STREAM:
        write_target(STREAM, canonical_json(release).decode("utf-8"))
        return
    for path, text in release_files(release, Path(target), symbol=symbol).items():
        write_target(str(path), text)


def _code(result: "Suppression") -> Code:
    return {"safe": Code.DONE, "unsafe": Code.UNSAFE, "undecided": Code.UNDECIDED}[result.verdict]
