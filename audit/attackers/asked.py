"""What each attacker is asked about: the cells that hang together with what it knows, and how close it may come."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.answer import outer_ends
from tableseal.audit.attackers.attacker import OUTSIDER, Attacker
from tableseal.audit.attackers.contributors import Contributors
from tableseal.audit.attackers.held import places
from tableseal.audit.attackers.neighbourhood import Neighbourhood
from tableseal.audit.attackers.question import Question, question
from tableseal.audit.bounds.engine import CellBounds
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER


@dataclass(frozen=True)
class Asked:
    """An attacker and what it can be too close to.

    cells: int64, targets near what it knows. low, high: int64, how far down and up each must be able to go (NO_UPPER,
    NO_LOWER: any change will do). doubtful: bool, it is not proved that even outsiders are too close.
    """

    attacker: Attacker
    cells: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    doubtful: NDArray[np.bool_]


def asked_of(
    attackers: Iterable[Attacker],
    contributors: Contributors,
    neighbourhood: Neighbourhood,
    found: CellBounds,
    p: Fraction,
) -> Iterator[Asked]:
    """Attackers who are asked about something; of those who know the same the first."""

    def told(about: Question) -> tuple[int, int, bool]:
        """(low, high, doubtful)."""
        (low, high), ends = about.reach(), outer_ends(found.bounds[about.cell])
        return NO_UPPER if low is None else low, NO_LOWER if high is None else high, about.finding(ends) is None

    targets = neighbourhood.targets
    nobody = [told(question(contributors, OUTSIDER, k, p)) for k in targets.tolist()]
    plain = np.array(nobody, np.int64).reshape(-1, 3)
    asked = set[Attacker]()
    for attacker in attackers:
        key = replace(attacker, who="")
        if key in asked:
            continue
        asked.add(key)
        cells, shared = secrets(contributors, attacker, neighbourhood.of(attacker.involved))
        ends = plain[np.searchsorted(targets, cells)]
        for place in np.flatnonzero(shared).tolist():
            ends[place] = told(question(contributors, attacker, int(cells[place]), p))
        if len(cells):
            yield Asked(attacker, cells, ends[:, 0], ends[:, 1], ends[:, 2] != 0)


def secrets(
    contributors: Contributors, attacker: Attacker, cells: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """(those of some open cells that can be secret to an attacker, whether it may have a share in each). What it knows
    cannot, nor what holds nobody but itself as far as the agency can tell.

    cells: int64, ascending.
    """
    hidden, own = hidden_and_own(contributors, attacker, cells)
    secret, shared = np.ones(len(cells), np.bool_), np.zeros(len(cells), np.bool_)
    secret[hidden], shared[own] = False, True
    return cells[secret], shared[secret]


def hidden_and_own(
    contributors: Contributors, attacker: Attacker, cells: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places (int64, ascending) among open cells (ascending): of those that cannot be secret to an attacker, and of
    others in which it may have a share. Both are few, whatever the cells are: there may be thousands of attackers."""
    hidden = _places(cells, np.concatenate(_parts_without_secrets(contributors, attacker)))
    shares = np.array([cell for cell, _ in attacker.shares], np.int64)
    near = [contributors.nested_with(s) for s in attacker.inside]
    return hidden, np.setdiff1d(_places(cells, np.concatenate([shares, *near])), hidden)


def any_secret(contributors: Contributors, attacker: Attacker, cells: NDArray[np.int64]) -> bool:
    """Whether some open cells (int64, ascending) hold anything that can be secret to an attacker."""
    parts = _parts_without_secrets(contributors, attacker)
    return sum(map(len, parts)) < len(cells) or len(_places(cells, np.concatenate(parts))) < len(cells)


def _places(cells: NDArray[np.int64], few: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where a few cells are among many (ascending), if they are; int64, ascending."""
    at = places(cells, few)
    return np.unique(at[at >= 0])


def _parts_without_secrets(contributors: Contributors, attacker: Attacker) -> list[NDArray[np.int64]]:
    """Open cells that cannot be secret to an attacker."""
    number, open_cells = contributors.number, contributors.open_cells
    whole = [s for s in attacker.inside if number[open_cells[s]] == attacker.members]
    alone = [held[number[open_cells[held]] >= 0] for held in map(contributors.held_by, whole)]
    return [np.array(attacker.known, np.int64), *alone]
