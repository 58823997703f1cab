"""What a competitor is: a name, whether it is installed, and how it bounds the withheld cells of an instance."""

import resource
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from cases.benchmarks.instance import Instance

Relation = Literal["equal", "inside"]
"""How intervals compare with those of linear programming over what an outsider knows: `inside` for programs that
assume more of the intruder."""


@dataclass(frozen=True)
class Answer:
    """Intervals of the withheld cells, in the order of the instance.

    Attributes
    ----------
    linear: float64 (2 x withheld cells), minima and maxima of linear programming; NaN: not computed, inf: no limit.
    outer, attained: the same for whole numbers, where the program tells: proved, and reached by a table in hand.
    methods: method -> share of all ends that it closed.
    """

    linear: NDArray[np.float64]
    outer: NDArray[np.float64] | None = None
    attained: NDArray[np.float64] | None = None
    methods: Mapping[str, float] = field(default_factory=dict)

    @property
    def done(self) -> int:
        """Number of ends computed, of either kind."""
        known = ~np.isnan(self.linear)
        return int((known if self.outer is None else known | ~np.isnan(self.outer)).sum())


@dataclass(frozen=True)
class Task:
    """One measured piece of work: `run` is timed, `read` turns what it gave into an answer and is not."""

    run: Callable[[], Any]
    read: Callable[[Any], Answer]


class Program(Protocol):
    """A program, or a way of using it.

    name: short, for files and `--only`. title: for people. packages: distributions that must be installed.
    """

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def packages(self) -> tuple[str, ...]: ...


class Competitor(Program, Protocol):
    """A program that bounds withheld cells.

    relation: how its intervals compare with those of linear programming.
    """

    @property
    def relation(self) -> Relation: ...

    def available(self) -> bool:
        """Whether it can be run here."""
        ...

    def task(self, instance: Instance, folder: Path, budget: float) -> Task:
        """Prepare an instance in the competitor's own form (not timed).

        folder: an empty folder for its files. budget: CPU seconds after which it may stop by itself with the ends that
        it has; the time for all of them is then extrapolated.
        """
        ...


def installed(packages: tuple[str, ...]) -> bool:
    """Whether all distributions are installed."""
    return all(version_of(package) is not None for package in packages)


def version_of(package: str) -> str | None:
    """Installed version of a distribution, None if there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


class OutOfTimeError(Exception):
    """The limit was reached before a single end was computed."""


def cpu_seconds() -> float:
    """CPU time of this process and of the solvers that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


class Budget:
    """CPU seconds that may still be spent."""

    def __init__(self, seconds: float) -> None:
        self._end = cpu_seconds() + seconds

    def spent(self) -> bool:
        """Whether to stop."""
        return cpu_seconds() >= self._end
