"""Records in messages."""

import numpy as np
from numpy.typing import NDArray

_NAMED = 3


def rows_named(rows: NDArray[np.integer], one: str, several: str) -> str:
    """`2 records have no code (rows 3, 7)`: how many there are, and the first of them (rows from 0)."""
    shown = ", ".join(str(row + 1) for row in rows[:_NAMED].tolist()) + (", ..." if len(rows) > _NAMED else "")
    if len(rows) == 1:
        return f"1 record {one} (row {shown})"
    return f"{len(rows):,} records {several} (rows {shown})"
