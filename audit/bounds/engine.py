"""The bounds pipeline: reduced system -> components -> a method for each -> both ends of every open cell."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Answer, Component, End, Limits, TargetBounds, Use
from tableseal.audit.bounds.components import Components
from tableseal.audit.bounds.linear_values import as_fraction
from tableseal.audit.bounds.method import Method, Underway
from tableseal.audit.bounds.networks.side_by_side import together
from tableseal.audit.bounds.recorded_answers import from_text, key_of, to_text
from tableseal.audit.bounds.split_forms import SplitForms, cut_forms, known_part
from tableseal.audit.bounds.tableaux.many_components import Closed
from tableseal.audit.execution.executor import HERE, Executor, in_batches
from tableseal.audit.execution.state import State
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.progress import Progress
from tableseal.audit.sparse import rows_at

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
    value: int64 (forms), the values of those.
    pieces: what the other forms are sums of. solved: the bounds of each piece, but for those that `closed` has.
    used: cost of each step on each component.
    kept: see there.
    reached: int64, int64 (forms), the least and the largest value in further tables of whole units that are not kept;
        above each other where there is none.
    """

    determined: NDArray[np.bool_]
    value: NDArray[np.int64]
    pieces: SplitForms
    solved: dict[int, TargetBounds]
    closed: Closed | None
    used: tuple[Use, ...]
    kept: Kept | None = None
    reached: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None

    @cached_property
    def bounds(self) -> tuple[TargetBounds, ...]:
        """Both ends of every form, in order (made of arrays when they are first asked for)."""
        if self.reached is None:
            return self.of_pieces
        ends = zip(*(ends.tolist() for ends in self.reached), strict=True)
        return tuple(_further(b, low, high) for b, (low, high) in zip(self.of_pieces, ends, strict=True))

    def reaching(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> "CellBounds":
        """The same with further tables; see `reached`."""
        if self.reached is not None:
            low, high = np.minimum(low, self.reached[0]), np.maximum(high, self.reached[1])
        return replace(self, reached=(low, high))

    @cached_property
    def of_pieces(self) -> tuple[TargetBounds, ...]:
        """The same as far as the pieces tell."""
        solved = self.solved | ({} if self.closed is None else self.closed.bounds())
        return tuple(_assembled(self.determined, self.value, self.pieces, solved))


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
    determined, value = _determined(reduced, forms)
    pieces = cut_forms(reduced, forms, skip=determined)
    tangled = np.zeros(reduced.components, np.bool_)
    if not limits.prove:  # every table that shows something is kept then, and would be as large as the whole
        group, tangled = together(reduced, pieces.weights, pieces.start)
        reduced, pieces = _coarser(reduced, group), _regrouped(pieces, group)
    asked = np.diff(pieces.start) > 0
    solved: dict[int, TargetBounds] = {}
    uses: list[Use] = []
    parts = Components(reduced)
    # Nobody may ask about a component's columns, but a release that no table fits must not pass as safe.
    left = asked | check_rest
    closed, done, begun = None, 0, dict[int, Answer]()
    if method.blocks is not None and not limits.values:
        closed = method.blocks.close(parts, pieces, np.flatnonzero(tangled & asked), limits)
        if closed is not None:
            left[closed.components] = False
            uses += closed.uses
            done, begun = len(closed.piece), closed.begun
            progress("bounds", done, pieces.weights.shape[0])
    order = np.flatnonzero(left).tolist()
    components = [parts.component(c, pieces.weights, pieces.start[c], pieces.start[c + 1]) for c in order]
    tables: dict[int, tuple[NDArray[np.int64], ...]] = {}
    told = [begun.get(c) for c in order]
    for c, answer in zip(order, _answers(components, told, method, limits, executor, state), strict=True):
        solved.update(enumerate(answer.targets, start=int(pieces.start[c])))
        uses += answer.uses
        tables[c] = answer.tables
        progress("bounds", done + len(solved), pieces.weights.shape[0])
    kept = _kept(pieces, solved, {c: parts.columns(c) for c in order}, tables) if limits.prove else None
    return CellBounds(determined, value, pieces, solved, closed, tuple(uses), kept)


def _coarser(reduced: Reduced, group: NDArray[np.int64]) -> Reduced:
    """The reduced system with components put together."""
    component = np.where(reduced.component < 0, -1, np.append(group, -1)[reduced.component])
    return replace(reduced, component=component, components=int(group.max(initial=-1)) + 1)


def _regrouped(pieces: SplitForms, group: NDArray[np.int64]) -> SplitForms:
    """Pieces in the order of the groups of their components."""
    owner = group[np.repeat(np.arange(len(group)), np.diff(pieces.start))]
    order = np.argsort(owner, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return SplitForms(
        pieces.constant,
        pieces.form,
        rank[pieces.piece],
        rows_at(pieces.weights, order),
        np.searchsorted(owner[order], np.arange(int(group.max(initial=-1)) + 2)),
    )


def _kept(
    pieces: SplitForms,
    solved: dict[int, TargetBounds],
    columns: dict[int, NDArray[np.int64]],
    tables: dict[int, tuple[NDArray[np.int64], ...]],
) -> Kept:
    component = (np.searchsorted(pieces.start, pieces.piece, side="right") - 1).tolist()
    by_form: list[list[tuple[int, TargetBounds]]] = [[] for _ in pieces.constant]
    for form, piece, c in zip(pieces.form.tolist(), pieces.piece.tolist(), component, strict=True):
        by_form[form].append((c, solved[piece]))
    return Kept(tuple(tuple(own) for own in by_form), columns, tables)


def _assembled(
    determined: NDArray[np.bool_], value: NDArray[np.int64], pieces: SplitForms, solved: dict[int, TargetBounds]
) -> list[TargetBounds]:
    ends = np.searchsorted(pieces.form, np.arange(len(determined) + 1)).tolist()
    piece, constant = pieces.piece.tolist(), pieces.constant.tolist()
    known, values = determined.tolist(), value.tolist()
    bounds = []
    for f in range(len(known)):
        own = [solved[p] for p in piece[ends[f] : ends[f + 1]]]
        if known[f]:
            bounds.append(point(values[f]))
        elif len(own) == 1 and constant[f] == 0:
            bounds.append(own[0])
        else:
            bounds.append(_sum(constant[f], own))
    return bounds


def _further(bounds: TargetBounds, low: int, high: int) -> TargetBounds:
    """The bounds with tables of whole units that have these values."""
    if low > high:
        return bounds
    lower, upper = bounds.lower, bounds.upper
    down = low if lower.attained is None else min(low, lower.attained)
    up = high if upper.attained is None else max(high, upper.attained)
    return bounds._replace(
        lower=lower._replace(attained=down), upper=upper._replace(attained=up), seen=max(bounds.seen, len({low, high}))
    )


@dataclass(frozen=True)
class _Batch:
    """Components that are sent to a worker together, each with what is known of it. `quick`: for their first steps."""

    components: tuple[tuple[Component, Answer | Underway | None], ...]
    method: Method
    limits: Limits
    quick: bool


def _complete(known: Answer | Underway | None) -> TypeGuard[Answer]:
    return isinstance(known, Answer) and known.complete


def _solve(batch: _Batch) -> list[Answer | Underway]:
    method, limits = batch.method, batch.limits
    found: list[Answer | Underway] = []
    for component, begun in batch.components:
        if _complete(begun):
            found.append(begun)
            continue
        underway = begun if isinstance(begun, Underway) else method.begin(component, limits, begun=begun)
        done = method.go_on(component, underway, limits, quick=batch.quick)
        found.append(underway.answer(limits) if done else underway)
    return found


def _answers(
    components: list[Component],
    told: list[Answer | None],
    method: Method,
    limits: Limits,
    executor: Executor,
    state: State | None,
) -> Iterator[Answer]:
    """The answer for each component, in order; what was told of it, or a state remembers, is not computed again.

    With a time limit the quick steps of all come before the slow ones of any.
    """
    keys = [key_of(c, method, limits) for c in components] if state is not None else []
    texts = [None] * len(components) if state is None else [state.get(key) for key in keys]
    begun: list[Answer | Underway | None] = [
        from_text(text) if text else t for text, t in zip(texts, told, strict=True)
    ]
    for quick in (True, False) if limits.deadline is not None else (False,):
        open_work = [
            0 if _complete(known) else component.matrix.nnz + component.targets.nnz
            for component, known in zip(components, begun, strict=True)
        ]
        runs = in_batches(open_work, batch=WORTH_SENDING)
        items = [_Batch(tuple(zip(components[a:b], begun[a:b], strict=True)), method, limits, quick) for a, b in runs]
        for (first, _), found in zip(runs, executor.map(_solve, items), strict=True):
            for k, known in enumerate(found, start=first):
                if isinstance(known, Answer):
                    if state is not None and not _complete(begun[k]):
                        state.put(keys[k], to_text(known))
                    if not quick:
                        yield known
                begun[k] = known


def point(value: int) -> TargetBounds:
    end = End(as_fraction(value), value, value, None)
    return TargetBounds(end, end, convex=True, seen=1)


def _determined(reduced: Reduced, forms: csr_array) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """(which forms the equations alone give, their values)."""
    value, rest = known_part(forms, reduced.by_equations, reduced.value)
    known = np.diff(rest.indptr) == 0
    if reduced.equations is not None and not known.all():
        left = np.flatnonzero(~known)
        found = reduced.equations.values(rows_at(rest, left))
        known[left] = found.known
        value[left] += found.whole()
    return known, value


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
    continuous = None
    if not unlimited and any(e.continuous is not None for e in ends):
        continuous = _total(constant, [e.continuous if e.continuous is not None else e.attained for e in ends])
    outer, attained = [e.outer for e in ends], [e.attained for e in ends]
    return End(
        _total(constant, [e.lp for e in ends]),
        None if None in outer else sum(filter(None, outer), constant),
        None if None in attained else sum(filter(None, attained), constant),
        continuous,
        unlimited,
    )


def _total(constant: int, values: list[Fraction | int | None]) -> Fraction | None:
    total: Fraction | int = constant
    for value in values:
        if value is None:
            return None
        total += value.numerator if value.denominator == 1 else value  # sums of fractions cost ten times as much
    return as_fraction(total) if isinstance(total, int) else total
