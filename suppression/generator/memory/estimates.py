"""How well somebody may estimate what few people are by the mean of many changed counts.

Another table in hand says what is possible, not what is likely. Changes of cells with different units are independent,
so that means over many answers are near the truth however wide each change is (Asghar & Kaafar 2020), and least squares
over all answers are the best of all such combinations.

**The limit.** Let A have a row for each answered cell, cells of the same units once, and v be the variance of a change.
No linear estimate of the total of a set S has a variance below v (d_S)^2 / |A d|^2, whatever d is (Cauchy and Schwarz):
the true table and the table moved along d look alike. For each base cell b with a small count such a direction d is in
hand that is 1 at b and 0 at all other base cells with a small count. So it is 1 on every small set that contains b, and
every small set is known with a precision of |A d|^2 at most, in units of one over v. The policy's `error` limits it to
v / error^2. Whoever estimates is taken to know which base cells are empty.

**Which direction.** The best one by least squares, among base cells nearby in the order of the hypercube. Entries are
multiples of 1 / GRAIN, so that all sums are exact, on every machine. With a further answer |A d|^2 grows by what the
answer sees of d; a direction is sought anew once that takes it beyond the limit.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.compiling import Runner, kernel
from tableseal.suppression.generator.memory.answers import Reading
from tableseal.suppression.generator.memory.cells import Cells
from tableseal.suppression.generator.memory.ground import Ground, Marks, Positions
from tableseal.suppression.generator.memory.rows import Grown

Array = Any
Floats = NDArray[np.float64]

GRAIN = 1024

RIDGE = 1e-3
"""Is added to the diagonal of equations that may have many solutions: a short one is taken."""


@dataclass(frozen=True, repr=False)
class Estimates:
    """How well each base cell with a small count may be known.

    Attributes
    ----------
    told: uint64, marks of cells that were answered, ascending. first: bool (answered cells), no earlier one has the
    same units. directions: for each of `Ground.blocks` float64 (other base cells x small ones); None: 0 everywhere.
    known: float64 (base cells with a small count), precision at most, in units of one over the variance of a change.
    """

    told: Marks
    first: Grown
    directions: tuple[Floats | None, ...]
    known: Floats

    @staticmethod
    def none(ground: Ground) -> "Estimates":
        """Nothing was answered."""
        nothing = (None,) * len(ground.blocks)
        return Estimates(np.zeros(0, np.uint64), Grown.empty((), np.bool_), nothing, np.zeros(len(ground.small)))


def with_answer(
    ground: Ground, before: Estimates, reading: Reading, answered: Cells, limit: float, run: Runner, *, every: bool
) -> tuple[Estimates, Positions]:
    """With a further answer; and base cells with a small count that may be known better than the limit since then: all,
    or the first that are found, and then the rest is not looked at. answered: by all answers, the new one last."""
    first = (reading.bases > 0) & ~np.isin(reading.marks, before.told)
    cell = np.where((reading.cells >= 0) & first[reading.cells], reading.cells, np.int32(-1))
    found = Estimates(
        np.union1d(before.told, reading.marks[first]), before.first.adding(first), before.directions, before.known
    )
    known, directions = before.known.copy(), list(before.directions)
    slots = np.full(len(first), -1, np.int32)
    for (small, others), direction in zip(ground.blocks, directions, strict=True):
        own = ground.small[small]
        if direction is None:
            known[small] += cell[own] >= 0
        else:
            run(
                seen_of, cell, own, others, direction, slots, np.empty((len(own) + len(others), len(own))), known[small]
            )
    over = (known > limit) & (before.known <= limit)
    beyond = list[int]()
    most = [float(known[small].max(initial=0, where=over[small])) for small, _ in ground.blocks]
    for at in sorted(np.flatnonzero(most).tolist(), key=lambda at: -most[at]):  # a refusal is found soon
        small, others = ground.blocks[at]
        own, now = ground.small[small], directions[at]
        better, precision = _sought(own, others, answered, found.first.array, run)
        closer = precision < known[small]
        known[small] = np.where(closer, precision, known[small])
        directions[at] = np.where(closer, better, np.zeros(better.shape) if now is None else now)
        beyond += own[over[small] & (known[small] > limit)].tolist()
        if beyond and not every:
            break
    return replace(found, known=known, directions=tuple(directions)), np.array(beyond, np.int32)


def _sought(
    own: Positions, others: Positions, answered: Cells, first: NDArray[np.bool_], run: Runner
) -> tuple[Floats, Floats]:
    """The best directions of some base cells among others (others x own), and |A d|^2 of each."""
    members = np.concatenate([others, own])
    cells = answered.cells.array[members]
    index = np.array(answered.starts[:-1], np.int64) + cells
    cells = np.where((cells >= 0) & first[np.maximum(index, 0)], cells, np.int32(-1))
    together = np.zeros((len(members), len(members)))
    run(shared, cells, together)
    k = len(others)
    among, across = together[:k, :k].copy(), together[:k, k:].copy()
    best = -across
    run(solved, among + RIDGE * np.eye(k), best)
    best = np.round(best * GRAIN) / GRAIN
    precision = np.diag(together)[k:].copy()
    run(squares, among, across, best, precision)
    return best, precision


@kernel
def seen_of(cell: Array, own: Array, others: Array, directions: Array, slots: Array, sums: Array, out: Array) -> None:
    """Add to `out` what an answer adds to |A d|^2 of each direction: the squares of what d adds up to in its cells.

    cell: int32 (base cells), -1: none. own, others: base cells; directions: (others x own); each is 1 at its own base
    cell besides. slots: -1 (cells), and so again. sums: room (own and others x own).
    """
    used = 0
    for i in range(len(others)):
        c = cell[others[i]]
        if c >= 0:
            if slots[c] < 0:
                slots[c] = used
                sums[used, :] = 0.0
                used += 1
            sums[slots[c], :] += directions[i, :]
    for k in range(len(own)):
        c = cell[own[k]]
        if c >= 0:
            if slots[c] < 0:
                slots[c] = used
                sums[used, :] = 0.0
                used += 1
            sums[slots[c], k] += 1.0
    for s in range(used):
        out += sums[s, :] * sums[s, :]
    for i in range(len(others)):
        slots[max(cell[others[i]], 0)] = -1
    for k in range(len(own)):
        slots[max(cell[own[k]], 0)] = -1


@kernel
def solved(matrix: Array, right: Array) -> None:
    """Solve equations with a positive definite matrix: the solutions take the place of the right hand sides. Both are
    written to. A library's solver starts threads, which for 200 unknowns takes longer than the work."""
    n, sides = len(matrix), right.shape[1]
    for p in range(n):
        for i in range(p + 1, n):
            by = matrix[i, p] / matrix[p, p]
            if by != 0.0:
                for j in range(p + 1, n):
                    matrix[i, j] -= by * matrix[p, j]
                for j in range(sides):
                    right[i, j] -= by * right[p, j]
    for p in range(n - 1, -1, -1):
        for j in range(sides):
            right[p, j] /= matrix[p, p]
        for i in range(p):
            by = matrix[i, p]
            if by != 0.0:
                for j in range(sides):
                    right[i, j] -= by * right[p, j]


@kernel
def squares(among: Array, across: Array, best: Array, out: Array) -> None:
    """Add to `out` what directions add to |A d|^2 besides their own base cell. among: (others x others), across, best:
    (others x own)."""
    n, sides = best.shape
    row = np.empty(sides)
    for i in range(n):
        for k in range(sides):
            row[k] = 2 * across[i, k]
        for j in range(n):
            by = among[i, j]
            if by != 0.0:
                for k in range(sides):
                    row[k] += by * best[j, k]
        for k in range(sides):
            out[k] += row[k] * best[i, k]


@kernel
def shared(cells: Array, out: Array) -> None:
    """In how many answers two base cells are in one cell. cells: int32 (base cells x answers), -1: none."""
    for i in range(len(cells)):
        one = cells[i]
        for j in range(i + 1):
            other, total = cells[j], np.int32(0)
            for a in range(len(one)):
                total += np.int32(one[a] == other[a]) * np.int32(one[a] >= 0)
            out[i, j] = out[j, i] = total
