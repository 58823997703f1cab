"""The search methods by name."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.plugins import blaming, load, refusal
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.elimination import elimination
from tableseal.suppression.search.greedy_elimination import greedy_elimination
from tableseal.suppression.search.heuristic import heuristic
from tableseal.suppression.search.method import Search, Tools
from tableseal.suppression.search.modular import modular
from tableseal.suppression.search.network import network
from tableseal.suppression.search.optimal import optimal
from tableseal.suppression.search.rank import Rank
from tableseal.suppression.search.result import Found

METHODS: Mapping[str, Search] = {
    "optimal": optimal,
    "heuristic": heuristic,
    "network": network,
    "modular": modular,
    "elimination": elimination,
    "greedy-elimination": greedy_elimination,
    "rank": Rank(),
    "rank-pure": Rank(pure=True),
}
"""All but greedy-elimination and rank-pure promise patterns that meet every requirement (see Found.guarantee)."""


def always_safe(search: Search) -> bool:
    """Whether a method is known never to return a pattern that misses a requirement (of what packages add, nobody
    knows)."""
    return (isinstance(search, Rank) and not search.pure) or search in _SAFE


_SAFE = [METHODS[name] for name in ("optimal", "heuristic", "network", "modular", "elimination")]

GROUP: Final = "tableseal.search_methods"


def method_named(name: str, option: str = "method", others: Sequence[str] = ()) -> Search:
    """The method of that name: one of ours, or one that an installed package adds. others: what else could have been
    said there, for the message.

    Raises
    ------
    InputError: there is none. PluginError: a package that cannot be loaded.
    """
    if name in METHODS:
        return METHODS[name]
    found: Any = load(GROUP, name, METHODS)
    if found is None:
        text = f"there is no such method; methods are {', '.join([*METHODS, *others])}."
        raise InputError(text, at=OptionName(option, name))

    def added(problem: Problem, tools: Tools) -> Found:
        with blaming(GROUP, name):
            answer = found(problem, tools)
        if not isinstance(answer, Found):
            raise refusal(GROUP, name, "gives no tableseal.suppression.search.result.Found")
        return answer

    return added
