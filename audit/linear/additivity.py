"""Do the released values add up? Checked per equation, exactly, before anything is solved."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import AdditivityError, Imbalance
from tableseal.audit.linear.causes import causes
from tableseal.audit.linear.cells import Stated
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, bound_sum
from tableseal.audit.linear.naming import cell_name, decimal, full_name, interval_words, places_of
from tableseal.audit.linear.nesting import Nesting
from tableseal.audit.linear.zeros import told, zeros_of
from tableseal.audit.said import Said

SHOWN = 8
"""Parts of one equation, and equations, that a message lists."""


WITHHELD = "(withheld)"
"""Stands for a value that no message may tell."""


def check_additivity(stated: Stated, directions: Sequence[Nesting], *, hidden: NDArray[np.bool_] | None = None) -> None:
    """Compare every known cell with the known cells it is made of, in every direction.

    Parameters
    ----------
    directions: which of the known cells are parts of which. hidden: bool (cells), values that no message may tell, nor
        what they differ by.

    Raises
    ------
    AdditivityError: a sum that its parts cannot give; names equation, expected, found and difference.
    """
    problems: list[Imbalance] = []
    wholes: list[int] = []
    count = 0
    for found in disagreements(stated, directions):
        count += len(found.wholes)
        for w in found.wholes[: max(0, SHOWN - len(problems))].tolist():
            wholes.append(int(stated.known[w]))
            otherwise = _adds_up(stated, directions, found.direction, w)
            problems.append(_imbalance(stated, found, w, otherwise=otherwise, hidden=hidden))
    if problems:
        more = f"\n... and {count - len(problems)} more equations" if count > len(problems) else ""
        text = Said("Released values do not add up:\n", Said.joined("\n", map(_words, problems)), more)
        places = places_of(stated.release, stated.cells, wholes)
        raise AdditivityError(text, places=places, imbalances=tuple(problems))


@dataclass(frozen=True)
class Disagreements:
    """Sums that their parts cannot give, in one direction; positions are those among the known cells.

    direction: position of the direction. wholes: the sums. parts, whole: parts of all sums, and the sum of each. low,
    high: per known cell what its parts give; rest: parts of it are not known.
    """

    direction: int
    wholes: NDArray[np.int64]
    parts: NDArray[np.int64]
    whole: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    rest: NDArray[np.bool_]


def disagreements(stated: Stated, directions: Sequence[Nesting]) -> Iterator[Disagreements]:
    """The directions in which sums and parts disagree; parameters as for `check_additivity`."""
    release, lower, upper, n = stated.release, stated.lower, stated.upper, len(stated.known)
    for at, direction in enumerate(directions):
        part = np.flatnonzero(direction.whole >= 0)
        whole = direction.whole[part]
        hierarchy = list(release.variables.values())[direction.variable]
        # Leaves covered in this direction: what known parts leave out is a remainder that may be anything.
        sizes = np.diff(hierarchy.members.indptr)[stated.cells.codes[stated.known, direction.variable]]
        covered = np.bincount(whole, sizes[part], n).astype(np.int64)
        low, high = bound_sum(lower[part], whole, n), bound_sum(upper[part], whole, n)
        rest = covered < sizes
        high = np.where(rest, NO_UPPER, high)
        if not release.intruder.nonnegative:
            low = np.where(rest, NO_LOWER, low)
        has_parts = covered > 0
        # Without a lower bound on a part there is none on the sum, and so on: sentinels compare the right way.
        bad = np.flatnonzero(has_parts & ((low > upper) | (high < lower)))
        if len(bad):
            yield Disagreements(at, bad, part, whole, low, high, rest)


def _imbalance(
    stated: Stated, disagreeing: Disagreements, whole: int, *, otherwise: bool, hidden: NDArray[np.bool_] | None
) -> Imbalance:
    release, cells, known = stated.release, stated.cells, stated.known
    parts = disagreeing.parts[disagreeing.whole == whole]
    expected = int(disagreeing.low[whole]), int(disagreeing.high[whole])
    unit = stated.measure(whole).unit
    found = (int(stated.lower[whole]), int(stated.upper[whole]))
    difference = found[0] - expected[1] if expected[1] < found[0] else expected[0] - found[1]
    secret = np.zeros(len(known), np.bool_) if hidden is None else hidden[known]

    def said(p: int) -> str:
        return WITHHELD if secret[p] else interval_words(int(stated.lower[p]), int(stated.upper[p]), unit)

    spelled, _ = told(parts.tolist(), zeros_of(cells, known[parts]).tolist())
    shown = tuple((cell_name(release, cells, int(known[p])), said(p)) for p in spelled[:SHOWN])
    unsaid = bool(secret[parts].any())
    off = difference if expected[1] < found[0] else -difference
    hint = "" if unsaid else causes(stated, whole, parts, off, otherwise=otherwise)
    cell = int(known[whole])
    table, row = release.tables[int(cells.table[cell])], int(cells.row[cell])
    return Imbalance(
        name=full_name(release, cells, cell),
        table=table.name,
        row=None if row < 0 or table.rows is None else int(table.rows[row]),
        cell=tuple(release.cell_codes(cells.codes[cell]).items()),
        expected=WITHHELD if unsaid else interval_words(*expected, unit),
        found=said(whole),
        difference=WITHHELD if unsaid or secret[whole] else decimal(difference, unit),
        parts=shown,
        count=len(parts),
        rest=bool(disagreeing.rest[whole]),
        hint=hint,
    )


def _adds_up(stated: Stated, directions: Sequence[Nesting], bad: int, whole: int) -> bool:
    """True if known parts of another grouping of the same variable are all of a sum, and give it."""
    for at, other in enumerate(directions):
        if at != bad and other.variable == directions[bad].variable:
            parts = np.flatnonzero(other.whole == whole)
            least, most = sum(stated.lower[parts].tolist()), sum(stated.upper[parts].tolist())
            if len(parts) > 1 and least <= stated.upper[whole] and most >= stated.lower[whole]:
                return True
    return False


def _words(problem: Imbalance) -> str:
    shown = [f"{name} {value}" for name, value in problem.parts]
    if problem.count > len(shown):
        shown.append(f"... ({problem.count} parts)")
    if problem.rest:
        shown.append("further parts that are not released")
    text = f"  {problem.name}: expected {problem.expected} = {' + '.join(shown)}; "
    text += f"found {problem.found}; difference {problem.difference}"
    return Said(text, "; ", problem.hint) if problem.hint else text
