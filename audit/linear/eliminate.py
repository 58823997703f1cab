"""What the equations alone say: rank, which forms have one value, and the rows that prove it.

Elimination runs modulo a large prime, where numbers do not grow; what it finds is then proved over the rationals:

- *Rank.* Rows that give pivots are independent modulo the prime, so also over the rationals. Every other row is written
  as a combination of them, exactly. Then both ranks are equal (else another prime is taken).
- *Determined.* A form is tested against one random solution of the homogeneous equations modulo the prime: where it is
  not 0 there, no combination of rows gives it modulo the prime, hence (the ranks being equal) none over the rationals.
  Where it is 0, the combination is computed and checked exactly.

Multipliers come from the prime by lifting (Dixon 1982): what the digits so far leave over is divided by the prime and
solved for again, until small fractions are found that fit exactly, or nothing can.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isqrt, lcm

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.compiling import Runner, worth_compiling
from tableseal.audit.errors import LimitError
from tableseal.audit.linear.graph import connected
from tableseal.audit.linear.integers import NO_UPPER, multiply_wide
from tableseal.audit.linear.kernels import Combinations, Echelon, Rows, combine, eliminate, null_vector
from tableseal.audit.linear.marks import marks
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.sparse import csr, from_entries, row_of_entries, rows_at

Multipliers = dict[int, Fraction]
"""Equation -> multiplier."""

LARGEST_PRIME = 2**31 - 1
"""Products of two residues fit 64 bits."""


AT_ONCE = 2_000
"""Forms whose multipliers are held at the same time."""

MOST_NUMERATOR, MOST_DENOMINATOR = 2**20, 2**10
"""Fractions that are looked for in one residue; the rest is lifted."""


def primes() -> Iterator[int]:
    """Primes from 2^31 - 1 downward. Only finitely many divide a minor of any given system."""
    yield LARGEST_PRIME
    for candidate in range(LARGEST_PRIME - 2, 1, -2):
        if all(candidate % d for d in range(3, isqrt(candidate) + 1, 2)):
            yield candidate


@dataclass(frozen=True)
class Values:
    """Which forms the equations determine, and their values (exact; several equations may give fractions)."""

    known: NDArray[np.bool_]
    numerator: NDArray[np.object_]
    denominator: NDArray[np.int64]

    def whole(self) -> NDArray[np.int64]:
        """The values as whole numbers, 0 where not known.

        Raises
        ------
        InfeasibleError: one lies between two multiples of the unit.
        """
        numerator, denominator = np.where(self.known, self.numerator, 0), self.denominator.astype(object)
        quotient = numerator // denominator
        if (quotient * denominator != numerator).any():
            raise InfeasibleError
        if (np.abs(quotient) >= NO_UPPER).any():
            raise LimitError("Values add up to more than 2^62 units; choose a larger unit for the measure.")
        result: NDArray[np.int64] = quotient.astype(np.int64)
        return result


class Elimination:
    """Equations matrix @ x = value, eliminated.

    Parameters
    ----------
    matrix: int64 csr (equations x columns); value: int64 (equations).

    Attributes
    ----------
    rank: rank over the rationals.
    consistent: False if some combination of equations says 0 = nonzero.
    dependent: int64, equations that are combinations of those before them, if short ones come first.
    in_dependency: bool (equations), which rows some linear dependency between rows needs: each of them can be left out
    without lowering the rank.
    """

    def __init__(self, matrix: csr_array, value: NDArray[np.int64]) -> None:
        self.matrix, self.value = matrix, value
        self._rows, self._columns = _order(matrix)
        self._place = np.empty(matrix.shape[1], dtype=np.int64)
        self._place[self._columns] = np.arange(matrix.shape[1])
        for prime in primes():
            self._echelon = _Echelon(self._moved(rows_at(matrix, self._rows)), prime)
            self.rank = self._echelon.rank
            self.dependent = self._rows[self._echelon.dependent]
            rest = rows_at(matrix, self.dependent)
            self.in_dependency = np.zeros(matrix.shape[0], np.bool_)
            proved = self._proved(rest, self.in_dependency)
            if proved.known.all():
                break
        self.in_dependency[self.dependent] = True
        right = value[self.dependent] * proved.denominator.astype(object)
        self.consistent = bool((proved.numerator == right).all())

    @property
    def null(self) -> tuple[NDArray[np.int64], int]:
        """(a random solution of the homogeneous equations modulo a prime, the prime): a form that is not 0 there is no
        combination of equations."""
        return self._echelon.null[self._place], self._echelon.prime

    def values(self, forms: csr_array) -> Values:
        """Values of the forms that the equations alone give. forms: int64 csr (forms x columns)."""
        candidate = self._echelon.vanish(self._moved(forms))
        at = np.flatnonzero(candidate)
        found = self._proved(rows_at(forms, at))
        known = np.zeros(forms.shape[0], np.bool_)
        numerator = np.zeros(forms.shape[0], dtype=object)
        denominator = np.ones(forms.shape[0], np.int64)
        known[at], numerator[at], denominator[at] = found.known, found.numerator, found.denominator
        return Values(known, numerator, denominator)

    def determined(self) -> tuple[NDArray[np.int64], Values]:
        """Columns that the equations determine, and their values."""
        columns = np.flatnonzero(self._echelon.zeros()[self._place])
        ones = np.ones(len(columns), np.int64)
        forms = csr(ones, columns, np.arange(len(columns) + 1), (len(columns), self.matrix.shape[1]))
        return columns, self._proved(forms)

    def multipliers(self, form: Mapping[int, int]) -> Multipliers | None:
        """Exact multipliers y over the equations with y @ matrix = form; None if there are none.

        form: column -> weight.
        """
        prime, power = self._echelon.prime, 1
        rest, digits = {c: v for c, v in form.items() if v}, dict[int, int]()
        while True:
            columns = np.array(sorted(rest), dtype=np.int64)
            data = np.array([rest[c] % prime for c in columns.tolist()], dtype=np.int64)
            shape = (1, self.matrix.shape[1])
            left = csr(data, self._place[columns], np.array([0, len(columns)]), shape)
            inside, found = self._echelon.combinations(left)
            if not inside[0]:
                return None
            for r, v in zip(self._rows[found.indices].tolist(), found.data.tolist(), strict=True):
                digits[r] = digits.get(r, 0) + power * v
                for c, e in self._entries(r):
                    rest[c] = rest.get(c, 0) - v * e
            rest = {c: v // prime for c, v in rest.items() if v}
            power *= prime
            y = _fractions(digits, power)
            if y is not None and self._gives(y, form):
                return y

    def multipliers_of(self, forms: csr_array) -> Iterator[Multipliers | None]:
        """The same for many forms at once. forms: int64 csr (forms x columns)."""
        for start in range(0, forms.shape[0], AT_ONCE):
            part = rows_at(forms, np.arange(start, min(start + AT_ONCE, forms.shape[0])))
            inside, known, whole, denominator = self._combined(part)
            rows, factors, below = whole.indices.tolist(), whole.data.tolist(), denominator.tolist()
            for f, (a, b) in enumerate(pairwise(whole.indptr.tolist())):
                if known[f]:
                    own = zip(rows[a:b], factors[a:b], strict=True)
                    yield {row: Fraction(factor, below[f]) for row, factor in own if factor}
                else:
                    yield self.multipliers(_weights(part, f)) if inside[f] else None

    def _moved(self, forms: csr_array) -> csr_array:
        """Columns in the order of elimination."""
        return csr(forms.data, self._place[forms.indices], forms.indptr, forms.shape)

    def _proved(self, forms: csr_array, used: NDArray[np.bool_] | None = None) -> Values:
        """Values of forms that probably are combinations of equations; those that are none are not known.

        used: bool (equations), told which equations the combinations use.
        """
        count = forms.shape[0]
        result = Values(np.zeros(count, np.bool_), np.zeros(count, dtype=object), np.ones(count, np.int64))
        for start in range(0, count, AT_ONCE):
            self._prove(rows_at(forms, np.arange(start, min(start + AT_ONCE, count))), result, start, used)
        return result

    def _prove(self, forms: csr_array, result: Values, start: int, used: NDArray[np.bool_] | None) -> None:
        inside, known, whole, denominator = self._combined(forms)
        here = slice(start, start + forms.shape[0])
        result.known[here], result.denominator[here] = known, denominator
        result.numerator[here] = multiply_wide(whole, self.value)
        if used is not None:
            used[whole.indices[(whole.data != 0) & np.repeat(known, np.diff(whole.indptr))]] = True
        for f in np.flatnonzero(inside & ~known).tolist():
            y = self.multipliers(_weights(forms, f))
            if y is not None:
                if used is not None:
                    used[list(y)] = True
                value = sum((v * int(self.value[r]) for r, v in y.items()), Fraction(0))
                result.known[start + f] = True
                result.numerator[start + f], result.denominator[start + f] = value.numerator, value.denominator

    def _combined(self, forms: csr_array) -> tuple[NDArray[np.bool_], NDArray[np.bool_], csr_array, NDArray[np.int64]]:
        """(forms that are combinations modulo the prime, those whose combination is proved, numerators of multipliers
        (forms x equations), a denominator for each form)."""
        inside, residues = self._echelon.combinations(self._moved(forms))
        # Nearly always the multipliers are whole numbers or small fractions: all forms at once.
        numerator, denominator = _small(residues, self._echelon.prime)
        shape = (forms.shape[0], self.matrix.shape[0])
        whole = csr(numerator, self._rows[residues.indices], residues.indptr, shape)
        return inside, inside & self._equal(whole, forms, denominator), whole, denominator

    def _equal(self, whole: csr_array, forms: csr_array, factor: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Forms for which whole @ equations is exactly factor times the form; False where 64 bits might not do."""
        rows, row, own = rows_at(self.matrix, whole.indices), row_of_entries(whole), row_of_entries(forms)
        largest = max(1.0, *(float(np.abs(m.data).max(initial=0)) for m in (self.matrix, forms)))
        size = np.bincount(row, np.abs(whole.data.astype(np.float64)), forms.shape[0]) + np.abs(factor)
        each = rows.indptr[1:] - rows.indptr[:-1]
        left = from_entries(
            np.concatenate([row.repeat(each), own]),
            np.concatenate([rows.indices, forms.indices]),
            np.concatenate([whole.data.repeat(each) * rows.data, -factor[own] * forms.data]),
            forms.shape,
        )
        same: NDArray[np.bool_] = size * largest < float(NO_UPPER)
        same[row_of_entries(left)[left.data != 0]] = False
        return same

    def _entries(self, row: int) -> Iterator[tuple[int, int]]:
        span = slice(self.matrix.indptr[row], self.matrix.indptr[row + 1])
        return zip(self.matrix.indices[span].tolist(), self.matrix.data[span].tolist(), strict=True)

    def _gives(self, y: Multipliers, target: Mapping[int, int]) -> bool:
        common = lcm(*(v.denominator for v in y.values()))
        rest = {c: v * common for c, v in target.items()}
        for row, factor in y.items():
            whole = int(factor * common)
            for c, e in self._entries(row):
                rest[c] = rest.get(c, 0) - whole * e
        return not any(rest.values())


