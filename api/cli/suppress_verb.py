"""`tableseal suppress`: withhold as little as possible, and prove that it is enough."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tableseal.api.cli.arguments import ReleaseArgument
from tableseal.api.cli.exit_codes import VERDICTS, Code
from tableseal.api.cli.given import given_call
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.reading import release_of
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.cli.workers import refuse_two_places, workers
from tableseal.api.cli.written import refuse_mixtures, release_targets, write_release
from tableseal.api.options.release import ReleaseOptions
from tableseal.api.options.suppress import SuppressOptions, SuppressOutputs
from tableseal.audit.errors import InputError
from tableseal.audit.language import lines_said, speaking

if TYPE_CHECKING:
    from tableseal.audit.report.call import Call
    from tableseal.suppression.answer import Suppression

LIMIT = 40
"""Cells listed in the text; the rest is in the JSON result."""


def suppress_verb(
    context: typer.Context,
    release: ReleaseArgument,
    options: SuppressOptions,
    said: ReleaseOptions,
    to: SuppressOutputs,
) -> Code:
    """Withhold cells so that every sensitive cell stays protected, at least cost, and audit the result.

    OUT holds no withheld value and nothing else that only the agency may know; what later releases are judged with is
    in the FILE of --confidential. Exit code: 0 the audit says safe, 1 unsafe or no pattern is safe, 3 undecided.

    Example: tableseal suppress release.yaml --method optimal -o protected.yaml
    """
    refuse_two_places(to.scheduler, to.jobs)
    inputs = (release, said.policy, to.decisions, to.last_period)
    targets = {"--json": to.json, "--html": to.html, "--best-so-far": to.best_so_far}
    check_targets(targets | {"--output": to.output, "--confidential": to.confidential}, inputs=inputs)
    _refuse_mixtures(to)
    from tableseal.api.suppressing import chosen_search, run_suppression, with_reasons
    from tableseal.suppression.problem.decisions import read_decisions

    chosen_search(options)  # what was asked for wrongly is said before anything is read
    loaded = release_of(release, said)
    last = None if to.last_period is None else release_of(to.last_period, ReleaseOptions(status_map=said.status_map))
    written = release_targets(loaded, "--output", to.output) | release_targets(
        loaded, "--confidential", to.confidential
    )
    check_targets(targets | written, inputs=(*inputs, *loaded.files, *(last.files if last is not None else ())))
    kept = _Keeper(to.best_so_far)
    with workers(to.scheduler, to.jobs, here=True) as executor:
        try:
            with Progress() as progress:
                result = run_suppression(
                    loaded,
                    options,
                    decisions=() if to.decisions is None else read_decisions(Path(to.decisions)),
                    last=last,
                    keep=None if to.best_so_far is None else kept,
                    progress=progress,
                    executor=executor,
                )
        except KeyboardInterrupt:
            if not kept.written:
                raise
            say(f"Interrupted; the best audited pattern so far is in {to.best_so_far}.", error=True)
            return Code.INTERRUPTED
        _write(result, to)
        try:
            with Progress():
                result = with_reasons(result, options, executor=executor)
        except KeyboardInterrupt:
            say("Interrupted while it was looked for what needs each cell; everything is written.", error=True)
    _tell(result, to, given_call(context), seconds=bool(options.explain))
    return VERDICTS[result.verdict]


def _refuse_mixtures(to: SuppressOutputs) -> None:
    refuse_mixtures(output=to.output, confidential=to.confidential, symbol=to.symbol)
    if to.best_so_far == STREAM:
        raise InputError("--best-so-far -: expected a file; it is written again and again.")


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


def _write(result: "Suppression", to: SuppressOutputs) -> None:
    """The protected release first, then the results; nothing that is unsafe goes out. What goes to standard output but
    the release waits for the end."""
    from tableseal.audit.report import render_html
    from tableseal.suppression.protections.public import public_release

    if _safe(result) and result.release is not None:
        if to.output is not None:
            write_release(public_release(result.release, tell_statuses=to.tell_statuses), to.output, to.symbol)
        if to.confidential is not None:
            write_release(result.release, to.confidential)
    _write_results(result, to)
    if to.html is not None and result.report is not None and result.release is not None:
        with speaking(to.lang):
            page = render_html(result.report, result.release)
        write_target(to.html, page)


def _write_results(result: "Suppression", to: SuppressOutputs) -> None:
    from tableseal.suppression.report import suppression_json

    if to.json not in (None, STREAM):
        write_target(to.json, suppression_json(result))
    if to.best_so_far is not None and _safe(result):
        write_target(to.best_so_far, suppression_json(result))


def _tell(result: "Suppression", to: SuppressOutputs, call: "Call", *, seconds: bool) -> None:
    """What was found in words, and in files again if more is known now."""
    from tableseal.suppression.report import suppression_json, suppression_text

    if result.needs:
        _write_results(result, to)
    if to.json == STREAM:
        write_target(STREAM, suppression_json(result))
    taken = STREAM in (to.json, to.html, to.output, to.confidential)
    with speaking(to.lang):
        text = suppression_text(
            result, limit=LIMIT, asked=call, output=to.output, confidential=to.confidential, seconds=seconds
        )
        text = lines_said(text)
    say(text, error=taken)


def _safe(result: "Suppression") -> bool:
    """There is a pattern, and its audit passes."""
    return result.verdict == "safe"
