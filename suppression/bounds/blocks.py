"""The parts of a table of which each says by itself what a safe pattern needs: sub-tables.

What is left out of a block are relations. Whoever has to move has to move in those that are left, too, so what a block
needs every safe pattern has.
"""

import numpy as np
from numpy.typing import NDArray

from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.sub_tables import sub_tables

Ints = NDArray[np.int64]

Block = tuple[Ints, Ints]
"""(its cells; short relations that hold no others)"""


def blocks(problem: Problem) -> list[Block]:
    """The blocks of a table, from the top down; each has two relations or more."""
    return [(part.cells, part.rows) for part in sub_tables(problem) if len(part.rows) > 1]
