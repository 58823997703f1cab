"""What the agency says of contributors, held against the values and against itself: a rule is as good as its data."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.naming import place_of
from tableseal.audit.linear.nesting import CellCodes, nestings
from tableseal.audit.model import FACTS_DIFFER, Note, Release
from tableseal.audit.rules.exact import combine
from tableseal.audit.rules.facts import Facts

_WEIGHTS = "if values are weighted, name the column of the sums of weights (`weighted`)"


def check_contributors(release: Release, cells: Cells) -> tuple[Note, ...]:
    """Refuse contributions that the values contradict, and note numbers of contributors that are doubtful.

    With microdata, or with sums of weights, columns and values need not agree in this way.

    Raises
    ------
    InputError: names a cell, what cannot be true of it and what to write; no value is told.
    """
    facts = Facts(release, cells)
    for bad, text in _contradictions(facts):
        found = np.flatnonzero(bad & facts.concerned)
        if len(found):
            more = f" ({len(found) - 1} more such cells)" if len(found) > 1 else ""
            first = int(found[0])
            raise InputError(f"{facts.place(first)}: {text}{more}.", places=[place_of(release, cells, first)])
    fewer, wrong = int(_fewer_units(facts).sum()), int(_unlike_parts(facts).sum())
    found_out = (
        (
            fewer,
            "counts have fewer units than contributors (`frequency`): weights are below 1, or it is another column",
        ),
        (wrong, "numbers of contributors (`frequency`) are more than in all parts together, or fewer than in one"),
    )
    return tuple(Note(FACTS_DIFFER, f"{number} {text}.", number) for number, text in found_out if number)


def _fewer_units(facts: Facts) -> NDArray[np.bool_]:
    """bool (cells): counts below their number of contributors; only sums of weights, which are not given, may be."""
    cells = facts.cells
    told = cells.truth.known & ~cells.weighted.known & cells.frequency.known
    if facts.release.microdata is not None:
        return np.zeros(len(cells), np.bool_)
    return told & facts.counts & (cells.frequency.units > cells.truth.units)


def _contradictions(facts: Facts) -> Iterator[tuple[NDArray[np.bool_], str]]:
    """bool (cells), what is wrong with them."""
    cells, release = facts.cells, facts.release
    if release.microdata is not None:
        return
    told = cells.truth.known & ~cells.weighted.known
    number, value = cells.frequency, cells.truth.units
    if not cells.contributors or not release.intruder.nonnegative:
        return
    given = np.sum([column.known for column in cells.contributors], axis=0)
    listed = combine(*((1, np.where(column.known, column.units, 0)) for column in cells.contributors))
    excess = combine((1, listed), (-1, value))
    told &= facts.magnitudes
    # Each contribution is rounded away from 0, and the value to the nearest multiple.
    yield (
        told & (given > 0) & (excess > given).astype(np.bool_),
        f"the largest contributions are more than the value; they must have its unit; {_WEIGHTS}",
    )
    everyone = number.known & (number.units > 0) & (number.units <= given)
    yield (
        told & everyone & (abs(excess) > given).astype(np.bool_),
        f"the contributions of all its contributors (`frequency`) do not add up to the value; they must have its unit; "
        f"{_WEIGHTS}",
    )


def _unlike_parts(facts: Facts) -> NDArray[np.bool_]:
    """bool (cells with a number of contributors): more of them than in all parts together, or fewer than in one. One
    contributor may be in several parts."""
    release, cells = facts.release, facts.cells
    if not cells.frequency.known.any():
        return np.zeros(0, np.bool_)
    known = np.flatnonzero(cells.frequency.known | ~facts.concerned)
    number = np.where(cells.frequency.known, cells.frequency.units, 0)[known]
    wrong = np.zeros(len(known), np.bool_)
    hierarchies = list(release.variables.values())
    codes = CellCodes(cells.measure[known], cells.codes[known])
    for direction in nestings(release, codes):
        part = np.flatnonzero(direction.whole >= 0)
        whole = direction.whole[part]
        wrong[whole[number[part] > number[whole]]] = True
        sizes = np.diff(hierarchies[direction.variable].members.indptr)[codes.codes[:, direction.variable]]
        covered, together = np.zeros(len(known), np.int64), np.zeros(len(known), np.int64)
        np.add.at(covered, whole, sizes[part])
        np.add.at(together, whole, number[part])
        wrong |= (covered == sizes) & (covered > 0) & (number > together)
    return wrong
