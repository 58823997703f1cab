"""Components side by side: small networks bounded as one, and quick steps of all before slow ones of any."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from random_components import random_component
from scipy.sparse import block_diag, csr_array

from tableseal.audit.bounds import engine
from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.engine import bound_forms
from tableseal.audit.bounds.knowledge import Knowledge
from tableseal.audit.bounds.method import Method, Step
from tableseal.audit.bounds.plan import full
from tableseal.audit.clock import now
from tableseal.audit.linear.difference import Differenced
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.linear.reduce import Reduced, reduce
from tableseal.audit.progress import silent
from tableseal.audit.solvers.highs import Highs

SEEDS = st.integers(0, 2**40)


def side_by_side(components: Sequence[Component]) -> tuple[Reduced, csr_array]:
    """Several components as one reduced system, and all their targets as forms."""
    matrix = csr_array(block_diag([c.matrix for c in components], format="csr")).astype(np.int64)
    forms = csr_array(block_diag([c.targets for c in components], format="csr")).astype(np.int64)
    same = csr_array(np.eye(matrix.shape[0], dtype=np.int64))
    lower, upper = (np.concatenate([getattr(c, name) for c in components]) for name in ("lower", "upper"))
    return reduce(Differenced(csr_array(matrix), lower, upper, same), nonnegative=True), csr_array(forms)


def apart_all(
    reduced: Reduced, pieces: csr_array, start: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Every component by itself."""
    return np.arange(reduced.components), np.zeros(reduced.components, np.bool_)


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS)
def test_put_together_or_not_the_bounds_are_the_same(seed: int) -> None:
    random = np.random.default_rng(seed)
    components = [random_component(int(s)) for s in random.integers(0, 2**40, 5)]
    components = [c for c in components if (c.column_lower == 0).all()]
    if not components:
        return
    outcomes = []
    for apart in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if apart:
                patch.setattr(engine, "together", apart_all)
            try:
                reduced, forms = side_by_side(components)
                found = bound_forms(reduced, forms, full(Highs()), Limits(), silent)
            except InfeasibleError:
                outcomes.append(None)
                continue
        outcomes.append([(b.lower.outer, b.lower.attained, b.upper.outer, b.upper.attained) for b in found.bounds])
    assert outcomes[0] == outcomes[1]


def squares(count: int) -> list[Component]:
    """Flat tables of 2 x 2 with published margins: a network each."""
    rows = csr_array(np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]]))
    found = []
    for k in range(count):
        value = rows @ np.array([k + 1, 2, 3, 4])
        unit = csr_array(np.eye(4, dtype=np.int64))
        found.append(Component(rows, value, value, np.zeros(4, np.int64), value.max() * np.ones(4, np.int64), unit))
    return found


def test_small_networks_are_one() -> None:
    reduced, forms = side_by_side(squares(30))
    assert reduced.components == 30
    found = bound_forms(reduced, forms, full(Highs()), Limits(), silent)
    assert [use.step for use in found.used] == ["flows"]
    assert found.used[0].columns == 120
    proved = bound_forms(reduced, forms, full(Highs()), Limits(prove=True), silent)
    assert len(proved.used) == 30, "with proofs each keeps its own tables"
    assert [(b.lower.outer, b.upper.outer) for b in found.bounds] == [
        (b.lower.outer, b.upper.outer) for b in proved.bounds
    ]


class Told:
    """Writes down when it was asked."""

    def __init__(self, name: str, quick: bool, calls: list[str]) -> None:
        self.name, self.quick, self._calls = name, quick, calls

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        self._calls.append(self.name)


@pytest.mark.parametrize("limited", [False, True])
def test_quick_steps_of_all_come_first_where_time_is_limited(limited: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "together", apart_all)
    calls: list[str] = []

    def steps(component: Component, known: Knowledge) -> Iterator[Step]:
        yield Told("quick", True, calls)
        yield Told("slow", False, calls)

    reduced, forms = side_by_side(squares(3))
    limits = Limits(deadline=now() + 1000 if limited else None)
    found = bound_forms(reduced, forms, Method("told", steps), limits, silent)
    assert calls == (["quick"] * 3 + ["slow"] * 3 if limited else ["quick", "slow"] * 3)
    assert [use.step for use in found.used] == ["quick", "slow"] * 3
