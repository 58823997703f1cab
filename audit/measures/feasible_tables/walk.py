"""A random walk over the feasible tables of a component (hit-and-run on the lattice of moves).

A step draws a move and goes a random number of times along it, uniformly among all numbers that stay feasible. That
leaves the uniform distribution over the tables unchanged; with prior weights the step is accepted by the Metropolis
rule.

Guaranteed: *any* move of the lattice, being a sum of basis vectors with signs, is drawn with positive probability (a
geometric number of them), so every table can follow every other one in a single step: the walk is irreducible and
aperiodic whatever the bounds, zeros and withheld cells are, without a Markov basis (as in Hara, Aoki and Takemura 2012,
"Running Markov chain without Markov basis"). Not guaranteed: that it gets there soon. Where single short moves do not
connect the tables, useful sums are rare; that is what several chains from different vertices, split R-hat and the
effective sample size are for.

Along the line of a step the new value of every cell is uniform, given the move and where the walk stood. The average of
these conditional distributions estimates the same probabilities as counting visited values, with less noise
(Rao-Blackwell).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.linear.integers import NO_LOWER, NO_UPPER

Ints = NDArray[np.int64]

SUMS = 0.25
"""Share of the steps that draw a random sum of basis vectors instead of a listed move."""

LEAST = 16
"""Steps a sweep, at least: where there are few moves, sums of them matter most."""

BINS = 4096
"""Values told apart; wider ranges are put into bins of equal width."""


@dataclass(frozen=True)
class Space:
    """Where tables live: coordinates (columns, then interval rows, then watched sums) with bounds, and moves.

    low, high: int64 (coordinates). basis: csr (basis vectors x coordinates); listed: csr (moves x coordinates), the
    basis first. watch: int64 (watched), coordinates whose distribution is wanted; first, step, bins: int64 (watched),
    how their values are put into bins.
    """

    low: Ints
    high: Ints
    basis: csr_array
    listed: csr_array
    watch: Ints
    first: Ints
    step: Ints
    bins: Ints


@dataclass(frozen=True)
class Walked:
    """What the chains saw after warming up.

    trace: int64 (sweeps x chains x watched), the values at the end of each sweep.
    mass: for each watched coordinate float64 (chains x bins), the average of what each step's line says.
    """

    trace: Ints
    mass: tuple[NDArray[np.float64], ...]


def bins_of(low: Ints, high: Ints) -> tuple[Ints, Ints, Ints]:
    """(first, step, bins) for ranges low..high."""
    step = -(-(high - low + 1) // BINS)
    return low, step, -(-(high - low + 1) // step)


def walk(
    space: Space,
    start: Ints,
    sweeps: int,
    generator: np.random.Generator,
    log_ratio: Callable[[Ints, Ints, Ints], NDArray[np.float64]] | None = None,
) -> Walked:
    """Walk `sweeps` sweeps to warm up and as many that count, all chains in step.

    Parameters
    ----------
    start: (chains x coordinates), feasible; every chain draws its own lengths, but moves are drawn for all.
    log_ratio: (support, values before, values after; chains x support) -> log of the ratio of prior weights.
    """
    here = start.copy()
    chains, width = len(start), len(space.watch)
    offset = np.concatenate([[0], np.cumsum(space.bins + 1)])
    edges = np.zeros((chains, int(offset[-1])))
    place = np.full(len(space.low), -1, dtype=np.int64)
    place[space.watch] = np.arange(width)
    trace = np.empty((sweeps, chains, width), np.int64)
    moves = [_Move.of(space, place, *_row(space.listed, k)) for k in range(space.listed.shape[0])]
    for sweep in range(-sweeps, sweeps):
        if not moves:
            trace[max(sweep, 0)] = here[:, space.watch]
            continue
        for _ in range(max(LEAST, space.basis.shape[0])):
            move = (
                _sum(space, place, generator)
                if generator.random() < SUMS
                else moves[int(generator.integers(len(moves)))]
            )
            if move is None:
                continue
            down, up = move.room(here)
            length = generator.integers(-down, up + 1)
            before = here[:, move.support]
            after = before + length[:, None] * move.entry
            if log_ratio is not None:
                accept = np.log(generator.random(chains)) < log_ratio(move.support, before, after)
                after = np.where(accept[:, None], after, before)
            here[:, move.support] = after
            if sweep >= 0 and len(move.seen):
                _record(space, edges, offset, move, before, after, down, up, line=log_ratio is None)
        if sweep >= 0:
            trace[sweep] = here[:, space.watch]
    masses = []
    for k, (start_of, end_of) in enumerate(pairwise(offset.tolist())):
        mass = np.maximum(np.cumsum(edges[:, start_of : end_of - 1], axis=1), 0.0)
        if not mass.any():  # no step ever changed it
            mass[np.arange(chains), (trace[-1, :, k] - space.first[k]) // space.step[k]] = 1.0
        masses.append(mass)
    return Walked(trace, tuple(masses))


@dataclass(frozen=True)
class _Move:
    """One move on the coordinates it changes. seen: positions in the support that are watched; as: which they are."""

    support: Ints
    entry: Ints
    low: Ints
    high: Ints
    seen: Ints
    watched: Ints

    @classmethod
    def of(cls, space: Space, place: Ints, support: Ints, entry: Ints) -> "_Move":
        seen = np.flatnonzero(place[support] >= 0)
        return cls(support, entry, space.low[support], space.high[support], seen, place[support[seen]])

    def room(self, here: Ints) -> tuple[Ints, Ints]:
        """(chains) how often the move can be taken back and forth."""
        now, size = here[:, self.support], np.abs(self.entry)
        free_up = np.where(self.high == NO_UPPER, NO_UPPER, self.high - now) // size
        free_down = np.where(self.low == NO_LOWER, NO_UPPER, now - self.low) // size
        forward = self.entry > 0
        return (
            np.where(forward, free_down, free_up).min(axis=1),
            np.where(forward, free_up, free_down).min(axis=1),
        )


def _row(matrix: csr_array, k: int) -> tuple[Ints, Ints]:
    a, b = matrix.indptr[k], matrix.indptr[k + 1]
    return matrix.indices[a:b].astype(np.int64), matrix.data[a:b]


def _sum(space: Space, place: Ints, generator: np.random.Generator) -> _Move | None:
    """A sum of 1 + geometric(1/2) basis vectors with random signs: every vector of the lattice can come up."""
    count = 1 + int(generator.geometric(0.5))
    picks = generator.integers(space.basis.shape[0], size=count)
    signs = 2 * generator.integers(2, size=count) - 1
    total = np.zeros(len(space.low), np.int64)
    for k, sign in zip(picks.tolist(), signs.tolist(), strict=True):
        support, entry = _row(space.basis, k)
        total[support] += sign * entry
    support = np.flatnonzero(total)
    return _Move.of(space, place, support, total[support]) if len(support) else None


def _record(
    space: Space,
    edges: NDArray[np.float64],
    offset: Ints,
    move: _Move,
    before: Ints,
    after: Ints,
    down: Ints,
    up: Ints,
    *,
    line: bool,
) -> None:
    """Add a step to the masses, kept as differences between neighbouring bins.

    A coordinate that moves by one is uniform between the ends of the line; others, and steps that a prior accepts, are
    counted where they end.
    """
    at, who = move.seen, move.watched
    entry, step = move.entry[at], space.step[who]
    forward, single = entry > 0, (np.abs(entry) == 1) & line
    back, on = np.where(forward, down[:, None], up[:, None]), np.where(forward, up[:, None], down[:, None])
    low = np.where(single, before[:, at] - back, after[:, at])
    high = np.where(single, before[:, at] + on, after[:, at])
    chain = np.arange(len(before))[:, None]
    each = 1.0 / (high - low + 1)
    start, in_start = np.divmod(low - space.first[who], step)
    last, in_last = np.divmod(high - space.first[who], step)
    same = start == last
    # Values of the line in its first and last bin; bins between are full.
    head = np.where(same, high - low + 1, step - in_start)
    tail = np.where(same, high - low + 1, in_last + 1)
    start, last = start + offset[who], last + offset[who]
    # Each coordinate has bins of its own, so no place occurs twice in one of these statements.
    edges[chain, start] += each * head
    edges[chain, last + 1] -= each * tail
    if (step > 1).any():
        edges[chain, start + 1] += each * np.where(same, 0, step - head)
        edges[chain, last] -= each * np.where(same, 0, step - tail)
