"""The kind `risk`: a table, perhaps with its protected version, in; its risk out, as `tableseal risk` gives it."""

from functools import partial

from tableseal.api.jobs.kinds import Context, Kind, Result
from tableseal.api.jobs.releases import TableRequest, check_cells, read
from tableseal.api.options.release import letters_of
from tableseal.api.options.risk import RiskOptions
from tableseal.api.store.job import Document


class RiskOrder(TableRequest):
    """Which file is the table, which its protected version, which the matrix of transition probabilities."""

    original: str
    protected: str | None = None
    transition: str | None = None
    options: RiskOptions = RiskOptions()


def check(request: RiskOrder) -> None:
    """Refuse letters and options that are none."""
    letters_of(request.status_map)
    request.options.settings()


def run(request: RiskOrder, context: Context) -> Result:
    """Measure the risk of the table in the folder.

    Raises
    ------
    InputError: files or options that cannot be used. LimitError: too many cells.
    """
    from tableseal.api.reading import count_table, transition_matrix
    from tableseal.audit.measures.risk.measure import measure
    from tableseal.audit.report.risk import risk_json

    options, folder = request.options, context.folder
    within = partial(read, request=request, context=context)
    table, _ = count_table(folder / request.original, within, options)
    check_cells(table.cells, context.max_cells)
    after = None
    if request.protected is not None:
        after, _ = count_table(folder / request.protected, within, options, after=True)
    matrix = None if request.transition is None else transition_matrix(folder / request.transition)
    found = measure(table, options.settings(after, matrix))
    return Result((Document("risk.json", "application/json", risk_json(found).encode()),))


KIND = Kind("risk", RiskOrder, run, check=check)
