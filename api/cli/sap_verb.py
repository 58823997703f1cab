"""`tableseal sap`: how likely is it that subtracting known units recovers a zero."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.options import JsonOption, StatusMapOption
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.reading import release_of
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target

if TYPE_CHECKING:
    from tableseal.api.sap import SapOptions
    from tableseal.audit.measures.sap.population import Population


class Definition(StrEnum):
    """What counts as recovering a zero."""

    STATIC = "static"
    RESOLVED = "resolved"


def sap_verb(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="Bare matrix of true counts (CSV, no header, no margins), or a release with true values.",
        ),
    ],
    upper: Annotated[
        str | None, typer.Option("--upper", metavar="FILE", help="Matrix of the tightest upper bounds of the counts.")
    ] = None,
    rounding: Annotated[
        int | None, typer.Option("--rounding", metavar="BASE", help="The matrix is released rounded conventionally.")
    ] = None,
    rounded_total: Annotated[
        bool, typer.Option("--rounded-total", help="Its total is released too, rounded in the same way.")
    ] = False,
    definition: Annotated[
        Definition,
        typer.Option(
            help="static: the sample exhausts a cell at its upper bound; resolved: the intruder subtracts it from all "
            "that is released and solves again."
        ),
    ] = Definition.STATIC,
    n: Annotated[
        str | None,
        typer.Option("--n", metavar="RANGE", help="Sample sizes: 5, 0-20, 0-1000/50, several with commas, or all."),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option("--target", metavar="VAR=CODE,...", help="Only zeros of this cell count. May be repeated."),
    ] = None,
    given: Annotated[
        str | None,
        typer.Option(
            "--given", metavar="VAR,...", help="Key variables: one result for each of their conditional tables."
        ),
    ] = None,
    known: Annotated[
        str | None,
        typer.Option("--known", metavar="VAR,...", help="Of a known unit the intruder knows these variables only."),
    ] = None,
    schemes: Annotated[
        str | None,
        typer.Option(
            "--schemes",
            metavar="LIST",
            help="Compare rounding schemes of a matrix, such as conventional:3,conventional:5+total,random:3.",
        ),
    ] = None,
    all_cells: Annotated[
        bool,
        typer.Option("--all-cells", help="The last row or column of a matrix is no margin although it is a sum."),
    ] = False,
    exact: Annotated[bool, typer.Option("--exact", help="Exact fractions, however long.")] = False,
    replicates: Annotated[
        int | None, typer.Option("--replicates", metavar="R", min=1, help="Random orders where resolved is estimated.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the estimate.")] = 0,
    status_map: StatusMapOption = None,
    json: JsonOption = None,
) -> Code:
    """Give the probability that subtracting known units from the tables recovers a zero (SAP).

    Of a matrix alone the counts themselves are taken as released. The rows and columns of a matrix are the variables
    row and column with codes 1, 2, ...

    Example: tableseal sap counts.csv --rounding 3 --n 0-10
    """
    check_targets({"--json": json}, inputs=(table, upper))
    from tableseal.api.sap import SapOptions, measure_sap

    options = SapOptions(
        rounding=rounding,
        rounded_total=rounded_total,
        definition=definition.value,
        n=n,
        target=tuple(target or ()),
        given=given,
        known=known,
        schemes=schemes,
        all_cells=all_cells,
        exact=exact,
        replicates=replicates,
        seed=seed,
    )
    options.check(upper=upper is not None)
    population, matrix = _population(table, upper, options, json, status_map)
    title = "standard input" if table == STREAM else Path(table).name
    with Progress() as progress:
        document, text = measure_sap(population, options, matrix=matrix, title=title, progress=progress)
    if json is not None:
        from tableseal.audit.codec.exact_json import dumps

        write_target(json, dumps(document, indent=1))
    say(text, error=json == STREAM)
    return Code.DONE


def _population(
    table: str, upper: str | None, options: "SapOptions", json: str | None, status_map: list[str] | None
) -> "tuple[Population, bool]":
    """The base table with its attack, and whether it is a bare matrix."""
    from tableseal.api.sap import matrix_population, release_population

    found = None if table == STREAM else matrix_population(Path(table), None if upper is None else Path(upper), options)
    if found is not None:
        return found, True
    loaded = release_of(table, status_map=status_map)
    check_targets({"--json": json}, inputs=loaded.files)
    return release_population(loaded, table, options, upper=upper is not None), False
