"""Attacks by name on a table generator, with its memory and without."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from small_cubes import MODULUS, base_of, variable

from tableseal.suppression.generator.attacks.averaging import found_range
from tableseal.suppression.generator.attacks.replay import ATTACKS, Replay, drawn_targets, replay
from tableseal.suppression.generator.attacks.user import Target, User
from tableseal.suppression.generator.policy import ByCellKey, GeneratorPolicy, Method
from tableseal.suppression.generator.protection import protection_of
from tableseal.suppression.generator.steps import Generator

VARIABLES = (variable("area", 3, areas=True), variable("age", 10, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]))
CUBE = np.random.default_rng(11).poisson(np.random.default_rng(12).gamma(0.5, 14.0, (3, 10)))
BASE = base_of(CUBE, 1)


def generator(method: Method) -> Generator:
    return Generator(VARIABLES, GeneratorPolicy(method), protection_of(method, MODULUS, 77))


def targets(small: int, others: int) -> list[Target]:
    every = [tuple(int(code[b]) for code in BASE.codes) for b in range(len(BASE))]
    few = [t for t, count in zip(every, BASE.count.tolist(), strict=True) if count < 3]
    many = [t for t, count in zip(every, BASE.count.tolist(), strict=True) if count >= 3]
    return few[:small] + many[:others]


def both(method: Method, name: str, small: int = 2, others: int = 1) -> tuple[Replay, Replay]:
    without, remembered = replay(generator(method), BASE, MODULUS, targets(small, others), [name])
    assert (without.remembered, remembered.remembered) == (False, True)
    assert (without.refused, without.attack) == (0, name)
    return without, remembered


@pytest.mark.parametrize("name", [name for name in ATTACKS if name not in ("averaging", "reconstruction")])
def test_no_attack_recovers_a_small_count_from_a_generator_with_a_memory(name: str) -> None:
    """CONVENTION 1069: what is claimed by intervals is true; with a memory none of it is small, and without one small
    counts come back, or this would say nothing."""
    without, remembered = both(ByCellKey(1, Fraction(1, 2)), name)
    for found in (without, remembered):
        assert found.right == found.claimed
    assert remembered.recovered == 0
    assert without.recovered > 0


@pytest.mark.parametrize("name", ["averaging", "reconstruction"])
def test_means_tell_small_counts_without_a_memory_and_none_with_it(name: str) -> None:
    """CONVENTION 1068, 1069: however wide changes are; of a town with people of every age, so that splits differ."""
    variables = (variable("area", 2, areas=True), variable("age", 9))
    town = np.random.default_rng(3).integers(5, 30, (2, 9))
    town[0, 2], town[1, 4] = 1, 2
    method = ByCellKey(5, Fraction(1))
    made = Generator(variables, GeneratorPolicy(method), protection_of(method, MODULUS, 77))
    without, remembered = replay(made, base_of(town, 1), MODULUS, [(0, 2), (1, 4)], [name])
    assert (without.claimed, without.recovered) == (2, 2)
    assert (remembered.claimed, remembered.recovered) == (0, 0)
    assert remembered.refused > 0


def test_the_range_of_changes_is_found_first() -> None:
    """It is no secret: the first attack of the paper finds nearly all of it."""
    random = np.random.default_rng(1)
    found = []
    for width in (2, 5, 9):
        made = generator(ByCellKey(width, Fraction(width)))
        user = User.of(made, BASE, MODULUS, remembered=False)
        found.append(found_range(user, targets(1, 0)[0], random))
        assert 1 <= found[-1] <= width
    assert all(one <= other for one, other in pairwise(found))


def test_targets_are_drawn_small_ones_and_others() -> None:
    found = drawn_targets(BASE, 3, 2, 3, seed=4)
    assert found == drawn_targets(BASE, 3, 2, 3, seed=4)
    assert len(set(found)) == 5
    count = {tuple(int(code[b]) for code in BASE.codes): int(BASE.count[b]) for b in range(len(BASE))}
    assert [count[target] < 3 for target in found] == [True, True, False, False, False]
    assert len(drawn_targets(BASE, 3, 10**6, 0, seed=1)) == int((BASE.count < 3).sum())
