"""Who gets too close to what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tableseal.audit.attackers.formulas import End
from tableseal.audit.model import Note

Whose = Literal["value", "largest", "second_largest", "largest_of_others"]
"""What an insider estimates: the value of the cell, or a contribution to it."""


@dataclass(frozen=True)
class Insider:
    """Who gets too close to what, and the ends (in units) between which they can place it."""

    who: str
    whose: Whose
    lower: End
    upper: End

    @property
    def width(self) -> float:
        """Width of the estimate, infinite without a limit."""
        return float("inf") if self.lower is None or self.upper is None else float(self.upper - self.lower)


@dataclass(frozen=True)
class InsiderAudit:
    """What insiders get, per open cell (position among the open cells).

    findings: the closest insider of each cell that one gets too close to.
    ranks: contributors who are too close to each other by what their ranks say, whatever is withheld; they are not in
        `findings`.
    open: cells for which it is not shown that no insider gets too close (a limit was reached).
    """

    findings: dict[int, Insider]
    ranks: Mapping[int, Sequence[Insider]]
    open: frozenset[int]
    notes: tuple[Note, ...]


@dataclass
class Gathered:
    """Findings so far."""

    findings: dict[int, Insider] = field(default_factory=dict)
    ranks: dict[int, list[Insider]] = field(default_factory=dict)
    open: set[int] = field(default_factory=set)

    def too_close(self, k: int, insider: Insider) -> None:
        """It is proved that an insider gets too close to cell k; the closest one is kept."""
        if k not in self.findings or insider.width < self.findings[k].width:
            self.findings[k] = insider
