"""Who attacks, and what it knows that is not published."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Attacker:
    """Somebody who looks at a release. Cells are positions among those that may be withheld (`Contributors.open_cells`;
    in a search all cells).

    who: in words; empty for outsiders.
    known: cells of which it knows the value, ascending.
    shares: (cell, units), ascending, what it gave to cells of which it does not know the value: where no value is
        negative, they hold at least that.
    inside: those of `known` that it contributes to. Of others it knows the value all the same: they are empty parts of
        its own, or somebody told it a total.
    members: how many contributors act together.
    """

    who: str = ""
    known: tuple[int, ...] = ()
    shares: tuple[tuple[int, int], ...] = ()
    inside: tuple[int, ...] = ()
    members: int = 1

    @property
    def involved(self) -> tuple[int, ...]:
        """All cells of which it knows more than everybody."""
        return (*self.known, *(cell for cell, _ in self.shares))

    def knowing(self, cells: tuple[int, ...]) -> "Attacker":
        """The same, who knows the value of more cells."""
        return replace(self, known=tuple(sorted({*self.known, *cells})))


OUTSIDER = Attacker()
"""Knows what is published, and what everybody does."""
