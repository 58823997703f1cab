"""A table generator over the study's hypercube (245,700 combinations): how long answers take beside earlier ones.

    python -m cases.benchmarks.generator [--requests 1000] [--earlier 200] [--error 0] [METHOD ...]

METHOD: `5,2` is a cell key of range 5 and variance 2, `3` is rounding to base 3. Tables of one to three variables by
levels, three in five of a part of the population, under the usual rules without limits on the risk. First as many are
asked as it takes for so many answers; then each request is judged beside these, nearest tables of refusals included.
Processor time, one core.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from time import process_time

import numpy as np

import tableseal.suppression.generator
from cases.benchmarks.hypercubes import MODULUS, study_hypercube
from tableseal.audit.hypercube.model import BaseCells, Variable
from tableseal.audit.hypercube.question import Grouping, Question
from tableseal.suppression.generator.memory.ground import Ground
from tableseal.suppression.generator.memory.memory import Memory
from tableseal.suppression.generator.policy import ByCellKey, ByRounding, GeneratorPolicy, Method, RiskLimit
from tableseal.suppression.generator.policy_document import read_generator_policy
from tableseal.suppression.generator.protection import protection_of
from tableseal.suppression.generator.result import Answer
from tableseal.suppression.generator.steps import Generator, answered
from tableseal.suppression.generator.table import table_of

USUAL = Path(tableseal.suppression.generator.__file__).with_name("usual.yaml")
SECRET = 77
FURTHER = 20
"""Answers that are remembered, too, until the memory is that of the earlier ones again."""


def method_of(said: str) -> Method:
    """`RANGE,VARIANCE` or `BASE`."""
    width, comma, variance = said.partition(",")
    return ByCellKey(int(width), Fraction(variance)) if comma else ByRounding(int(width))


def policy_of(method: Method, error: Fraction | None) -> GeneratorPolicy:
    """The usual one with this method, without limits on the risk. error: None: no limit on averages."""
    usual = read_generator_policy(USUAL)
    assert usual.memory is not None
    return replace(usual, protection=method, risk=RiskLimit(), memory=replace(usual.memory, error=error))


def question(variables: Sequence[Variable], random: np.random.Generator) -> Question:
    """One to three variables by a level, three in five of those with some codes of another one."""
    order = random.permutation(len(variables)).tolist()
    number = int(random.integers(1, 4))
    axes = []
    for at in order[:number]:
        levels = variables[at].levels
        level = levels[int(random.integers(len(levels)))]
        axes.append(Grouping(at, level.codes, level.of_leaf))
    where: tuple[Grouping, ...] = ()
    if random.random() < 0.6:
        at = order[number]
        level = variables[at].levels[0]
        code = int(random.integers(len(level.codes)))
        where = (Grouping(at, (level.codes[code],), np.where(level.of_leaf == code, 0, -1).astype(np.int32)),)
    return Question(tuple(axes), where)


def filled(generator: Generator, base: BaseCells, earlier: int, seed: int = 1) -> tuple[Memory, int, int | None]:
    """A memory of so many answers, how many questions that took, and how many were answered before the memory first
    refused one."""
    random = np.random.default_rng(seed)
    memory: Memory | None = Memory.empty(Ground.of(base, generator.protection, generator.policy))
    asked, first = 0, None
    while memory is not None and len(memory.answers) < earlier:
        asked += 1
        table = table_of(question(generator.variables, random), base, MODULUS)
        found, memory = answered(table, generator, memory, effort=0)
        if first is None and not isinstance(found, Answer) and found.reason == "memory":
            first = len(memory.answers) if memory is not None else 0
    assert memory is not None
    return memory, asked, first


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("methods", nargs="*", default=["5,2", "3,1", "2,1", "5", "3"])
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--earlier", type=int, default=200)
    parser.add_argument("--error", type=Fraction, default=Fraction(0), help="0: no limit on averages")
    given = parser.parse_args(arguments)
    cube = study_hypercube()
    for said in given.methods:
        method = method_of(said)
        policy = policy_of(method, given.error or None)
        generator = Generator(cube.about.variables, policy, protection_of(method, MODULUS, SECRET))
        began = process_time()
        memory, asked, first = filled(generator, cube.held, given.earlier)
        filling = process_time() - began
        random, times, given_tables, refused = np.random.default_rng(2), list[float](), 0, dict[str, int]()
        now: Memory | None = memory
        for _ in range(given.requests):
            began = process_time()
            table = table_of(question(generator.variables, random), cube.held, MODULUS)
            found, now = answered(table, generator, now)
            times.append(process_time() - began)
            if now is not None and len(now.answers) >= given.earlier + FURTHER:
                now = memory
            if isinstance(found, Answer):
                given_tables += 1
            else:
                refused[found.reason] = refused.get(found.reason, 0) + 1
        ms = 1000 * np.array(times)
        figures = f"median {np.median(ms):.1f} ms, p99 {np.percentile(ms, 99):.0f} ms, most {ms.max():.0f} ms"
        held = f"{len(memory.answers)} answers of {asked} requests ({filling:.0f} s), first refused after {first}"
        print(f"{said}: {figures}; {given_tables} answered, refused {refused}; {held}, {len(memory.moves.at)} moves")


if __name__ == "__main__":
    main()
