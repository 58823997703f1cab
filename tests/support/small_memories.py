"""Small hypercubes with a memory, and what is the same in two."""

from fractions import Fraction
from math import sqrt

import numpy as np
from small_cubes import MODULUS, base_of, tabulated, variable

from tableseal.audit.hypercube.model import BaseCells
from tableseal.audit.hypercube.question import Question
from tableseal.suppression.generator.memory.answers import Remembered
from tableseal.suppression.generator.memory.ground import Ground
from tableseal.suppression.generator.memory.memory import Memory
from tableseal.suppression.generator.policy import GeneratorPolicy, MemoryRule, Method
from tableseal.suppression.generator.protection import protection_of

MEDIUM = (
    variable("a", 3, areas=True),
    variable("b", 5, [0, 0, 1, 1, 1]),
    variable("c", 4, [0, 0, 1, 1]),
    variable("d", 3),
)


def medium(seed: int) -> BaseCells:
    random = np.random.default_rng(seed)
    return base_of(random.poisson(random.gamma(0.25, 12.0, (3, 5, 4, 3))), seed)


def ground_of(
    base: BaseCells,
    method: Method,
    width: int = 1,
    views: Fraction | None = None,
    secret: int = 9,
    threshold: int = 3,
) -> Ground:
    protection = protection_of(method, MODULUS, secret)
    error = None if views is None else Fraction(sqrt(protection.variance / float(views)))
    policy = GeneratorPolicy(method, threshold, memory=MemoryRule("user", width, error))
    return Ground.of(base, protection, policy)


def asked(ground: Ground, question: Question) -> Remembered:
    table = tabulated(question, ground.base)
    return Remembered(question, ground.protection.shown(table.count, table.key))


def same(one: Memory, other: Memory) -> bool:
    arrays = ("up", "down", "occupied")
    alike = all((getattr(one, name) == getattr(other, name)).all() for name in arrays)
    return alike and (one.estimates.known == other.estimates.known).all()
