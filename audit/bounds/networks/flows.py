"""Networks: every end is a maximum flow in the residual graph of one table that changes from end to end.

Each flow pushed leaves another table, whose values serve all targets; the minimum cut left behind proves the end
(Ford, Fulkerson 1956). All in whole numbers.
"""

from collections.abc import Mapping
from dataclasses import replace
from sys import modules

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.certify import Rational, refutes, satisfies, sparse
from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.kernels.flow import Residual, push
from tableseal.audit.bounds.knowledge import NOTHING, Knowledge
from tableseal.audit.bounds.networks.matrix import Ints, Network
from tableseal.audit.compiling import Runner, loaded
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError

COMPILE = 3000
"""Arcs from which the compiled kernel is worth loading (2,540: 0.20 s as it stands; 0.05 s and 0.25 s to load)."""

WORTH_LOADING = 1000
"""The same where numba is imported already."""

WORTH_ARRAYS = 100
"""Arcs from which the compiled kernel is quicker once it is loaded."""

FLOW = 2**60
"""Bounds and supplies that add up to less keep every flow within 64 bits."""


DRIFT = 2**60
"""Flow pushed in all after which arcs without bounds start again from where they began."""

BATCH = 8
"""Ends that are worth a table of their own, made from nothing, instead of a push each."""


class Flows:
    """Maximum flows: closes both ends of every target that is an arc of the component's network."""

    name = "flows"
    quick = True

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        """Both ends of each target; nothing for components that are no network or whose values are too large."""
        network = known.network
        if network is None or _magnitude(network) >= FLOW:
            return
        graph = _Graph(network)
        if graph.fill({}) > 0:
            cut = _multipliers(network, graph.sink_side())
            if refutes(component, cut):
                raise InfeasibleError
            return
        ends = _Ends(component, network, graph, known, limits)
        ends.mark_unlimited()
        ends.close_together()
        ends.close_one_by_one()
        ends.settle()


