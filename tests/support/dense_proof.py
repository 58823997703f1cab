"""A proof checked a second time, over the full list of leaves, from the release document as a user writes it.

Nothing of the package is used. Slow and plain: one coefficient for every leaf, every table checked against every
statement.
"""

import itertools
from fractions import Fraction
from math import ceil, inf
from typing import Any

from oracle import Document, read, variables_of

Vector = list[Fraction]


class Dense:
    """Accepts or refuses proofs of one release."""

    def __init__(self, document: Document) -> None:
        self.oracle = read(document)
        self.variables = list(variables_of(document).values())
        grid = list(itertools.product(*(v.leaves for v in self.variables)))
        self.base = [(measure, *leaf) for measure in self.oracle.units for leaf in grid]
        self.place = {leaf: n for n, leaf in enumerate(self.base)}
        self.links = [self._link(link) for link in document.get("links", ())]

    def _link(self, link: Any) -> tuple[Vector, Any, Any]:
        total = [Fraction(0)] * len(self.base)
        for coefficient, at in link["terms"]:
            factor = Fraction(coefficient) * self.oracle.units[at["measure"]]
            own = self.sum_of([at["measure"], *(at[f"v{v}"] for v in range(len(self.variables)))])
            total = [t + factor * o for t, o in zip(total, own, strict=True)]
        low, high = (None if link.get(end) is None else Fraction(link[end]) for end in ("lower", "upper"))
        return total, -inf if low is None else low, inf if high is None else high

    def sum_of(self, region: list[Any]) -> Vector:
        """1 on the leaves of a cell, or of lists of leaf codes."""
        measure, *parts = region
        wanted = [
            v.covers[part] if isinstance(part, str) else frozenset(part)
            for v, part in zip(self.variables, parts, strict=True)
        ]
        return [
            Fraction(m == measure and all(c in w for c, w in zip(leaf, wanted, strict=True))) for m, *leaf in self.base
        ]

    def bounds(self, cell: list[str]) -> tuple[Any, Any]:
        """What is said of a cell."""
        known = self.oracle.cells.get((cell[0], tuple(cell[1:])))
        low, high = (-inf, inf) if known is None else (known.low, known.high)
        return max(low, 0) if self.oracle.nonnegative else low, high

    def statement(self, said: Any) -> tuple[Vector, Any, Any]:
        """A cell, or the number of a link."""
        return self.links[said - 1] if isinstance(said, int) else (self.sum_of(said), *self.bounds(said))

    def accepts(self, proof: Any) -> bool:
        """Whether everything that is claimed is proved; anything malformed is not."""
        try:
            return self._accepts(proof)
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError):
            return False

    def _accepts(self, proof: Any) -> bool:
        reference = self._table(proof["reference"])
        tables = [
            [new if new is not None else old for new, old in zip(self._changes(t), reference, strict=True)]
            for t in proof["tables"]
        ]
        rays = [self._table(ray) for ray in proof["rays"]]
        if rays and any(x.denominator != 1 for x in reference):
            return False
        if (tables or rays) and not all(self._fits(t) for t in (reference, *tables)):
            return False
        if not all(self._goes_on(r) for r in rays):
            return False
        must = {cell for cell, known in self.oracle.cells.items() if known.open and self._is_open(cell)}
        if must - {(c["cell"][0], tuple(c["cell"][1:])) for c in proof["claims"]}:
            return False
        outer = attained = 0
        for claim in proof["claims"]:
            for side, sign in (("lower", 1), ("upper", -1)):
                end = claim[side]
                if not self._end(proof, claim["cell"], sign, end, tables, rays):
                    return False
                outer += "outer" in end or "ray" in end
                attained += "attained" in end or "ray" in end
        return bool(proof["counts"] == {"ends": 2 * len(proof["claims"]), "proved": outer, "attained": attained})

    def _is_open(self, cell: tuple[str, tuple[str, ...]]) -> bool:
        """Open cells that are shown and pinned down by their intervals need no claim."""
        low, high = self.bounds([cell[0], *cell[1]])
        shown = self.oracle.cells[cell].status in ("published", "must_publish", "frozen", "structural_zero")
        return not (shown and low == high)

    def _end(self, proof: Any, cell: Any, sign: int, end: Any, tables: list[Vector], rays: list[Vector]) -> bool:
        form = self.sum_of(cell)
        if "outer" in end:
            signed = [sign * x for x in form]
            least = self._least(proof, end["proof"], signed, [])
            if least is None or least < sign * Fraction(end["outer"]):
                return False
        for kind in ("attained", "continuous"):
            if kind in end:
                table = tables[end[kind][1]]
                if _dot(form, table) != Fraction(end[kind][0]):
                    return False
                if kind == "attained" and any(x.denominator != 1 for x in table):
                    return False
        return "ray" not in end or sign * _dot(form, rays[end["ray"]]) < 0

    def _least(self, proof: Any, node: Any, form: Vector, cases: list[Any]) -> Any:
        """What the proof shows the form to be at least; None: nothing."""
        if "split" in node:
            own = [sum(weights) for weights in zip(*map(self.sum_of, node["split"]), strict=True)]
            at = int(node["at"])
            low = self._least(proof, node["low"], form, [*cases, (own, -inf, at)])
            high = self._least(proof, node["high"], form, [*cases, (own, at + 1, inf)])
            return None if low is None or high is None else min(low, high)
        rest, total = [Fraction(0)] * len(form) if node["empty"] else form, Fraction(0)
        for n, y in node["y"]:
            own, low, high = cases[-1 - n] if n < 0 else self.statement(proof["statements"][n])
            bound = low if Fraction(y) > 0 else high
            if abs(bound) == inf:
                return None
            total += Fraction(y) * Fraction(bound)
            rest = [r - Fraction(y) * o for r, o in zip(rest, own, strict=True)]
        if any(r < 0 or (r != 0 and not self.oracle.nonnegative) for r in rest):
            return None
        if node["empty"]:
            return inf if total > 0 else None
        return ceil(total)

    def _changes(self, records: Any) -> list[Fraction | None]:
        found: list[Fraction | None] = [None] * len(self.base)
        for *leaf, x in records:
            found[self.place[tuple(leaf)]] = Fraction(x)
        return found

    def _table(self, records: Any) -> Vector:
        return [x or Fraction(0) for x in self._changes(records)]

    def _fits(self, table: Vector) -> bool:
        if self.oracle.nonnegative and min(table) < 0:
            return False
        cells = [(self.sum_of([m, *codes]), *self.bounds([m, *codes])) for m, codes in self.oracle.cells]
        return all(low <= _dot(own, table) <= high for own, low, high in (*cells, *self.links))

    def _goes_on(self, ray: Vector) -> bool:
        if self.oracle.nonnegative and min(ray) < 0:
            return False
        cells = [(self.sum_of([m, *codes]), *self.bounds([m, *codes])) for m, codes in self.oracle.cells]
        for own, low, high in (*cells, *self.links):
            x = _dot(own, ray)
            if (x < 0 and low != -inf) or (x > 0 and high != inf):
                return False
        return True


def _dot(a: Vector, b: Vector) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True) if x), Fraction(0))
