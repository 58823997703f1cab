"""One table drawn from the feasible tables of a component."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.measures.feasible_tables.sample import LARGEST, space_of
from tableseal.audit.measures.feasible_tables.start import starting_tables
from tableseal.audit.measures.feasible_tables.walk import arrived
from tableseal.audit.solvers.protocol import Solver

SWEEPS = 1_000
"""Of the walk; where it stands then is taken."""


def drawn_table(component: Component, seed: int, solver: Solver, limits: Limits) -> NDArray[np.int64] | None:
    """A table (columns): where the walk of `walk.py`, which leaves the uniform distribution as it is and reaches every
    table, has arrived after `SWEEPS` sweeps; None if the component or its moves are too large, there is no table,
    or time runs out.

    component: column bounds finite.
    """
    if component.matrix.shape[1] > LARGEST:
        return None
    start = starting_tables(component, 1, solver, seed, limits)
    if start is None:
        return None
    try:
        space, coordinates = space_of(component)
    except OverflowError:
        return None
    found = arrived(space, start @ coordinates.T, SWEEPS, np.random.default_rng(seed), limits)
    return None if found is None else found[0]
