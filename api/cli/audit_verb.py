"""`tableseal audit`: what an intruder can work out from a release."""

import os
import shutil
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.given import given_call
from tableseal.api.cli.options import (
    Bounds,
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
from tableseal.audit.execution.memory import memory_limit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tableseal.audit.model import Release
    from tableseal.audit.pipeline import AuditResult
    from tableseal.audit.report.call import Call
    from tableseal.audit.report.model import Report

LIMIT = 40
"""Cells listed in the text; the rest is in the JSON and HTML reports."""

PIPE_WIDTH = 120
"""Characters a line where there is no terminal."""


class Entropy(StrEnum):
    """Over what entropies are asked for."""

    VALUES = "values"
    TABLES = "tables"


def audit_verb(
    context: typer.Context,
    release: ReleaseArgument,
    bounds: Annotated[
        Bounds,
        typer.Option(help="How sharp: shuttle (quick, wide), lp (linear programming), integer (whole units)."),
    ] = Bounds.INTEGER,
    policy: PolicyOption = None,
    threshold: ThresholdOption = None,
    p_percent: PPercentOption = None,
    dominance: DominanceOption = None,
    status_map: StatusMapOption = None,
    withhold_primaries: Annotated[
        bool,
        typer.Option(
            "--withhold-primaries",
            help="Audit the what-if: exactly the cells that the rules call sensitive are withheld.",
        ),
    ] = False,
    cumulative: Annotated[
        bool,
        typer.Option("--cumulative", help="Show each cell's risk as one table after another is released."),
    ] = False,
    entropy: Annotated[
        Entropy,
        typer.Option(
            help="tables: entropy over all tables that fit, for every cell, by sampling where there are too many to "
            "count; values: only where counting is quick."
        ),
    ] = Entropy.VALUES,
    samples: Annotated[
        int, typer.Option("--samples", metavar="N", min=64, help="Tables sampled for --entropy tables.")
    ] = 4096,
    seed: Annotated[
        int, typer.Option("--seed", metavar="S", min=0, help="Seed of the random numbers of --entropy tables.")
    ] = 0,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="S", min=0, help="Seconds after which open cells stay undecided."),
    ] = None,
    memory_limit_mb: Annotated[
        int | None,
        typer.Option("--memory-limit", metavar="MB", min=1, help="Megabytes that the audit may use."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Worker processes.")] = 1,
    state: Annotated[
        str | None,
        typer.Option(
            "--state",
            metavar="FILE",
            help="Keep what is found in FILE (confidential); run again, it goes on from there.",
        ),
    ] = None,
    json: JsonOption = None,
    html: Annotated[
        str | None,
        typer.Option("--html", metavar="FILE|-", help="Write the report as one self-contained page."),
    ] = None,
    public: Annotated[
        bool,
        typer.Option("--public", help="Leave out of every output what only the agency may know."),
    ] = False,
    proof: Annotated[
        str | None,
        typer.Option("--proof", metavar="FILE", help="Write a proof that `tableseal verify` checks (confidential)."),
    ] = None,
    risk: Annotated[
        bool, typer.Option("--risk", help="Also say the measures of risk side by side (always in JSON and page).")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say which method was used for what, and how long it took.")
    ] = False,
) -> Code:
    """Find out what an intruder can work out from a release.

    Gives the interval in which an intruder can place each withheld cell, the arithmetic that reveals the
    exposed ones, the risk that remains, and a verdict: safe (exit 0), unsafe (1) or undecided (3).

    Example: tableseal audit release.yaml --html report.html
    """
    targets = {"--json": json, "--html": html, "--proof": proof, "--state": state}
    check_targets(targets, inputs=(release, policy))
    if public and proof is not None:
        raise InputError("--proof: a proof is confidential and has no public form; leave out --proof or --public.")
    with memory_limit(memory_limit_mb):
        from tableseal.api.auditing import AuditOptions, run_audit
        from tableseal.audit.execution.executor import local
        from tableseal.audit.execution.state import opened

        options = AuditOptions(
            bounds=bounds.value,
            withhold_primaries=withhold_primaries,
            cumulative=cumulative,
            entropy=entropy.value,
            samples=samples,
            seed=seed,
            time_limit=time_limit,
            proof=proof is not None,
        )
        loaded = release_of(
            release, policy=policy, rules=given_rules(threshold, p_percent, dominance), status_map=status_map
        )
        check_targets(targets, inputs=loaded.files)
        with Progress() as progress, local(jobs) as executor, opened(state) as memory:
            result = run_audit(loaded, options, progress=progress, executor=executor, state=memory)
        _write(
            result,
            loaded,
            json=json,
            html=html,
            proof=proof,
            public=public,
            explain=explain,
            risk=risk,
            call=given_call(context),
        )
    return {"safe": Code.DONE, "unsafe": Code.UNSAFE, "undecided": Code.UNDECIDED}[result.report.verdict]


def _write(
    result: "AuditResult",
    release: "Release",
    *,
    json: str | None,
    html: str | None,
    proof: str | None,
    public: bool,
    explain: bool,
    risk: bool,
    call: "Call",
) -> None:
    """Files first, then the text; the text moves to standard error where standard output is taken."""
    from tableseal.audit.report import public_copy, report_json

    report = public_copy(result.report) if public else result.report
    if json is not None:
        write_target(json, report_json(report))
    if html is not None:
        from tableseal.audit.report import render_html

        write_target(html, render_html(report, release))
    if proof is not None and result.proof is not None:
        from tableseal.audit.proof import proof_json

        write_target(proof, proof_json(result.proof))
    taken = STREAM in (json, html, proof)
    computed = result.explain.lines() if explain else ()
    say(_text(report, release, on_error_stream=taken, risk=risk, call=call, computed=computed), error=taken)


def _text(
    report: "Report",
    release: "Release",
    *,
    on_error_stream: bool,
    risk: bool,
    call: "Call",
    computed: "Sequence[str]",
) -> str:
    from tableseal.audit.report import render_text

    stream = sys.stderr if on_error_stream else sys.stdout
    terminal = stream.isatty()
    return render_text(
        report,
        colour=terminal and not os.environ.get("NO_COLOR"),
        width=shutil.get_terminal_size().columns if terminal else PIPE_WIDTH,
        limit=LIMIT,
        release=release,
        panel=risk,
        call=call,
        computed=computed,
    )
