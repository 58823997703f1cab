"""Base cells by the codes of the release: what a prior speaks of."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.errors import InputError
from tableseal.audit.linear.base import Base
from tableseal.audit.model import Hierarchy, Release


@dataclass(frozen=True)
class Part:
    """One atom of a variable: the leaf codes in it, and what it is called (a code, or leaf codes joined by +)."""

    leaves: tuple[str, ...]
    name: str


@dataclass(frozen=True)
class BaseCell:
    """A base cell: its measure, and its part of each variable of the release."""

    measure: str
    parts: Mapping[str, Part]

    @property
    def codes(self) -> dict[str, str]:
        """Variable -> code."""
        return {variable: part.name for variable, part in self.parts.items()}

    def leaves(self) -> Iterator[tuple[str, ...]]:
        """Every combination of leaf codes in it, in the order of the variables."""
        return product(*(part.leaves for part in self.parts.values()))


def base_cells(release: Release, base: Base) -> tuple[BaseCell, ...]:
    """The base cells, column by column of the system.

    Raises
    ------
    InputError: variables that no table crosses, so that there is no one table whose cells a prior could weigh.
    """
    if base.separators:
        cliques = {tuple(list(release.variables)[v] for v in table.variables) for table in base.tables}
        raise InputError(
            "prior: no table crosses all variables ("
            + "; ".join(", ".join(c) for c in sorted(cliques))
            + "), so there "
            "is no one table whose cells a prior could weigh."
        )
    hierarchies, measures = release.variables, list(release.measures)
    found: list[BaseCell] = []
    for table in base.tables:
        block = base.blocks[table.block]
        parts: list[list[Part]] = []
        for v, hierarchy in enumerate(hierarchies.values()):
            # All that tells leaves apart, also what is used in other parts of the population alone.
            own = [b.atoms[v] for b in base.blocks if b.measure == block.measure]
            used = np.flatnonzero(np.any([np.diff(atoms.indptr) > 0 for atoms in own], axis=0))
            atoms = _parts(hierarchy, block.atoms[v], used)
            parts.append(atoms if v in table.variables else [_whole(hierarchy, atoms)])
        found += [
            BaseCell(measures[block.measure], dict(zip(hierarchies, each, strict=True))) for each in product(*parts)
        ]
    return tuple(found)


def _whole(hierarchy: Hierarchy, parts: list[Part]) -> Part:
    """All of a variable that a base table does not cross."""
    leaves = tuple(leaf for part in parts for leaf in part.leaves)
    return parts[0] if len(parts) == 1 else Part(leaves, hierarchy.total or "+".join(leaves))


def _parts(hierarchy: Hierarchy, atoms: csr_array, used: NDArray[np.int64]) -> list[Part]:
    """The atoms of a variable. atoms: (codes x atoms); used: codes that tell leaves apart."""
    of_leaf = hierarchy.members[used].toarray().astype(np.bool_)  # used codes x leaves
    of_atom = atoms[used].toarray().astype(np.bool_)
    leaf_codes = [hierarchy.codes[leaf] for leaf in hierarchy.leaves.tolist()]
    members: dict[bytes, list[str]] = {}
    for at, code in enumerate(leaf_codes):
        members.setdefault(of_leaf[:, at].tobytes(), []).append(code)
    covers = {hierarchy.codes[code]: of_atom[k] for k, code in enumerate(used.tolist())}
    parts = []
    for at in range(of_atom.shape[1]):
        leaves = tuple(members[of_atom[:, at].tobytes()])
        alone = [code for code, row in covers.items() if row[at] and row.sum() == 1]
        parts.append(Part(leaves, leaves[0] if len(leaves) == 1 else alone[-1] if alone else "+".join(leaves)))
    return parts
