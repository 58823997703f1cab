"""`tableseal risk`: disclosure risk of a whole table, before and after protection, or from a sample."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.reading import release_of
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.options.release import ReleaseOptions, StatusOptions
from tableseal.api.options.risk import RiskOptions, Transition
from tableseal.api.options.shared import JsonFile


def risk_verb(
    original: Annotated[
        str,
        typer.Argument(
            metavar="ORIGINAL",
            help="Bare matrix of counts (no header, no margins), data file, release file (true values are used), or - "
            "for a release on standard input.",
        ),
    ],
    options: RiskOptions,
    said: StatusOptions,
    protected: Annotated[
        str | None,
        typer.Argument(metavar="PROTECTED", help="The table after protection (published values are used)."),
    ] = None,
    transition: Transition = None,
    json: JsonFile = None,
) -> Code:
    """Measure the disclosure risk of a whole frequency table.

    R1 before and R2 after protection with the distance between the two tables, for the whole table, each row and each
    column; or, for a sample, estimates for the population. Counts of leaf cells only: totals of a release are left out.

    Example: tableseal risk table.csv --rounding 3 --replicates 1000 --seed 1
    """
    from tableseal.api.reading import count_table, transition_matrix
    from tableseal.audit.measures.risk.measure import measure
    from tableseal.audit.report.risk import risk_json, risk_text

    read = partial(release_of, said=ReleaseOptions(status_map=said.status_map))
    inputs = (original, protected, transition)
    check_targets({"--json": json}, inputs=inputs)
    table, files = count_table(Path(original), read, options)
    after = None
    if protected is not None:
        after, more = count_table(Path(protected), read, options, after=True)
        files += more
    check_targets({"--json": json}, inputs=(*inputs, *files))
    matrix = None if transition is None else transition_matrix(Path(transition))
    found = measure(table, options.settings(after, matrix))
    if json is not None:
        write_target(json, risk_json(found))
    say(risk_text(found), error=json == STREAM)
    return Code.DONE
