"""`tableseal publish`: everything that a plan owes, safe together."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import VERDICTS, Code
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.cli.workers import refuse_two_places, workers
from tableseal.api.options.batch import ResultsFolder
from tableseal.api.options.publish import OwnedUnderOptions, PublishOptions, PublishOutputs
from tableseal.api.options.service import StoreOptions
from tableseal.audit.errors import InputError


def publish_verb(
    plan: Annotated[
        str, typer.Argument(metavar="PLAN", help="Plan file (YAML or JSON that says `tableseal-plan: 1`).")
    ],
    output: ResultsFolder,
    options: PublishOptions,
    to: PublishOutputs,
    said: OwnedUnderOptions,
    at: StoreOptions,
) -> Code:
    """Tabulate, protect and audit everything that a plan owes, cluster by cluster, and write it.

    DIR/public holds the tables of clusters whose audit says safe, DIR/agency copies with true values, reports and
    patterns (confidential), DIR/summary.json what came out, DIR/certificate.json digests of all that went in and came
    out, which `tableseal verify` checks. With --publication nothing is in DIR/public before all of it was judged with
    what is out under that name, which then remembers it. Started again, it goes on where it was stopped, and does again
    only what has changed. Exit code: 1 if a cluster is unsafe, else 3 if one is undecided or reached a limit, else 2 if
    one failed.

    Example: tableseal publish plan.yaml -o publication --jobs 2
    """
    from tableseal.api.publishing.certificate import signing_key
    from tableseal.api.publishing.folder import SUMMARY, opened
    from tableseal.api.publishing.methods import ways_of
    from tableseal.api.publishing.publish import Settings, publish
    from tableseal.api.publishing.summary import published_text
    from tableseal.api.publishing.under import under_name
    from tableseal.audit.codec.documents import json_of
    from tableseal.audit.plans.read import read_plan

    folder = Path(output)
    if folder.resolve() == Path(plan).resolve().parent:
        raise InputError(f"--output {output}: this folder holds the plan; choose another one for the results.")
    refuse_two_places(to.scheduler, to.jobs, to.memory_limit)
    check_targets({"--json": to.json}, inputs=(plan,))
    read = read_plan(Path(plan))
    ways_of(read, options.search())  # what is asked for wrongly is said before anything is written
    key = None if to.sign is None else signing_key(to.sign)
    settings = Settings(options.search(), options.proof, key, to.memory_limit)
    try:
        with (
            under_name(said, options.time_limit, at, "command line") as under,
            opened(folder) as results,
            Progress() as progress,
            workers(to.scheduler, to.jobs) as executor,
        ):
            known = replace(settings, under=under)
            several = to.scheduler is not None or (to.jobs > 1 and to.memory_limit is None)
            published = publish(read, results, known, executor=executor, within=several, progress=progress)
    except KeyboardInterrupt:
        say("Interrupted; the same command goes on from here.", error=True)
        return Code.INTERRUPTED
    if to.json is not None:
        write_target(to.json, json_of(published) + "\n")
    say(f"{published_text(published)}\nSummary: {folder / SUMMARY}", error=to.json == STREAM)
    return VERDICTS[published.verdict]
