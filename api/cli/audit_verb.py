"""`tableseal audit`: what an intruder can work out from a release."""

import os
import shutil
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from tableseal.api.cli.arguments import ReleaseArgument
from tableseal.api.cli.exit_codes import VERDICTS, Code
from tableseal.api.cli.given import given_call
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.reading import release_of
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.options.audit import AuditOptions, AuditOutputs
from tableseal.api.options.release import ReleaseOptions
from tableseal.audit.execution.memory import memory_limit
from tableseal.audit.language import speaking

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


def audit_verb(
    context: typer.Context, release: ReleaseArgument, options: AuditOptions, said: ReleaseOptions, to: AuditOutputs
) -> Code:
    """Find out what an intruder can work out from a release.

    Gives the interval in which an intruder can place each withheld cell, the arithmetic that reveals the
    exposed ones, the risk that remains, and a verdict: safe (exit 0), unsafe (1) or undecided (3).

    Example: tableseal audit release.yaml --html report.html
    """
    targets = {"--json": to.json, "--html": to.html, "--proof": to.proof, "--state": to.state}
    check_targets(targets, inputs=(release, said.policy))
    from tableseal.api.auditing import refuse_public_proof, run_audit

    refuse_public_proof(public=to.public, proof=to.proof is not None)
    with memory_limit(to.memory_limit):
        from tableseal.audit.execution.executor import local
        from tableseal.audit.execution.state import opened

        loaded = release_of(release, said)
        check_targets(targets, inputs=loaded.files)
        options = replace(options, proof=to.proof is not None)
        with Progress() as progress, local(to.jobs) as executor, opened(to.state) as memory:
            result = run_audit(loaded, options, progress=progress, executor=executor, state=memory)
        _write(result, loaded, to, given_call(context))
    return VERDICTS[result.report.verdict]


def _write(result: "AuditResult", release: "Release", to: AuditOutputs, call: "Call") -> None:
    """Files first, then the text; the text moves to standard error where standard output is taken."""
    from tableseal.audit.report import public_copy, report_json

    report = public_copy(result.report) if to.public else result.report
    if to.json is not None:
        write_target(to.json, report_json(report))
    if to.html is not None:
        from tableseal.audit.report import render_html

        with speaking(to.lang):
            page = render_html(report, release)
        write_target(to.html, page)
    if to.proof is not None and result.proof is not None:
        from tableseal.audit.proof import proof_json

        write_target(to.proof, proof_json(result.proof))
    taken = STREAM in (to.json, to.html, to.proof)
    computed = result.explain.lines() if to.explain else ()
    with speaking(to.lang):
        text = _text(report, release, on_error_stream=taken, risk=to.risk, call=call, computed=computed)
    say(text, error=taken)


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
        asked=call,
        computed=computed,
    )
