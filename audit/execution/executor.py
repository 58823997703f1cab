"""What the engines need of an executor, and the plainest one."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Lost:
    """Stands for the result of an item that ended every worker that took it. `why`: a sentence for the user."""

    why: str


class Executor(Protocol):
    """Applies a pure function to independent items.

    `work` is a module-level function, and items and results can be pickled.
    """

    def map(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Results in the order of the items, each as soon as it and all before it are there.

        What `work` raises is raised here, for the first item in order that raised.
        """
        ...

    def as_completed(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[tuple[int, Result | Lost]]:
        """(position of the item, its result) as soon as each is there, in any order.

        Items are taken from the iterable only when there is somebody to work on them soon, so that it may make them one
        by one. An item that ends its worker gives `Lost` and does no harm to the others. What `work` raises is raised.
        """
        ...


class Serial:
    """One after another, in this process."""

    def map(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """See Executor."""
        return map(work, items)

    def as_completed(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[tuple[int, Result | Lost]]:
        """See Executor; an item that ends its worker ends this process."""
        return ((position, work(item)) for position, item in enumerate(items))


HERE = Serial()


@contextmanager
def local(workers: int) -> Iterator[Executor]:
    """This process for one worker, a pool of processes for more."""
    if workers == 1:
        yield HERE
    else:
        from tableseal.audit.execution.processes import Processes  # late: most audits need no pool

        with Processes(workers) as pool:
            yield pool


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
