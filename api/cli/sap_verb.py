"""`tableseal sap`: how likely is it that subtracting known units recovers a zero."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.exit_codes import Code
from api.cli.options import JsonOption, StatusMapOption
from api.cli.progress import Progress
from api.cli.reading import release_of
from api.cli.sap_text import comparison_text, sap_document, sap_entry, sap_text
from api.cli.streams import STREAM, check_targets, say, write_target
from audit.errors import InputError

if TYPE_CHECKING:
    from audit.measures.sap.attack import Attack
    from audit.measures.sap.measure import Effort
    from audit.measures.sap.population import Population
    from audit.measures.sap.result import Sap
    from audit.report.exact_json import Json


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
    from audit.measures.sap.measure import Effort
    from audit.measures.sap.sizes import parse_sizes

    if schemes is not None:
        without_effect = {
            "--target": target,
            "--given": given,
            "--known": known,
            "--exact": exact or None,
            "--replicates": replicates,
        }
        for option, value in without_effect.items():
            if value is not None:
                raise InputError(f"{option}: --schemes compares whole tables and takes no {option}; leave one out.")
    if replicates is not None and definition is Definition.STATIC:
        raise InputError("--replicates: nothing is estimated here; it belongs to --definition resolved.")
    population, matrix = _population(
        table,
        upper,
        rounding,
        json,
        rounded_total=rounded_total,
        schemes=schemes is not None,
        all_cells=all_cells,
        status_map=status_map,
    )
    if target:
        population = population.aimed_at([_cell(text) for text in target])
    if known is not None:
        population = population.known_in(_names(known if given is None else f"{given},{known}"))
    effort = Effort(exact=exact, replicates=replicates, seed=seed)
    title = "standard input" if table == STREAM else Path(table).name
    if schemes is not None:
        if not matrix:
            raise InputError("--schemes compares roundings of a bare matrix of counts; this is a release.")
        document, text = _schemes(population, schemes, parse_sizes(n, population.attack.total), definition, title)
    elif given is not None:
        document, text = _conditional(population, _names(given), n, definition, effort, title)
    else:
        found = _sap(population.attack, parse_sizes(n, population.attack.total), definition, effort)
        document, text = sap_document(found), sap_text(found, title=title)
    if json is not None:
        from audit.report.exact_json import dumps

        write_target(json, dumps(document, indent=1))
    say(text, error=json == STREAM)
    return Code.DONE


def _population(
    table: str,
    upper: str | None,
    rounding: int | None,
    json: str | None,
    *,
    rounded_total: bool,
    schemes: bool,
    all_cells: bool,
    status_map: list[str] | None,
) -> "tuple[Population, bool]":
    """The base table with its attack, and whether it is a bare matrix."""
    from audit.io.files import read_text
    from audit.io.matrix import matrix_in, read_matrix
    from audit.measures.sap.matrix_attack import of_counts
    from audit.measures.sap.population import of_release

    if rounded_total and rounding is None:
        raise InputError("--rounded-total: needs --rounding BASE.")
    if (upper is not None) + (rounding is not None) + schemes > 1:
        raise InputError("--upper, --rounding and --schemes each say what is released; give one of them.")
    counts = None if table == STREAM else matrix_in(Path(table), all_cells=all_cells)
    if counts is None:
        if upper is not None or rounding is not None:
            raise InputError(
                f"{table}: --upper and --rounding go with a bare matrix of counts (no header); a release says "
                "itself what is released."
            )
        loaded = release_of(table, status_map=status_map)
        check_targets({"--json": json}, inputs=loaded.files)
        return of_release(loaded), False
    bounds = None
    if upper is not None:
        source = Path(upper).name
        bounds = read_matrix(read_text(Path(upper), source=source)[0], source, all_cells=True)
    try:
        return of_counts(counts, upper=bounds, rounding=rounding, rounded_total=rounded_total), True
    except InputError as error:
        raise InputError(f"{Path(table).name}: {error}") from None


def _sap(attack: "Attack", sizes: tuple[int, ...], definition: Definition, effort: "Effort") -> "Sap":
    from audit.measures.sap.measure import resolved_sap, static_sap

    if definition is Definition.STATIC:
        return static_sap(attack, sizes, exact=effort.exact)
    with Progress() as progress:
        return resolved_sap(attack, sizes, effort, progress=progress)


def _conditional(
    population: "Population",
    variables: tuple[str, ...],
    n: str | None,
    definition: Definition,
    effort: "Effort",
    title: str,
) -> "tuple[dict[str, Json], str]":
    """One curve for each conditional table; sizes beyond its units are left out."""
    from audit.measures.sap.sizes import parse_sizes

    wanted = parse_sizes(n, population.attack.total)
    tables: list[Json] = []
    texts = []
    for key, attack in population.given(variables):
        sizes = tuple(size for size in wanted if size <= attack.total)
        if sizes:
            found = _sap(attack, sizes, definition, effort)
            tables.append({"key": dict(key), **sap_entry(found)})
            texts.append(sap_text(found, title=f"{title}, " + ", ".join(f"{v}={c}" for v, c in key.items())))
    if not tables:
        raise InputError(f"--n {n}: no conditional table has that many units.")
    return {"schema": "tableseal/sap/1", "definition": definition.value, "conditional": tables}, "\n\n".join(texts)


def _schemes(
    population: "Population", text: str, sizes: tuple[int, ...], definition: Definition, title: str
) -> "tuple[dict[str, Json], str]":
    from audit.measures.sap.schemes import compare_schemes, parse_scheme

    schemes = [parse_scheme(part) for part in text.split(",")]
    found = compare_schemes(population.attack.counts, schemes, sizes, definition.value)
    entries: list[Json] = [{"scheme": str(scheme), **sap_entry(curve)} for scheme, curve in found]
    document: dict[str, Json] = {"schema": "tableseal/sap/1", "definition": definition.value, "schemes": entries}
    heading = f"{title}: SAP ({definition.value}), N = {population.attack.total:,}, by rounding scheme"
    return document, comparison_text([(str(scheme), curve) for scheme, curve in found], heading=heading)


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in text.split(",")))


def _cell(text: str) -> Mapping[str, str]:
    """`row=2,column=3` -> {"row": "2", "column": "3"}."""
    cell: dict[str, str] = {}
    for part in text.split(","):
        variable, equals, code = part.partition("=")
        if not equals or variable.strip() in cell:
            raise InputError(f'--target {text}: found "{part}", expected VARIABLE=CODE, each variable once.')
        cell[variable.strip()] = code.strip()
    return cell
