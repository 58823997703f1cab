"""The kind `sap`: a table in, the probability that subtracting known units recovers a zero out, as `tableseal sap`."""

from functools import partial

from tableseal.api.jobs.kinds import Context, Kind, Result
from tableseal.api.jobs.releases import TableRequest, check_cells, read
from tableseal.api.options.release import letters_of
from tableseal.api.options.sap import SapOptions
from tableseal.api.store.job import Document


class SapOrder(TableRequest):
    """Which file is the table, and which the matrix of the tightest upper bounds."""

    table: str
    upper: str | None = None
    options: SapOptions = SapOptions()


def check(request: SapOrder) -> None:
    """Refuse letters and options that are none, or contradict each other."""
    letters_of(request.status_map)
    request.options.settings(upper=request.upper is not None)


def run(request: SapOrder, context: Context) -> Result:
    """Measure SAP of the table in the folder.

    Raises
    ------
    InputError: files or options that cannot be used. LimitError: too many cells.
    """
    from tableseal.api.reading import population
    from tableseal.audit.measures.sap.measure import measure
    from tableseal.audit.report.sap import sap_json

    folder = context.folder
    settings = request.options.settings(upper=request.upper is not None)
    upper = None if request.upper is None else folder / request.upper
    within = partial(read, request=request, context=context)
    table, _ = population(folder / request.table, within, request.options, upper)
    check_cells(table.attack.counts.size, context.max_cells)
    found = measure(table, settings, progress=context.progress)
    return Result((Document("sap.json", "application/json", sap_json(found).encode()),))


KIND = Kind("sap", SapOrder, run, check=check)
