"""One measurement of SAP, however it was asked for: the command line and the service come through here."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tableseal.api.sap_text import comparison_text, sap_document, sap_entry, sap_text
from tableseal.audit.errors import InputError
from tableseal.audit.progress import Progress, silent

if TYPE_CHECKING:
    from tableseal.audit.measures.sap.attack import Attack, Ints
    from tableseal.audit.measures.sap.measure import Effort
    from tableseal.audit.measures.sap.population import Population
    from tableseal.audit.measures.sap.result import Sap
    from tableseal.audit.model import Release
    from tableseal.audit.report.exact_json import Json


class SapOptions(BaseModel):
    """The options of `tableseal sap`; the table and its upper bounds come beside them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rounding: Annotated[int | None, Field(description="Base: the matrix is released rounded conventionally.")] = None
    rounded_total: Annotated[
        bool, Field(description="The total of the matrix is released too, rounded in the same way.")
    ] = False
    definition: Annotated[
        Literal["static", "resolved"],
        Field(
            description="static: the sample exhausts a cell at its upper bound; resolved: the intruder subtracts it "
            "from all that is released and solves again."
        ),
    ] = "static"
    n: Annotated[str | None, Field(description="Sample sizes: 5, 0-20, 0-1000/50, several with commas, or all.")] = None
    target: Annotated[
        tuple[str, ...], Field(description="VAR=CODE,...: only zeros of this cell count. May be repeated.")
    ] = ()
    given: Annotated[
        str | None, Field(description="VAR,...: key variables; one result for each of their conditional tables.")
    ] = None
    known: Annotated[
        str | None, Field(description="VAR,...: of a known unit the intruder knows these variables only.")
    ] = None
    schemes: Annotated[
        str | None,
        Field(description="Compare rounding schemes of a matrix: conventional:3,conventional:5+total,random:3."),
    ] = None
    all_cells: Annotated[
        bool, Field(description="The last row or column of a matrix is no margin although it is a sum.")
    ] = False
    exact: Annotated[bool, Field(description="Exact fractions, however long.")] = False
    replicates: Annotated[int | None, Field(ge=1, description="Random orders where resolved is estimated.")] = None
    seed: Annotated[int, Field(ge=0, description="Seed of the estimate.")] = 0

    def check(self, *, upper: bool) -> None:
        """Refuse options that would have no effect, or that contradict each other.

        Raises
        ------
        InputError: names the option.
        """
        if self.schemes is not None:
            without_effect = {
                "--target": self.target or None,
                "--given": self.given,
                "--known": self.known,
                "--exact": self.exact or None,
                "--replicates": self.replicates,
            }
            for option, value in without_effect.items():
                if value is not None:
                    raise InputError(f"{option}: --schemes compares whole tables and takes no {option}; leave one out.")
        if self.replicates is not None and self.definition == "static":
            raise InputError("--replicates: nothing is estimated here; it belongs to --definition resolved.")
        if self.rounded_total and self.rounding is None:
            raise InputError("--rounded-total: needs --rounding BASE.")
        if upper + (self.rounding is not None) + (self.schemes is not None) > 1:
            raise InputError("--upper, --rounding and --schemes each say what is released; give one of them.")


def matrix_population(table: Path, upper: Path | None, options: SapOptions) -> "Population | None":
    """The base table in a file that holds a bare matrix of counts, with what is released of it; None if it is another
    kind of file.

    Raises
    ------
    InputError: a file that cannot be used, upper bounds that do not fit.
    """
    from tableseal.audit.io.matrix import matrix_in

    counts = matrix_in(table, all_cells=options.all_cells)
    if counts is None:
        return None
    return population_of(counts, None if upper is None else upper_bounds(upper), options, table.name)


def upper_bounds(file: Path) -> "Ints":
    """The matrix of upper bounds in a file.

    Raises
    ------
    InputError: a file that cannot be used.
    """
    from tableseal.audit.io.files import read_text
    from tableseal.audit.io.matrix import read_matrix

    return read_matrix(read_text(file, source=file.name)[0], file.name, all_cells=True)


