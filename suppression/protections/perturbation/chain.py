"""Transition matrices in exact arithmetic, and how one is made invariant.

Source: Shlomo, Antal & Elliot 2015, section 3.3; Gouweleeuw et al. 1998 (post-randomisation).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

Row = Mapping[int, Fraction]
"""State -> probability above 0; they sum to 1."""


class Matrix(Protocol):
    """Of states, which are whole numbers from 0 on."""

    def row(self, state: int, /) -> Row:
        """What a state may become."""

    def sources(self, state: int, /) -> set[int]:
        """Which states may become this one."""


@dataclass(frozen=True)
class Counts:
    """How counts change: row s holds the probabilities that the count s becomes 0, 1, ...; the last `cycle` rows stand
    for all larger counts too, by residual, with moves relative to the count.

    Examples
    --------
    >>> Counts.spread(Fraction(1, 2), 1).row(7)
    {6: Fraction(1, 4), 7: Fraction(1, 2), 8: Fraction(1, 4)}
    """

    rows: tuple[tuple[Fraction, ...], ...]
    cycle: int

    @staticmethod
    def spread(stay: Fraction, reach: int) -> "Counts":
        """Zeros stay; another count stays with probability `stay`, else becomes one of the other counts from 1 on that
        are at most `reach` away, each as likely."""
        rows = [[Fraction(1)]]
        for count in range(1, reach + 2):
            others = [k for k in range(max(1, count - reach), count + reach + 1) if k != count]
            rows.append([Fraction(0)] * (count + reach + 1))
            for k in others:
                rows[-1][k] = (1 - stay) / len(others)
            rows[-1][count] = stay
        width = len(rows[-1])
        return Counts(tuple((*row, *[Fraction(0)] * (width - len(row))) for row in rows), 1)

    @cached_property
    def reach(self) -> int:
        """The largest change of a count."""
        return max(abs(move) for moves in self._moves for move in moves)

    @property
    def zeros_stay(self) -> bool:
        """A true 0 is shown as 0."""
        return self.rows[0][0] == 1

    def ends(self, count: int, steps: int) -> tuple[int, int]:
        """Smallest and largest of what a count may become in so many steps, itself included.

        Examples
        --------
        >>> Counts.spread(Fraction(1, 2), 2).ends(2, 1), Counts.spread(Fraction(1, 2), 2).ends(2, 2)
        ((1, 4), (1, 6))
        """
        low = high = count
        for _ in range(steps):
            low, high = (
                min(end for k in range(low, high + 1) for end in (k, *self.row(k))),
                max(end for k in range(low, high + 1) for end in (k, *self.row(k))),
            )
        return low, high

    def row(self, count: int) -> Row:
        """What a count may become."""
        state = self._state(count)
        return {count + move: p for move, p in self._moves[state].items()}

    def sources(self, shown: int) -> set[int]:
        """Which counts may become this one."""
        near = range(max(0, shown - self.reach), shown + self.reach + 1)
        return {count for count in near if shown - count in self._moves[self._state(count)]}

    def _state(self, count: int) -> int:
        """The row of a count."""
        first = len(self.rows) - self.cycle
        return count if count < first else first + (count - first) % self.cycle

    @cached_property
    def _moves(self) -> tuple[Row, ...]:
        """Of each row: by how much its count changes, with which probability above 0."""
        return tuple({k - s: p for k, p in enumerate(row) if p} for s, row in enumerate(self.rows))


def invariant(rows: Sequence[Row], states: Sequence[int], number: Sequence[int]) -> list[Row]:
    """The two-step matrix P* = P Q, with Q_jk = t_k P_kj / (tP)_j: what P gives is led back by Bayes' rule, so that
    t P* = t exactly. It goes from states that occur to states that occur.

    Parameters
    ----------
    rows: of P, for each state. states: different. number: t, how many units are in each state, all above 0.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> invariant([{0: half, 1: half}, {1: Fraction(1)}], [0, 1], [2, 1])
    [{0: Fraction(3, 4), 1: Fraction(1, 4)}, {0: Fraction(1, 2), 1: Fraction(1, 2)}]
    """
    from sympy import QQ
    from sympy.polys.matrices import DomainMatrix

    if not states:
        return []
    targets = sorted({k for row in rows for k in row})
    at = {k: column for column, k in enumerate(targets)}
    mass = [Fraction(0)] * len(targets)
    for t, row in zip(number, rows, strict=True):
        for k, p in row.items():
            mass[at[k]] += t * p
    first: dict[int, dict[int, Any]] = {}
    back: dict[int, dict[int, Any]] = {}
    for s, (t, row) in enumerate(zip(number, rows, strict=True)):
        first[s] = {at[k]: QQ(p.numerator, p.denominator) for k, p in row.items()}
        for k, p in row.items():
            q = t * p / mass[at[k]]
            back.setdefault(at[k], {})[s] = QQ(q.numerator, q.denominator)
    n, m = len(states), len(targets)
    product = (DomainMatrix(first, (n, m), QQ) * DomainMatrix(back, (m, n), QQ)).to_dok()
    result: list[dict[int, Fraction]] = [{} for _ in states]
    for (s, k), p in sorted(product.items()):
        result[s][states[k]] = Fraction(int(p.numerator), int(p.denominator))
    return list(result)
