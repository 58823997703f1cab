"""A safe pattern from greedy elimination: first against exact disclosure, then repaired until the oracle passes it.

Elimination sees the whole system of equations at once and takes well under a second for thousands of cells; what it
leaves to do is little where required intervals are short.
"""

from suppression.problem import Problem
from suppression.search.greedy_elimination import greedy_elimination
from suppression.search.method import Tools
from suppression.search.repair import repaired
from suppression.search.result import Found


def elimination(problem: Problem, tools: Tools) -> Found:
    """Greedy elimination, made safe."""
    found = greedy_elimination(problem, tools)
    return found if found.pattern is None else repaired(problem, tools, found.pattern)
