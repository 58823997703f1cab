"""A made-up state of census blocks: persons by sex, age group, race and origin, who are alike within a block.

Sizes of blocks, and how mixed they are, are chosen so that they look like census blocks (many small ones; most people
of a block share a race); no figure is that of a real place. What blocks publish follows the tables of the US census of
2010, whose reconstruction is in Abowd et al. 2023 (arXiv 2312.11283): sex by age (P12), race by origin (P5), and sex by
age for each race (P12A to G).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tableseal.audit.hypercube.model import Ints
from tableseal.audit.reconstruction.tables import AreaTables, Margin

VARIABLES: Mapping[str, int] = {"sex": 2, "age": 23, "race": 7, "origin": 2}

Published = Sequence[tuple[str, ...]]
"""Variables of each table."""

TWO: Published = (("sex", "age"), ("race", "origin"))
THREE: Published = (*TWO, ("sex", "age", "race"))
FOUR: Published = (*THREE, ("sex", "age", "origin"))


@dataclass(frozen=True)
class Blocks:
    """block: int64 (persons), where each lives. codes: variable -> int64 (persons). blocks: how many there are."""

    block: Ints
    codes: Mapping[str, Ints]
    blocks: int


def made_up_blocks(blocks: int, *, seed: int = 1, persons: float = 30.0) -> Blocks:
    """A state. persons: of a block, in the mean; sizes are geometric sums, from 1 on."""
    random = np.random.default_rng(seed)
    sizes = 1 + random.negative_binomial(1.2, 1.2 / (0.2 + persons), blocks)
    block = np.repeat(np.arange(blocks), sizes)
    number = len(block)
    pyramid = np.array([7, 6, 6, 4, 3, 1.5, 1.5, 4, 7, 7, 6.5, 6.5, 6.5, 7, 7, 6, 2.2, 3, 2, 2.6, 3, 2.2, 2.2])
    shares = random.dirichlet(0.35 * np.array([6.0, 1.3, 0.1, 0.6, 0.05, 0.6, 0.35]), blocks)
    origins = random.beta(0.3, 1.6, blocks)
    return Blocks(
        block,
        {
            "sex": random.integers(0, 2, number),
            "age": random.choice(len(pyramid), number, p=pyramid / pyramid.sum()),
            "race": (random.random(number)[:, None] > shares.cumsum(axis=1)[block]).sum(axis=1).clip(max=6),
            "origin": (random.random(number) < origins[block]).astype(np.int64),
        },
        blocks,
    )


def published(state: Blocks, tables: Published) -> AreaTables:
    """What blocks publish of themselves: exact counts by the variables of each table."""
    names = list(VARIABLES)
    return AreaTables(
        tuple(f"block {k + 1}" for k in range(state.blocks)),
        tuple(names),
        tuple(tuple(f"{name} {k + 1}" for k in range(size)) for name, size in VARIABLES.items()),
        tuple(_margin(state, by, names) for by in tables),
    )


def _margin(state: Blocks, by: tuple[str, ...], names: list[str]) -> Margin:
    sizes = tuple(VARIABLES[name] for name in by)
    width = int(np.prod(sizes))
    cell = np.zeros(len(state.block), np.int64)
    for name, size in zip(by, sizes, strict=True):
        cell = cell * size + state.codes[name]
    at, value = np.unique(state.block * width + cell, return_counts=True)
    start = np.searchsorted(at, np.arange(state.blocks + 1) * width)
    groups = tuple(np.arange(size) for size in sizes)
    variables = tuple(names.index(name) for name in by)
    return Margin(" x ".join(by), variables, sizes, groups, start, at % width, value.astype(np.int64))
