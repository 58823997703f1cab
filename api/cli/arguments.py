"""Arguments that several verbs share."""

from typing import Annotated

import typer

ReleaseArgument = Annotated[
    str,
    typer.Argument(
        metavar="RELEASE",
        help="Release file (YAML or JSON), a bare CSV file, or - for standard input (files that it names are "
        "then looked up in the current folder).",
    ),
]
