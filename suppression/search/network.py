"""Two-way tables: cheapest cycles through each sensitive cell, worst first.

In a two-way table, flat or with levels in one classification, the relations between cells are a network: lines are
nodes, cells are arcs, and a table that differs from the true one is a flow around cycles. A sensitive cell can move as
far as flow can be sent around it through withheld cells. For each sensitive cell in turn, flow is sent along cheapest
paths (Cox 1995; Kelly, Golden and Assad 1992), where a cell costs once, however much is sent through it; in a
flat table the first path nearly always closes a rectangle.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.networks.matrix import network_of
from tableseal.audit.decision.equations import Equations
from tableseal.audit.errors import InputError
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.repair import PROPOSING, repaired
from tableseal.suppression.search.result import Found

FOR_EVER = 2**62
"""Room of a cell without a limit."""


def network(problem: Problem, tools: Tools) -> Found:
    """A safe pattern from cheapest cycles.

    Raises
    ------
    InputError: the relations are no network.
    """
    graph = _graph(problem.equations)
    pattern = problem.primary.copy()
    met = tools.oracle.decide(pattern, tools.limits).protected
    # Insiders may have come in with the answer.
    needs = tools.oracle.requirements
    missed = [need for need, is_met in zip(needs, met.tolist(), strict=True) if not is_met]
    limits = tools.limits.share(PROPOSING)
    for need in sorted(missed, key=lambda q: (-_furthest(problem, q), q.cell, q.attacker.known)):
        if limits.out_of_time():
            break
        _protect(problem, graph, need, pattern)
    return repaired(problem, tools, pattern)


def _furthest(problem: Problem, need: Requirement) -> int:
    down, up = _distances(need, int(problem.equations.value[need.cell]))
    return max(down, up)


def _distances(need: Requirement, value: int) -> tuple[int, int]:
    """How far below and above its value a cell must be able to go; what its width asks besides goes upward."""
    low, high = need.ends(value)
    return value - low, max(high - value, need.width - (value - low))


@dataclass(frozen=True)
class _Graph:
    """Arcs between relations (see audit.bounds.networks.matrix): columns of the equations first, then links.

    tail, head: nodes of each arc; down, up: how far each may move; arcs: for each node (arc, sign, node behind).
    """

    tail: list[int]
    head: list[int]
    down: list[int]
    up: list[int]
    arcs: list[list[tuple[int, int, int]]]


def _graph(equations: Equations) -> _Graph:
    columns = np.arange(equations.matrix.shape[1])
    nothing = csr_array((0, len(columns)), dtype=np.int64)
    found = network_of(equations.component(columns, nothing))
    if found is None:
        raise InputError(
            "The method network works for one table of one or two classifications of which at most one has levels, and "
            "for several tables whose sums form such a network; these do not. Use heuristic, modular or optimal."
        )
    held = equations.matrix @ equations.value
    value = np.concatenate([equations.value, held[equations.lower != equations.upper]])
    down = np.where(found.low == NO_LOWER, FOR_EVER, value - found.low)
    up = np.where(found.high == NO_UPPER, FOR_EVER, found.high - value)
    arcs: list[list[tuple[int, int, int]]] = [[] for _ in range(found.root + 1)]
    tail, head = found.tail.tolist(), found.head.tolist()
    for arc, (a, b) in enumerate(zip(tail, head, strict=True)):
        arcs[a].append((arc, 1, b))
        arcs[b].append((arc, -1, a))
    return _Graph(tail, head, down.tolist(), up.tolist(), arcs)


def _protect(problem: Problem, graph: _Graph, need: Requirement, pattern: NDArray[np.bool_]) -> None:
    """Withhold cells until the flows that a requirement asks for exist, as far as they can."""
    down, up = _distances(need, int(problem.equations.value[need.cell]))
    known = set(need.attacker.known)
    if up > graph.up[need.cell]:  # a cell with an upper limit gets its width from below
        down, up = down + up - graph.up[need.cell], graph.up[need.cell]
    for distance, sign in ((down, -1), (up, 1)):
        flow = _Flow(problem, graph, pattern, need.cell, known)
        missing = distance
        while missing > 0:
            sent = flow.send(sign, missing)
            if sent == 0:
                break
            missing -= sent


class _Flow:
    """Flow around one cell: how far each arc has moved so far."""

    def __init__(self, problem: Problem, graph: _Graph, pattern: NDArray[np.bool_], cell: int, known: set[int]) -> None:
        self._graph, self._pattern, self._cell = graph, pattern, cell
        self._moved: dict[int, int] = {}
        self._cost, self._may = problem.cost, problem.may
        self._open = problem.equations.always_open
        self._cells = problem.equations.cells
        self._closed = known | {cell}

    def send(self, sign: int, most: int) -> int:
        """Move the cell by up to `most` in one direction, along one cheapest path; how far it moved."""
        graph = self._graph
        # More through the cell's arc has to come back from its head to its tail; less, the other way round.
        ends = (graph.head[self._cell], graph.tail[self._cell])
        path = self._cheapest(*(ends if sign > 0 else ends[::-1]))
        sent = min([most, *(self._room(arc, s) for arc, s in path)]) if path else 0
        for arc, s in path:
            self._moved[arc] = self._moved.get(arc, 0) + s * sent
            if arc < self._cells and not self._open[arc]:
                self._pattern[arc] = True
        return sent

    def _room(self, arc: int, sign: int) -> int:
        moved = self._moved.get(arc, 0)
        return self._graph.up[arc] - moved if sign > 0 else self._graph.down[arc] + moved

    def _price(self, arc: int) -> int:
        """Cost of letting an arc move; -1: it may not."""
        if arc >= self._cells or self._open[arc] or self._pattern[arc]:
            return 0
        return int(self._cost[arc]) if self._may[arc] else -1

    def _cheapest(self, start: int, goal: int) -> list[tuple[int, int]]:
        """(arc, sign) along a cheapest path (Dijkstra; of equally cheap ones a shortest); empty if there is none."""
        best: dict[int, tuple[int, int]] = {start: (0, 0)}
        came: dict[int, tuple[int, int, int]] = {}
        done: set[int] = set()
        queue = [(0, 0, start)]
        while queue:
            cost, steps, node = heappop(queue)
            if node == goal:
                return list(self._back(came, start, goal))
            if node in done:
                continue
            done.add(node)
            for arc, sign, behind in self._graph.arcs[node]:
                if behind in done or arc in self._closed or self._room(arc, sign) <= 0:
                    continue
                price = self._price(arc)
                if price < 0:
                    continue
                reach = (cost + price, steps + 1)
                if behind not in best or reach < best[behind]:
                    best[behind] = reach
                    came[behind] = (node, arc, sign)
                    heappush(queue, (*reach, behind))
        return []

    @staticmethod
    def _back(came: dict[int, tuple[int, int, int]], start: int, goal: int) -> Iterator[tuple[int, int]]:
        node = goal
        while node != start:
            node, arc, sign = came[node]
            yield arc, sign
