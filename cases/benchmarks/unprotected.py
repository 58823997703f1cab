"""Tables whose secondary cells are to be found: those of a folder, a large generated one for the fast search, and
tables drawn for each seed of a family (`surveys`)."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cases.benchmarks import folder
from cases.benchmarks.families import FAMILIES, costs, generate
from cases.benchmarks.instance import Instance
from cases.benchmarks.linked import Linked, tables_of
from cases.benchmarks.surveys import ALL, SEEDS, SURVEYS, draw

GENERATED = {"hierL_sparse": ("tableseal_heuristic",)}
"""Family -> the programs that are run on it: the others need hours for 200,000 cells."""


def names(root: Path) -> list[str]:
    """Names of all tables, small ones first, generated ones last."""
    found = [path.parent.name for path in root.glob("*/meta.json")]
    own = [f"{family}/{seed}" for family in SURVEYS for seed in SEEDS]
    return [*sorted(found, key=lambda name: (folder.size(root, name), name)), *GENERATED, *own]


def load(root: Path, name: str) -> tuple[Instance | Linked, NDArray[np.float64]]:
    """A table of which only the primaries are withheld, and the cost of each cell (float64).

    Raises
    ------
    InputError: see `folder.load`.
    """
    if drawn_anew(name):
        drawn = draw(name)
        return drawn.instance, drawn.cost
    if name not in GENERATED:
        instance = folder.to_protect(root, name)
        return instance, folder.costs(root, instance)
    made = generate(name, FAMILIES[name])
    return replace(made, withheld=made.primary), costs(made.dimensions, made.values)


def contributions(root: Path, instance: Instance | Linked) -> list[dict[str, NDArray[np.float64]]]:
    """Of each table what is known of contributors: `freq`, `x1`, `x2` (see `folder`), nothing of tables of counts."""
    if drawn_anew(instance.name):
        return [draw(instance.name).given]
    return [
        {name: folder.column(root, table, name) for name in ("freq", "x1", "x2")} if table.magnitudes else {}
        for table in tables_of(instance)
    ]


def drawn_anew(name: str) -> bool:
    """Whether a table is one of a family's seeds."""
    family, _, seed = name.partition("/")
    return family in ALL and seed.isdecimal()


def is_linked(root: Path, name: str) -> bool:
    """Whether it consists of linked tables."""
    return name not in GENERATED and not drawn_anew(name) and folder.is_linked(root, name)


def suits(name: str, suppressor: str) -> bool:
    """Whether a program is run on a table."""
    return suppressor in GENERATED.get(name, (suppressor,))
