"""Codes and what is below them, as files list them for one classification -> its groupings."""

from collections.abc import Collection, Sequence

from tableseal.audit.model.hierarchy import Edge


def groupings_of(edges: Sequence[Edge]) -> list[list[Edge]]:
    """(parent, child) pairs as groupings: what hangs on one top code is together, and codes that lie below two tops go
    into two groupings. A code with two parents below one top stays as it is, for the loader to name."""
    below: dict[str, list[str]] = {}
    for parent, child in edges:
        if parent is not None:
            below.setdefault(parent, []).append(child)
    children = {child for parent, child in edges if parent is not None}
    found: list[dict[str, str]] = []
    for top in [parent for parent in below if parent not in children] or list(below)[:1]:
        tree = _below(top, below)
        parents = {child: parent for parent, child in tree}
        place = next((g for g in found if all(g.get(c, p) == p for c, p in parents.items())), None)
        if len(parents) < len(tree):  # placed twice below one top
            return [list(edges)]
        if place is None:
            found.append(parents)
        else:
            place.update(parents)
    return [[(parent, child) for child, parent in each.items()] for each in found]


def total_of(edges: Sequence[Edge], codes: Collection[str]) -> str | None:
    """The only top code that all codes without others below them lie below, if there is one."""
    below: dict[str, list[str]] = {}
    for parent, child in edges:
        if parent is not None:
            below.setdefault(parent, []).append(child)
    children = {child for parent, child in edges if parent is not None}
    leaves = {code for code in codes if code not in below}
    tops = [parent for parent in below if parent not in children]
    found = [top for top in tops if leaves <= {child for _, child in _below(top, below)}]
    return found[0] if len(found) == 1 else None


def _below(top: str, below: dict[str, list[str]]) -> list[tuple[str, str]]:
    """All pairs below a code, each once."""
    found: dict[tuple[str, str], None] = {}
    left = [top]
    while left:
        parent = left.pop()
        for child in below.get(parent, ()):
            if (parent, child) not in found:
                found[(parent, child)] = None
                left.append(child)
    return list(found)
