"""Tables whose secondary cells are to be found: those of a folder, and a large generated one for the fast search."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cases.benchmarks import folder
from cases.benchmarks.families import FAMILIES, costs, generate
from cases.benchmarks.instance import Instance
from cases.benchmarks.linked import Linked

GENERATED = {"hierL_sparse": ("tableseal_heuristic",)}
"""Family -> the programs that are run on it: the others need hours for 200,000 cells."""


def names(root: Path) -> list[str]:
    """Names of all tables, small ones first, generated ones last."""
    found = [path.parent.name for path in root.glob("*/meta.json")]
    return [*sorted(found, key=lambda name: (folder.size(root, name), name)), *GENERATED]


def load(root: Path, name: str) -> tuple[Instance | Linked, NDArray[np.float64]]:
    """A table of which only the primaries are withheld, and the cost of each cell (float64).

    Raises
    ------
    InputError: see `folder.load`.
    """
    if name not in GENERATED:
        instance = folder.to_protect(root, name)
        return instance, folder.costs(root, instance)
    made = generate(name, FAMILIES[name])
    return replace(made, withheld=made.primary), costs(made.dimensions, made.values)


def is_linked(root: Path, name: str) -> bool:
    """Whether it consists of linked tables."""
    return name not in GENERATED and folder.is_linked(root, name)


def suits(name: str, suppressor: str) -> bool:
    """Whether a program is run on a table."""
    return suppressor in GENERATED.get(name, (suppressor,))
