"""What the engines need of an executor, and the plainest one."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Executor(Protocol):
    """Applies a pure function to independent items."""

    def map(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Results in the order of the items, each as soon as it and all before it are there.

        `work` is a module-level function, and items and results can be pickled. What `work` raises is raised here, for
        the first item in order that raised.
        """
        ...


class Serial:
    """One after another, in this process."""

    def map(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """See Executor."""
        return map(work, items)


HERE = Serial()


def in_batches(sizes: Sequence[int], *, batch: int) -> list[tuple[int, int]]:
    """(first, last + 1) of runs of items that together reach the size `batch`: tiny ones cost more to send than to do.

    Batches depend on the items alone, never on the number of workers.
    """
    runs = []
    first, gathered = 0, 0
    for position, size in enumerate(sizes):
        gathered += size
        if gathered >= batch:
            runs.append((first, position + 1))
            first, gathered = position + 1, 0
    if first < len(sizes):
        runs.append((first, len(sizes)))
    return runs
