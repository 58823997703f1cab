"""Do the released values add up? Checked per equation, exactly, before anything is solved."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audit.errors import AdditivityError, Imbalance
from audit.linear.causes import causes
from audit.linear.cells import Cells
from audit.linear.integers import NO_LOWER, NO_UPPER, bound_sum
from audit.linear.naming import cell_name, decimal, full_name, interval_words, places_of
from audit.linear.nesting import Nesting
from audit.model import Release

SHOWN = 8
"""Parts of one equation, and equations, that a message lists."""


def check_additivity(
    release: Release,
    cells: Cells,
    known: NDArray[np.int64],
    lower: NDArray[np.int64],
    upper: NDArray[np.int64],
    directions: Sequence[Nesting],
) -> None:
    """Compare every known cell with the known cells it is made of, in every direction.

    Parameters
    ----------
    known: positions in `cells`; lower, upper: what is known of them (sentinels for no bound); directions: which of them
        are parts of which.

    Raises
    ------
    AdditivityError: a sum that its parts cannot give; names equation, expected, found and difference.
    """
    problems: list[Imbalance] = []
    wholes: list[int] = []
    count = 0
    n = len(known)
    for at, direction in enumerate(directions):
        part = np.flatnonzero(direction.whole >= 0)
        whole = direction.whole[part]
        hierarchy = list(release.variables.values())[direction.variable]
        # Leaves covered in this direction: what known parts leave out is a remainder that may be anything.
        sizes = np.diff(hierarchy.members.indptr)[cells.codes[known, direction.variable]]
        covered = np.bincount(whole, sizes[part], n).astype(np.int64)
        low, high = bound_sum(lower[part], whole, n), bound_sum(upper[part], whole, n)
        rest = covered < sizes
        high = np.where(rest, NO_UPPER, high)
        if not release.intruder.nonnegative:
            low = np.where(rest, NO_LOWER, low)
        has_parts = covered > 0
        # Without a lower bound on a part there is none on the sum, and so on: sentinels compare the right way.
        bad = np.flatnonzero(has_parts & ((low > upper) | (high < lower)))
        count += len(bad)
        for w in bad[: max(0, SHOWN - len(problems))].tolist():
            members = part[whole == w]
            wholes.append(int(known[w]))
            problems.append(
                _imbalance(
                    release,
                    cells,
                    known,
                    lower,
                    upper,
                    w,
                    members,
                    (int(low[w]), int(high[w])),
                    rest=bool(rest[w]),
                    otherwise=_adds_up(lower, upper, directions, at, w),
                )
            )
    if problems:
        more = f"\n... and {count - len(problems)} more equations" if count > len(problems) else ""
        text = "Released values do not add up:\n" + "\n".join(_words(problem) for problem in problems) + more
        places = places_of(release, ((int(cells.table[c]), int(cells.row[c])) for c in wholes))
        raise AdditivityError(text, places, tuple(problems))


def _imbalance(
    release: Release,
    cells: Cells,
    known: NDArray[np.int64],
    lower: NDArray[np.int64],
    upper: NDArray[np.int64],
    whole: int,
    parts: NDArray[np.int64],
    expected: tuple[int, int],
    *,
    rest: bool,
    otherwise: bool,
) -> Imbalance:
    unit = list(release.measures.values())[int(cells.measure[known[whole]])].unit
    found = (int(lower[whole]), int(upper[whole]))
    difference = found[0] - expected[1] if expected[1] < found[0] else expected[0] - found[1]
    shown = tuple(
        (cell_name(release, cells, int(known[p])), interval_words(int(lower[p]), int(upper[p]), unit))
        for p in parts[:SHOWN].tolist()
    )
    off = difference if expected[1] < found[0] else -difference
    hint = causes(release, cells, known, lower, upper, whole, parts, off, otherwise=otherwise)
    cell = int(known[whole])
    table, row = release.tables[int(cells.table[cell])], int(cells.row[cell])
    return Imbalance(
        name=full_name(release, cells, cell),
        table=table.name,
        row=None if row < 0 or table.rows is None else int(table.rows[row]),
        cell=tuple(release.cell_codes(cells.codes[cell]).items()),
        expected=interval_words(*expected, unit),
        found=interval_words(*found, unit),
        difference=decimal(difference, unit),
        parts=shown,
        count=len(parts),
        rest=rest,
        hint=hint,
    )


def _adds_up(
    lower: NDArray[np.int64],
    upper: NDArray[np.int64],
    directions: Sequence[Nesting],
    bad: int,
    whole: int,
) -> bool:
    """True if known parts of another grouping of the same variable are all of a sum, and give it."""
    for at, other in enumerate(directions):
        if at != bad and other.variable == directions[bad].variable:
            parts = np.flatnonzero(other.whole == whole)
            if (
                len(parts) > 1
                and sum(lower[parts].tolist()) <= upper[whole]
                and sum(upper[parts].tolist()) >= lower[whole]
            ):
                return True
    return False


def _words(problem: Imbalance) -> str:
    shown = [f"{name} {value}" for name, value in problem.parts]
    if problem.count > len(shown):
        shown.append(f"... ({problem.count} parts)")
    if problem.rest:
        shown.append("further parts that are not released")
    hint = f"; {problem.hint}" if problem.hint else ""
    return (
        f"  {problem.name}: expected {problem.expected} = {' + '.join(shown)}; "
        f"found {problem.found}; difference {problem.difference}{hint}"
    )
