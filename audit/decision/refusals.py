"""True values with which no pattern can be looked for, refused in words."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.decision.equations import Equations, stored
from tableseal.audit.errors import InputError
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.naming import cell_name, place_of, places_of, plural
from tableseal.audit.model import Release, Status


def refuse_unknown(release: Release, cells: Cells, known: NDArray[np.bool_]) -> None:
    """Name a withheld cell without a true value. known: bool (cells), those with one.

    Raises
    ------
    InputError: there is one.
    """
    lacking = np.flatnonzero((cells.status >= Status.SECONDARY) & ~known)
    if len(lacking):
        unused = any(note.code == "impossible_value_beside_withheld" for note in release.notes)
        why = " (one that is negative counts only with `intruder: {nonnegative: false}`)" if unused else ""
        raise InputError(
            "withheld; without its true value it cannot be found out which cells have to be withheld with it "
            f"({plural(len(lacking), 'such cell')}); add a truth column{why}",
            at=place_of(release, cells, int(lacking[0])),
        )


def contradicting(release: Release, cells: Cells, equations: Equations, columns: NDArray[np.int64]) -> InputError:
    """What to say where nothing fits for columns (int64) whose values nobody has given."""
    rows = np.unique(equations.by_column[columns].indices)
    near = np.unique(equations.matrix[rows].indices)
    listed = [c for c in near.tolist() if c < len(cells)]
    return InputError(
        "true values contradict each other, or what everybody knows of sums that no table shows "
        f"({plural(len(listed), 'cell')}); audit the release to see where",
        at=place_of(release, cells, listed[0]),
        places=places_of(release, cells, listed),
    )


def refuse_unequal(release: Release, cells: Cells, equations: Equations) -> None:
    """Name the cells of a relation that true values do not keep; they may be confidential and are not shown.

    Raises
    ------
    InputError: there is one.
    """
    broken = equations.broken
    if not len(broken):
        return
    shortest = broken[np.argmin(np.diff(equations.matrix.indptr)[broken])]
    _, columns, factors = stored(equations.matrix, np.array([shortest]))
    if int((factors > 0).sum()) == 1:
        factors = -factors
    sides = [columns[factors < 0].tolist(), columns[factors > 0].tolist()]
    listed = [c for c in columns.tolist() if c < len(cells)]
    several = len(np.unique(cells.measure[listed])) > 1
    words = [[_named(release, cells, c, measure=several) for c in side] for side in sides]
    others = plural(len(broken) - 1, "further equation fails", "further equations fail")
    more = f" ({others}, too)" if len(broken) > 1 else ""
    if equations.lower[shortest] == equations.upper[shortest] == 0:
        equation = " = ".join(" + ".join(side) or "0" for side in words)
    else:
        equation = f"a link of {', '.join([*words[0], *words[1]])}"
    raise InputError(
        f"true values do not add up, with those of withheld cells: {equation}{more}; mend them, or the unit to which "
        "they are rounded",
        at=place_of(release, cells, listed[0]),
        places=places_of(release, cells, listed),
    )


def _named(release: Release, cells: Cells, cell: int, *, measure: bool) -> str:
    """A column in words; measure: with the name of its measure."""
    if cell >= len(cells):
        return "(a sum that no table shows)"
    name = cell_name(release, cells, cell)
    return f"{list(release.measures)[int(cells.measure[cell])]} {name}" if measure else name
