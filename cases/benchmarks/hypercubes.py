"""Tables of the study's hypercube (245,700 combinations): how long reading a request and tabulating it take.

    python -m cases.benchmarks.hypercubes [--requests 1000] [--full]

--full: every combination has units, as in a hypercube without empty cells. Processor and wall time of each request; one
core.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from tableseal.api.cases.study import study_cube
from tableseal.audit.errors import Place
from tableseal.audit.hypercube.codes import Vocabulary
from tableseal.audit.hypercube.dense import in_memory
from tableseal.audit.hypercube.model import BaseCells, HeldCells, Hypercube, Level, Variable
from tableseal.audit.hypercube.request import read_request
from tableseal.audit.hypercube.tabulate import tabulate
from tableseal.audit.io.yaml_text import as_text

STUDY = Path(__file__).parents[1] / "s15_study"
MODULUS = 2**32


def study_hypercube(*, full: bool = False, seed: int = 1) -> HeldCells:
    """The study's hypercube with drawn keys, its occupations and ages with a level above them."""
    names, cube = study_cube(STUDY / "study.yaml")
    counts = np.maximum(cube, 1) if full else cube
    codes = np.nonzero(counts)
    keys = np.random.default_rng(seed).integers(0, MODULUS, len(codes[0]))
    variables = tuple(_variable(name, size) for name, size in zip(names, counts.shape, strict=True))
    about = Hypercube("study", variables, {}, MODULUS, "cells", (), int(counts.sum()), len(keys))
    held = BaseCells(tuple(column.astype(np.int32) for column in codes), counts[codes], keys)
    return in_memory(about, held)


def _variable(name: str, size: int) -> Variable:
    leaves = tuple(map(str, range(1, size + 1)))
    fine = Level("fine", leaves, np.arange(size, dtype=np.int32))
    third = np.arange(size, dtype=np.int32) // 3
    broad = Level("broad", tuple(f"B{k + 1}" for k in range(int(third.max()) + 1)), third)
    return Variable(name, leaves, (broad, fine) if size > 5 else (fine,), areas=name == "region")


def requests(cube: HeldCells, number: int, seed: int = 1) -> list[Mapping[str, Any]]:
    """Mixed requests: one to four variables, fine, broad or in groups, of all or a part of the population."""
    random = np.random.default_rng(seed)
    variables = cube.about.variables
    made: list[Mapping[str, Any]] = []
    for _ in range(number):
        order = random.permutation(len(variables))
        spanning = order[: random.integers(1, 5)]
        by: list[Any] = []
        for at in spanning:
            variable = variables[at]
            kind = random.integers(0, 3)
            if kind == 1 and len(variable.levels) > 1:
                by.append(f"{variable.name}@broad")
            elif kind == 2 and len(variable.leaves) > 4:
                cut = str(int(random.integers(2, len(variable.leaves) - 1)))
                groups = {"low": [f"1-{cut}"], "high": [f"{int(cut) + 1}-{len(variable.leaves)}"]}
                by.append({variable.name: {"groups": groups}})
            else:
                by.append(variable.name)
        where = {}
        for at in random.permutation(len(variables))[: random.integers(0, 3)]:
            codes = random.permutation(variables[at].leaves)[: random.integers(1, len(variables[at].leaves) + 1)]
            where[variables[at].name] = [str(code) for code in codes]
        made.append({"tableseal-request": 1, "by": by, "where": where})
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Print median, 99th percentile and largest time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--full", action="store_true")
    asked = parser.parse_args(arguments)
    cube = study_hypercube(full=asked.full)
    vocabulary = Vocabulary(cube.about)
    times: dict[str, list[float]] = {"reading": [], "tabulating": [], "tabulating (wall)": []}
    cells = []
    for document in requests(cube, asked.requests):
        began = process_time()
        found = read_request(as_text(document), vocabulary, Place("request"))
        read, wall = process_time(), perf_counter()
        table = tabulate(found.question, cube)
        times["tabulating (wall)"].append(perf_counter() - wall)
        times["reading"].append(read - began)
        times["tabulating"].append(process_time() - read)
        cells.append(len(table.count))
    print(f"{type(cube).__name__}, {len(cube.held):,} cells not empty; tables of {min(cells)} to {max(cells):,} cells")
    for name, seconds in times.items():
        ms = 1000 * np.array(seconds)
        print(f"{name}: median {np.median(ms):.2f} ms, p99 {np.percentile(ms, 99):.2f} ms, most {ms.max():.2f} ms")


if __name__ == "__main__":
    main()
