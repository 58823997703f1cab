"""`tableseal sap`: how likely is it that subtracting known units recovers a zero."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.reading import release_of
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.options.release import ReleaseOptions, StatusOptions
from tableseal.api.options.sap import SapOptions, Upper
from tableseal.api.options.shared import JsonFile


def sap_verb(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="Bare matrix of true counts (CSV, no header, no margins), or a release with true values.",
        ),
    ],
    options: SapOptions,
    said: StatusOptions,
    upper: Upper = None,
    json: JsonFile = None,
) -> Code:
    """Give the probability that subtracting known units from the tables recovers a zero (SAP).

    Of a matrix alone the counts themselves are taken as released. The rows and columns of a matrix are the variables
    row and column with codes 1, 2, ...

    Example: tableseal sap counts.csv --rounding 3 --n 0-10
    """
    check_targets({"--json": json}, inputs=(table, upper))
    from tableseal.api.reading import population
    from tableseal.audit.measures.sap.measure import measure
    from tableseal.audit.report.sap import sap_json, sap_text

    settings = options.settings(upper=upper is not None)
    read = partial(release_of, said=ReleaseOptions(status_map=said.status_map))
    found, files = population(Path(table), read, options, None if upper is None else Path(upper))
    check_targets({"--json": json}, inputs=files)
    with Progress() as progress:
        result = measure(found, settings, progress=progress)
    if json is not None:
        write_target(json, sap_json(result))
    title = "standard input" if table == STREAM else Path(table).name
    say(sap_text(result, title=title), error=json == STREAM)
    return Code.DONE
