"""Options of `tableseal publication audit`."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, MaxLen, MinLen

from tableseal.api.options.option import Option, Options
from tableseal.api.options.shared import Bounds


@dataclass(frozen=True, kw_only=True)
class PublicationOptions(Options):
    """What may be said besides the release."""

    publish: Annotated[bool, Option("Publish the release if it is safe beside all that is out already.")] = False
    despite: Annotated[
        str | None,
        Option("Publish it even if it is not safe, for this reason; kept.", metavar="REASON"),
        MinLen(1),
        MaxLen(1000),
    ] = None
    revises: Annotated[
        tuple[str, ...],
        Option(
            "Entry, or table of an entry, whose values the release changes, such as 2:by_size.",
            metavar="ENTRY[:TABLE]",
        ),
    ] = ()
    bounds: Bounds = "integer"
    time_limit: Annotated[float | None, Option("Seconds for each audit.", metavar="S"), Ge(0)] = None
