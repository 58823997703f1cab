"""`tableseal compare`: several methods of protection side by side."""

from typing import TYPE_CHECKING, Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.given import given_call
from tableseal.api.cli.options import (
    DominanceOption,
    JsonOption,
    PolicyOption,
    PPercentOption,
    ReleaseArgument,
    StatusMapOption,
    ThresholdOption,
    given_rules,
)
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.reading import release_of
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target

if TYPE_CHECKING:
    from tableseal.audit.report.call import Call
    from tableseal.suppression.comparison.compare import Comparison

DEFAULT = "optimal,heuristic,elimination"


def compare_verb(
    context: typer.Context,
    release: ReleaseArgument,
    methods: Annotated[
        str,
        typer.Option(
            "--methods",
            metavar="A,B,C",
            help="Of optimal, heuristic, network, modular, elimination, greedy-elimination, rank, rank-pure and "
            "rounding:BASE.",
        ),
    ] = DEFAULT,
    policy: PolicyOption = None,
    threshold: ThresholdOption = None,
    p_percent: PPercentOption = None,
    dominance: DominanceOption = None,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            metavar="cells=N,cost=C",
            help="What secondary cells may cost with rank and rank-pure (default: as the cheapest safe pattern).",
        ),
    ] = None,
    no_margins: Annotated[
        bool, typer.Option("--no-margins", help="rank and rank-pure: leave margins out of the rank.")
    ] = False,
    trade_off: Annotated[
        int,
        typer.Option("--trade-off", metavar="N", min=0, help="Also the curve of cost, rank and entropy, in N steps."),
    ] = 0,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit", metavar="S", min=0, help="Seconds for the search of each method, and for its audit."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="S", min=0, help="Seed of all that is drawn.")] = 0,
    solver: Annotated[
        str, typer.Option("--solver", metavar="NAME", help="Solver of integer programs, by PuLP's name.")
    ] = "HiGHS",
    status_map: StatusMapOption = None,
    json: JsonOption = None,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE|-", help="Write the comparison as one self-contained page.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Also how long each took.")] = False,
) -> Code:
    """Protect a release in several ways and audit each: cells, cost, intervals, entropy and rank side by side.

    Withheld cells need their true values. Nothing that is written here is for the public.

    Example: tableseal compare release.yaml --methods optimal,modular,rank --html compare.html
    """
    from tableseal.suppression.comparison.compare import compare
    from tableseal.suppression.search.rank import Budget

    check_targets({"--json": json, "--html": html}, inputs=(release, policy))
    limit = None if budget is None else Budget.parse(budget)
    loaded = release_of(
        release, policy=policy, rules=given_rules(threshold, p_percent, dominance), status_map=status_map
    )
    check_targets({"--json": json, "--html": html}, inputs=(release, policy, *loaded.files))
    with Progress() as progress:
        comparison = compare(
            loaded,
            [name.strip() for name in methods.split(",") if name.strip()],
            budget=limit,
            margins=not no_margins,
            curve=trade_off,
            solver=solver,
            seed=seed,
            time_limit=time_limit,
            progress=progress,
        )
    _write(comparison, given_call(context), json=json, html=html, explain=explain)
    return Code.DONE


def _write(comparison: "Comparison", call: "Call", *, json: str | None, html: str | None, explain: bool) -> None:
    """Files first, then the text; the text moves to standard error where standard output is taken."""
    from tableseal.suppression.comparison.document import comparison_json
    from tableseal.suppression.comparison.text import comparison_text

    if json is not None:
        write_target(json, comparison_json(comparison))
    if html is not None:
        from tableseal.suppression.comparison.html import comparison_html

        write_target(html, comparison_html(comparison))
    say(comparison_text(comparison, explain=explain, call=call), error=STREAM in (json, html))
