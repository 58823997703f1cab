"""`tableseal batch`: many releases."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
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
    ThresholdOption,
    given_rules,
)
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tableseal.audit.batch import Batch, Listed
    from tableseal.audit.execution.executor import Executor
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
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="DIR", help="Folder for the results; made if it is not there.")
    ],
    together: Annotated[
        bool, typer.Option("--together", help="Audit all releases as one: what an intruder learns who has all of them.")
    ] = False,
    bounds: Annotated[
        Bounds,
        typer.Option(help="How sharp: shuttle (quick, wide), lp (linear programming), integer (whole units)."),
    ] = Bounds.INTEGER,
    policy: PolicyOption = None,
    threshold: ThresholdOption = None,
    p_percent: PPercentOption = None,
    dominance: DominanceOption = None,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="S", min=0, help="Seconds for each release."),
    ] = None,
    memory_limit: Annotated[
        int | None,
        typer.Option("--memory-limit", metavar="MB", min=1, help="Megabytes for each worker process."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Worker processes.")] = 1,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", metavar="URL", help="Work on a Dask cluster, such as tcp://host:8786."),
    ] = None,
    html: Annotated[bool, typer.Option("--html", help="Write each report as a page, too.")] = False,
    json: JsonOption = None,
) -> Code:
    """Audit many releases; one that fails never stops the others.

    Started again, it goes on where it was stopped, and audits again only what has changed. DIR holds a summary (CSV,
    JSON, HTML) and the reports. Exit code: 1 if a release is unsafe, else 3 if one is undecided or reached a limit,
    else 2 if one could not be audited.

    Example: tableseal batch releases/ --jobs 4 --html -o results
    """
    from tableseal.api.given_rules import policy_of
    from tableseal.audit.batch import FolderSource, Settings, opened, run_batch, run_together, source_of
    from tableseal.audit.codec.documents import json_of
    from tableseal.audit.io import read_policy

    folder = Path(output)
    if folder.resolve() == Path(releases).resolve():
        raise InputError(f"--output {output}: this folder is the input; choose another one for the results.")
    if scheduler is not None and (jobs > 1 or memory_limit is not None):
        raise InputError(
            "--scheduler: the workers of the cluster have their own number and limits of memory; leave out "
            "--jobs and --memory-limit."
        )
    check_targets({"--json": json}, inputs=(policy,))
    given = policy_of(given_rules(threshold, p_percent, dominance), None if policy is None else Path(policy))
    rules = read_policy(given) if isinstance(given, Path) else given
    source, listed = source_of(Path(releases), output=folder)
    settings = Settings(bounds.value, rules, time_limit, memory_limit, html)
    try:
        with opened(folder) as results, Progress() as progress, _executor(jobs, scheduler, here=together) as executor:
            if together:
                batch = run_together(source, listed, settings, results, executor=executor)
            else:
                batch = run_batch(source, listed, settings, results, executor=executor, progress=progress)
    except KeyboardInterrupt:
        say("Interrupted; the same command goes on from here.", error=True)
        return Code.INTERRUPTED
    if json is not None:
        write_target(json, json_of(batch))
    files = {one.name: one for one in listed} if isinstance(source, FolderSource) else {}
    following = _next_step(batch, files, folder, given_call(context))
    say(_text(batch, folder, following), error=json == STREAM)
    verdicts = {"safe": Code.DONE, "unsafe": Code.UNSAFE, "undecided": Code.UNDECIDED, "failed": Code.BAD_INPUT}
    return verdicts[batch.verdict]


@contextmanager
def _executor(jobs: int, scheduler: str | None, *, here: bool) -> "Iterator[Executor]":
    """Where to work. `here`: a single worker may be this process; else a process of its own, whose end is no harm."""
    from tableseal.audit.execution.executor import local
    from tableseal.audit.execution.processes import Processes

    if scheduler is not None:
        from tableseal.audit.execution.dask import connect

        yield connect(scheduler)
    elif here:
        with local(jobs) as executor:
            yield executor
    else:
        with Processes(jobs) as pool:
            yield pool


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
