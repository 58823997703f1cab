"""Options of `tableseal audit`."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge

from tableseal.api.options.option import Option, Options
from tableseal.api.options.shared import Bounds, HtmlFile, Jobs, JsonFile, Language, MemoryLimit, Public


@dataclass(frozen=True, kw_only=True)
class AuditOptions(Options):
    """What may be said about an audit besides the release."""

    bounds: Bounds = "integer"
    withhold_primaries: Annotated[
        bool, Option("Audit the what-if that exactly the cells that the rules call sensitive are withheld.")
    ] = False
    cumulative: Annotated[bool, Option("Also give each cell's risk as one table after another is released.")] = False
    entropy: Annotated[
        Literal["values", "tables"],
        Option(
            "Entropy.",
            choices={
                "values": "over a cell's values, where counting is quick",
                "tables": "over all tables that fit, for every cell, by sampling where there are too many to count",
            },
        ),
    ] = "values"
    samples: Annotated[int, Option("Tables sampled for the entropy over tables.", metavar="N"), Ge(64)] = 4096
    seed: Annotated[int, Option("Seed of the tables that are sampled.", metavar="S"), Ge(0)] = 0
    time_limit: Annotated[
        float | None, Option("Seconds after which open cells stay undecided.", metavar="S"), Ge(0)
    ] = None
    proof: Annotated[bool, Option("Also write a proof that `tableseal verify` checks.", command=False)] = False


@dataclass(frozen=True, kw_only=True)
class AuditOutputs(Options):
    """What the command asks besides: how the work is done, and what is written where."""

    memory_limit: MemoryLimit = None
    jobs: Jobs = 1
    state: Annotated[
        str | None,
        Option("Keep what is found in FILE (confidential); run again, it goes on from there.", metavar="FILE"),
    ] = None
    json: JsonFile = None
    html: HtmlFile = None
    lang: Language = "en"
    public: Public = False
    proof: Annotated[
        str | None, Option("Write a proof that `tableseal verify` checks (confidential).", metavar="FILE")
    ] = None
    risk: Annotated[bool, Option("Also say the measures of risk side by side (always in JSON and page).")] = False
    explain: Annotated[bool, Option("Say which method was used for what, and how long it took.")] = False
