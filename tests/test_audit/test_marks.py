"""Random numbers that are kept are those that a generator gives, and nobody can change them."""

import numpy as np
import pytest

from tableseal.audit.linear import marks as module
from tableseal.audit.linear.marks import marks


@pytest.mark.parametrize("shape", [(0, 2), (5,), (3, 2), (module.SMALL + 1,), (module.SMALL, 2)])
def test_marks(shape: tuple[int, ...]) -> None:
    expected = np.random.default_rng(7).integers(-(2**62), 2**62, shape)
    for _ in range(2):
        found = marks(7, *shape)
        assert (found == expected).all()
        assert not found.flags.writeable
    assert (marks(7, *shape, low=1, high=9) == np.random.default_rng(7).integers(1, 9, shape)).all()
