"""Multipliers over rows: what they leave of a form, whatever the size of the numbers."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tableseal.audit.bounds.unfold import is_combined, left_over


@pytest.mark.parametrize("largest", [1, 1000, 2**40, 2**61])
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**40))
def test_what_is_left_over_is_exact(largest: int, seed: int) -> None:
    random = Random(seed)
    rows, columns = random.randint(1, 6), random.randint(1, 6)
    matrix = [[random.choice([0, 0, 1, -1, largest]) for _ in range(columns)] for _ in range(rows)]
    y = {
        r: Fraction(random.randint(-largest, largest), random.choice([1, 1, 2, 3, 60]))
        for r in random.sample(range(rows), random.randint(0, rows))
    }
    form = [random.choice([0, 1, 2, -largest]) for _ in range(columns)]
    if random.random() < 0.3 and all(v.denominator == 1 for v in y.values()):  # nothing is left
        combined = [sum(int(v) * matrix[r][c] for r, v in y.items()) for c in range(columns)]
        form = combined if all(abs(v) < 2**62 for v in combined) else form
    expected = {c: form[c] - sum((v * matrix[r][c] for r, v in y.items()), Fraction(0)) for c in range(columns)}
    stated, forms = csr_array(np.array(matrix, dtype=np.int64)), csr_array(np.array([form], dtype=np.int64))
    found = left_over(stated, forms, y)
    assert found == {c: v for c, v in expected.items() if v}
    assert is_combined(stated, forms, [y]).tolist() == [not found]
