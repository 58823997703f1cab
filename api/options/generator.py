"""Options of `tableseal tables`: what is asked of a hypercube, by whom, and under which policy."""

from dataclasses import dataclass
from typing import Annotated

from tableseal.api.options.option import Option, Options


@dataclass(frozen=True, kw_only=True)
class TableOptions(Options):
    """A request in few words, in place of a file."""

    by: Annotated[
        str | None,
        Option("Variables that span the table, with commas, each alone or with @level.", metavar="VARIABLES"),
    ] = None
    where: Annotated[
        tuple[str, ...], Option("Population: VARIABLE=CODE,..., codes of any level.", metavar="VARIABLE=CODES")
    ] = ()
    areas: Annotated[
        str | None, Option("Variable of places, with or without @level; each area is judged.", metavar="VARIABLE")
    ] = None
    measure: Annotated[str | None, Option("Add up this measure instead of counting.", metavar="NAME")] = None
    mean: Annotated[str | None, Option("Mean of this measure.", metavar="NAME")] = None
    share: Annotated[
        tuple[str, ...],
        Option("Share of units with these codes: VARIABLE=CODE,...", metavar="VARIABLE=CODES"),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class GeneratorOptions(Options):
    """What may be answered, and to whom."""

    policy: Annotated[
        str | None, Option("What may be answered (tableseal-generator: 1); needed.", names=("-p", "--policy"))
    ] = None
    secret_file: Annotated[
        str | None,
        Option("File with the secret that decides how counts change, always the same one; needed.", metavar="FILE"),
    ] = None
    user: Annotated[str, Option("Who asks: answers to one user are remembered.", metavar="NAME")] = "local"
    group: Annotated[
        str | None, Option("The user's group, which may pool its answers (policy: `scope: group`).", metavar="NAME")
    ] = None
