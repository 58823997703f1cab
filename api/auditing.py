"""One audit, however it was asked for: the command line and the service come through here."""

from dataclasses import replace
from typing import TYPE_CHECKING

from tableseal.api.options.audit import AuditOptions
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.progress import Progress

if TYPE_CHECKING:
    from tableseal.audit.execution.state import State
    from tableseal.audit.measures.feasible_tables import Belief
    from tableseal.audit.model import Release
    from tableseal.audit.pipeline import AuditResult


def refuse_public_proof(*, public: bool, proof: bool) -> None:
    """InputError if a proof is asked for beside a public report."""
    if public and proof:
        proofs, text = OptionName("proof"), "a proof is confidential and has no public form; leave out "
        raise InputError(text, proofs, " or ", OptionName("public"), ".", at=proofs)


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
