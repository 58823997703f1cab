"""What must stay possible for a cell in the eyes of an attacker."""

from dataclasses import dataclass, replace

from tableseal.audit.attackers.attacker import OUTSIDER, Attacker


@dataclass(frozen=True)
class Requirement:
    """What must stay possible for one cell, in units.

    cell: its position. lower, upper: the cell must be able to lie at or below, at or above these (None: nothing is
    asked on that side). width: its values must span at least so much (1: it must not be disclosed exactly).
    either: one of `lower` and `upper` is enough; both are given, the true value lies between, and the width is 1.
    attacker: in whose eyes. sure: every safe pattern meets it; patterns that do not meet another one may be safe all
        the same, though none that a search returns.
    """

    cell: int
    lower: int | None = None
    upper: int | None = None
    width: int = 1
    either: bool = False
    attacker: Attacker = OUTSIDER
    sure: bool = True

    def ends(self, value: int) -> tuple[int, int]:
        """The values that must stay possible, around the true one."""
        return (
            value if self.lower is None else min(self.lower, value),
            value if self.upper is None else max(self.upper, value),
        )

    def knowing(self, cells: tuple[int, ...]) -> "Requirement":
        """The same in the eyes of somebody who knows more cells."""
        return replace(self, attacker=self.attacker.knowing(cells)) if cells else self
