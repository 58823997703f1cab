"""Options that several verbs share."""

from enum import StrEnum
from typing import Annotated

import typer


class Bounds(StrEnum):
    """How sharply intervals are computed."""

    SHUTTLE = "shuttle"
    LP = "lp"
    INTEGER = "integer"


ReleaseArgument = Annotated[
    str,
    typer.Argument(
        metavar="RELEASE",
        help="Release file (YAML or JSON), a bare CSV file, or - for standard input (files that it names are "
        "then looked up in the current folder).",
    ),
]

JsonOption = Annotated[
    str | None,
    typer.Option(
        "--json",
        metavar="FILE|-",
        help="Write the machine-readable result; - puts it, and nothing else, on standard output.",
    ),
]

StatusMapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--status-map",
        metavar="LETTER=STATUS",
        help="What a status letter of the files means, such as c=withheld. May be repeated.",
    ),
]

PolicyOption = Annotated[
    str | None,
    typer.Option("--policy", metavar="FILE", help="Policy file to use instead of the policy of the release."),
]
