"""Options that several verbs have."""

from typing import Annotated, Literal

from annotated_types import Ge, MaxLen

from tableseal.api.options.option import Option

Bounds = Annotated[
    Literal["shuttle", "lp", "integer"],
    Option("How sharp.", choices={"shuttle": "quick, wide", "lp": "linear programming", "integer": "whole units"}),
]
Solver = Annotated[str, Option("Solver of integer programs, by PuLP's name.", metavar="NAME"), MaxLen(40)]
AllCells = Annotated[bool, Option("The last row or column of a matrix is no margin although it is a sum.")]

JsonFile = Annotated[
    str | None,
    Option("Write the machine-readable result; - puts it, and nothing else, on standard output.", metavar="FILE|-"),
]
Language = Annotated[Literal["en", "fr"], Option("Language of text and page; JSON is the same in all.")]
HtmlFile = Annotated[str | None, Option("Write the result as one self-contained page.", metavar="FILE|-")]
Html = Annotated[bool, Option("Write reports as pages, too.")]
Public = Annotated[bool, Option("Leave out of every output what only the agency may know.")]

Jobs = Annotated[int, Option("Worker processes.", metavar="N"), Ge(1)]
Scheduler = Annotated[str | None, Option("Work on a Dask cluster, such as tcp://host:8786.", metavar="URL")]
MemoryLimit = Annotated[int | None, Option("Megabytes that each process may use.", metavar="MB"), Ge(1)]
