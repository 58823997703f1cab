"""A user who asks a generator, and what an attack claims in the end."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tableseal.audit.hypercube.model import BaseCells, Ints, Variable
from tableseal.audit.hypercube.question import Grouping, Question
from tableseal.suppression.generator.memory.ground import Ground
from tableseal.suppression.generator.memory.memory import Memory
from tableseal.suppression.generator.protection import Protection
from tableseal.suppression.generator.result import Answer
from tableseal.suppression.generator.steps import Generator, answered
from tableseal.suppression.generator.table import table_of

Target = tuple[int, ...]
"""A base cell: the position of a leaf of each variable."""


@dataclass
class User:
    """Asks, and keeps what is told. What may become of a count is known to everybody: `protection` without the secret.

    memory: of the generator; None: it has none. asked, refused: questions so far. told: those that were answered.
    """

    generator: Generator
    base: BaseCells = field(repr=False)
    modulus: int
    memory: Memory | None
    asked: int = 0
    refused: int = 0
    told: list[tuple[Question, Ints]] = field(default_factory=list, repr=False)

    @staticmethod
    def of(generator: Generator, base: BaseCells, modulus: int, *, remembered: bool) -> "User":
        """A new user."""
        ground = Ground.of(base, generator.protection, generator.policy) if remembered else None
        return User(generator, base, modulus, None if ground is None else Memory.empty(ground))

    @property
    def variables(self) -> Sequence[Variable]:
        """Of the hypercube."""
        return self.generator.variables

    @property
    def protection(self) -> Protection:
        """How counts are changed."""
        return self.generator.protection

    def ask(self, question: Question) -> Ints | None:
        """Published counts, row by row; None: refused."""
        self.asked += 1
        table = table_of(question, self.base, self.modulus)
        found, self.memory = answered(table, self.generator, self.memory, effort=0)
        if isinstance(found, Answer):
            self.told.append((found.question, found.shown))
            return found.shown if not found.left_out else None
        self.refused += 1
        return None


@dataclass(frozen=True)
class Claim:
    """An attacker is certain that a base cell has this count, by the attack's own rule."""

    target: Target
    count: int


Attack = Callable[[User, Sequence[Target], np.random.Generator], list[Claim]]
"""Asks, and claims counts of some of the targets."""


def chosen(user: User, v: int, leaves: Sequence[int]) -> Grouping:
    """A population: these leaves of a variable."""
    of_leaf = np.full(len(user.variables[v].leaves), -1, np.int32)
    of_leaf[list(leaves)] = 0
    return Grouping(v, ("chosen",), of_leaf)


def split(user: User, v: int, parts: Sequence[Sequence[int]]) -> Grouping:
    """A variable by groups of one's own."""
    of_leaf = np.full(len(user.variables[v].leaves), -1, np.int32)
    for k, part in enumerate(parts):
        of_leaf[list(part)] = k
    return Grouping(v, tuple(f"part {k + 1}" for k in range(len(parts))), of_leaf)


def elsewhere(user: User, target: Target, v: int) -> tuple[Grouping, ...]:
    """The population of all other codes of a target."""
    return tuple(chosen(user, w, [code]) for w, code in enumerate(target) if w != v)


def interval(user: User, shown: int) -> tuple[int, int]:
    """The smallest and the largest count that may be shown so."""
    reach = int(np.ceil(10 * np.sqrt(user.protection.variance))) + 10
    counts = np.arange(max(0, shown - reach), shown + reach + 1)
    possible = counts[user.protection.may_show(counts, np.full(len(counts), shown))]
    return int(possible[0]), int(possible[-1])
