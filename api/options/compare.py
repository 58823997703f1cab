"""Options of `tableseal compare`."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Le

from tableseal.api.options.option import Option, Options
from tableseal.api.options.shared import HtmlFile, Jobs, JsonFile, Language, Scheduler, Solver
from tableseal.api.options.suppress import METHODS, Budget, Margins


@dataclass(frozen=True, kw_only=True)
class CompareOptions(Options):
    """What may be said about a comparison besides the release."""

    methods: Annotated[
        str,
        Option(
            f"With commas between them, of {', '.join(METHODS)}; and of protect, with settings: rounding:BASE, "
            "controlled-rounding:BASE, cell-key:range=D,variance=V (with | between values: each of them).",
            metavar="A,B,C",
        ),
    ] = "optimal,heuristic,elimination"
    budget: Budget = None
    margins: Margins = True
    trade_off: Annotated[
        int, Option("Also the curve of cost, rank and entropy, in N steps.", metavar="N"), Ge(0), Le(1000)
    ] = 0
    time_limit: Annotated[
        float | None, Option("Seconds for the search of each method, and for its audit.", metavar="S"), Ge(0)
    ] = None
    seed: Annotated[int, Option("Seed of all that is drawn.", metavar="S"), Ge(0)] = 0
    solver: Solver = "HiGHS"


@dataclass(frozen=True, kw_only=True)
class CompareOutputs(Options):
    """What the command asks besides."""

    jobs: Jobs = 1
    scheduler: Scheduler = None
    json: JsonFile = None
    html: HtmlFile = None
    lang: Language = "en"
    explain: Annotated[bool, Option("Also how long each took.")] = False
