"""One search for secondary cells, or one comparison of ways to protect, however it was asked for: the command line and
the service come through here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from tableseal.api.options.compare import CompareOptions
from tableseal.api.options.suppress import SuppressOptions
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.progress import Progress

if TYPE_CHECKING:
    from tableseal.audit.model import Policy, Release
    from tableseal.suppression.answer import Suppression
    from tableseal.suppression.comparison.compare import Comparison
    from tableseal.suppression.problem.decisions import Decision
    from tableseal.suppression.search.method import Search


def run_suppression(
    release: "Release",
    options: SuppressOptions,
    *,
    decisions: "Sequence[Decision]" = (),
    last: "Release | None" = None,
    keep: "Callable[[Suppression], None] | None" = None,
    progress: Progress | None = None,
    executor: Executor = HERE,
) -> "Suppression":
    """Search as the options say; what no pattern costs less than and what needs each cell are further steps (see
    `with_reasons`), so that what was found can be written first.

    Raises
    ------
    InputError, LimitError: as `suppression.suppress.suppress`; an unknown method; a whole table whose risk is above the
        policy's limit, which withholding does not lower.
    """
    from tableseal.audit.model import Policy
    from tableseal.suppression.problem.costs import Costs
    from tableseal.suppression.problem.refusals import refuse_table_risk
    from tableseal.suppression.suppress import suppress

    refuse_table_risk(release, release.policy or Policy())
    method, search = chosen_search(options)
    return suppress(
        release,
        method=method,
        search=search,
        policy=_policy(release, options.basis),
        costs=Costs(options.cost, _weights(options.table_weight), options.prefer, options.avoid, options.near_previous),
        insiders=options.insiders,
        decisions=decisions,
        last=last,
        solver=options.solver,
        seed=options.seed,
        time_limit=options.time_limit,
        keep=keep,
        explain=False,
        progress=progress,
        executor=executor,
    )


def check_search(options: SuppressOptions) -> None:
    """Refuse options of a search that no release could make good.

    Raises
    ------
    InputError: as `chosen_search`; weights of tables that are none.
    """
    chosen_search(options)
    _weights(options.table_weight)


def with_reasons(result: "Suppression", options: SuppressOptions, *, executor: Executor = HERE) -> "Suppression":
    """The same result with what no safe pattern costs less than, as far as there is time left, and with what needs each
    secondary cell, as far as the options ask for it."""
    from tableseal.audit.bounds.component import Limits
    from tableseal.suppression.bounds.bounding import bounded
    from tableseal.suppression.reasons.explaining import explained

    result = bounded(result, executor=executor)
    if options.explain is False:
        return result
    return explained(result, Limits(), thorough=True) if options.explain else explained(result)


def chosen_search(options: SuppressOptions) -> "tuple[str, Search]":
    """The method asked for, with its settings, and its name.

    Raises
    ------
    InputError: an unknown method; settings of rank for another one.
    """
    from tableseal.suppression.search.methods import method_named
    from tableseal.suppression.search.rank import Budget, Rank

    search = method_named(options.method)
    if isinstance(search, Rank):
        budget = Budget() if options.budget is None else Budget.parse(options.budget)
        pure = search.pure or options.pure
        return "rank-pure" if pure else options.method, Rank(budget, pure, options.margins)
    if options.pure or options.budget is not None or not options.margins:
        one, another, third, rank = *map(OptionName, ("pure", "budget", "no_margins")), OptionName("method", "rank")
        text = (one, ", ", another, " and ", third, " are for ", rank, ".")
        raise InputError(*text, at=OptionName("method", options.method))
    return options.method, search


def check_comparison(options: CompareOptions) -> None:
    """Refuse options of a comparison that no release could make good.

    Raises
    ------
    InputError: no method, one that is not known or named twice, settings or a budget that are none.
    """
    from tableseal.suppression.comparison.naming import named_methods, names_in
    from tableseal.suppression.search.rank import Budget

    budget = Budget() if options.budget is None else Budget.parse(options.budget)
    named_methods(names_in(options.methods), None, budget, options.margins)


def run_comparison(
    release: "Release", options: CompareOptions, *, progress: Progress | None = None, executor: Executor = HERE
) -> "Comparison":
    """Compare as the options say.

    Raises
    ------
    InputError, LimitError: as `suppression.comparison.compare.compare`.
    """
    from tableseal.suppression.comparison.compare import compare
    from tableseal.suppression.comparison.naming import names_in
    from tableseal.suppression.search.rank import Budget

    return compare(
        release,
        names_in(options.methods),
        budget=None if options.budget is None else Budget.parse(options.budget),
        margins=options.margins,
        curve=options.trade_off,
        solver=options.solver,
        seed=options.seed,
        time_limit=options.time_limit,
        progress=progress,
        executor=executor,
    )


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
            expected = "NAME=WEIGHT, such as t=2, each table once"
            raise InputError(expected=expected, at=OptionName("table_weight", pair))
        weights[name] = weight
    return weights
