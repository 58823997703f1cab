"""The bounds pipeline: reduced system -> components -> a method for each -> both ends of every open cell."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.bounds.component import Answer, Component, End, Limits, TargetBounds, Use
from audit.bounds.method import Method
from audit.bounds.remembered import from_text, key_of, to_text
from audit.execution.executor import HERE, Executor, in_batches
from audit.execution.state import State
from audit.linear.propagate import InfeasibleError
from audit.linear.reduce import Reduced
from audit.progress import Progress

WORTH_SENDING = 20_000
"""Coefficients of small components that are sent to a worker together."""


@dataclass(frozen=True)
class Kept:
    """What shows that ends are attained (kept where Limits.prove asks for it).

    pieces: (component, bounds) of the pieces that each form is a sum of; none where equations give its value.
    columns: columns of the system in each component; tables: integer solutions of each component.
    """

    pieces: tuple[tuple[tuple[int, TargetBounds], ...], ...]
    columns: dict[int, NDArray[np.int64]]
    tables: dict[int, tuple[NDArray[np.int64], ...]]


@dataclass(frozen=True)
class CellBounds:
    """Both ends of every form, and how they were found.

    determined: bool (forms), no method was needed: equations, or bounds that close single base cells, give the value.
    used: cost of each step on each component.
    kept: see there.
    """

    bounds: tuple[TargetBounds, ...]
    determined: NDArray[np.bool_]
    used: tuple[Use, ...]
    kept: Kept | None = None

    def shifted(self, constants: NDArray[np.int64]) -> "CellBounds":
        """The same bounds with a constant added to each form."""
        moved = [_sum(int(c), [b]) for b, c in zip(self.bounds, constants, strict=True)]
        return CellBounds(tuple(moved), self.determined, self.used, self.kept)


@dataclass
class _Pieces:
    """Forms cut along components: for each form the pieces it is the sum of, plus a constant."""

    constant: list[int]
    of_form: list[list[int]]
    component: list[int]
    columns: list[NDArray[np.int64]]
    weights: list[NDArray[np.int64]]


def bound_forms(
    reduced: Reduced,
    forms: csr_array,
    method: Method,
    limits: Limits,
    progress: Progress,
    *,
    executor: Executor = HERE,
    state: State | None = None,
    check_rest: bool = True,
) -> CellBounds:
    """Minimum and maximum of every form over the reduced system.

    Forms that reach into several components are cut into pieces, which are independent of each other; equal pieces are
    solved once. Pieces that the equations determine are not solved at all. `check_rest`: components that no form
    reaches are checked for a solution too.

    Raises
    ------
    InfeasibleError: no solution exists.
    """
    determined_value = _determined(reduced, forms)
    pieces = _cut(reduced, forms, skip=np.array([v is not None for v in determined_value], np.bool_))
    solved: list[TargetBounds | None] = [None] * len(pieces.columns)
    uses: list[Use] = []
    tables: dict[int, tuple[NDArray[np.int64], ...]] = {}
    by_component: dict[int, list[int]] = {}
    for p, c in enumerate(pieces.component):
        by_component.setdefault(c, []).append(p)
    rows_of = _rows_of_components(reduced)
    members_of = _members(reduced)
    total, done = len(pieces.columns), 0
    for c in sorted(set(range(reduced.components)) - set(by_component)) if check_rest else ():
        # Nobody asks about these columns, but a release that no table fits must not pass as safe.
        by_component[c] = []
    order = sorted(by_component)
    components = [
        _component(
            reduced,
            rows_of[c],
            members_of[c],
            [pieces.columns[p] for p in by_component[c]],
            [pieces.weights[p] for p in by_component[c]],
        )
        for c in order
    ]
    for c, answer in zip(order, _answers(components, method, limits, executor, state), strict=True):
        uses += answer.uses
        tables[c] = answer.tables
        for p, result in zip(by_component[c], answer.targets, strict=True):
            solved[p] = result
        done += len(by_component[c])
        progress("bounds", done, total)
    bounds = []
    for f, known in enumerate(determined_value):
        if known is not None:
            bounds.append(_point(known))
        else:
            parts = [solved[p] for p in pieces.of_form[f]]
            bounds.append(_sum(pieces.constant[f], [b for b in parts if b is not None]))
    kept = _kept(pieces, solved, tables, members_of) if limits.prove else None
    return CellBounds(tuple(bounds), np.array([v is not None for v in determined_value], np.bool_), tuple(uses), kept)


def _kept(
    pieces: _Pieces,
    solved: list[TargetBounds | None],
    tables: dict[int, tuple[NDArray[np.int64], ...]],
    members_of: list[NDArray[np.int64]],
) -> Kept:
    parts = [tuple((pieces.component[p], b) for p in own if (b := solved[p]) is not None) for own in pieces.of_form]
    return Kept(tuple(parts), {c: members_of[c] for c in tables}, tables)


@dataclass(frozen=True)
class _Batch:
    """Components that are sent to a worker together."""

    components: tuple[tuple[Component, Answer | None], ...]
    method: Method
    limits: Limits


def _solve(batch: _Batch) -> list[Answer]:
    return [
        begun if begun is not None and begun.complete else batch.method.bounds(component, batch.limits, begun=begun)
        for component, begun in batch.components
    ]


def _answers(
    components: list[Component], method: Method, limits: Limits, executor: Executor, state: State | None
) -> Iterator[Answer]:
    """The answer for each component, in order; what a state remembers is not computed again."""
    keys = [key_of(c, method, limits) for c in components] if state is not None else []
    begun: list[Answer | None] = [None] * len(components)
    if state is not None:
        texts = [state.get(key) for key in keys]
        begun = [None if text is None else from_text(text) for text in texts]
    open_work = [
        0 if known is not None and known.complete else component.matrix.nnz + component.targets.nnz
        for component, known in zip(components, begun, strict=True)
    ]
    runs = in_batches(open_work, batch=WORTH_SENDING)
    items = [_Batch(tuple(zip(components[a:b], begun[a:b], strict=True)), method, limits) for a, b in runs]
    for (first, _), answers in zip(runs, executor.map(_solve, items), strict=True):
        for k, answer in enumerate(answers, start=first):
            if state is not None and answer is not begun[k]:
                state.put(keys[k], to_text(answer))
            yield answer


def _point(value: int) -> TargetBounds:
    end = End(Fraction(value), value, value, None)
    return TargetBounds(end, end, convex=True, seen=1)


def _determined(reduced: Reduced, forms: csr_array) -> list[int | None]:
    """Value of each form that the equations alone give."""
    values: list[int | None] = []
    by_singleton = (reduced.part_of < 0) & reduced.fixed
    for start, end in zip(forms.indptr[:-1], forms.indptr[1:], strict=True):
        columns, weights = forms.indices[start:end], forms.data[start:end]
        free = ~by_singleton[columns]
        total = Fraction(int(weights[~free] @ reduced.value[columns[~free]]))
        groups: dict[int, tuple[list[int], list[int]]] = {}
        for column, weight in zip(columns[free].tolist(), weights[free].tolist(), strict=True):
            cols, wts = groups.setdefault(int(reduced.part_of[column]), ([], []))
            cols.append(column)
            wts.append(weight)
        known: Fraction | None = total
        for part_index, (cols, wts) in groups.items():
            if part_index < 0:  # a column in no equation
                known = None
                break
            part = reduced.parts[part_index]
            local = np.searchsorted(part.columns, cols).tolist()
            value = part.echelon.evaluate(local, wts)
            if value is None:
                known = None
                break
            assert known is not None
            known += value
        if known is not None and known.denominator != 1:
            raise InfeasibleError  # a value between two multiples of the unit
        values.append(None if known is None else int(known))
    return values


def _cut(reduced: Reduced, forms: csr_array, skip: NDArray[np.bool_]) -> _Pieces:
    pieces = _Pieces([], [], [], [], [])
    seen: dict[tuple[int, bytes, bytes], int] = {}
    for f, (start, end) in enumerate(zip(forms.indptr[:-1], forms.indptr[1:], strict=True)):
        columns, weights = forms.indices[start:end].astype(np.int64), forms.data[start:end]
        fixed = reduced.fixed[columns]
        pieces.constant.append(int(weights[fixed] @ reduced.value[columns[fixed]]))
        own: list[int] = []
        pieces.of_form.append(own)
        if skip[f]:
            continue
        columns, weights = columns[~fixed], weights[~fixed]
        label = reduced.component[columns]
        order = np.lexsort((columns, label))
        columns, weights, label = columns[order], weights[order], label[order]
        cuts = np.flatnonzero(np.diff(label)) + 1
        for cols, wts in zip(np.split(columns, cuts), np.split(weights, cuts), strict=True):
            if len(cols) == 0:
                continue
            c = int(reduced.component[cols[0]])
            key = (c, cols.tobytes(), wts.tobytes())
            if key not in seen:
                seen[key] = len(pieces.columns)
                pieces.component.append(c)
                pieces.columns.append(cols)
                pieces.weights.append(wts)
            own.append(seen[key])
    return pieces


def _rows_of_components(reduced: Reduced) -> list[NDArray[np.int64]]:
    label = reduced.component[reduced.matrix.indices[reduced.matrix.indptr[:-1]]]
    return _groups(label, reduced.components)


def _members(reduced: Reduced) -> list[NDArray[np.int64]]:
    at = np.flatnonzero(reduced.component >= 0)
    return [at[g] for g in _groups(reduced.component[at], reduced.components)]


def _groups(label: NDArray[np.int64], count: int) -> list[NDArray[np.int64]]:
    order = np.argsort(label, kind="stable")
    start = np.searchsorted(label[order], np.arange(count + 1))
    return [order[a:b] for a, b in pairwise(start)]


def _component(
    reduced: Reduced,
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    piece_columns: list[NDArray[np.int64]],
    piece_weights: list[NDArray[np.int64]],
) -> Component:
    indptr = np.concatenate([[0], np.cumsum([len(c) for c in piece_columns])]).astype(np.int64)
    flat = np.concatenate(piece_columns) if piece_columns else np.empty(0, np.int64)
    weights = np.concatenate(piece_weights) if piece_weights else np.empty(0, np.int64)
    targets = csr_array((weights, np.searchsorted(columns, flat), indptr), shape=(len(piece_columns), len(columns)))
    return Component(
        csr_array(reduced.matrix[rows][:, columns]),
        reduced.lower[rows],
        reduced.upper[rows],
        reduced.column_lower[columns],
        reduced.column_upper[columns],
        targets,
    )


def _sum(constant: int, parts: list[TargetBounds]) -> TargetBounds:
    """Bounds of a sum of independent pieces."""
    return TargetBounds(
        _sum_ends(constant, [p.lower for p in parts]),
        _sum_ends(constant, [p.upper for p in parts]),
        convex=all(p.convex for p in parts),
        # The sums of two sets of a and b numbers are at least a + b - 1 different numbers.
        seen=1 + sum(max((p.at_least or 1) - 1, 0) for p in parts),
    )


def _sum_ends(constant: int, ends: list[End]) -> End:
    unlimited = any(e.unlimited for e in ends)
    lps = [e.lp for e in ends]
    outers = [e.outer for e in ends]
    attained = [e.attained for e in ends]
    lp = None if any(v is None for v in lps) else constant + sum((v for v in lps if v is not None), Fraction(0))
    outer = None if any(v is None for v in outers) else constant + sum(v for v in outers if v is not None)
    reached = None if any(v is None for v in attained) else constant + sum(v for v in attained if v is not None)
    continuous = None
    if not unlimited and any(e.continuous is not None for e in ends):
        best = [e.continuous if e.continuous is not None else e.attained for e in ends]
        if all(v is not None for v in best):
            continuous = constant + sum((Fraction(v) for v in best if v is not None), Fraction(0))
    return End(lp, outer, reached, continuous, unlimited)
