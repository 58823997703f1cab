"""Limits by a clock that goes on whenever somebody looks at it: times at which to stop that depend on no machine."""

from dataclasses import dataclass, field, replace

from tableseal.audit.bounds.component import Limits


@dataclass(frozen=True)
class Ticking(Limits):
    """So many looks. spent: looks so far, the same for all shares of a time."""

    looks: float = 0.0
    spent: list[None] = field(default_factory=list)

    def seconds_left(self) -> float:
        """Looks that are left, as seconds."""
        self.spent.append(None)
        return max(0.0, self.looks - len(self.spent))

    def out_of_time(self) -> bool:
        """None is left."""
        return self.seconds_left() <= 0

    def share(self, part: float) -> "Ticking":
        """A part of the looks that are left."""
        return replace(self, looks=len(self.spent) + part * max(0.0, self.looks - len(self.spent)))
