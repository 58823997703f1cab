"""The search methods by name."""

from collections.abc import Mapping

from suppression.search.heuristic import heuristic
from suppression.search.method import Search
from suppression.search.optimal import optimal

METHODS: Mapping[str, Search] = {"optimal": optimal, "heuristic": heuristic}
