"""`tableseal tabulate`: tables from microdata."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.reading import release_of
from tableseal.api.cli.streams import STREAM, check_targets, say
from tableseal.api.cli.written import release_targets, write_release
from tableseal.api.options.option import Option
from tableseal.api.options.records import RecordOptions
from tableseal.api.options.release import ReleaseOptions, letters_of
from tableseal.api.options.tabulate import TabulateOptions
from tableseal.audit.errors import InputError, OptionName

if TYPE_CHECKING:
    from tableseal.audit.io.records_document import AboutRecords
    from tableseal.audit.model import Release


def tabulate_verb(
    release: Annotated[
        str,
        typer.Argument(
            metavar="RELEASE",
            help="Release file with `microdata` and tables that say `by`, or - for standard input; with --by a bare "
            "file of records (CSV, Parquet, ...).",
        ),
    ],
    records: RecordOptions,
    options: TabulateOptions,
    said: ReleaseOptions,
    output: Annotated[
        str,
        Option("Release to write: .yaml (with CSV files), .json; - for JSON.", names=("-o", "--output")),
    ],
) -> Code:
    """Make the tables of a release from its microdata, with respondents, weights and largest contributions.

    What is written holds all that the agency knows of the cells, and no record; it is audited and protected like any
    other release, in a fraction of the time that the records would take.

    Example: tableseal tabulate firms.csv --by region,size --value turnover --id firm -o tables.yaml
    """
    from tableseal.audit.tabulation.release import tabulated

    about = records.about()
    check_targets({"--output": output}, inputs=(release, said.policy))
    loaded = release_of(release, said) if about is None else _of_records(Path(release), about, said)
    made = tabulated(loaded, options.largest)
    check_targets(release_targets(made, "--output", output), inputs=(release, said.policy, *loaded.files))
    write_release(made, output)
    rows = sum(len(table.codes) for table in made.tables)
    tables = "1 table" if len(made.tables) == 1 else f"{len(made.tables)} tables"
    say(f"{tables}, {rows:,} cells, all confidential: {output}", error=output == STREAM)
    for note in made.notes:
        say(f"Note: {note.text}", error=True)
    return Code.DONE


def _of_records(path: Path, about: "AboutRecords", said: ReleaseOptions) -> "Release":
    """The release whose tables are made of a bare file of records."""
    from tableseal.audit.io import release_from_records
    from tableseal.audit.io.advice import IN_A_FILE
    from tableseal.audit.io.records_document import read_records

    if letters_of(said.status_map):
        raise InputError("is about statuses of cells, and these are records.", at=OptionName("status_map"))
    return release_from_records(
        read_records(path), about, IN_A_FILE, title=path.stem, policy=said.given(), folder=path.parent
    )
