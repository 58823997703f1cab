"""How well somebody may estimate what few people are by the mean of many changed counts.

Another table in hand says what is possible, not what is likely. Changes of cells with different units are independent,
so that means over many answers are near the truth however wide each change is (Asghar & Kaafar 2020), and least squares
over all answers are the best of all such combinations.

**The limit.** Let A have a row for each answered cell, cells of the same units once, and v be the variance of a change.
No linear estimate of the total of a set S has a variance below v (d_S)^2 / |A d|^2, whatever d is (Cauchy and Schwarz):
the true table and the table moved along d look alike. For each base cell b with a small count T_b such a direction d is
in hand that is 1 at b, and 0 at each other base cell c with which b may be in one small set: T_b + T_c < t. So it is 1
on every small set that contains b, and every small set is known with a precision of |A d|^2 at most, in units of one
over v. The policy's `error` limits it to v / error^2. Whoever estimates is taken to know which base cells are empty.

**Which direction.** By least squares, first among base cells nearby in the order of the hypercube, for all of a block
at once (see `nearby`); where that is not enough, among those that help most, wherever they are, for one (see
`pursuit`). Those that were hard before are looked at first, for most refusals are for one of them. Entries are
multiples of 1 / GRAIN, so that all sums are exact, on every machine. With a further answer |A d|^2 grows by what the
answer sees of d; a direction is sought anew once that takes it beyond the limit.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.compiling import Runner
from tableseal.suppression.generator.memory.answers import Reading
from tableseal.suppression.generator.memory.gradients import FAIR, WELL
from tableseal.suppression.generator.memory.ground import GRAIN, Floats, Ground, Marks, Positions
from tableseal.suppression.generator.memory.inverse import Inverses
from tableseal.suppression.generator.memory.nearby import alone, found_nearby, seen_nearby
from tableseal.suppression.generator.memory.pursuit import Directions, Pursuit
from tableseal.suppression.generator.memory.rows import Grown, NewRows

BLOCKWISE = 5
"""Where so many of a block are beyond the limit, they are sought together, which takes as long as for a few alone."""

FIRST = 16
"""Base cells that are looked at before all others, at most."""


@dataclass(frozen=True, repr=False)
class Estimates:
    """How well each base cell with a small count may be known.

    Attributes
    ----------
    told: uint64, marks of cells that were answered, ascending. rows: int32 (base cells x answers), which row of A a
    base cell is in for each answer, from 1 on; 0: none, or that of an earlier answer. number: of rows.
    nearby: for each of `Ground.blocks` float64 (its base cells x small ones); None: `alone`.
    own: directions of single base cells, in place of these.
    known: float64 (base cells with a small count), precision at most, in units of one over the variance of a change.
    hard: float64 (base cells with a small count), the precision that was left when a direction of its own was sought,
    where the search did not come well below the limit; else 0.
    best: positions in `Ground.small`, those whose own direction is the best one among its members.
    inverses: of some of these; nothing new, but to find them takes long.
    """

    told: Marks
    rows: Grown
    number: int
    nearby: tuple[Floats | None, ...]
    own: Directions
    known: Floats
    hard: Floats
    best: frozenset[int]
    inverses: Inverses

    @staticmethod
    def none(ground: Ground) -> "Estimates":
        """Nothing was answered."""
        rows = Grown.empty((len(ground.base),), np.int32)
        nothing = (None,) * len(ground.blocks)
        zero = np.zeros(len(ground.small))
        return Estimates(
            np.zeros(0, np.uint64), rows, 0, nothing, Directions.none(), zero, zero, frozenset(), Inverses({})
        )

    def direction(self, ground: Ground, at: int) -> tuple[Positions, Floats]:
        """Where the direction of one base cell (a position in `Ground.small`) is not 0, and what it is there."""
        if at in self.own.of:
            return self.own.of[at]
        small, members = ground.blocks[ground.block_of(at)]
        own, now = ground.small[at : at + 1], self.nearby[ground.block_of(at)]
        if now is None:
            return own, np.ones(1)
        entries = now[:, at - small.start]
        used = np.flatnonzero(entries)
        return members[used], entries[used]


def with_answer(
    ground: Ground, before: Estimates, reading: Reading, limit: float, run: Runner, *, pursuits: int, every: bool
) -> tuple[Estimates, Positions]:
    """With a further answer; and base cells with a small count that may be known better than the limit since then: all,
    or the first that is found, and then the rest is not looked at.

    pursuits: directions that are sought, at most.
    """
    new, marks = _new_rows(before, reading)
    if not new.number:
        return before, ground.small[:0]
    search = _Search(ground, before, limit, run, pursuits, every)
    hardest = search.hardest()
    known = before.known.copy()
    hardest.seen(new, before.known, known, run)
    only_in_hand = pursuits == 0 and not every
    if only_in_hand and (at := search.beyond(known)).any():
        return before, ground.small[at][:1]
    found = replace(
        before,
        told=np.union1d(before.told, marks),
        rows=before.rows.adding(new.row[:, None]),
        number=before.number + new.number,
        inverses=before.inverses.copy(),
    )
    found, beyond = search.within(replace(found, known=known), blocks=False)
    if len(beyond) and not every:
        return found, beyond
    known = before.known.copy()
    before.own.seen(new, before.known, known, run)
    if only_in_hand and (at := search.beyond(known)).any():
        return found, ground.small[at][:1]
    single = before.own.at
    mine = known[single]
    for (small, members), directions in zip(ground.blocks, before.nearby, strict=True):
        seen_nearby(new, ground.small[small], members, directions, known[small], run)
    known[single] = mine
    known[hardest.at] = found.known[hardest.at]
    found, more = search.within(replace(found, known=known), blocks=True)
    return found, np.unique(np.concatenate([beyond, more]))


def _new_rows(before: Estimates, reading: Reading) -> tuple[NewRows, Marks]:
    """Cells of an answer whose units are those of no earlier cell, and their marks."""
    new = (reading.bases > 0) & ~np.isin(reading.marks, before.told)
    number = int(new.sum())
    numbers = np.zeros(len(new) + 1, np.int32)  # base cells in no cell are -1, and find the last one
    numbers[:-1][new] = before.number + 1 + np.arange(number)
    return NewRows(numbers[reading.cells], before.number + 1, number), reading.marks[new]


@dataclass(frozen=True, repr=False)
class _Search:
    """For better directions after a further answer. before: without it. pursuits, every: see `with_answer`."""

    ground: Ground
    before: Estimates
    limit: float
    run: Runner
    pursuits: int
    every: bool

    def beyond(self, known: Floats) -> NDArray[np.bool_]:
        """bool (base cells with a small count): beyond the limit since the answer."""
        over: NDArray[np.bool_] = (known > self.limit) & (self.before.known <= self.limit)
        return over

    def hardest(self) -> Directions:
        """Of base cells that were known nearly as well as allowed: most refusals are for these."""
        hard, own = self.before.hard, self.before.own.of
        near = np.flatnonzero(hard > FAIR * self.limit)
        first = near[np.argsort(-hard[near], kind="stable")][:FIRST]
        return Directions({at: own[at] for at in first.tolist() if at in own})

    def within(self, now: Estimates, *, blocks: bool) -> tuple[Estimates, Positions]:
        """With better directions for those beyond the limit, those first that were hard before, so that a refusal is
        found soon; and those that stay beyond it. blocks: directions of a whole block may be sought together."""
        ground, limit = self.ground, self.limit
        over = self.beyond(now.known)
        if not over.any():
            return now, ground.small[:0]
        known, hard, nearby, own = now.known.copy(), now.hard.copy(), list(now.nearby), dict(now.own.of)
        pursuit = Pursuit(ground, now.rows, now.number, limit, self.run, self.before.inverses, now.inverses)
        best, beyond, left = set(now.best), list[int](), self.pursuits

        def pursued(at: int) -> bool:
            """Whether one is within the limit now."""
            found = replace(now, nearby=tuple(nearby), own=Directions(own)).direction(ground, at)
            direction, precision, is_best = pursuit.sought(int(ground.small[at]), *found, at in best)
            if precision < known[at]:
                known[at], own[at] = precision, direction
                (best.add if is_best else best.discard)(at)
            hard[at] = known[at] if known[at] > WELL * limit * (1 + 1 / GRAIN) else 0.0
            return bool(known[at] <= limit)

        worst = np.flatnonzero(over)
        worst = worst[np.lexsort((-known[worst], -hard[worst]))]
        for k, at in enumerate(worst.tolist()):
            if known[at] <= limit:
                continue
            block = ground.block_of(at)
            small, members = ground.blocks[block]
            many = blocks and k > 0 and int((over & (known > limit))[small].sum()) >= BLOCKWISE
            if many and left > 0:
                left -= BLOCKWISE
                better, precision = found_nearby(ground, members, ground.small[small], now.rows, self.run)
                closer = precision < known[small]
                known[small] = np.where(closer, precision, known[small])
                old = nearby[block]
                nearby[block] = np.where(closer, better, alone(members, ground.small[small]) if old is None else old)
                for one in (small.start + np.flatnonzero(closer)).tolist():
                    own.pop(one, None)
                    best.discard(one)
            if known[at] > limit and (left <= 0 or not pursued(at)):
                beyond.append(int(ground.small[at]))
                if not self.every:
                    break
            left -= 1
        directions = Directions(own)
        found = replace(now, known=known, hard=hard, nearby=tuple(nearby), own=directions, best=frozenset(best))
        return found, np.array(beyond, np.int32)
