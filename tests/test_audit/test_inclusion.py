"""Small classifications are looked at as dense arrays, large ones as sparse matrices: nobody can tell which."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.linear import inclusion
from tableseal.audit.linear.absent import finest_codes
from tableseal.audit.linear.inclusion import members_of, nonzero, overlaps
from tableseal.audit.model import Hierarchy
from tableseal.audit.model.hierarchy import build_hierarchy


@st.composite
def classifications(draw: st.DrawFn) -> Hierarchy:
    """A total, some groups with leaves of their own, and leaves beside them; now and then a second grouping."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    first = [(None, f"g{k}") for k in range(len(sizes))]
    first += [(f"g{k}", f"l{k}{n}") for k, size in enumerate(sizes) for n in range(size)]
    leaves = [child for parent, child in first if parent is not None]
    groupings = [first]
    if draw(st.booleans()):
        groupings.append(
            [(None, "other"), *(("other", leaf) for leaf in draw(st.sets(st.sampled_from(leaves), min_size=1)))]
        )
    return build_hierarchy("v", draw(st.sampled_from(["T", None])), groupings)


@given(classifications(), st.data())
def test_dense_and_sparse_give_the_same(hierarchy: Hierarchy, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(hierarchy.codes) - 1), min_size=1, max_size=8))
    listed = np.array(chosen, dtype=np.int32)
    answers = []
    for small in (10**6, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(inclusion, "SMALL", small)
            members = members_of(hierarchy)
            assert isinstance(members, np.ndarray) == (small > 0)
            pairs = [
                sorted(zip(*found, strict=True)) for found in (overlaps(members, members[listed]), nonzero(members))
            ]
            answers.append([pairs, finest_codes(hierarchy, listed).tolist()])
    assert answers[0] == answers[1]
