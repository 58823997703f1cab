"""A random walk over the feasible tables of a component (hit-and-run on the lattice of moves).

A step draws a move and goes a random number of times along it, uniformly among all numbers that stay feasible. That
leaves the uniform distribution over the tables unchanged; with prior weights the step is accepted by the Metropolis
rule. Moves that share no cell and no interval row do not see each other, so a whole class of them is made at once.

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

from tableseal.audit.bounds.component import Limits
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
LogRatio = Callable[[Ints, Ints, Ints], Floats]
"""(coordinates, values before, values after; both chains x coordinates) -> log of the ratio of prior weights, each."""

SUMS = 0.25
"""Share of the steps that draw a random sum of basis vectors instead of a class of listed moves."""

LEAST = 16
"""Steps a sweep, at least: where there are few moves, sums of them matter most."""

BINS, ALL_BINS = 4096, 1 << 20
"""Values of a column, and of all columns together, that are told apart; wider ranges go into bins of equal width."""


@dataclass(frozen=True)
class Space:
    """Where tables live: coordinates (columns, then interval rows) with bounds, and moves between them.

    low, high: int64 (coordinates); columns: how many of them are columns, whose bounds are finite.
    basis: csr (basis vectors x coordinates); listed: csr (moves x coordinates), the basis first.
    """

    low: Ints
    high: Ints
    columns: int
    basis: csr_array
    listed: csr_array


@dataclass(frozen=True)
class Walked:
    """What the chains saw after warming up.

    trace: int64 (sweeps x chains x columns), the table at the end of each sweep.
    mass: for each column float64 (chains x bins), the average of what each step's line says; first, step: int64
        (columns), bin i stands for the values from first + step * i on.
    """

    trace: Ints
    mass: tuple[Floats, ...]
    first: Ints
    step: Ints


@dataclass(frozen=True)
class _Class:
    """Moves without common coordinates, one after another. start: where each begins; size: how long each is; column:
    positions in the support that are columns."""

    support: Ints
    entry: Ints
    low: Ints
    high: Ints
    start: Ints
    size: Ints
    column: Ints

    @classmethod
    def of(cls, space: Space, moves: list[tuple[Ints, Ints]]) -> "_Class":
        support = np.concatenate([s for s, _ in moves])
        size = np.array([len(s) for s, _ in moves], dtype=np.int64)
        return cls(
            support,
            np.concatenate([e for _, e in moves]),
            space.low[support],
            space.high[support],
            np.concatenate([[0], np.cumsum(size)[:-1]]).astype(np.int64),
            size,
            np.flatnonzero(support < space.columns),
        )

    def room(self, now: Ints) -> tuple[Ints, Ints]:
        """(chains x moves) how often each move can be taken back and forth."""
        size = np.abs(self.entry)
        up = np.where(self.high == NO_UPPER, NO_UPPER, self.high - now) // size
        down = np.where(self.low == NO_LOWER, NO_UPPER, now - self.low) // size
        forward = self.entry > 0
        return (
            np.minimum.reduceat(np.where(forward, down, up), self.start, axis=1),
            np.minimum.reduceat(np.where(forward, up, down), self.start, axis=1),
        )


def walk(
    space: Space,
    start: Ints,
    sweeps: int,
    generator: np.random.Generator,
    limits: Limits,
    log_ratio: LogRatio | None = None,
) -> Walked | None:
    """Walk `sweeps` sweeps to warm up and as many that count, all chains in step; None if time runs out before.

    Parameters
    ----------
    start: (chains x coordinates), feasible. Moves are drawn for all chains together, their lengths for each by itself.
    """
    here, chains = start.copy(), len(start)
    record = _Record(space, chains)
    trace = np.empty((sweeps, chains, space.columns), np.int64)
    classes = _classes(space, generator)
    for sweep in range(-sweeps, sweeps):
        if limits.out_of_time():
            return None
        _sweep(space, classes, here, generator, log_ratio, record if sweep >= 0 else None)
        if sweep >= 0:
            trace[sweep] = here[:, : space.columns]
    return Walked(trace, record.masses(trace[-1]), record.first, record.step)


def arrived(space: Space, start: Ints, sweeps: int, generator: np.random.Generator, limits: Limits) -> Ints | None:
    """(chains x columns) where the same walk stands after so many sweeps, without what it saw; None: no time left."""
    here = start.copy()
    classes = _classes(space, generator)
    for _ in range(sweeps):
        if limits.out_of_time():
            return None
        _sweep(space, classes, here, generator, None, None)
    return here[:, : space.columns]


def _sweep(
    space: Space,
    classes: "list[_Class]",
    here: Ints,
    generator: np.random.Generator,
    log_ratio: LogRatio | None,
    record: "_Record | None",
) -> None:
    """So many steps as there are classes. here: (chains x coordinates), changed. record: None: steps are not kept."""
    for _ in range(max(LEAST, len(classes)) if classes else 0):
        chosen = _sum(space, generator) if generator.random() < SUMS else classes[int(generator.integers(len(classes)))]
        if chosen is None:
            continue
        before = here[:, chosen.support]
        down, up = chosen.room(before)
        length = generator.integers(-down, up + 1)
        after = before + np.repeat(length, chosen.size, axis=1) * chosen.entry
        if log_ratio is not None:
            ratio = np.add.reduceat(log_ratio(chosen.support, before, after), chosen.start, axis=1)
            accept = np.log(generator.random(ratio.shape)) < ratio
            after = np.where(np.repeat(accept, chosen.size, axis=1), after, before)
        here[:, chosen.support] = after
        if record is not None:
            record.add(chosen, before, after, down, up, line=log_ratio is None)


def _row(matrix: csr_array, k: int) -> tuple[Ints, Ints]:
    a, b = matrix.indptr[k], matrix.indptr[k + 1]
    return matrix.indices[a:b].astype(np.int64), matrix.data[a:b]


def _classes(space: Space, generator: np.random.Generator) -> list[_Class]:
    """The listed moves in random order, each in the first class that it shares nothing with."""
    taken: list[NDArray[np.bool_]] = []
    members: list[list[tuple[Ints, Ints]]] = []
    for k in generator.permutation(space.listed.shape[0]).tolist():
        support, entry = _row(space.listed, k)
        home = next((c for c, used in enumerate(taken) if not used[support].any()), len(taken))
        if home == len(taken):
            taken.append(np.zeros(len(space.low), np.bool_))
            members.append([])
        taken[home][support] = True
        members[home].append((support, entry))
    return [_Class.of(space, moves) for moves in members]


def _sum(space: Space, generator: np.random.Generator) -> _Class | None:
    """A sum of 1 + geometric(1/2) basis vectors with random signs: every vector of the lattice can come up."""
    count = 1 + int(generator.geometric(0.5))
    picks = generator.integers(space.basis.shape[0], size=count)
    signs = 2 * generator.integers(2, size=count) - 1
    total = np.zeros(len(space.low), np.int64)
    for k, sign in zip(picks.tolist(), signs.tolist(), strict=True):
        support, entry = _row(space.basis, k)
        total[support] += sign * entry
    support = np.flatnonzero(total)
    return _Class.of(space, [(support, total[support])]) if len(support) else None


class _Record:
    """Masses of all columns, kept as differences between neighbouring bins."""

    def __init__(self, space: Space, chains: int) -> None:
        low, high = space.low[: space.columns], space.high[: space.columns]
        self.first, self.step = low, -(-(high - low + 1) // min(BINS, ALL_BINS // max(space.columns, 1)))
        self._offset = np.concatenate([[0], np.cumsum(-(-(high - low + 1) // self.step) + 1)])
        self._edges = np.zeros((chains, int(self._offset[-1])))
        self._chain = np.arange(chains)[:, None]
        unit = space.listed.indices[np.abs(space.listed.data) == 1]
        self._by_lines = np.isin(np.arange(space.columns), unit)

    def add(self, made: _Class, before: Ints, after: Ints, down: Ints, up: Ints, *, line: bool) -> None:
        """Add a step. A column that moves by one is uniform between the ends of its line; columns that no listed move
        changes by one, and steps that a prior accepts, are counted where they end. Which of a column's steps are looked
        at depends on the move alone, so nothing is preferred."""
        at = made.column
        if line:
            at = at[(np.abs(made.entry[at]) == 1) | ~self._by_lines[made.support[at]]]
        who, entry, step = made.support[at], made.entry[at], self.step[made.support[at]]
        back = np.repeat(down, made.size, axis=1)[:, at]
        on = np.repeat(up, made.size, axis=1)[:, at]
        forward, single = entry > 0, (np.abs(entry) == 1) & line
        low = np.where(single, before[:, at] - np.where(forward, back, on), after[:, at])
        high = np.where(single, before[:, at] + np.where(forward, on, back), after[:, at])
        each = 1.0 / (high - low + 1)
        start, in_start = np.divmod(low - self.first[who], step)
        last, in_last = np.divmod(high - self.first[who], step)
        same = start == last
        # How many values of the line are in its first and its last bin; bins between are full.
        head = np.where(same, high - low + 1, step - in_start)
        tail = np.where(same, high - low + 1, in_last + 1)
        start, last = start + self._offset[who], last + self._offset[who]
        # Each column is moved once and has bins of its own: no place occurs twice in one of these statements.
        self._edges[self._chain, start] += each * head
        self._edges[self._chain, last + 1] -= each * tail
        if (step > 1).any():
            self._edges[self._chain, start + 1] += each * np.where(same, 0, step - head)
            self._edges[self._chain, last] -= each * np.where(same, 0, step - tail)

    def masses(self, end: Ints) -> tuple[Floats, ...]:
        """(chains x bins) of each column; of one that no step ever changed, where it stands."""
        result = []
        for k, (a, b) in enumerate(pairwise(self._offset.tolist())):
            mass = np.maximum(np.cumsum(self._edges[:, a : b - 1], axis=1), 0.0)
            if not mass.any():
                mass[self._chain[:, 0], (end[:, k] - self.first[k]) // self.step[k]] = 1.0
            result.append(mass)
        return tuple(result)
