"""A space of vectors over cells that shrinks: one coordinate after another is made to vanish.

Two questions about patterns are of this kind. Which combinations of released cells are left when some are withheld (the
rank view): dependencies that do not use them. How withheld cells can still move when one of them is published (exact
disclosure): movements that leave it where it is.
"""

from collections.abc import Iterable

Vector = dict[int, int]
"""Coordinate -> entry, nonzero."""

Column = tuple[tuple[int, int], ...]


class Subspace:
    """Sparse basis vectors modulo a prime, with the users of each coordinate."""

    def __init__(self, basis: Iterable[Vector], prime: int) -> None:
        self._prime = prime
        self._rows: dict[int, Vector] = {}
        self._users: dict[int, set[int]] = {}
        for k, vector in enumerate(basis):
            self._rows[k] = {c: entry % prime for c, entry in vector.items() if entry % prime}
            for c in self._rows[k]:
                self._users.setdefault(c, set()).add(k)

    @property
    def dimension(self) -> int:
        """Of the space that is left."""
        return len(self._rows)

    def users(self, coordinate: int) -> set[int]:
        """Numbers of the basis vectors that are not zero there; none: the whole space vanishes there."""
        return self._users.get(coordinate, set())

    def vector(self, number: int) -> Vector:
        """One basis vector; not to be changed."""
        return self._rows[number]

    def shortest(self, coordinate: int) -> int:
        """Number of the shortest basis vector that is not zero there."""
        return min(self._users[coordinate], key=lambda k: (len(self._rows[k]), k))

    def vanish(self, coordinate: int) -> Vector:
        """Keep only vectors that are zero at a coordinate.

        Returns the basis vector that was given up for it (only its coordinates have changed in the others); empty where
        the whole space vanished there anyway.
        """
        if not self.users(coordinate):
            return {}
        pivot = self.shortest(coordinate)
        given = self._rows.pop(pivot)
        for c in given:
            self._users[c].discard(pivot)
        inverse = pow(given[coordinate], -1, self._prime)
        for k in sorted(self._users[coordinate]):
            self._subtract(k, self._rows[k][coordinate] * inverse, given)
        return given

    def parallel(self, one: int, other: int) -> bool:
        """Whether two coordinates of all vectors are in one ratio: if one vanishes, so does the other."""
        users = self.users(one)
        if not users or users != self.users(other):
            return False
        first, *rest = users
        a, b = self._rows[first][one], self._rows[first][other]
        return all((self._rows[k][one] * b - self._rows[k][other] * a) % self._prime == 0 for k in rest)

    def column(self, coordinate: int) -> Column:
        """The entries of a coordinate up to a common factor: equal for parallel coordinates."""
        users = sorted(self.users(coordinate))
        if not users:
            return ()
        inverse = pow(self._rows[users[0]][coordinate], -1, self._prime)
        return tuple((k, self._rows[k][coordinate] * inverse % self._prime) for k in users)

    def _subtract(self, number: int, factor: int, given: Vector) -> None:
        own = self._rows[number]
        for c, entry in given.items():
            new = (own.get(c, 0) - factor * entry) % self._prime
            if new:
                own[c] = new
                self._users[c].add(number)
            else:
                own.pop(c, None)
                self._users[c].discard(number)
