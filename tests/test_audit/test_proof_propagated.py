"""Multipliers from propagation and from engines of whole numbers: they hold by plain arithmetic, and reach no further
than the truth."""

from dataclasses import replace
from math import ceil

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from known_ends import ends, posed, shown
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Component, Limits, Multipliers
from tableseal.audit.bounds.tableaux.tableau import Tableau
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.proof.exact import confirmed, of_all_targets
from tableseal.audit.proof.propagated import LARGE, Propagated

SEEDS = st.integers(0, 2**40)


@settings(max_examples=150)
@given(SEEDS)
def test_what_propagation_proves_holds(seed: int) -> None:
    for component, form, least in ends(seed):
        forms = csr_array(np.array([form, form], np.int64))
        one, more = Propagated(component).prove(forms, np.array([least, least + 1]))
        assert more is None
        if one is not None:
            assert shown(one, component, form, []) == least
            assert confirmed(component, forms, [one, one], np.array([least, least + 1])) == [one, None]


@settings(max_examples=150)
@given(SEEDS)
def test_what_engines_prove_holds(seed: int) -> None:
    found = posed(seed)
    if found is None:
        return
    component, tables = found
    forms = component.targets.toarray()
    proofs = of_all_targets(component, Tableau(), Limits())
    for proof, form in zip(proofs, [*forms, *-forms], strict=True):
        if isinstance(proof, Multipliers):
            assert shown(proof, component, form, []) <= (tables @ form).min()


@settings(max_examples=150)
@given(SEEDS, st.integers(-3, 3), st.integers(1, 4))
def test_multipliers_are_checked_many_at_once_as_one_by_one(seed: int, by: int, below: int) -> None:
    """Any multipliers, right or wrong: what is confirmed is what plain arithmetic shows."""
    found = posed(seed)
    if found is None:
        return
    component, tables = found
    y = np.arange(component.matrix.shape[0]) % 3 - 1 + by
    for form in component.targets.toarray():
        least = int((tables @ form).min())
        proof = Multipliers(np.flatnonzero(y), y[y != 0], below)
        told = confirmed(component, csr_array(form.reshape(1, -1)), [proof], np.array([least]))
        try:
            holds = shown(proof, component, form, []) >= least
        except AssertionError:
            holds = False
        assert told == [proof if holds else None]


def line(value: int) -> Component:
    """x + y = value."""
    return Component(
        csr_array(np.array([[1, 1]])), np.array([value]), np.array([value]),
        np.zeros(2, np.int64), np.full(2, NO_UPPER), csr_array((0, 2), dtype=np.int64),
    )  # fmt: skip


def test_a_longer_chain_is_one_combination() -> None:
    """x1 <= 1, x1 + x2 >= 3, x2 + x3 <= 4: x3 <= 2 needs all three rows."""
    matrix = csr_array(np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1]]))
    component = replace(
        line(1), matrix=matrix, lower=np.array([NO_LOWER, 3, NO_LOWER]), upper=np.array([1, NO_UPPER, 4]),
        column_lower=np.zeros(3, np.int64), column_upper=np.full(3, NO_UPPER),
    )  # fmt: skip
    [proof] = Propagated(component).prove(csr_array(np.array([[0, 0, -1]])), np.array([-2]))
    assert proof is not None
    assert dict(zip(proof.rows.tolist(), proof.numerator.tolist(), strict=True)) == {0: -1, 1: 1, 2: -1}


def test_numbers_too_large_for_64_bits_are_left_alone() -> None:
    """Nothing is proved beyond what one round of bounds can hold, and nothing false is confirmed."""
    huge = line(LARGE * 2)
    forms = csr_array(np.array([[-1, 0], [0, -1]]))
    found = Propagated(huge).prove(forms, np.array([-2 * LARGE, -2 * LARGE + 1]))
    assert found[1] is None
    proofs = [Multipliers(np.array([0]), np.array([-(2**40)]), 2**40)] * 2
    told = confirmed(huge, forms, proofs, np.array([-2 * LARGE, -2 * LARGE + 1]))
    assert [proof is not None for proof in told] == [True, False]
    assert ceil(shown(proofs[0], huge, np.array([-1, 0]), [])) == -2 * LARGE
