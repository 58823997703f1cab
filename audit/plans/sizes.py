"""How large the tables of a cluster are, as far as its plan alone tells."""

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.io.made_tables import wanted_codes
from tableseal.audit.io.sources import TEXT_FORMATS
from tableseal.audit.linear.base import junction_tree
from tableseal.audit.linear.inclusion import members_of
from tableseal.audit.model import Hierarchy
from tableseal.audit.plans.plan import PlannedTable
from tableseal.audit.plans.read import Plan

_PIECE = 2**24


def codes_of(tables: Iterable[PlannedTable], hierarchy: Hierarchy, name: str) -> NDArray[np.bool_]:
    """bool (codes): those of a variable that some of the tables have; none where no table goes through them."""
    found = np.zeros(len(hierarchy.codes), np.bool_)
    for table in tables:
        for one in table.by:
            if one.variable == name:
                found |= wanted_codes(hierarchy, one.level, table.at).astype(np.bool_)
    return found


def codes_in(tables: Sequence[PlannedTable], variables: Mapping[str, Hierarchy], name: str) -> int:
    """How many codes of a variable the tables have: one where it is fixed, or only added up."""
    return max(1, int(codes_of(tables, variables[name], name).sum()))


def cells_of(tables: Sequence[PlannedTable], variables: Mapping[str, Hierarchy]) -> int | None:
    """Combinations of codes of all measures of tables that are one; None: classifications are not known."""
    names = {one.variable for table in tables for one in table.by}
    if names - variables.keys():
        return None
    return len({table.measure for table in tables}) * prod(codes_in(tables, variables, name) for name in names)


def base_cells_of(tables: Sequence[PlannedTable], variables: Mapping[str, Hierarchy]) -> int | None:
    """Unknowns of the system of some tables, at most: of each measure the finest cross-classifications that its tables
    are sums of (see `audit.linear.base`)."""
    names = sorted({one.variable for table in tables for one in table.by})
    if set(names) - variables.keys():
        return None
    total = 0
    for measure in dict.fromkeys(table.measure for table in tables):
        own = [table for table in tables if table.measure == measure]
        sizes = [_atoms(codes_of(own, variables[name], name), variables[name]) for name in names]
        edges = list(dict.fromkeys(frozenset(names.index(one.variable) for one in table.by) for table in own))
        total += sum(prod(sizes[at] for at in clique) for clique in junction_tree(edges, sizes)[0])
    return total


def _atoms(codes: NDArray[np.bool_], hierarchy: Hierarchy) -> int:
    """How many sets of leaves codes tell apart."""
    members = members_of(hierarchy)[np.flatnonzero(codes)]
    held = members if isinstance(members, np.ndarray) else members.toarray()
    told = np.unique(held.T > 0, axis=0)
    return max(1, int(told.any(axis=1).sum()))


def records_of(plan: Plan) -> int | None:
    """How many records the tables of a plan are made of; None: none, or a file whose lines cannot be counted."""
    said = plan.raw.get("microdata")
    if not said:
        return None
    if said.get("cells"):
        return max(map(len, said["cells"].values()), default=0)
    name = str(said.get("file"))
    path = plan.folder / name
    if PurePath(name).suffix.lower() not in TEXT_FORMATS or not path.is_file():
        return None
    with path.open("rb") as file:
        lines = sum(piece.count(b"\n") for piece in iter(lambda: file.read(_PIECE), b""))
    return max(lines - 1, 0)
