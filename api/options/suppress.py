"""Options of `tableseal suppress`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, MaxLen, MinLen

from tableseal.api.options.option import Option, Options
from tableseal.api.options.shared import HtmlFile, Jobs, JsonFile, Language, Scheduler, Solver
from tableseal.audit.language import words_of

METHODS: Mapping[str, str] = words_of(
    {
        "optimal": "the cheapest pattern, proved to be so as far as time allows",
        "heuristic": "a cheap pattern, quickly",
        "network": "two-way tables: cheapest cycles of a network",
        "modular": "table after table, again and again until all agree",
        "elimination": "guards against exact values by elimination, then against intervals",
        "greedy-elimination": "guards against exact values only",
        "rank": "takes away as much rank as the cost allows, and protects",
        "rank-pure": "takes away rank only",
    }
)
"""Search methods in words."""

TellStatuses = Annotated[bool, Option("The protected release tells primary from secondary cells.")]
Symbol = Annotated[
    str | None,
    Option(
        "Stands for a withheld value in the CSV files of the protected release (default: as in the files read, or "
        "nothing).",
        metavar="MARK",
    ),
    MinLen(1),
    MaxLen(20),
]
Budget = Annotated[
    str | None,
    Option(
        "What secondary cells may cost with the methods rank and rank-pure (default: as the cheapest safe pattern).",
        metavar="cells=N,cost=C",
    ),
    MaxLen(80),
]
Margins = Annotated[
    bool,
    Option(
        "Margins count in the rank, with the methods rank and rank-pure.",
        off="Leave margins out of the rank, with the methods rank and rank-pure.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class SuppressOptions(Options):
    """What may be said about a search besides the release."""

    method: Annotated[str, Option("Search method.", metavar="NAME", choices=METHODS), MaxLen(40)] = "optimal"
    cost: Annotated[
        Literal["column", "unit", "value", "log", "frequency", "distance"],
        Option(
            "What withholding a cell costs.",
            choices={
                "column": "what the file says, else its value",
                "unit": "1: fewest cells",
                "value": "its value",
                "log": "the logarithm of its value",
                "frequency": "its number of contributors",
                "distance": "more the farther from sensitive cells",
            },
        ),
    ] = "column"
    table_weight: Annotated[tuple[str, ...], Option("Factor for the costs of a table.", metavar="NAME=W")] = ()
    prefer: Annotated[
        tuple[str, ...],
        Option("Cells to withhold rather: ten times cheaper.", metavar="VARIABLE=CODE"),
    ] = ()
    avoid: Annotated[
        tuple[str, ...], Option("Cells to publish rather: ten times dearer.", metavar="VARIABLE=CODE")
    ] = ()
    near_previous: Annotated[
        bool,
        Option(
            "Cells that the earlier period of the release withheld (`previous`) are ten times cheaper.",
            off="Cells that the earlier period of the release withheld cost what others cost.",
        ),
    ] = True
    insiders: Annotated[
        bool,
        Option(
            "Contributors to withheld cells count as attackers.",
            off="Contributors to withheld cells do not count as attackers.",
        ),
    ] = True
    basis: Annotated[
        Literal["any", "integer"] | None,
        Option("Overrides require.basis of the policy: integer needs tables of whole units.", undecided="as it is"),
    ] = None
    time_limit: Annotated[
        float | None,
        Option("Seconds for everything but the audit, which gets as long again at most.", metavar="S"),
        Ge(0),
    ] = None
    solver: Solver = "HiGHS"
    seed: Annotated[int, Option("Seed of methods that draw at random.", metavar="N"), Ge(0)] = 0
    pure: Annotated[bool, Option("With the method rank: patterns need not be safe, and are labelled so.")] = False
    budget: Budget = None
    margins: Margins = True
    explain: Annotated[
        bool | None,
        Option(
            "Find out what needs each secondary cell, whatever it takes, and say how long each step took; or nothing "
            "of it. Otherwise within what is left of the time limit. All files are written before.",
            off="Do not find out what needs each secondary cell.",
            undecided="as far as there is time",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SuppressOutputs(Options):
    """What the command asks besides: files that are read, and what is written where."""

    output: Annotated[
        str | None,
        Option(
            "Protected release to write: .yaml (with a CSV file for each table), .json, .csv (one table), .px, "
            ".jsonstat.json, .sdmx.csv, or - for JSON on standard output. Written only if its audit says safe.",
            metavar="OUT",
            names=("-o", "--output"),
        ),
    ] = None
    confidential: Annotated[
        str | None,
        Option(
            "The protected release with true values, statuses and policy (.yaml or .json), for publications and "
            "batches that are audited together; never for readers. Written only if the audit says safe.",
            metavar="FILE",
        ),
    ] = None
    decisions: Annotated[
        str | None, Option("Cells kept published or accepted as withheld by hand.", metavar="FILE")
    ] = None
    last_period: Annotated[str | None, Option("Stay near the pattern of this release.", metavar="RELEASE")] = None
    best_so_far: Annotated[
        str | None,
        Option(
            "Keep the best audited pattern in FILE (JSON) while the search goes on and if it is interrupted; in the "
            "end the answer, if it is safe.",
            metavar="FILE",
        ),
    ] = None
    tell_statuses: TellStatuses = False
    symbol: Symbol = None
    jobs: Jobs = 1
    scheduler: Scheduler = None
    json: JsonFile = None
    html: HtmlFile = None
    lang: Language = "en"
