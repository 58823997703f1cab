"""A table as files of tau-ARGUS give it, before it becomes part of a release."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tableseal.audit.errors import Place
from tableseal.audit.io.argus.classification import Classification


@dataclass(frozen=True)
class Row:
    """One cell.

    codes: of each variable of the table. value: None where none is given. status: a word of release files; empty where
    nothing is said. frequency: number of contributors. shadow: what rules are applied to. tops: the largest
    contributions, descending. lower, upper: required distances below and above. line: of the file (0: computed).
    """

    codes: tuple[str, ...]
    value: Fraction | None
    status: str = ""
    frequency: int | None = None
    shadow: Fraction | None = None
    cost: Fraction | None = None
    tops: tuple[Fraction, ...] = ()
    lower: Fraction | None = None
    upper: Fraction | None = None
    line: int = 0


@dataclass(frozen=True)
class ArgusTable:
    """A table: its variables by name, its response and its rows.

    kind: count where the response is a number of units. decimals: of the response as it is published. source: the data
    file. place: of a row.
    """

    variables: Mapping[str, Classification]
    response: str
    kind: Literal["count", "magnitude"]
    decimals: int
    rows: tuple[Row, ...]
    source: str

    @property
    def unit(self) -> Fraction:
        """Published precision."""
        return Fraction(1, 10**self.decimals)

    @property
    def title(self) -> str:
        """`turnover by region, size`."""
        return f"{self.response} by {', '.join(self.variables)}"

    @property
    def has_own_shadow(self) -> bool:
        """Whether rules are to be applied to something else than what is published."""
        return any(row.shadow is not None and row.value is not None and row.shadow != row.value for row in self.rows)

    def place(self, row: Row) -> Place:
        """Where a row stands."""
        return Place(self.source, line=row.line or None)
