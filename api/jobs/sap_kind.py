"""The kind `sap`: a table in, the probability that subtracting known units recovers a zero out, as `tableseal sap`."""

from pydantic import BaseModel, ConfigDict

from tableseal.api.jobs.kinds import Context, Kind, Result
from tableseal.api.jobs.releases import StatusMap, check_size
from tableseal.api.sap import SapOptions, matrix_population, measure_sap, release_population
from tableseal.api.store.job import Document
from tableseal.audit.errors import LimitError


class SapOrder(BaseModel):
    """Which file is the table, and which the matrix of the tightest upper bounds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    table: str
    upper: str | None = None
    status_map: StatusMap = ()
    options: SapOptions = SapOptions()


def run(request: SapOrder, context: Context) -> Result:
    """Measure SAP of the table in the folder.

    Raises
    ------
    InputError: files or options that cannot be used. LimitError: too many cells.
    """
    from tableseal.api.cli.reading import release_of
    from tableseal.audit.codec.exact_json import dumps

    options, folder = request.options, context.folder
    options.check(upper=request.upper is not None)
    upper = None if request.upper is None else folder / request.upper
    population = matrix_population(folder / request.table, upper, options)
    matrix = population is not None
    if population is None:
        release = release_of(str(folder / request.table), status_map=request.status_map)
        check_size(release, context.max_cells)
        population = release_population(release, request.table, options, upper=upper is not None)
    if population.attack.counts.size > context.max_cells:
        size = population.attack.counts.size
        raise LimitError(f"The table has {size:,} cells; this service takes at most {context.max_cells:,}.")
    document, _ = measure_sap(population, options, matrix=matrix, title=request.table, progress=context.progress)
    return Result((Document("sap.json", "application/json", dumps(document, indent=1).encode()),))


KIND = Kind("sap", SapOrder, run)
