"""The kind `risk`: a table, perhaps with its protected version, in; its risk out, as `tableseal risk` gives it."""

from pydantic import BaseModel, ConfigDict

from tableseal.api.jobs.kinds import Context, Kind, Result
from tableseal.api.jobs.releases import StatusMap
from tableseal.api.risk_options import RiskOptions
from tableseal.api.store.job import Document
from tableseal.audit.errors import LimitError


class RiskOrder(BaseModel):
    """Which file is the table, which its protected version, which the matrix of transition probabilities."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    original: str
    protected: str | None = None
    transition: str | None = None
    status_map: StatusMap = ()
    options: RiskOptions = RiskOptions()


def run(request: RiskOrder, context: Context) -> Result:
    """Measure the risk of the table in the folder.

    Raises
    ------
    InputError: files or options that cannot be used. LimitError: too many cells.
    """
    from tableseal.api.cli.reading import count_table_of
    from tableseal.api.risk import measure
    from tableseal.api.risk_options import read_transition
    from tableseal.audit.report.risk import risk_json

    options, folder = request.options, context.folder
    first, _ = count_table_of(
        str(folder / request.original),
        table=options.table,
        all_cells=options.all_cells,
        status_map=request.status_map,
    )
    if first.cells > context.max_cells:
        raise LimitError(f"The table has {first.cells:,} cells; this service takes at most {context.max_cells:,}.")
    second = None
    if request.protected is not None:
        # Sums that protection happens to make are no margins: a matrix with margins would have another shape.
        second, _ = count_table_of(
            str(folder / request.protected),
            table=options.table,
            all_cells=True,
            status_map=request.status_map,
            published=True,
        )
    matrix = None if request.transition is None else read_transition(folder / request.transition)
    report = measure(options.request(first, second, matrix))
    return Result((Document("risk.json", "application/json", risk_json(report).encode()),))


KIND = Kind("risk", RiskOrder, run)
