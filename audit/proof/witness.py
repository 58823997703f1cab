"""Witness tables: one joint table of leaves for every claimed value, most of them as a few changes to a reference."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.certify import Rational, is_ray, rationalise
from tableseal.audit.bounds.component import Component
from tableseal.audit.bounds.engine import Kept
from tableseal.audit.bounds.linear_values import as_fraction
from tableseal.audit.bounds.programs.float_problem import ray_problem
from tableseal.audit.linear.base import Base
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.prepare import Prepared
from tableseal.audit.proof.glue import Gluer, Key, Number, Table
from tableseal.audit.proof.leaves import LeafCodes
from tableseal.audit.proof.model import Records
from tableseal.audit.solvers.protocol import Solver

Part = tuple[int, int | Rational]
"""A component, and which of its tables (or which real solution) to take there."""


class Witnesses:
    """Collects tables and rays; each is kept once.

    complete: every component has a table (of whole units, or where none was found of fractions), so that there is a
    reference and witnesses can be given at all.
    """

    def __init__(self, prepared: Prepared, reduced: Reduced, kept: Kept, leaves: LeafCodes) -> None:
        self._base, self._kept, self._leaves = prepared.system.base, kept, leaves
        self._nonnegative = prepared.system.nonnegative
        real = _points(kept)
        self.complete = all(kept.tables.get(c) or c in real for c in range(reduced.components))
        self.tables: list[Records] = []
        self.rays: list[Records] = []
        self._seen: dict[object, int] = {}
        self._place: dict[Records, int] = {}
        self._leaf_of: dict[tuple[int, Key], tuple[str, ...]] = {}
        self._x = np.where(reduced.fixed, reduced.value, 0)
        self._fractions: dict[int, Fraction] = {}
        self.reference: Records = ()
        if self.complete:
            for c, columns in kept.columns.items():
                if kept.tables[c]:
                    self._x[columns] = kept.tables[c][0]
                else:
                    self._fractions |= dict(zip(columns.tolist(), _values(real[c]), strict=True))
            self._gluers, self.reference = self._start()
            self._keep((), ())

    @property
    def whole(self) -> bool:
        """The reference is a table of whole units, so that there are others."""
        return not self._fractions

    def _keep(self, key: object, records: Records) -> int:
        at = self._place.setdefault(records, len(self.tables))
        if at == len(self.tables):
            self.tables.append(records)
        self._seen[key] = at
        return at

    def _start(self) -> tuple[list[tuple[Gluer, list[int]]], Records]:
        """A gluer for each block with its base tables in order, and the reference as joint leaves."""
        gluers, records = [], []
        whole = {int(c): int(self._x[c]) for c in np.flatnonzero(self._x)}
        values = _by_table(self._base, self._leaves, whole | {c: x for c, x in self._fractions.items() if x})
        for block in range(len(self._base.blocks)):
            order = _order(self._base, block)
            gluer = Gluer([self._base.tables[t].variables for t in order], nonnegative=self._nonnegative)
            gluers.append((gluer, order))
            records += self._records(block, gluer, gluer.start([values.get(t, {}) for t in order]))
        return gluers, tuple(sorted(records))

    def table(self, parts: Sequence[Part]) -> int:
        """Number of the table that is the reference but for the given components."""
        parts = [(c, part) for c, part in parts if part != 0]
        key = tuple((c, part if isinstance(part, int) else _values(part)) for c, part in sorted_parts(parts))
        if key in self._seen:
            return self._seen[key]
        new: dict[int, Number] = {}
        for c, part in parts:
            columns = self._kept.columns[c]
            if isinstance(part, int) and self.whole:  # a few columns of thousands change
                table = self._kept.tables[c][part]
                changed = np.flatnonzero(table != self._x[columns])
                new |= dict(zip(columns[changed].tolist(), table[changed].tolist(), strict=True))
                continue
            values = self._kept.tables[c][part].tolist() if isinstance(part, int) else _values(part)
            old = [self._fractions.get(j, x) for j, x in zip(columns.tolist(), self._x[columns].tolist(), strict=True)]
            new |= {j: x for j, x, was in zip(columns.tolist(), values, old, strict=True) if x != was}
        return self._keep(key, self._changes(new))

    def _changes(self, new: Mapping[int, Number]) -> Records:
        """New values of base cells as new values of leaves."""
        values = _by_table(self._base, self._leaves, new)
        records = []
        for block, (gluer, order) in enumerate(self._gluers):
            changed = [values.get(t, {}) for t in order]
            if any(changed):
                records += self._records(block, gluer, gluer.change(changed))
        return tuple(sorted(records))

    def _records(self, block: int, gluer: Gluer, joint: Table) -> list[tuple[tuple[str, ...], Fraction]]:
        return [(self._leaf(block, gluer.variables, key), _fraction(x)) for key, x in joint.items()]

    def _leaf(self, block: int, variables: tuple[int, ...], key: Key) -> tuple[str, ...]:
        """The leaf of a joint cell; tables have the same ones again and again."""
        at = (block, key)
        if at not in self._leaf_of:
            self._leaf_of[at] = self._leaves.leaf(block, dict(zip(variables, key, strict=True)))
        return self._leaf_of[at]

    def ray(
        self, component: Component, columns: NDArray[np.int64], cost: NDArray[np.int64], solver: Solver
    ) -> int | None:
        """Number of a direction that lowers cost for ever from a table of whole units; None if none is in hand."""
        if not self.whole:
            return None
        outcome = solver.warm(ray_problem(component)).minimise(cost.astype(np.float64))
        if outcome.x is None or not is_ray(component, cost, outcome.x):
            return None
        direction = rationalise(outcome.x / np.abs(outcome.x).max())
        assert direction is not None  # is_ray has made the same fractions of it
        used = np.flatnonzero(direction.numerator)
        new = dict(zip(columns[used].tolist(), direction.numerator[used].tolist(), strict=True))
        values = _by_table(self._base, self._leaves, new)
        records = []
        for block, (gluer, order) in enumerate(self._gluers):
            fresh = Gluer([self._base.tables[t].variables for t in order], nonnegative=self._nonnegative)
            records += self._records(block, gluer, fresh.start([values.get(t, {}) for t in order]))
        found = tuple(sorted((leaf, x) for leaf, x in records if x))
        if found not in self.rays:
            self.rays.append(found)
        return self.rays.index(found)


def _fraction(x: Number) -> Fraction:
    return as_fraction(x) if isinstance(x, int) else x


def _points(kept: Kept) -> dict[int, Rational]:
    """Some table of fractions of each component that has one."""
    ends = [(c, end) for own in kept.pieces for c, bounds in own for end in (bounds.lower, bounds.upper)]
    return {c: Rational(*end.point) for c, end in ends if end.point is not None}


def _values(point: Rational) -> tuple[Fraction, ...]:
    return tuple(Fraction(n, point.denominator) for n in point.numerator.tolist())


def sorted_parts(parts: Sequence[Part]) -> list[Part]:
    """By component."""
    return sorted(parts, key=lambda part: part[0])


def _by_table(base: Base, leaves: LeafCodes, values: Mapping[int, Number]) -> dict[int, dict[Key, Number]]:
    """Column values, by base table and atoms."""
    found: dict[int, dict[Key, Number]] = {}
    for column, x in values.items():
        table, atoms = leaves.place(column)
        found.setdefault(table, {})[atoms] = x
    return found


def _order(base: Base, block: int) -> list[int]:
    """Base tables of a block along its junction tree."""
    own = [t for t, table in enumerate(base.tables) if table.block == block]
    order = own[:1]
    while len(order) < len(own):
        for separator in base.separators:
            ends = (separator.first, separator.second)
            for near, far in (ends, ends[::-1]):
                if near in order and far in own and far not in order:
                    order.append(far)
    return order
