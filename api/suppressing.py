"""One search for secondary cells, however it was asked for: the command line and the service come through here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tableseal.audit.errors import InputError
from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.progress import Progress

if TYPE_CHECKING:
    from tableseal.audit.bounds.component import Limits
    from tableseal.audit.model import Policy, Release
    from tableseal.suppression.answer import Suppression
    from tableseal.suppression.problem.decisions import Decision
    from tableseal.suppression.search.method import Search


class SuppressOptions(BaseModel):
    """What may be said about a search besides the release."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: Annotated[str, Field(max_length=40, description="Search method, such as optimal or heuristic.")] = "optimal"
    cost: Annotated[
        Literal["column", "unit", "value", "log", "frequency", "distance"],
        Field(
            description="column (of the file, else value), unit (fewest cells), value (least value), log, frequency, "
            "or distance (near the sensitive cells)."
        ),
    ] = "column"
    table_weight: Annotated[
        tuple[str, ...], Field(description="NAME=W: factor for the costs of a table. May be repeated.")
    ] = ()
    prefer: Annotated[
        tuple[str, ...], Field(description="VARIABLE=CODE: cells to withhold rather, ten times cheaper.")
    ] = ()
    avoid: Annotated[
        tuple[str, ...], Field(description="VARIABLE=CODE: cells to publish rather, ten times dearer.")
    ] = ()
    insiders: Annotated[bool, Field(description="Contributors to withheld cells count as attackers.")] = True
    basis: Annotated[
        Literal["any", "integer"] | None,
        Field(description="Overrides require.basis of the policy: integer needs tables of whole units."),
    ] = None
    time_limit: Annotated[
        float | None, Field(ge=0, description="Seconds for everything but the audit, which gets as long again at most.")
    ] = None
    explain: Annotated[
        bool | None,
        Field(
            description="Find out what needs each secondary cell: as far as there is time left and not too much hangs "
            "together (nothing said), whatever it takes (true), or not at all (false)."
        ),
    ] = None
    seed: Annotated[int, Field(ge=0, description="Seed of methods that draw at random.")] = 0
    pure: Annotated[bool, Field(description="rank: patterns need not be safe, and are labelled so.")] = False
    budget: Annotated[
        str | None,
        Field(
            max_length=80,
            description="cells=N,cost=C: what secondary cells may cost with rank (default: as the cheapest safe "
            "pattern).",
        ),
    ] = None
    margins: Annotated[bool, Field(description="rank: margins count as released.")] = True


def run_suppression(
    release: "Release",
    options: SuppressOptions,
    *,
    decisions: "Sequence[Decision]" = (),
    last: "Release | None" = None,
    solver: str | None = None,
    keep: "Callable[[Suppression], None] | None" = None,
    progress: Progress | None = None,
    executor: Executor = HERE,
) -> "Suppression":
    """Search as the options say; what needs each cell is another step (see `with_reasons`), so that what was found can
    be written first.

    Raises
    ------
    InputError, LimitError: as `suppression.suppress.suppress`; an unknown method.
    """
    from tableseal.suppression.problem.costs import Costs
    from tableseal.suppression.search.method import DEFAULT_SOLVER
    from tableseal.suppression.suppress import suppress

    method, search = chosen_search(options)
    return suppress(
        release,
        method=method,
        search=search,
        policy=_policy(release, options.basis),
        costs=Costs(options.cost, _weights(options.table_weight), options.prefer, options.avoid),
        insiders=options.insiders,
        decisions=decisions,
        last=last,
        solver=DEFAULT_SOLVER if solver is None else solver,
        seed=options.seed,
        time_limit=options.time_limit,
        keep=keep,
        explain=False,
        progress=progress,
        executor=executor,
    )


def with_reasons(
    result: "Suppression", options: SuppressOptions, without_limit: "Limits | None" = None
) -> "Suppression":
    """The same result with what needs each secondary cell, as far as the options ask for it.

    without_limit: how long to look where the options give no time limit (None: to the end).
    """
    from tableseal.audit.bounds.component import Limits
    from tableseal.suppression.reasons.explaining import explained

    if options.explain is False:
        return result
    if options.explain:
        return explained(result, Limits(), thorough=True)
    return explained(result, without_limit if options.time_limit is None else None)


def chosen_search(options: SuppressOptions) -> "tuple[str, Search]":
    """The method asked for, with its settings, and its name.

    Raises
    ------
    InputError: an unknown method; settings of rank for another one.
    """
    from tableseal.suppression.search.methods import METHODS
    from tableseal.suppression.search.rank import Budget, Rank

    if options.method not in METHODS:
        raise InputError(f"--method {options.method}: there is no such method; methods are {', '.join(METHODS)}.")
    search = METHODS[options.method]
    if isinstance(search, Rank):
        budget = Budget() if options.budget is None else Budget.parse(options.budget)
        pure = search.pure or options.pure
        return "rank-pure" if pure else options.method, Rank(budget, pure, options.margins)
    if options.pure or options.budget is not None or not options.margins:
        raise InputError(f"--method {options.method}: --pure, --budget and --no-margins are for --method rank.")
    return options.method, search


def _policy(release: "Release", basis: Literal["any", "integer"] | None) -> "Policy | None":
    """The policy of the release, with another basis where one is asked for."""
    from tableseal.audit.model import Policy

    if basis is None:
        return release.policy
    found = release.policy or Policy()
    return replace(found, require=replace(found.require, basis=basis))


def _weights(pairs: Sequence[str]) -> Mapping[str, Fraction]:
    """`["t=2"]` -> {"t": 2}."""
    from tableseal.audit.io.numbers import rational

    weights: dict[str, Fraction] = {}
    for pair in pairs:
        name, equals, text = pair.rpartition("=")
        try:
            weight = rational(text)
        except ValueError:
            equals = ""
        if not equals or name in weights:
            raise InputError(f"--table-weight {pair}: expected NAME=WEIGHT, such as t=2, each table once.")
        weights[name] = weight
    return weights
