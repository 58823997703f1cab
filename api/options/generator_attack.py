"""Options of `tableseal hypercube attack`."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Le

from tableseal.api.options.option import Option, Options
from tableseal.audit.language import words_of

MEANINGS = words_of(
    {
        "nested": "sets of codes with one code and without it",
        "shifted": "windows of codes, each a code further",
        "areas": "wholes less their parts: sums against totals",
        "trackers": "one unit alone, again and again, and inside a population",
        "averaging": "means of many sums of one count (both attacks of Asghar and Kaafar)",
        "reconstruction": "least squares over many tables",
    }
)
"""Attack -> what it does."""


@dataclass(frozen=True, kw_only=True)
class GeneratorAttackOptions(Options):
    """What is attacked, and how."""

    policy: Annotated[
        str | None, Option("What may be answered (tableseal-generator: 1); needed.", names=("-p", "--policy"))
    ] = None
    secret_file: Annotated[
        str | None, Option("File with the secret that decides how counts change; needed.", metavar="FILE")
    ] = None
    attacks: Annotated[
        tuple[str, ...],
        Option("Only this attack.", metavar="NAME", choices=MEANINGS, names=("--with", "--attacks")),
    ] = ()
    small: Annotated[int, Option("Base cells with a small count that are aimed at.", metavar="N"), Ge(0), Le(1000)] = 6
    others: Annotated[int, Option("Base cells with larger counts that are.", metavar="N"), Ge(0), Le(1000)] = 3
    seed: Annotated[int, Option("Of what attackers draw, and of which base cells.", metavar="N"), Ge(0)] = 1
