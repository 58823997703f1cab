"""`tableseal batch`: many releases."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tableseal.api.cli.exit_codes import VERDICTS, Code
from tableseal.api.cli.given import given_call
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.cli.workers import refuse_two_places, workers
from tableseal.api.options.batch import BatchOptions, BatchOutputs, ResultsFolder
from tableseal.api.options.release import PolicyOptions
from tableseal.audit.errors import InputError
from tableseal.audit.language import lines_said, speaking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tableseal.audit.batch import Batch, Listed
    from tableseal.audit.report.call import Call

LISTED = 20
"""Releases that are not safe and are listed in the text; the summaries have all."""


def batch_verb(
    context: typer.Context,
    releases: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER|MANIFEST|ZIP",
            help="A folder or a zip archive with release files (YAML or JSON that says `tableseal: 1`), or a list of "
            "them: CSV with a column `file`, or YAML.",
        ),
    ],
    output: ResultsFolder,
    options: BatchOptions,
    said: PolicyOptions,
    to: BatchOutputs,
) -> Code:
    """Audit many releases; one that fails never stops the others.

    Started again, it goes on where it was stopped, and audits again only what has changed. DIR holds a summary (CSV,
    JSON, HTML) and the reports. Exit code: 1 if a release is unsafe, else 3 if one is undecided or reached a limit,
    else 2 if one could not be audited.

    Example: tableseal batch releases/ --jobs 4 --html -o results
    """
    from tableseal.audit.batch import FolderSource, opened, run_batch, run_together, source_of
    from tableseal.audit.codec.documents import json_of

    folder = Path(output)
    if folder.resolve() == Path(releases).resolve():
        raise InputError(f"--output {output}: this folder is the input; choose another one for the results.")
    refuse_two_places(to.scheduler, to.jobs, to.memory_limit)
    check_targets({"--json": to.json}, inputs=(said.policy,))
    settings = options.settings(said.given(), to.memory_limit)
    source, listed = source_of(Path(releases), output=folder)
    where = workers(to.scheduler, to.jobs, here=options.together)
    try:
        with opened(folder) as results, Progress() as progress, where as executor:
            if options.together:
                batch = run_together(source, listed, settings, results, executor=executor)
            else:
                batch = run_batch(source, listed, settings, results, executor=executor, progress=progress)
    except KeyboardInterrupt:
        say("Interrupted; the same command goes on from here.", error=True)
        return Code.INTERRUPTED
    if to.json is not None:
        write_target(to.json, json_of(batch))
    files = {one.name: one for one in listed} if isinstance(source, FolderSource) else {}
    following = _next_step(batch, files, folder, given_call(context))
    with speaking(to.lang):
        text = lines_said(_text(batch, folder, following))
    say(text, error=to.json == STREAM)
    return VERDICTS[batch.verdict]


def _unjudged(batch: "Batch") -> list[str]:
    """What no rule could judge of releases that were audited together."""
    from tableseal.audit.report.unknown import unknown_in_words

    return [f"  {unknown_in_words(e.required_unknown)}" for e in batch.entries if e.required_unknown]


def _text(batch: "Batch", folder: Path, following: str | None) -> str:
    """How many releases have which verdict, by which rules, what is wrong with each that is not safe."""
    from tableseal.audit.report.applied import counts_words, releases_words
    from tableseal.audit.report.frame import framed
    from tableseal.audit.report.words import printable

    counts = batch.counts
    verdict = f"{releases_words(counts.releases)}: {counts_words(vars(counts))}"
    lines = []
    if batch.members:
        lines = _unjudged(batch)
        far = " as far as could be judged" if lines and batch.verdict == "safe" else ""
        verdict = f"{releases_words(len(batch.members))} together: {batch.word}{far}"
    bad = [entry for entry in batch.entries if entry.word != "safe"]
    for entry in bad[:LISTED]:
        why = entry.headline if entry.failure is None else entry.failure.message
        lines.append(f"  {entry.name}: {entry.word}: {why}")
    if len(bad) > LISTED:
        lines.append(f"  and {len(bad) - LISTED:,} more")
    lines.append(f"Summary and reports: {folder / 'summary.html'}")
    return "\n".join(map(printable, framed(verdict, batch.applied(), following, lines)))


def _next_step(batch: "Batch", files: "Mapping[str, Listed]", folder: Path, call: "Call") -> str | None:
    """What to do next: about the first release that is unsafe, else undecided, else what failed; None: nothing.

    files: the releases that are files of their own. folder: with the results.
    """
    from tableseal.audit.report.applied import WHAT_TO_SAY

    if batch.counts.not_judged:
        return f"{WHAT_TO_SAY}."
    for verdict in ("unsafe", "undecided"):
        for entry in batch.entries:
            if entry.verdict == verdict and entry.name in files:
                return f"see why, and what to do: {_audit_of(files[entry.name], call)}"
            if entry.verdict == verdict:
                return f"see why: {folder / (entry.html or entry.report or '')}"
    if any(entry.failure is not None and entry.failure.kind == "limit" for entry in batch.entries):
        return "audit what reached a limit with a higher one (--time-limit, --memory-limit)."
    return "mend what could not be audited (see below)." if batch.verdict == "failed" else None


def _audit_of(one: "Listed", call: "Call") -> str:
    """The audit of one release of a folder or a manifest by itself."""
    at = Path(call.file or "")
    home = at if at.is_dir() else at.parent
    rules = call.rules if one.policy is None else ("--policy", str(home / one.policy))
    bounds = call.options("--bounds") if one.bounds is None else ("--bounds", one.bounds)
    return replace(call, file=str(home / one.name), rules=rules).by("audit", *bounds)
