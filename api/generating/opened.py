"""Hypercubes of a service are opened when it starts, so that the first request waits for nothing."""

from contextlib import suppress

from tableseal.api.generating.counters import Counters
from tableseal.audit.errors import TablesealError
from tableseal.suppression.generator.memory.memory import worth_loops
from tableseal.suppression.generator.memory.warm import load_loops


def open_all(counters: Counters) -> None:
    """Open all, and load what memories of large ones need. What is wrong with one is told to who asks for it."""
    large = False
    for name in counters.names():
        with suppress(TablesealError):
            counter = counters.counter(name)
            large |= counter is not None and counter.ground is not None and worth_loops(len(counter.ground.base), 1)
    if large:
        load_loops()
