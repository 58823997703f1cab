"""Options of `tableseal tabulate`."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Le

from tableseal.api.options.option import Option, Options


@dataclass(frozen=True, kw_only=True)
class TabulateOptions(Options):
    """What tables of microdata list besides values."""

    largest: Annotated[
        int | None,
        Option(
            "Largest contributions of each cell that are listed (default: as many as rules and contributors who attack "
            "look at, two at least).",
            metavar="N",
        ),
        Ge(0),
        Le(20),
    ] = None
