"""Options of `tableseal hypercube build`."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Le

from tableseal.api.options.option import Option, Options
from tableseal.audit.hypercube.ranks import MOST_RANKS, RANKS


@dataclass(frozen=True, kw_only=True)
class HypercubeOptions(Options):
    """What a hypercube holds besides units, codes and measures."""

    areas: Annotated[
        tuple[str, ...],
        Option("Variable whose codes are places: tables are judged for each of them.", metavar="VARIABLE"),
    ] = ()
    impossible: Annotated[
        str | None,
        Option(
            "CSV file of combinations of codes that cannot occur (structural zeros): a column for each variable, an "
            "empty entry for any code.",
            metavar="FILE",
        ),
    ] = None
    secret_file: Annotated[
        str | None,
        Option(
            "File with the secret from which the base cells of a table get their keys; those of records are given or "
            "made as `microdata` says.",
            metavar="FILE",
        ),
    ] = None
    modulus: Annotated[
        int | None,
        Option("Keys of records are whole numbers below this (default: decimals below 1).", metavar="N"),
        Ge(2),
        Le(10**12),
    ] = None
    largest: Annotated[
        int,
        Option(
            "Largest contributions to each measure that are kept of each cell, for rules on sums (dominance, p%).",
            metavar="N",
        ),
        Ge(1),
        Le(MOST_RANKS),
    ] = RANKS
    missing_keys: Annotated[
        bool, Option("Records may lack a key: they are counted and change no cell key; else they are refused.")
    ] = False
    table: Annotated[
        str | None, Option("Table of counts that the hypercube is made of, where there are several.", metavar="NAME")
    ] = None
