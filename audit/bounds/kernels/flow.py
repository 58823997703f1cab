"""Pushing flow around one arc of a network: Dinic's method (1970) in the residual graph of a table."""

from typing import NamedTuple

from tableseal.audit.compiling import Cells, kernel


class Residual(NamedTuple):
    """A flow and its residual graph, changed in place.

    Attributes
    ----------
    tail, head: nodes of each arc.
    start, node, arc, forward: half-arcs by node: start[v]:start[v+1] are the half-arcs of node v, each with the node
    at its other end, its arc and whether it leaves along the arc.
    low, high: bounds of each arc; x: its flow. A difference of any two must fit.
    least, most: smallest and largest flow seen on each arc.
    stamp: one number, the largest in `mark` and `seen`. After a push that fell short the nodes with this mark are the
    ones from which its sink can be reached, the sink's side of a minimum cut.
    mark, seen, level, depth_of, current, behind, ahead, path: room to work in (nodes, path one more).
    """

    tail: Cells
    head: Cells
    start: Cells
    node: Cells
    arc: Cells
    forward: Cells
    low: Cells
    high: Cells
    x: Cells
    least: Cells
    most: Cells
    stamp: Cells
    mark: Cells
    seen: Cells
    level: Cells
    depth_of: Cells
    current: Cells
    behind: Cells
    ahead: Cells
    path: Cells


@kernel
def push(graph: Residual, around: int, raises: bool, need: int) -> int:
    """Push up to `need` units from one end of an arc to the other without it, and as much back through it: it rises if
    `raises` and falls otherwise. How much was pushed."""
    start, node, arc, forward, low, high = graph.start, graph.node, graph.arc, graph.forward, graph.low, graph.high
    x, least, most, mark, seen, level = graph.x, graph.least, graph.most, graph.mark, graph.seen, graph.level
    depth_of, current, behind, ahead, path = graph.depth_of, graph.current, graph.behind, graph.ahead, graph.path
    source, sink = graph.tail[around], graph.head[around]
    if raises:
        source, sink = sink, source
    if source == sink:
        x[around] += need if raises else -need
        most[around], least[around] = max(most[around], x[around]), min(least[around], x[around])
        return need
    stamp = graph.stamp[0]
    pushed = 0
    while pushed < need:
        # Distances to the sink, searched level by level from the end whose next level has fewer half-arcs.
        stamp += 1
        behind[0] = sink
        mark[sink] = stamp
        level[sink] = 0
        read, filled, work = 0, 1, start[sink + 1] - start[sink]
        ahead[0] = source
        seen[source] = stamp
        depth_of[source] = 0
        ahead_read, ahead_filled, ahead_work = 0, 1, start[source + 1] - start[source]
        far, near, met = 0, 0, False
        while not met and read < filled and ahead_read < ahead_filled:
            if work <= ahead_work:
                far += 1
                until, work = filled, 0
                while read < until:
                    w = behind[read]
                    read += 1
                    for t in range(start[w], start[w + 1]):
                        v = node[t]
                        if mark[v] == stamp:
                            continue
                        c = arc[t]
                        # From v to w flow runs against this half-arc: it takes back what left w, or adds what enters.
                        if c == around or (x[c] <= low[c] if forward[t] else x[c] >= high[c]):
                            continue
                        mark[v] = stamp
                        level[v] = far
                        behind[filled] = v
                        filled += 1
                        work += start[v + 1] - start[v]
                        if seen[v] == stamp:
                            met = True
            else:
                near += 1
                until, ahead_work = ahead_filled, 0
                while ahead_read < until:
                    v = ahead[ahead_read]
                    ahead_read += 1
                    for t in range(start[v], start[v + 1]):
                        w = node[t]
                        if seen[w] == stamp:
                            continue
                        c = arc[t]
                        if c == around or (x[c] >= high[c] if forward[t] else x[c] <= low[c]):
                            continue
                        seen[w] = stamp
                        depth_of[w] = near
                        ahead[ahead_filled] = w
                        ahead_filled += 1
                        ahead_work += start[w + 1] - start[w]
                        if mark[w] == stamp:
                            met = True
        if not met:
            if read < filled:  # the source's side is complete: the sink's is the rest
                for v in range(len(mark)):
                    mark[v] = stamp if seen[v] != stamp else stamp - 1
            break
        for q in range(ahead_filled):
            v = ahead[q]
            if mark[v] != stamp:
                mark[v] = stamp
                level[v] = far + near - depth_of[v]
            current[v] = start[v]
        for q in range(filled):
            current[behind[q]] = start[behind[q]]
        # Blocking flow along shortest paths.
        depth = 0
        v = source
        while True:
            if v == sink:
                amount = need - pushed
                for q in range(depth):
                    t = path[q]
                    c = arc[t]
                    room = high[c] - x[c] if forward[t] else x[c] - low[c]
                    amount = min(amount, room)
                back = depth
                for q in range(depth - 1, -1, -1):
                    t = path[q]
                    c = arc[t]
                    if forward[t]:
                        x[c] += amount
                        most[c] = max(most[c], x[c])
                        if x[c] >= high[c]:
                            back = q
                    else:
                        x[c] -= amount
                        least[c] = min(least[c], x[c])
                        if x[c] <= low[c]:
                            back = q
                pushed += amount
                if raises:
                    x[around] += amount
                    most[around] = max(most[around], x[around])
                else:
                    x[around] -= amount
                    least[around] = min(least[around], x[around])
                if pushed >= need:
                    break
                depth = back  # the node that the first full half-arc leaves
                v = source if depth == 0 else node[path[depth - 1]]
                continue
            advanced = False
            while current[v] < start[v + 1]:
                t = current[v]
                w = node[t]
                c = arc[t]
                if (
                    mark[w] == stamp
                    and level[w] == level[v] - 1
                    and c != around
                    and (x[c] < high[c] if forward[t] else x[c] > low[c])
                ):
                    advanced = True
                    break
                current[v] += 1
            if advanced:
                path[depth] = current[v]
                depth += 1
                v = node[current[v]]
            else:
                if depth == 0:
                    break
                depth -= 1
                v = source if depth == 0 else node[path[depth - 1]]
                current[v] += 1
    graph.stamp[0] = stamp
    return pushed
