"""Small random hypercubes with questions, and a reference that looks at every record for every cell."""

from itertools import product

import numpy as np
from hypothesis import strategies as st

from tableseal.audit.hypercube.gather import gathered
from tableseal.audit.hypercube.model import BaseCells, HeldCells, Hypercube, Level, Variable
from tableseal.audit.hypercube.question import Grouping, Question
from tableseal.audit.model import Measure

MODULUS = 1000

Record = tuple[tuple[int, ...], int, int]
"""Leaves, key, turnover."""


@st.composite
def records_and_question(draw: st.DrawFn) -> tuple[tuple[int, ...], list[Record], Question]:
    """Leaves of each variable, records, and a table that is asked of them."""
    sizes = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    leaves = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    records = draw(st.lists(st.tuples(leaves, st.integers(0, MODULUS - 1), st.integers(-(2**40), 2**40)), max_size=30))
    axes = draw(st.lists(st.sampled_from(range(len(sizes))), unique=True, max_size=3))
    where = draw(st.lists(st.sampled_from(range(len(sizes))), unique=True, max_size=2))
    question = Question(
        tuple(draw(grouping(at, sizes[at], 4)) for at in axes),
        tuple(draw(grouping(at, sizes[at], 1)) for at in where),
        draw(st.sampled_from([None, "turnover"])),
    )
    return sizes, records, question


@st.composite
def grouping(draw: st.DrawFn, variable: int, leaves: int, most: int) -> Grouping:
    """Some leaves in groups, others left out."""
    groups = draw(st.integers(1, most))
    of_leaf = draw(st.lists(st.integers(-1, groups - 1), min_size=leaves, max_size=leaves))
    return Grouping(variable, tuple(f"g{k}" for k in range(groups)), np.array(of_leaf, np.int32))


def about(sizes: tuple[int, ...], *, turnover: bool = True) -> Hypercube:
    """A hypercube of which nothing is known but its leaves: `v0`: 0, 1, ..., with one level above them."""
    variables = []
    for at, size in enumerate(sizes):
        leaves = tuple(map(str, range(size)))
        all_of_it = Level("all", ("all",), np.zeros(size, np.int32))
        variables.append(
            Variable(f"v{at}", leaves, (all_of_it, Level("leaves", leaves, np.arange(size, dtype=np.int32))))
        )
    measures = {"turnover": Measure("turnover", "magnitude")} if turnover else {}
    return Hypercube("", tuple(variables), measures, MODULUS, "records", (), 0, 0)


def cells(sizes: tuple[int, ...], records: list[Record]) -> BaseCells:
    """The base cells of records."""
    return gathered(
        [np.array([leaves[at] for leaves, _, _ in records], np.int32) for at in range(len(sizes))],
        np.ones(len(records), np.int64),
        np.array([key for _, key, _ in records], np.int64),
        {"turnover": np.array([value for _, _, value in records], np.int64)},
        MODULUS,
    )


def cube(sizes: tuple[int, ...], records: list[Record]) -> HeldCells:
    """In memory."""
    return HeldCells(about(sizes), cells(sizes, records))


def by_hand(records: list[Record], question: Question) -> tuple[list[int], list[int], list[int]]:
    """Counts, keys and sums of all cells of the table, row by row."""
    counts, keys, sums = [], [], []
    for cell in product(*(range(len(axis.codes)) for axis in question.axes)):
        own = [
            (key, value)
            for leaves, key, value in records
            if all(axis.of_leaf[leaves[axis.variable]] == g for axis, g in zip(question.axes, cell, strict=True))
            and all(chosen.of_leaf[leaves[chosen.variable]] >= 0 for chosen in question.where)
        ]
        counts.append(len(own))
        keys.append(sum(key for key, _ in own) % MODULUS)
        sums.append(sum(value for _, value in own))
    return counts, keys, sums
