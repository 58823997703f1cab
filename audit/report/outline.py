"""The order in which the codes of a classification are drawn, and how deep each stands."""

from dataclasses import dataclass

from tableseal.audit.model.hierarchy import Hierarchy


@dataclass(frozen=True)
class Outline:
    """rank: place of each code in drawing order, each group followed by its members; depth: 0 for the
    total."""

    rank: tuple[int, ...]
    depth: tuple[int, ...]


def outline_of(hierarchy: Hierarchy) -> Outline:
    """Drawing order by the first grouping; groups that only another grouping has come after all others."""
    children: dict[int, list[int]] = {}
    for code, above in enumerate(hierarchy.parents[0].tolist()):
        children.setdefault(above, []).append(code)
    rank = [0] * len(hierarchy.codes)
    stack = children.get(-1, [])[::-1]
    place = 0
    while stack:
        code = stack.pop()
        rank[code] = place
        place += 1
        stack.extend(reversed(children.get(code, [])))
    groupings = [grouping.tolist() for grouping in hierarchy.parents]
    depth = [max(_depth(parent, code) for parent in groupings) for code in range(len(hierarchy.codes))]
    return Outline(tuple(rank), tuple(depth))


def _depth(parent: list[int], code: int) -> int:
    steps = 0
    while parent[code] >= 0:
        code = parent[code]
        steps += 1
    return steps
