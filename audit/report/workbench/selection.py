"""Cells filtered, sorted and cut into pages."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.language import words_of
from tableseal.audit.report.workbench.cells import KINDS, Mark
from tableseal.audit.report.workbench.opened import Workbench

PAGE = 100
"""Cells on one page."""

SHOWN: Mapping[str, str] = words_of(
    {
        "open": "all that the report lists",
        "findings": "exposed or underprotected",
        "exposed": "exposed",
        "secondary": "secondary, exposed",
        "underprotected": "underprotected",
        "undecided": "undecided",
        "protected": "protected",
        "not_judged": "not judged",
        "insider": "an insider gets too close",
        "beyond_help": "beyond help",
        "steps": "known step by step",
        "implied": "that no row lists",
        "published": "published",
        "every": "every cell",
    }
)
"""Which cells are shown: word -> what it is called."""

SORTS: Mapping[str, str] = words_of(
    {
        "worst": "worst first",
        "cell": "by code",
        "values": "by number of values",
        "risk": "by risk",
        "low": "by smallest value",
    }
)
"""Order of cells: word -> what it is called."""

_MARKED = {"insider": Mark.INSIDER, "beyond_help": Mark.BEYOND_HELP, "steps": Mark.STEPS, "implied": Mark.IMPLIED}


@dataclass(frozen=True)
class Query:
    """Which cells, in which order, which page of them.

    table: of this table only. codes: classification -> code that it stands at. words: all of them are somewhere in the
    codes of the cell. page: from 1.
    """

    show: str = "open"
    table: str = ""
    codes: Mapping[str, str] = field(default_factory=dict)
    words: str = ""
    sort: str = "worst"
    descending: bool = False
    page: int = 1


@dataclass(frozen=True)
class Selection:
    """A page of cells. found: how many there are on all `pages`."""

    cells: NDArray[np.int64]
    found: int
    page: int
    pages: int


def selected(bench: Workbench, query: Query) -> Selection:
    """The page that a query asks for. Ties keep the order of the report, and behind it that of the tables.

    Raises
    ------
    InputError: words, names, codes or a page that there are none of.
    """
    found = np.flatnonzero(_wanted(bench, query))
    pages = max(1, -(-len(found) // PAGE))
    if not 1 <= query.page <= pages:
        raise InputError(f"page: there are {pages} pages; {query.page} was asked for.")
    ordered = found[_order(bench, query, found)]
    return Selection(ordered[(query.page - 1) * PAGE : query.page * PAGE], len(found), query.page, pages)


def counts(bench: Workbench) -> dict[str, int]:
    """How many cells each word of `SHOWN` shows, but for other filters."""
    marks = bench.column("marks")
    marked = {word: int((marks & mark > 0).sum()) for word, mark in _MARKED.items()}
    kinds = bench.counts
    findings = kinds["exposed"] + kinds["underprotected"]
    return {**kinds, **marked, "open": bench.listed, "findings": findings, "every": bench.cells}


def _wanted(bench: Workbench, query: Query) -> NDArray[np.bool_]:
    kept = _shown(bench, query.show)
    if query.table:
        own = np.zeros(bench.cells, np.bool_)
        own[bench.members(bench.table(query.table))] = True
        kept &= own
    for name, code in query.codes.items():
        variable = bench.variable(name)
        kept &= bench.column("codes")[:, variable] == bench.variables[variable].position(code)
    for word in query.words.casefold().split():
        kept &= _has_word(bench, word)
    return kept


def _shown(bench: Workbench, show: str) -> NDArray[np.bool_]:
    if show not in SHOWN:
        raise InputError(f'show: "{show[:50]}" is none of {", ".join(SHOWN)}.')
    kind, marks = bench.column("kind"), bench.column("marks")
    if show == "every":
        return np.ones(bench.cells, np.bool_)
    if show in _MARKED:
        return marks & _MARKED[show] > 0
    if show == "open":
        return np.arange(bench.cells) < bench.listed
    wanted = ("exposed", "underprotected") if show == "findings" else (show,)
    return np.isin(kind, [KINDS.index(word) for word in wanted])


def _has_word(bench: Workbench, word: str) -> NDArray[np.bool_]:
    found = np.zeros(bench.cells, np.bool_)
    codes = bench.column("codes")
    for v, variable in enumerate(bench.variables):
        has = np.array([word in f"{variable.name}={code}".casefold() for code in variable.codes] + [False])  # for -1
        found |= has[codes[:, v]]
    return found


def _order(bench: Workbench, query: Query, found: NDArray[np.int64]) -> NDArray[np.int64]:
    """The order of what was found. Cells that are not in the report have no risk: they come last either way."""
    if query.sort not in SORTS:
        raise InputError(f'sort: "{query.sort[:50]}" is none of {", ".join(SORTS)}.')
    sign = -1 if query.descending else 1
    if query.sort == "cell":
        codes = bench.column("codes")[found]
        ranks = [_ranks(variable.rank)[codes[:, v]] * sign for v, variable in enumerate(bench.variables)]
        return np.lexsort((found, bench.column("measure")[found] * sign, *reversed(ranks)))
    key = bench.column(query.sort)
    known = found < len(key)
    by = np.full(len(found), np.inf)
    by[known] = key[found[known]] * sign
    return np.lexsort((found, by, ~known))


def _ranks(rank: NDArray[np.int32]) -> NDArray[np.int64]:
    """Ranks of codes, with one behind all others for -1."""
    return np.append(rank, len(rank)).astype(np.int64)
