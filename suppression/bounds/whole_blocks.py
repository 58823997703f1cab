"""Each block protected by whole cells, at prices that add up to what cells cost.

The linear program pays for a cut with the costs of its cells. Every cut belongs to one block, so its multipliers share
the cost of a cell out among the blocks that hold it; what they leave goes to all of these alike. At those prices the
blocks together cost as much as the linear program, and each costs more if its cells have to be withheld wholly or not
at all: what they cost then together no safe pattern goes below, whatever the prices (Lagrangean decomposition, Guignard
and Kim 1987). Afterwards a cell becomes dearer where it is withheld, and cheaper in blocks that leave it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.decision.equations import stored
from tableseal.audit.execution.executor import HERE, Executor, in_batches
from tableseal.audit.solvers.protocol import Problem as Program
from tableseal.audit.solvers.protocol import Solver
from tableseal.suppression.bounds.covering import Covering, Solved, proved

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TOLERANCE = 1e-6
"""Share of what an integer program claims that is left out, as of the master problem (see `search.master`)."""

WHOLE = 1e-6
"""Shares so near to 0 or 1 are."""

NODES = 2_000
"""Of one integer program; what it has proved then counts."""

TURNS = 20
"""Times that prices change (fh3d_mid: 3,682 at the first prices after 1 s, 3,692 after 17 s; mh3d_mid: 2,110,913 after
1 s, 2,118,970 after 7 s)."""

AIM = 0.005
"""Share of the bound by which it is meant to rise when prices change, halved where it does not."""

BATCH = 20_000
"""Entries of cuts of the parts that a worker takes at a time (66,810 cells: 40 batches of half a second)."""


@dataclass(frozen=True)
class _Part:
    """One block. cells: int64, its candidates; rows: its cuts over these; right: their right sides."""

    cells: Ints
    rows: csr_array
    right: Floats


@dataclass
class _Chosen:
    """What a part does at a price (float64, its cells): value: nothing costs less; choice: float64, the cheapest."""

    price: Floats
    value: float
    choice: Floats


@dataclass(frozen=True)
class _Asked:
    """Parts at prices, for one worker. chosen: what each did before, at the prices that it is asked at."""

    parts: list[_Part]
    chosen: list[_Chosen]
    solver: Solver
    limits: Limits


def in_whole_blocks(
    members: Sequence[Ints],
    program: Covering,
    solved: Solved,
    solver: Solver,
    limits: Limits,
    executor: Executor = HERE,
) -> Iterator[float]:
    """Bounds, as they are proved.

    members: int64, the candidates of each block. program, solved: the linear program at its end. executor: its workers
    take blocks; what they find is the same anywhere, as far as there is time.
    """
    parts, chosen = _at_first(members, program, solved)
    # Where the linear program withholds wholly or not at all, no whole choice is cheaper.
    open_ones = [k for k, one in enumerate(chosen) if (np.minimum(one.choice, 1.0 - one.choice) > WHOLE).any()]
    _choose(parts, chosen, open_ones, solver, limits, executor)
    best, aim = _together(parts, chosen, program.cost), AIM
    yield best
    for _ in range(TURNS):
        if limits.out_of_time():
            return
        changes = _changes(parts, chosen, len(program.cost))
        distance = sum(float(change @ change) for change in changes)
        if distance < WHOLE:
            return
        step = aim * best / distance
        chosen = [
            _Chosen(one.price + step * change, one.value, one.choice) if change.any() else one
            for one, change in zip(chosen, changes, strict=True)
        ]
        moved = [k for k, change in enumerate(changes) if change.any()]
        _choose(parts, chosen, moved, solver, limits, executor)
        now = _together(parts, chosen, program.cost)
        if now <= best:
            aim /= 2
            continue
        best = now
        yield best


def _at_first(members: Sequence[Ints], program: Covering, solved: Solved) -> tuple[list[_Part], list[_Chosen]]:
    """The parts with what the linear program pays: one for each block that owns cuts, one for cuts without an owner."""
    owner = _owners(members, program.matrix)
    rows = [np.flatnonzero(owner == number) for number in np.unique(owner).tolist()]
    cells = [np.unique(program.matrix[own].indices).astype(np.int64) for own in rows]
    held = np.bincount(np.concatenate([np.empty(0, np.int64), *cells]), minlength=len(program.cost))
    left = (program.cost - program.matrix.T @ solved.multiplier) / np.maximum(held, 1)
    parts, chosen = [], []
    for own, inside in zip(rows, cells, strict=True):
        matrix, pays = csr_array(csr_array(program.matrix[own])[:, inside]), solved.multiplier[own]
        part = _Part(inside, matrix, program.right[own])
        price = matrix.T @ pays + left[inside]
        parts.append(part)
        chosen.append(_Chosen(price, proved(matrix, part.right, price, pays), solved.share[inside]))
    return parts, chosen


def _owners(members: Sequence[Ints], matrix: csr_array) -> Ints:
    """int64 (rows): the first block that holds all cells of a cut; -1: none does."""
    owner, length = np.full(matrix.shape[0], -1, np.int64), np.diff(matrix.indptr)
    by_cell, inside = csr_array(matrix.T.tocsr()), np.zeros(matrix.shape[1], np.int64)
    for number, cells in enumerate(members):
        touched = np.unique(stored(by_cell, cells)[1])
        touched = touched[owner[touched] < 0]
        inside[cells] = 1
        which, column, _ = stored(matrix, touched)
        count = np.bincount(which, inside[column], len(touched))
        owner[touched[count == length[touched]]] = number
        inside[cells] = 0
    return owner


def _choose(
    parts: Sequence[_Part],
    chosen: list[_Chosen],
    numbers: Sequence[int],
    solver: Solver,
    limits: Limits,
    executor: Executor,
) -> None:
    """Let some parts choose anew at their prices; chosen: changed in place."""
    runs = in_batches([parts[k].rows.nnz for k in numbers], batch=BATCH)
    asked = [
        _Asked([parts[k] for k in numbers[a:b]], [chosen[k] for k in numbers[a:b]], solver, limits) for a, b in runs
    ]
    for (first, last), found in zip(runs, executor.map(_each_cheapest, asked), strict=True):
        for k, one in zip(numbers[first:last], found, strict=True):
            chosen[k] = one


def _each_cheapest(asked: _Asked) -> list[_Chosen]:
    """What each of some parts does at its price."""
    return [
        _cheapest(part, one.price, one.choice, asked.solver, asked.limits)
        for part, one in zip(asked.parts, asked.chosen, strict=True)
    ]


def _cheapest(part: _Part, price: Floats, before: Floats, solver: Solver, limits: Limits) -> _Chosen:
    """What a block does at other prices. before: its choice so far, which stands where there is no other."""
    nothing = float(np.minimum(price, 0.0).sum())
    if limits.out_of_time():
        return _Chosen(price, nothing, before)
    count = len(price)
    program = Program(part.rows, part.right, np.full(len(part.right), np.inf), np.zeros(count), np.ones(count))
    outcome = solver.minimise_integer(program, price, limits.seconds_left(), nodes=NODES)
    if not np.isfinite(outcome.bound):
        return _Chosen(price, nothing, before)
    sure = outcome.bound - TOLERANCE * max(1.0, abs(outcome.bound))
    return _Chosen(price, max(nothing, sure), before if outcome.x is None else outcome.x)


def _changes(parts: Sequence[_Part], chosen: Sequence[_Chosen], candidates: int) -> list[Floats]:
    """float64 (cells of each part): by how much a part withholds a cell more than the parts that hold it do on average:
    what its price should rise by."""
    total, held = np.zeros(candidates), np.zeros(candidates)
    for part, one in zip(parts, chosen, strict=True):
        total[part.cells] += one.choice
        held[part.cells] += 1
    mean = total / np.maximum(held, 1)
    changes = [one.choice - mean[part.cells] for part, one in zip(parts, chosen, strict=True)]
    return [np.where(np.abs(change) > WHOLE, change, 0.0) for change in changes]


def _together(parts: Sequence[_Part], chosen: Sequence[_Chosen], cost: Floats) -> float:
    """What all parts cost together, less what their prices exceed costs by, and all that floats can be off."""
    paid, size, held = np.zeros(len(cost)), np.zeros(len(cost)), np.zeros(len(cost))
    for part, one in zip(parts, chosen, strict=True):
        paid[part.cells] += one.price
        size[part.cells] += np.abs(one.price)
        held[part.cells] += 1
    off = (held + 2) * np.finfo(np.float64).eps * (cost + size)
    return fsum([*np.minimum(cost - paid - off, 0.0).tolist(), *(one.value for one in chosen)])
