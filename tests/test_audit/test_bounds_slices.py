"""Tables in which one target has a given value, against every table of small components."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_components import random_component, table_component, truth_of

from tableseal.audit.bounds.certify import Rational, satisfies
from tableseal.audit.bounds.component import Component
from tableseal.audit.bounds.tableaux.slices import Slices
from tableseal.audit.bounds.tableaux.tableau import Tableau
from tableseal.audit.linear.propagate import InfeasibleError

NODES = 24


def slices_of(component: Component, *, compiled: bool) -> Slices | None:
    """None also where the component has no real solution."""
    try:
        return Tableau(compiled=compiled).slices(component)
    except InfeasibleError:
        return None


def table_at(slices: Slices, target: int, value: int) -> list[int] | str | None:
    """What is answered: a table, "none", or None where that is not known."""
    try:
        table = slices.table(target, value, NODES)
    except InfeasibleError:
        return "none"
    return None if table is None else table.tolist()


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**40), compiled=st.booleans())
def test_tables_have_the_value_and_none_is_missed(seed: int, compiled: bool) -> None:
    component = random_component(seed)
    truth, slices = truth_of(component), slices_of(component, compiled=compiled)
    if slices is None or truth.tables is None or len(truth.tables) == 0:
        return
    rows = component.targets.toarray()
    for t, row in enumerate(rows):
        possible = set((truth.tables @ row).tolist())
        for value in range(min(possible) - 2, max(possible) + 3):
            found = table_at(slices, t, value)
            if found == "none":
                assert value not in possible
            elif found is not None:
                table = np.array(found, dtype=np.int64)
                assert satisfies(component, Rational(table, 1))
                assert int(row @ table) == value


@pytest.mark.parametrize("compiled", [False, True])
def test_questions_leave_the_dictionary_as_it_is(compiled: bool) -> None:
    component = table_component((4, 4), 1)
    slices = slices_of(component, compiled=compiled)
    assert slices is not None
    asked = [(t, value) for t in range(component.targets.shape[0]) for value in range(3)]
    first = [table_at(slices, t, value) for t, value in asked]
    assert [table_at(slices, t, value) for t, value in reversed(asked)] == first[::-1]
    assert any(isinstance(found, list) for found in first)


def test_values_beyond_64_bits_are_not_looked_for() -> None:
    slices = slices_of(table_component((4, 4), 1), compiled=False)
    assert slices is not None
    assert table_at(slices, 0, 2**62) in (None, "none")
