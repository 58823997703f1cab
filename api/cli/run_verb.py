"""`tableseal run`: a job of tau-ARGUS as it is."""

from pathlib import Path
from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import VERDICTS, Code
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.options.shared import JsonFile, Language
from tableseal.audit.language import lines_said, speaking


def run_verb(
    job: Annotated[str, typer.Argument(metavar="JOB.arb", help="Job of tau-ARGUS; files that it names lie beside it.")],
    into: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder for all outputs, whatever folders the job names for them; made if it is not there.",
        ),
    ] = None,
    json: JsonFile = None,
    lang: Language = "en",
) -> Code:
    """Run a job of tau-ARGUS: read its tables, apply its rules, protect and write them.

    Everything is checked, protected and audited before the first file is written, and tables are written only if all
    are safe. Exit code: 0 safe, 1 unsafe or no pattern is safe, 2 the job or its files cannot be used, 3 undecided.

    Example: tableseal run job.arb
    """
    from tableseal.api.argus.job import read_job, read_tables, run_job
    from tableseal.audit.codec.documents import json_of

    found = read_job(Path(job), into)
    if into is not None:
        into.mkdir(parents=True, exist_ok=True)
    targets = {f"{at}:": str(path) for at, path in found.targets.items()} | {"--json": json}
    check_targets(targets, inputs=(job,))
    tables = read_tables(found)
    check_targets(targets, inputs=found.files.opened)
    with Progress() as progress:
        outcome = run_job(found, tables, progress)
    for path, text in outcome.files.items():
        write_target(str(path), text)
    if json is not None:
        write_target(json, json_of(outcome.report(found.name)))
    notes = [f"  - {note.text}" for note in outcome.notes]
    lines = [step.said for step in outcome.steps]
    with speaking(lang):
        text = lines_said("\n".join([*lines, *(["", "Notes", *notes] if notes else [])]))
    say(text, error=json == STREAM)
    return VERDICTS[outcome.verdict]
