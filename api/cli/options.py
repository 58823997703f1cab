"""Options that several verbs share."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tableseal.api.given_rules import GivenRules


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

ThresholdOption = Annotated[
    str | None,
    typer.Option(
        "--threshold",
        metavar="N",
        help="Rule: fewer than N contributors (counts: a value below N) are sensitive. Instead of a policy.",
    ),
]

PPercentOption = Annotated[
    str | None,
    typer.Option("--p-percent", metavar="P", help="Rule for magnitudes: p%, with P in percent. Instead of a policy."),
]

DominanceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--dominance",
        metavar="N,K",
        help="Rule for magnitudes: the N largest contributions exceed K percent. May be repeated. Instead of a policy.",
    ),
]


def given_rules(threshold: str | None, p_percent: str | None, dominance: list[str] | None) -> "GivenRules":
    """The rules that these options are."""
    from tableseal.api.given_rules import GivenRules

    return GivenRules(threshold=threshold, p_percent=p_percent, dominance=tuple(dominance or ()))