def _weights(forms: csr_array, f: int) -> dict[int, int]:
    """Column -> weight of one form."""
    span = slice(forms.indptr[f], forms.indptr[f + 1])
    return dict(zip(forms.indices[span].tolist(), forms.data[span].tolist(), strict=True))


def _fractions(residues: Mapping[int, int], modulus: int) -> Multipliers | None:
    """Fractions with small parts that the residues stand for (Wang 1981); None if there are none."""
    most = isqrt(modulus // 2)
    result = {}
    common = 1
    for row, residue in residues.items():
        r0, r1, s0, s1 = modulus, residue * common % modulus, 0, 1
        while r1 > most:
            q = r0 // r1
            r0, r1, s0, s1 = r1, r0 - q * r1, s1, s0 - q * s1
        if abs(s1) * common > most:
            return None
        value = Fraction(r1, s1 * common)
        common = lcm(common, value.denominator)
        if value:
            result[row] = value
    return result


def _small(residues: csr_array, prime: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(numerators, a denominator per row) that the residues of each row probably stand for; what they are worth shows
    when they are multiplied out."""
    numerator, denominator = residues.data.copy(), np.ones(residues.shape[0], np.int64)
    large = np.abs(numerator) > MOST_NUMERATOR
    for f in np.unique(np.searchsorted(residues.indptr, np.flatnonzero(large), side="right") - 1).tolist():
        row = numerator[residues.indptr[f] : residues.indptr[f + 1]]
        while denominator[f] <= MOST_DENOMINATOR and (np.abs(row) > MOST_NUMERATOR).any():
            factor = _denominator(int(row[np.argmax(np.abs(row) > MOST_NUMERATOR)]), prime)
            denominator[f] *= factor
            row[:] = (row * factor + prime // 2) % prime - prime // 2
            if factor == 1:
                break
    return numerator, denominator


def _denominator(residue: int, modulus: int) -> int:
    """Denominator of the fraction with a small numerator that the residue stands for (Wang 1981)."""
    r0, r1, s0, s1 = modulus, residue % modulus, 0, 1
    while r1 > MOST_NUMERATOR:
        q = r0 // r1
        r0, r1, s0, s1 = r1, r0 - q * r1, s1, s0 - q * s1
    return abs(s1) if abs(s1) <= MOST_DENOMINATOR else 1


def _order(matrix: csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Orders of rows and columns: one connected part after another, in each the short rows first (measured: they fill
    in least)."""
    of_row, of_column = connected(matrix)
    by_row = np.lexsort((np.diff(matrix.indptr), of_row))
    return by_row.astype(np.int64), np.argsort(of_column, kind="stable").astype(np.int64)


class _Echelon:
    """Row echelon form modulo a prime of a matrix in the order of elimination."""

    def __init__(self, matrix: csr_array, prime: int) -> None:
        rows, columns = matrix.shape
        self.prime, self._columns = prime, columns
        self._run = run = Runner(worth_compiling(matrix.nnz, eliminate, null_vector, combine))
        room = 4 * matrix.nnz + columns + 16
        made = Echelon(
            prime,
            row_of=run.full(columns, -1),
            ptr=run.full(rows + 1, 0),
            column=run.full(room, 0),
            entry=run.full(room, 0),
            source=run.full(rows, 0),
            scale=run.full(rows, 0),
            step_ptr=run.full(rows + 1, 0),
            step_row=run.full(room, 0),
            step_factor=run.full(room, 0),
            work=run.full(columns, 0),
            factor=run.full(rows, 0),
        )
        system = run.arrays(Rows(matrix.indptr, matrix.indices, matrix.data))
        done = rank = 0
        while True:
            done, rank = run(eliminate, system, made, done, rank)
            if done == rows:
                break
            room *= 2
            growing = ("column", "entry", "step_row", "step_factor")
            made = made._replace(**{name: run.longer(getattr(made, name), room) for name in growing})
        self._made = made._replace(factor=made.factor[:rank])
        self.rank: int = rank
        independent = np.zeros(rows, np.bool_)
        independent[np.asarray(made.source[:rank], dtype=np.int64)] = True
        self.dependent = np.flatnonzero(~independent)
        """Rows that are combinations of the others, modulo the prime."""
        self.null = self._solution()

    def _solution(self) -> NDArray[np.int64]:
        """A random solution of the homogeneous equations (fixed seed)."""
        x = self._run.array(marks(20071217, self._columns, low=1, high=self.prime).copy())
        self._run(null_vector, self._made, x)
        return np.asarray(x, dtype=np.int64)

    def zeros(self) -> NDArray[np.bool_]:
        """Columns where the random solution is 0."""
        result: NDArray[np.bool_] = self.null == 0
        return result

    def vanish(self, forms: csr_array) -> NDArray[np.bool_]:
        """Forms that are 0 at the random solution."""
        part = forms.data % self.prime * self.null[forms.indices] % self.prime
        total = np.zeros(forms.shape[0], np.int64)
        np.add.at(total, row_of_entries(forms), part)
        result: NDArray[np.bool_] = total % self.prime == 0
        return result

    def combinations(self, forms: csr_array) -> tuple[NDArray[np.bool_], csr_array]:
        """(is a combination, its multipliers modulo the prime between -prime/2 and prime/2) of every form."""
        run, count = self._run, forms.shape[0]
        system = run.arrays(Rows(forms.indptr, forms.indices, forms.data))
        room = 4 * forms.nnz + min(self.rank, 1000) + 16
        found = Combinations(run.full(count, 0), run.full(count + 1, 0), run.full(room, 0), run.full(room, 0))
        done = 0
        while (done := run(combine, system, self._made, found, done)) < count:
            room *= 2
            found = found._replace(row=run.longer(found.row, room), value=run.longer(found.value, room))
        ptr = np.asarray(found.ptr, dtype=np.int64)
        data = np.asarray(found.value[: ptr[-1]], dtype=np.int64)
        data = np.where(data > self.prime // 2, data - self.prime, data)
        indices = np.asarray(found.row[: ptr[-1]], dtype=np.int64)
        shape = (count, len(self._made.step_ptr) - 1)
        return np.asarray(found.inside, dtype=np.int64) > 0, csr(data, indices, ptr, shape)
