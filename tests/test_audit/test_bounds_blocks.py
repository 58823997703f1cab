"""Many small components in one compiled call: the same ends as those of each by itself."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_components import random_component, table_component
from scipy.sparse import block_diag, csr_array

from tableseal.audit.bounds.component import Component, End, Limits
from tableseal.audit.bounds.engine import CellBounds, bound_forms
from tableseal.audit.bounds.kernels.cuts import with_cuts
from tableseal.audit.bounds.kernels.fixing import narrowed
from tableseal.audit.bounds.kernels.whole_ends import duplicate, least_whole
from tableseal.audit.bounds.knowledge import know_nothing
from tableseal.audit.bounds.plan import full
from tableseal.audit.bounds.tableaux.dictionary import Aim, Check, Dictionary
from tableseal.audit.bounds.tableaux.many_components import Blocks
from tableseal.audit.bounds.tableaux.tableau import BOXES, Tableau
from tableseal.audit.compiling import Runner, compiled
from tableseal.audit.linear.difference import Differenced
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.linear.reduce import Reduced, reduce
from tableseal.audit.progress import silent
from tableseal.audit.solvers.highs import Highs

SEEDS = st.integers(0, 2**40)


def side_by_side(components: Sequence[Component]) -> tuple[Reduced, csr_array]:
    """Several components, with their bounds, as one reduced system, and all their targets as forms."""
    matrix = csr_array(block_diag([c.matrix for c in components], format="csr")).astype(np.int64)
    forms = csr_array(block_diag([c.targets for c in components], format="csr")).astype(np.int64)
    same = csr_array(np.eye(matrix.shape[0], dtype=np.int64))
    lower, upper, low, high = (
        np.concatenate([getattr(c, name) for c in components])
        for name in ("lower", "upper", "column_lower", "column_upper")
    )
    differenced = Differenced(csr_array(matrix), lower, upper, same)
    return reduce(differenced, nonnegative=False, first=(low, high)), csr_array(forms)


def bounded(
    reduced: Reduced, forms: csr_array, *, at_once: bool, integer: bool, boxes: tuple[int, ...] = BOXES
) -> CellBounds:
    """With and without what is tested."""
    method = replace(full(Highs()), blocks=Blocks(Tableau(compiled=True), boxes) if at_once else None)
    return bound_forms(reduced, forms, method, Limits(values=False, integer=integer), silent)


def ends(found: CellBounds) -> list[tuple[object, ...]]:
    """What is said of every end; where there is no limit any table will do."""

    def told(end: End) -> tuple[object, ...]:
        shown = end.attained is not None if end.unlimited else (end.attained, end.continuous)
        return end.lp, end.outer, end.unlimited, shown

    return [(told(b.lower), told(b.upper)) for b in found.bounds]


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, integer=st.booleans(), boxes=st.sampled_from([BOXES, (0,), (1, 1)]))
def test_at_once_or_one_by_one_the_ends_are_the_same(seed: int, integer: bool, boxes: tuple[int, ...]) -> None:
    random = np.random.default_rng(seed)
    components = [random_component(int(s)) for s in random.integers(0, 2**40, 4)]
    outcomes = []
    for at_once in (True, False):
        try:
            reduced, forms = side_by_side(components)
            outcomes.append(ends(bounded(reduced, forms, at_once=at_once, integer=integer, boxes=boxes)))
        except InfeasibleError:
            outcomes.append(None)
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("integer", [True, False])
def test_cubes_are_closed_at_once(integer: bool) -> None:
    """Whole ends of cubes take cuts and splits; few are left to the steps of a method, which find the same."""
    components = [table_component(shape, seed) for seed in range(6) for shape in ((3, 4, 5), (4, 4, 4), (4, 5, 5))]
    reduced, forms = side_by_side(components)
    found = bounded(reduced, forms, at_once=True, integer=integer)
    assert found.closed is not None
    assert len(found.closed.components) >= 0.9 * reduced.components
    assert ends(found) == ends(bounded(reduced, forms, at_once=False, integer=integer))
    assert sum(use.targets for use in found.used) == len(np.unique(found.pieces.piece))


def test_what_is_left_open_is_handed_on() -> None:
    """Without splits some cubes are left open; what is known of them by then is not computed again."""
    components = [table_component((4, 5, 5), seed) for seed in range(8)]
    reduced, forms = side_by_side(components)
    found = bounded(reduced, forms, at_once=True, integer=True, boxes=(0,))
    assert found.closed is not None
    assert found.closed.begun
    assert all(end.lp is not None for known in found.closed.begun.values() for t in known.targets for end in t[:2])
    assert ends(found) == ends(bounded(reduced, forms, at_once=False, integer=True))


@pytest.mark.parametrize("far", [2**40, 2**53 + 1, 2**58 + 3, 2**60 + 5])
@pytest.mark.parametrize("times", [1, 3, 2**20])
def test_large_values_never_wrap(far: int, times: int) -> None:
    """x + y = far, times x <= y, by hand: x from 0 to far / (times + 1). Beside it one that is small."""
    wide = Component(
        csr_array(np.array([[1, 1], [times, -1]])),
        np.array([far, NO_LOWER]),
        np.array([far, 0]),
        np.array([0, 0]),
        np.array([NO_UPPER, NO_UPPER]),
        csr_array(np.eye(2, dtype=np.int64)),
    )
    reduced, forms = side_by_side([wide, table_component((3, 3, 4), 1)])
    x, y = bounded(reduced, forms, at_once=True, integer=False).bounds[:2]
    assert x.lower.lp in (0, None)
    assert y.upper.lp in (far, None)
    assert x.upper.lp in (Fraction(far, times + 1), None)
    assert y.lower.lp in (Fraction(far * times, times + 1), None)


def matrices(d: Dictionary) -> Dictionary:
    """A dictionary of lists in arrays."""
    return d._make(np.array(a, dtype=np.bool_ if a and isinstance(a[0], bool) else np.int64) for a in d)


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, shape=st.sampled_from([(3, 4, 5), (4, 4, 4), (4, 5, 5)]))
def test_compiled_cuts_are_those_of_the_loops_as_they_stand(seed: int, shape: tuple[int, ...]) -> None:
    """What can still move and the cuts that are added, entry by entry, wherever whole ends are looked for."""
    component, met, call = table_component(shape, seed), list[tuple[Dictionary, Aim, int]](), Runner.__call__

    def told(run: Runner, function: object, *arguments: object) -> object:
        if function is least_whole:
            d, check, aim = arguments[:3]
            assert isinstance(d, Dictionary)
            assert isinstance(check, Check)
            assert isinstance(aim, Aim)
            met.append((duplicate(d), aim, int(check.attained[aim.end] - check.offset[aim.end])))
            return False
        return call(run, function, *arguments)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Runner, "__call__", told)
        Tableau(compiled=False).work(component, know_nothing(component, Limits()), Limits())
    for d, aim, best in met:
        fixed, other = [0] * component.matrix.shape[1], np.zeros(component.matrix.shape[1], np.int64)
        refuted, plain = narrowed(d, aim, best, fixed)
        also, fast = compiled(narrowed)(matrices(d), aim, best, other)
        assert refuted == also
        if refuted:
            continue
        assert fixed == other.tolist()
        cut, same = with_cuts(plain, aim, len(d.span)), compiled(with_cuts)(fast, aim, len(d.span))
        for one, two in ((plain, fast), (cut, same)):
            assert all(a == b.tolist() for a, b in zip(one, two, strict=True))


def test_few_are_left_to_plain_python() -> None:
    """Nothing is compiled for a few small components."""
    reduced, forms = side_by_side([table_component((3, 3, 4), 1)])
    method = replace(full(Highs()), blocks=Blocks(Tableau(compiled=False)))
    assert bound_forms(reduced, forms, method, Limits(values=False), silent).closed is None