def population_of(counts: "Ints", upper: "Ints | None", options: SapOptions, name: str) -> "Population":
    """The base table that a matrix of counts is, with what is released of it; name: what messages call it.

    Raises
    ------
    InputError: upper bounds that do not fit, a base of rounding that is none, no units.
    """
    from tableseal.audit.measures.sap.matrix_attack import of_counts

    try:
        return of_counts(counts, upper=upper, rounding=options.rounding, rounded_total=options.rounded_total)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def release_population(release: "Release", name: str, options: SapOptions, *, upper: bool) -> "Population":
    """The base table of a release, with what it says is released.

    Raises
    ------
    InputError: options for bare matrices only.
    """
    from tableseal.audit.measures.sap.population import of_release

    if upper or options.rounding is not None:
        raise InputError(
            f"{name}: --upper and --rounding go with a bare matrix of counts (no header); a release says itself what "
            "is released."
        )
    return of_release(release)


def measure_sap(
    population: "Population", options: SapOptions, *, matrix: bool, title: str, progress: Progress = silent
) -> "tuple[dict[str, Json], str]":
    """SAP as the options say: the document tableseal/sap/1, and the same as text.

    Parameters
    ----------
    matrix: the population is that of a bare matrix. title: names the table in the text.

    Raises
    ------
    InputError: options that do not fit the table.
    """
    from tableseal.audit.measures.sap.measure import Effort
    from tableseal.audit.measures.sap.sizes import parse_sizes

    if options.target:
        population = population.aimed_at([_cell(text) for text in options.target])
    if options.known is not None:
        given = "" if options.given is None else f"{options.given},"
        population = population.known_in(_names(f"{given}{options.known}"))
    effort = Effort(exact=options.exact, replicates=options.replicates, seed=options.seed)
    if options.schemes is not None:
        if not matrix:
            raise InputError("--schemes compares roundings of a bare matrix of counts; this is a release.")
        return _schemes(population, options.schemes, parse_sizes(options.n, population.attack.total), options, title)
    if options.given is not None:
        return _conditional(population, _names(options.given), options, effort, title, progress)
    found = _sap(population.attack, parse_sizes(options.n, population.attack.total), options, effort, progress)
    return sap_document(found), sap_text(found, title=title)


def _sap(attack: "Attack", sizes: tuple[int, ...], options: SapOptions, effort: "Effort", progress: Progress) -> "Sap":
    from tableseal.audit.measures.sap.measure import resolved_sap, static_sap

    if options.definition == "static":
        return static_sap(attack, sizes, exact=effort.exact)
    return resolved_sap(attack, sizes, effort, progress=progress)


def _conditional(
    population: "Population",
    variables: tuple[str, ...],
    options: SapOptions,
    effort: "Effort",
    title: str,
    progress: Progress,
) -> "tuple[dict[str, Json], str]":
    """One curve for each conditional table; sizes beyond its units are left out."""
    from tableseal.audit.measures.sap.sizes import parse_sizes

    wanted = parse_sizes(options.n, population.attack.total)
    tables: list[Json] = []
    texts = []
    for key, attack in population.given(variables):
        sizes = tuple(size for size in wanted if size <= attack.total)
        if sizes:
            found = _sap(attack, sizes, options, effort, progress)
            tables.append({"key": dict(key), **sap_entry(found)})
            texts.append(sap_text(found, title=f"{title}, " + ", ".join(f"{v}={c}" for v, c in key.items())))
    if not tables:
        raise InputError(f"--n {options.n}: no conditional table has that many units.")
    return {"schema": "tableseal/sap/1", "definition": options.definition, "conditional": tables}, "\n\n".join(texts)


def _schemes(
    population: "Population", text: str, sizes: tuple[int, ...], options: SapOptions, title: str
) -> "tuple[dict[str, Json], str]":
    from tableseal.audit.measures.sap.schemes import compare_schemes, parse_scheme

    schemes = [parse_scheme(part) for part in text.split(",")]
    found = compare_schemes(population.attack.counts, schemes, sizes, options.definition)
    entries: list[Json] = [{"scheme": str(scheme), **sap_entry(curve)} for scheme, curve in found]
    document: dict[str, Json] = {"schema": "tableseal/sap/1", "definition": options.definition, "schemes": entries}
    heading = f"{title}: SAP ({options.definition}), N = {population.attack.total:,}, by rounding scheme"
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
