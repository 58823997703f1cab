"""Tables of cliques glued to one joint table, checked by adding it up again."""

import itertools
from collections import defaultdict
from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.proof.glue import Gluer, Key, Number, Table, transport
from tableseal.audit.proof.witness import _order

CLIQUES: list[list[Key]] = [
    [(0,)],
    [(0, 1)],
    [(0,), (1, 2)],
    [(0, 1), (1, 2)],
    [(0, 1), (1, 2, 3)],
    [(1, 0), (2, 1), (3, 2)],
    [(0, 1), (0, 2), (0, 3)],
    [(0, 1, 2), (2, 1, 3), (4,)],
]
"""Along a junction tree each, two of them without anything in common somewhere."""


def margin(table: Table, variables: Key, wanted: Key) -> dict[Key, Number]:
    """Sums over all other variables, where they are not 0."""
    found: dict[Key, Number] = defaultdict(int)
    for key, x in table.items():
        found[tuple(key[variables.index(v)] for v in wanted)] += x
    return {key: x for key, x in found.items() if x}


def joint(random: Random, variables: int, nonnegative: bool) -> dict[Key, Number]:
    """A table over all variables, of two codes each, mostly zeros."""
    values: list[Number] = [0] * random.choice([3, 12]) + [1, 2, Fraction(1, 2)] + ([] if nonnegative else [-1, -2])
    return {key: random.choice(values) for key in itertools.product(range(2), repeat=variables)}


@settings(max_examples=300)
@given(st.integers(0, 2**40), st.sampled_from(CLIQUES), st.booleans())
def test_the_joint_table_has_every_given_marginbefore_and_after_changes(
    seed: int, cliques: list[Key], nonnegative: bool
) -> None:
    random, variables = Random(seed), 1 + max(v for clique in cliques for v in clique)
    order = tuple(range(variables))
    before = joint(random, variables, nonnegative)
    gluer = Gluer(cliques, nonnegative=nonnegative)
    assert sorted(gluer.variables) == list(order)
    tables = [margin(before, order, clique) for clique in cliques]
    glued = dict(gluer.start(tables))
    assert [margin(glued, gluer.variables, clique) for clique in cliques] == tables
    for _ in range(3):
        after = dict(before)
        for key in random.sample(sorted(after), random.randint(0, 2)):
            after[key] += random.choice([1, 2, Fraction(1, 2)] + ([] if nonnegative else [-1, -1, -2]))
        wanted = [margin(after, order, clique) for clique in cliques]
        new = [
            {k: w.get(k, 0) for k in {*w, *t} if w.get(k, 0) != t.get(k, 0)}
            for w, t in zip(wanted, tables, strict=True)
        ]
        changes = gluer.change(new)
        assert all(glued.get(key, 0) != x for key, x in changes.items())
        changed = {**glued, **changes}
        assert [margin(changed, gluer.variables, clique) for clique in cliques] == wanted
        assert not nonnegative or min(changed.values(), default=0) >= 0
        if all(Fraction(x).denominator == 1 for table in (*tables, *wanted) for x in table.values()):
            assert all(Fraction(x).denominator == 1 for x in changed.values())


@given(st.integers(0, 2**40), st.booleans())
def test_a_plan_has_both_margins_and_few_cells(seed: int, nonnegative: bool) -> None:
    """From the north-west corner: each cell ends a row or a column, so one fewer than both together."""
    random = Random(seed)
    least = 1 if nonnegative else -3
    rows = [((k,), random.randint(least, 3)) for k in range(random.randint(1, 4))]
    columns = [((k,), random.randint(least, 3)) for k in range(random.randint(1, 4))]
    gap = sum(x for _, x in rows) - sum(x for _, x in columns)
    longer = columns if gap > 0 else rows
    if gap:
        longer.append(((len(longer),), abs(gap)))
    plan = transport(rows, columns, nonnegative=nonnegative)
    for side, given_margin in ((0, rows), (1, columns)):
        assert [sum(x for place, x in plan.items() if place[side] == key) for key, _ in given_margin] == [
            x for _, x in given_margin
        ]
    assert len(plan) < len(rows) + len(columns)
    assert not nonnegative or min(plan.values()) > 0


@given(st.integers(0, 2**40))
def test_tables_come_in_an_order_in_which_each_meets_an_earlier_one(seed: int) -> None:
    """Two blocks side by side; separators stand in any order and direction."""
    random = Random(seed)
    size = random.randint(1, 6)
    drawn = random.sample(range(2 * size), 2 * size)
    blocks = [drawn[::2], drawn[1::2]]
    pairs = [random.sample([own[k], own[random.randrange(k)]], 2) for own in blocks for k in range(1, size)]
    separators = [SimpleNamespace(first=a, second=b) for a, b in random.sample(pairs, len(pairs))]
    tables = [SimpleNamespace(block=int(t in blocks[1])) for t in range(2 * size)]
    base: Any = SimpleNamespace(tables=tables, separators=separators)
    for block, own in enumerate(blocks):
        order = _order(base, block)
        assert sorted(order) == sorted(own)
        for k in range(1, size):
            assert any({order[k], earlier} in [set(pair) for pair in pairs] for earlier in order[:k])


@pytest.mark.parametrize("nonnegative", [False, True])
def test_slices_that_do_not_change_stay_as_they_are(nonnegative: bool) -> None:
    """Of two slices one changes: what is glued in the other is not even looked at."""
    gluer = Gluer([(0, 1), (0, 2)], nonnegative=nonnegative)
    left = {(0, 0): 2, (0, 1): 1, (1, 0): 1, (1, 1): 1}
    glued = gluer.start([left, left])
    changes = gluer.change([{(1, 0): 3}, {(1, 1): 3}])
    assert {key[0] for key in changes} == {1}
    assert margin({**glued, **changes}, gluer.variables, (0, 1)) == left | {(1, 0): 3}
    assert margin({**glued, **changes}, gluer.variables, (0, 2)) == left | {(1, 1): 3}
    assert gluer.change([{}, {}]) == {}
