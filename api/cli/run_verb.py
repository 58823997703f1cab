"""`tableseal run`: a job of tau-ARGUS as it is."""

from pathlib import Path
from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import VERDICTS, Code
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.streams import check_targets, say, write_target


def run_verb(
    job: Annotated[str, typer.Argument(metavar="JOB.arb", help="Job of tau-ARGUS; files that it names lie beside it.")],
) -> Code:
    """Run a job of tau-ARGUS: read its tables, apply its rules, protect and write them.

    Everything is checked, protected and audited before the first file is written, and tables are written only if all
    are safe. Exit code: 0 safe, 1 unsafe or no pattern is safe, 2 the job or its files cannot be used, 3 undecided.

    Example: tableseal run job.arb
    """
    from tableseal.api.argus.job import read_job, read_tables, run_job

    found = read_job(Path(job))
    targets = {f"{at}:": str(path) for at, path in found.targets.items()}
    check_targets(targets, inputs=(job,))
    tables = read_tables(found)
    check_targets(targets, inputs=found.files.opened)
    with Progress() as progress:
        outcome = run_job(found, tables, progress)
    for path, text in outcome.files.items():
        write_target(str(path), text)
    notes = [f"  - {note.text}" for note in outcome.notes]
    say("\n".join([*outcome.said, *(["", "Notes", *notes] if notes else [])]))
    return VERDICTS[outcome.verdict]
