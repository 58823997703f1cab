"""Which cells hold nobody but the contributors of another one: all at once, and as the words say, one by one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tableseal.audit.attackers.held import codes_around, held_together

TREE = csr_array(np.array([[1, 1, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 1, 0], *np.eye(4, dtype=int)]))
"""A total, two groups, a group of another grouping, and leaves."""

CODES = [(a, b) for a in range(TREE.shape[0]) for b in range(TREE.shape[0])]


def one_by_one(cell: int, numbers: dict[int, int]) -> list[int]:
    """Inside a cell around it that has as many, and so on from each of these that has as many."""
    dense = TREE.toarray() != 0

    def lies_in(one: int, other: int) -> bool:
        pairs = zip(CODES[one], CODES[other], strict=True)
        return all((dense[a] <= dense[b]).all() for a, b in pairs)

    count, inside, waiting, seen = numbers[cell], {cell}, [cell], set()
    few = [c for c, number in numbers.items() if number <= count]
    while waiting:
        own = waiting.pop()
        seen.add(own)
        for whole in (c for c in few if numbers[c] == count and lies_in(own, c)):
            inside |= {c for c in few if lies_in(c, whole)}
        waiting += [c for c in inside if numbers[c] == count and c not in seen and c not in waiting]
    return sorted(inside)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.integers(0, len(CODES) - 1), st.integers(-1, 3), min_size=1, max_size=30))
def test_all_at_once_is_one_by_one(numbers: dict[int, int]) -> None:
    around = [codes_around(TREE)] * 2
    for count in sorted(set(numbers.values()) - {-1}):
        few = np.array(sorted(c for c, number in numbers.items() if number <= count), np.int64)
        alike = np.array([numbers[c] == count for c in few.tolist()])
        group, cells = held_together(few, alike, np.array(CODES, np.int32)[few], around)
        assert set(group) == set(few[alike].tolist())
        for cell, number in group.items():
            assert cells[number].tolist() == one_by_one(cell, numbers)
