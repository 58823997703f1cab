"""The search methods by name."""

from collections.abc import Mapping

from tableseal.audit.errors import InputError
from tableseal.suppression.search.elimination import elimination
from tableseal.suppression.search.greedy_elimination import greedy_elimination
from tableseal.suppression.search.heuristic import heuristic
from tableseal.suppression.search.method import Search
from tableseal.suppression.search.modular import modular
from tableseal.suppression.search.network import network
from tableseal.suppression.search.optimal import optimal
from tableseal.suppression.search.rank import Rank

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


def method_named(name: str) -> Search:
    """The method of that name.

    Raises
    ------
    InputError: there is none.
    """
    if name not in METHODS:
        raise InputError(f'There is no method "{name}"; expected one of {", ".join(METHODS)}.')
    return METHODS[name]
