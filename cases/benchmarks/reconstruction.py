"""Reconstruction of a made-up state of census blocks, by what the blocks publish.

    python -m cases.benchmarks.reconstruction [--blocks 10000] [--tables 1000] [--jobs 1]

Processor time counts this process alone, so it is that of the work with one job.
"""

import argparse
from collections.abc import Sequence
from time import perf_counter, process_time

import numpy as np

from tableseal.audit.execution.executor import local
from tableseal.audit.reconstruction.reconstruct import Effort, reconstruct
from tableseal.suppression.study.blocks import FOUR, THREE, TWO, made_up_blocks, published


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each set of tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=10_000)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args(arguments)
    state = made_up_blocks(asked.blocks)
    persons = np.bincount(state.block, minlength=asked.blocks)
    print(f"{len(state.block):,} persons, blocks of {int(np.median(persons))} in the median, at most {persons.max()}")
    with local(asked.jobs) as executor:
        for tables in (TWO, THREE, FOUR):
            what = published(state, tables)
            reconstruct(what.part(0, 30), Effort(2), executor=executor)  # what is compiled is compiled once
            clock, processor = perf_counter(), process_time()
            found = reconstruct(what, Effort(asked.tables), executor=executor)
            seconds = f"{process_time() - processor:.1f} s of the processor, {perf_counter() - clock:.1f} s"
            alone = sum(one.unique is True for one in found) / len(found)
            certain = sum(one.certain[0] for one in found) / len(state.block)
            exact = sum(one.exact for one in found) / len(found)
            open_still = sum(one.unique is None or one.certain[0] < one.certain[1] for one in found)
            told = f"one table {alone:.1%} of blocks, certain {certain:.1%} of persons, counted to the end {exact:.1%}"
            print(f"{', '.join(margin.name for margin in what.margins)}: {told}, open {open_still}; {seconds}")


if __name__ == "__main__":
    main()
