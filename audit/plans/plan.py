"""What a plan says of tables and measures: frozen data, no behaviour."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tableseal.audit.errors import Place


@dataclass(frozen=True, order=True)
class Spanning:
    """A variable of a table, down to one of its levels (None: all of them)."""

    variable: str
    level: str | None = None

    def __str__(self) -> str:
        return self.variable if self.level is None else f"{self.variable}@{self.level}"


@dataclass(frozen=True)
class Equation:
    """whole = sum of parts, in every cell. parts: measure -> coefficient."""

    whole: str
    parts: Mapping[str, int]
    where: Place = field(compare=False, default=Place("equations"))

    @property
    def measures(self) -> tuple[str, ...]:
        """All that it relates."""
        return (self.whole, *self.parts)

    def __str__(self) -> str:
        text = " ".join(_term(name, times) for name, times in self.parts.items())
        return f"{self.whole} = {text.removeprefix('+ ')}"


def _term(name: str, times: int) -> str:
    return f"{'-' if times < 0 else '+'} {'' if abs(times) == 1 else f'{abs(times)} '}{name}"


@dataclass(frozen=True)
class PlannedTable:
    """A table that is owed.

    population: whom it is about; tables of different populations say nothing about each other. fixed: variables at a
    code of theirs (a part of the population).
    """

    name: str
    measure: str
    by: tuple[Spanning, ...]
    population: str = ""
    fixed: tuple[str, ...] = ()
    where: Place = field(compare=False, default=Place("tables"))

    @property
    def at(self) -> Place:
        """Where it says its variables: a key of the plan, or its row in a list of tables."""
        return self.where if self.where.row is not None else self.where / "by"

    @property
    def variables(self) -> frozenset[str]:
        """Variables in which it has more than a total."""
        return frozenset((*(one.variable for one in self.by), *self.fixed))
