"""The kind `comparison`: a release in, several ways to protect it side by side out, as `tableseal compare`."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from tableseal.api.jobs.kinds import Context, Kind, Result, Rows
from tableseal.api.jobs.releases import ReleaseRequest, release_in
from tableseal.api.store.job import Document


class CompareOptions(BaseModel):
    """What may be said about a comparison besides the release."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    methods: Annotated[
        str,
        Field(
            description="With commas, of optimal, heuristic, network, modular, elimination, greedy-elimination, rank, "
            "rank-pure and rounding:BASE."
        ),
    ] = "optimal,heuristic,elimination"
    budget: Annotated[
        str | None,
        Field(description="cells=N,cost=C: what secondary cells may cost with rank and rank-pure."),
    ] = None
    no_margins: Annotated[bool, Field(description="rank and rank-pure: leave margins out of the rank.")] = False
    trade_off: Annotated[
        int, Field(ge=0, le=1000, description="Also the curve of cost, rank and entropy, in so many steps.")
    ] = 0
    time_limit: Annotated[
        float | None, Field(ge=0, description="Seconds for the search of each method, and for its audit.")
    ] = None
    seed: Annotated[int, Field(ge=0, description="Seed of all that is drawn.")] = 0


class ComparisonRequest(ReleaseRequest):
    """A comparison."""

    options: CompareOptions = CompareOptions()


def run(request: ComparisonRequest, context: Context) -> Result:
    """Compare ways to protect the release in the folder.

    Raises
    ------
    InputError: files or options that cannot be used. LimitError: too many cells.
    """
    from tableseal.suppression.comparison.compare import compare
    from tableseal.suppression.comparison.document import comparison_json
    from tableseal.suppression.comparison.html import comparison_html
    from tableseal.suppression.search.rank import Budget

    options = request.options
    comparison = compare(
        release_in(request, context),
        [name.strip() for name in options.methods.split(",") if name.strip()],
        budget=None if options.budget is None else Budget.parse(options.budget),
        margins=not options.no_margins,
        curve=options.trade_off,
        seed=options.seed,
        time_limit=options.time_limit,
        progress=context.progress,
    )
    return Result(
        (
            Document("comparison.json", "application/json", comparison_json(comparison).encode()),
            Document("report.html", "text/html; charset=utf-8", comparison_html(comparison).encode()),
        )
    )


KIND = Kind(
    "comparison",
    ComparisonRequest,
    run,
    Rows(
        "methods",
        columns=(
            "method", "status", "guarantee", "remark", "secondary", "cost", "bound", "gap", "most_rank", "value",
            "protection",
        ),
        numbers=frozenset(("secondary", "cost", "bound", "gap", "most_rank")),
    ),
)  # fmt: skip
