"""Do the released values add up? Checked per equation, exactly, before anything is solved."""

import numpy as np
from numpy.typing import NDArray

from audit.errors import AdditivityError
from audit.linear.cells import Cells
from audit.linear.integers import NO_LOWER, NO_UPPER, bound_sum
from audit.linear.naming import cell_name, decimal, full_name, interval_words, places_of
from audit.linear.nesting import CellCodes, nestings
from audit.model import Release

SHOWN = 8
"""Parts of one equation, and equations, that a message lists."""


def check_additivity(
    release: Release,
    cells: Cells,
    known: NDArray[np.int64],
    lower: NDArray[np.int64],
    upper: NDArray[np.int64],
) -> None:
    """Compare every known cell with the known cells it is made of, in every direction.

    Parameters
    ----------
    known: positions in `cells`; lower, upper: what is known of them (sentinels for no bound).

    Raises
    ------
    AdditivityError: a sum that its parts cannot give; names equation, expected, found and difference.
    """
    problems: list[str] = []
    wholes: list[int] = []
    count = 0
    n = len(known)
    for direction in nestings(release, CellCodes(cells.measure[known], cells.codes[known])):
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
                _problem(
                    release,
                    cells,
                    known,
                    lower,
                    upper,
                    w,
                    members,
                    (int(low[w]), int(high[w])),
                    bool(rest[w]),
                )
            )
    if problems:
        more = f"\n... and {count - len(problems)} more equations" if count > len(problems) else ""
        places = places_of(release, ((int(cells.table[c]), int(cells.row[c])) for c in wholes))
        raise AdditivityError("Released values do not add up:\n" + "\n".join(problems) + more, places)


def _problem(
    release: Release,
    cells: Cells,
    known: NDArray[np.int64],
    lower: NDArray[np.int64],
    upper: NDArray[np.int64],
    whole: int,
    parts: NDArray[np.int64],
    expected: tuple[int, int],
    rest: bool,
) -> str:
    unit = list(release.measures.values())[int(cells.measure[known[whole]])].unit
    found = (int(lower[whole]), int(upper[whole]))
    difference = found[0] - expected[1] if expected[1] < found[0] else expected[0] - found[1]
    shown = [
        f"{cell_name(release, cells, int(known[p]))} {interval_words(int(lower[p]), int(upper[p]), unit)}"
        for p in parts[:SHOWN].tolist()
    ]
    if len(parts) > SHOWN:
        shown.append(f"... ({len(parts)} parts)")
    if rest:
        shown.append("further parts that are not released")
    hint = ""
    zeros = cells.row[known[parts]][(lower[parts] == 0) & (upper[parts] == 0)]
    if expected[1] < found[0] and (zeros >= 0).any():
        hint = "; if a 0 stands for a suppressed value, mark it as withheld"
    elif expected[1] < found[0] and len(zeros):
        hint = "; combinations without a row were taken as zero (absent: leaves)"
    return (
        f"  {full_name(release, cells, int(known[whole]))}: expected {interval_words(*expected, unit)} "
        f"= {' + '.join(shown)}; found {interval_words(*found, unit)}; difference {decimal(difference, unit)}{hint}"
    )
