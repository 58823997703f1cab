"""Loops of the memory as machine code before the first request.

To compile them takes half a minute once on a machine, to load them later more than a second.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from tableseal.audit.compiling import Runner, compiled
from tableseal.audit.hypercube.model import BaseCells
from tableseal.audit.hypercube.question import Grouping, Question, cells_of
from tableseal.suppression.generator.memory.answers import Reading, Remembered
from tableseal.suppression.generator.memory.ground import Ground
from tableseal.suppression.generator.memory.inverse import Inverses
from tableseal.suppression.generator.memory.memory import LOOPS, Memory, recall
from tableseal.suppression.generator.memory.nearby import alone, found_nearby, seen_nearby
from tableseal.suppression.generator.memory.pursuit import Directions, Pursuit
from tableseal.suppression.generator.memory.rows import NewRows
from tableseal.suppression.generator.policy import ByRounding, GeneratorPolicy, MemoryRule
from tableseal.suppression.generator.protection import protection_of

SHAPE, ANSWERS = (4, 5, 3), 12


def load_loops() -> None:
    """Load all of them: each runs once over a made-up hypercube."""
    for loop in LOOPS:
        compiled(loop)  # from now on also for what is small
    random = np.random.default_rng(0)
    codes = tuple(code.ravel().astype(np.int32) for code in np.indices(SHAPE))
    number = len(codes[0])
    base = BaseCells(codes, random.integers(1, 6, number), random.integers(0, 2**16, number))
    policy = GeneratorPolicy(ByRounding(3), 3, memory=MemoryRule("user", 1, Fraction(1)))
    ground = Ground.of(base, protection_of(policy.protection, 2**16, 1), policy)
    answers = []
    for _ in range(ANSWERS):
        axes = tuple(Grouping(at, ("1", "2"), random.integers(-1, 2, size).astype(np.int32)) for at, size in _sizes())
        question = Question(axes)
        cell = cells_of(question, base)
        count = np.bincount(cell[cell >= 0], base.count[cell >= 0], question.size).astype(np.int64)
        answers.append(Remembered(question, ground.protection.shown(count, count)))
    memory = recall(Memory.empty(ground), answers)
    run, estimates, small = Runner(True), memory.estimates, ground.small
    memory.moves.explain(Reading.of(ground, answers[0]), run)
    rows = estimates.rows
    everything = np.arange(number, dtype=np.int32)
    found_nearby(ground, everything, small, rows, run)
    new = NewRows(np.ascontiguousarray(rows.array[:, -1]), 1, estimates.number)
    known = np.zeros(len(small))
    seen_nearby(new, small, everything, alone(everything, small), known, run)
    Directions({0: (small[:1], np.ones(1))}).seen(new, known, known.copy(), run)
    pursuit = Pursuit(ground, rows, estimates.number, 0.0, run, Inverses({}), Inverses({}))
    pursuit.sought(int(small[0]), *replace(estimates, own=Directions.none()).direction(ground, 0), best=False)


def _sizes() -> list[tuple[int, int]]:
    return list(enumerate(SHAPE))