class _Graph:
    """The residual graph of a flow that is changed in place. Small ones live in lists, for plain Python.

    Two more nodes give and take what nodes lack; all their arcs are closed but while a table is filled.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        nodes, self.arcs = network.root + 1, len(network.tail)
        own = np.arange(nodes)
        tail = np.concatenate([network.tail, np.full(nodes, nodes), own, [nodes + 1]])
        head = np.concatenate([network.head, own, np.full(nodes, nodes + 1), [nodes]])
        closed = np.zeros(len(tail) - self.arcs, np.int64)
        source = np.concatenate([tail, head])
        order = np.argsort(source, kind="stable")
        few = WORTH_ARRAYS if push in loaded else WORTH_LOADING if "numba" in modules else COMPILE
        self._run = run = Runner(self.arcs >= few)
        self._moved = 0
        residual = Residual(
            tail,
            head,
            np.searchsorted(source[order], np.arange(nodes + 3)),
            np.concatenate([head, tail])[order],
            np.concatenate([np.arange(len(tail))] * 2)[order],
            np.repeat([True, False], len(tail))[order],
            np.concatenate([network.low, closed]),
            np.concatenate([network.high, closed]),
            np.zeros(len(tail), np.int64),
            np.full(len(tail), NO_UPPER),
            np.full(len(tail), NO_LOWER),
            np.zeros(1, np.int64),
            *(np.zeros(nodes + 3, np.int64) for _ in range(8)),
        )
        self._residual = residual = run.arrays(residual)
        self.x, self.least, self.most = residual.x, residual.least, residual.most

    def push(self, arc: int, raises: bool, need: int) -> int:
        """Raise or lower the flow on an arc by up to `need`; returns by how much."""
        if self._moved >= DRIFT:  # arcs without bounds may have drifted
            self.fill({})
        pushed = int(self._run(push, self._residual, arc, raises, need))
        self._moved += pushed
        return pushed

    def fill(self, wanted: Mapping[int, int]) -> int:
        """A table made from nothing, with as many arcs at their wanted values as possible; returns what is missing.

        What the nodes lack is one maximum flow through the two extra nodes, at first with the wanted values held.
        """
        network, arcs = self._network, self.arcs
        flow = np.clip(0, network.low, network.high)
        at, to = np.array(list(wanted), dtype=np.int64), np.array(list(wanted.values()), dtype=np.int64)
        flow[at] = to
        nodes = network.root + 1
        lacking = np.zeros(nodes, np.int64)
        lacking[: network.root] = network.supply
        np.subtract.at(lacking, network.tail, flow)
        np.add.at(lacking, network.head, flow)
        lacking[network.root] = -lacking[: network.root].sum()
        gives, takes = np.maximum(lacking, 0), np.maximum(-lacking, 0)
        missing = int(gives.sum())
        run, low, high, own = self._run, self._residual.low, self._residual.high, list(wanted)
        unseen = run.full(len(self.x), 0)
        filling = self._residual._replace(least=unseen, most=unseen)
        self.x[:] = run.array(np.concatenate([flow, np.zeros(2 * nodes + 1, np.int64)]))
        high[arcs:] = run.array(np.concatenate([gives, takes, [missing]]))
        bounds = [(low[a], high[a]) for a in own]
        for a in own:
            low[a] = high[a] = wanted[a]
        back = len(self.x) - 1
        missing -= int(run(push, filling, back, True, missing))
        for a, (least, most) in zip(own, bounds, strict=True):
            low[a], high[a] = least, most
        if missing and own:
            missing -= int(run(push, filling, back, True, missing))
        self._moved = 0
        self.x[arcs:] = run.full(2 * nodes + 1, 0)
        high[arcs:] = self.x[arcs:]
        if missing == 0:
            self.least[:] = run.array(np.minimum(self.least, self.x))
            self.most[:] = run.array(np.maximum(self.most, self.x))
        return missing

    def flow(self) -> Ints:
        """The flow on every arc of the network."""
        return np.array(self.x[: self.arcs], dtype=np.int64)

    def sink_side(self) -> NDArray[np.bool_]:
        """After a push that fell short: the nodes from which its sink can be reached, a minimum cut."""
        mark = np.asarray(self._residual.mark)[: self._network.root + 1]
        result: NDArray[np.bool_] = mark == self._residual.stamp[0]
        return result


def _magnitude(network: Network) -> float:
    """Sum of all finite bounds and supplies."""
    bounds = np.concatenate([network.low, network.high])
    finite = np.abs(bounds[np.abs(bounds) < NO_UPPER].astype(np.float64))
    return float(finite.sum() + np.abs(network.supply.astype(np.float64)).sum())


def _multipliers(network: Network, sink_side: NDArray[np.bool_]) -> Rational:
    """The cut as multipliers of the component's rows: -1 on the sink's side, moved so that the root has 0."""
    potential = sink_side[network.root].astype(np.int64) - sink_side[: network.root].astype(np.int64)
    return Rational(network.multiplier @ potential, 1)


class _Ends:
    """The open ends of one component while they are closed."""

    def __init__(self, component: Component, network: Network, graph: _Graph, known: Knowledge, limits: Limits) -> None:
        self._component, self._network, self._graph = component, network, graph
        self._known, self._limits = known, limits
        self._columns, self._half = component.matrix.shape[1], known.targets
        self._arc = np.tile(network.target, 2).tolist()
        self._proved, self._enough = known.proved.tolist(), known.enough.tolist()
        # Maxima first, the widest first: what they push against brings most others to their minimum.
        widest = self._half + np.argsort(known.proved[self._half :], kind="stable")
        self._order = np.concatenate([widest, np.arange(self._half)]).tolist()
        self._see()

    def _see(self) -> bool:
        """Make the table in hand known; False if it does not fit, and shows nothing."""
        flow = self._graph.flow()[: self._columns]
        fits = satisfies(self._component, Rational(flow, 1))
        if fits:
            self._known.witness(flow)
        return fits

    def mark_unlimited(self) -> None:
        """Ends that go on for ever: a cycle through the arc along which nothing has a bound (the direction)."""
        network, known = self._network, self._known
        no_low, no_high = network.low == NO_LOWER, network.high == NO_UPPER
        if not (no_low | no_high).any():
            return
        endless = replace(
            network,
            low=np.where(no_low, -FLOW, 0),
            high=np.where(no_high, FLOW, 0),
            supply=np.zeros_like(network.supply),
        )
        graph = _Graph(endless)
        still = graph.x.copy()
        for raises, missing, ends in ((False, no_low, 0), (True, no_high, self._half)):
            for k in np.flatnonzero((network.target >= 0) & missing[network.target]).tolist():
                if graph.push(self._arc[k], raises, 1):
                    known.unlimited[ends + k] = True
                    graph.x[:] = still  # what was pushed could be taken back, which is no direction

    def _goal(self, k: int) -> int | None:
        """Value that minimum k is to be brought to, None if it is closed or cannot be: in decision mode no further
        than asked."""
        arc, proved, enough = self._arc[k], self._proved[k], self._enough[k]
        if arc < 0 or self._known.unlimited[k] or proved > enough != NO_LOWER:
            return None
        goal = max(proved, enough)
        reached = -self._graph.most[arc] if k >= self._half else self._graph.least[arc]
        return None if reached <= goal else goal

    def close_together(self) -> None:
        """Tables made from nothing for ends whose arcs share no node: each brings many of them to what is proved.

        Ends are dealt out to tables as in greedy edge colouring.
        """
        root, used = self._network.root, [0] * (self._network.root + 1)
        tail, head = self._network.tail.tolist(), self._network.head.tolist()
        tables: list[list[int]] = []
        for k in self._order:
            if self._goal(k) in (None, NO_LOWER):
                continue
            a, b = tail[self._arc[k]], head[self._arc[k]]
            taken = used[a] | used[b]
            free = ~taken & (taken + 1)
            number = free.bit_length() - 1
            for node in (a, b):
                if node != root:
                    used[node] |= free
            if number == len(tables):
                tables.append([])
            tables[number].append(k)
        for table in tables:
            if self._limits.out_of_time():
                return
            wanted = {}
            for k in table:
                goal = self._goal(k)
                if goal is not None:
                    wanted[self._arc[k]] = -goal if k >= self._half else goal
            if len(wanted) >= BATCH:
                self._graph.fill(wanted)
                if self._known.keep:
                    self._see()

    def close_one_by_one(self) -> None:
        """Push every end that is still open to what is proved, or to its minimum cut."""
        graph, known = self._graph, self._known
        for k in self._order:
            goal = self._goal(k)
            if goal is None:
                continue
            if self._limits.out_of_time():
                return
            arc, raises = self._arc[k], k >= self._half
            at = int(-graph.x[arc] if raises else graph.x[arc])
            need = min(at - goal, FLOW)
            pushed = graph.push(arc, raises, need)
            if known.keep:
                self._see()
            if pushed < need:
                proof = sparse(_multipliers(self._network, graph.sink_side())) if known.keep else None
                known.prove(k, at - pushed, proof)

    def settle(self) -> None:
        """Write down what the tables reached; linear programming gives the same ends."""
        if not self._see():
            return
        known, graph = self._known, self._graph
        arcs = np.flatnonzero(self._network.target >= 0)
        at = self._network.target[arcs]
        if not known.keep:
            reached = np.full(2 * self._half, NOTHING)
            reached[arcs] = np.array(graph.least, dtype=np.int64)[at]
            reached[self._half + arcs] = -np.array(graph.most, dtype=np.int64)[at]
            known.attain(reached)
        ends = np.concatenate([arcs, self._half + arcs])
        ends = ends[known.proved[ends] == known.attained[ends]]
        known.lp.know(ends, known.attained[ends])
