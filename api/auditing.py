"""One audit, however it was asked for: the command line and the service come through here."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.progress import Progress

if TYPE_CHECKING:
    from tableseal.audit.execution.state import State
    from tableseal.audit.measures.feasible_tables import Belief
    from tableseal.audit.model import Release
    from tableseal.audit.pipeline import AuditResult


class AuditOptions(BaseModel):
    """What may be said about an audit besides the release."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bounds: Annotated[
        Literal["shuttle", "lp", "integer"],
        Field(description="How sharp: shuttle (quick, wide), lp (linear programming), integer (whole units)."),
    ] = "integer"
    withhold_primaries: Annotated[
        bool, Field(description="Audit the what-if that exactly the cells that the rules call sensitive are withheld.")
    ] = False
    cumulative: Annotated[
        bool, Field(description="Also give each cell's risk as one table after another is released.")
    ] = False
    entropy: Annotated[
        Literal["values", "tables"],
        Field(description="tables: entropy over all tables that fit, for every cell; values: where counting is quick."),
    ] = "values"
    samples: Annotated[int, Field(ge=64, description="Tables sampled for `entropy=tables`.")] = 4096
    seed: Annotated[int, Field(ge=0, description="Seed of the random numbers of `entropy=tables`.")] = 0
    time_limit: Annotated[
        float | None,
        Field(ge=0, description="Seconds after which open cells stay undecided."),
    ] = None
    proof: Annotated[bool, Field(description="Also write a proof that `tableseal verify` checks.")] = False


def run_audit(
    release: "Release",
    options: AuditOptions,
    *,
    progress: Progress | None = None,
    executor: Executor = HERE,
    state: "State | None" = None,
    prior: "Belief | None" = None,
) -> "AuditResult":
    """Audit a release as the options say.

    prior: of the tables, for entropies over them, which are then computed of every cell.

    Raises
    ------
    InputError, LimitError: as `audit.pipeline.audit`.
    """
    # The server describes and passes on options without loading an engine.
    from tableseal.audit.measures.feasible_tables import QUICK, THOROUGH
    from tableseal.audit.pipeline import audit

    effort = QUICK
    if options.entropy == "tables" or prior is not None:
        effort = replace(THOROUGH, samples=options.samples, seed=options.seed)
    return audit(
        release,
        bounds=options.bounds,
        withhold_primaries=options.withhold_primaries,
        cumulative=options.cumulative,
        entropy=effort,
        prior=prior,
        time_limit=options.time_limit,
        prove=options.proof,
        progress=progress,
        executor=executor,
        state=state,
    )
