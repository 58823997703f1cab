"""The proof's list of statements, and multipliers of rows in its words."""

from collections.abc import Mapping
from fractions import Fraction

from tableseal.audit.bounds.unfold import Multipliers
from tableseal.audit.linear.system import SEPARATOR
from tableseal.audit.prepare import Prepared
from tableseal.audit.proof.areas import Areas
from tableseal.audit.proof.model import Cell, Term

Number = Fraction | int


class Statements:
    """Statements in the order in which they are first used."""

    def __init__(self, prepared: Prepared, areas: Areas) -> None:
        self._prepared, self._areas = prepared, areas
        self._measures = list(prepared.release.measures)
        self._codes = [hierarchy.codes for hierarchy in prepared.release.variables.values()]
        self._position: dict[Cell | int, int] = {}
        self._of_row: dict[int, int | None] = {}
        self._of_short: dict[int, tuple[tuple[int, Number], ...]] = {}
        self._terms: dict[Term, Term] = {}

    def cell(self, position: int) -> Cell:
        """Measure and codes of a cell."""
        cells = self._prepared.cells
        codes = zip(self._codes, cells.codes[position].tolist(), strict=True)
        return self._measures[int(cells.measure[position])], *(names[code] for names, code in codes)

    def terms(self, y: Mapping[int, Number]) -> tuple[Term, ...]:
        """Multipliers of system rows as multipliers of statements."""
        return self._listed(self._added(y), 1)

    def terms_of_short(
        self, published: Multipliers, y: Mapping[int, int], below: int, more: Mapping[int, int]
    ) -> tuple[Term, ...]:
        """The same of what proves a form over short rows.

        published: its weights on published columns, which follow from equations. y, below: short row -> numerator, and
        the denominator of all. more: multipliers of cases (see `model.Combination`), as numerators.
        """
        total: dict[int, Number] = {}
        if published:
            total = {n: x * below for n, x in self._added(self._areas.of_system(published, {})).items()}
        for row, numerator in y.items():
            for n, factor in self._short(row):
                total[n] = total.get(n, 0) + factor * numerator
        return self._listed({**total, **more}, below)

    def list(self) -> tuple[Cell | int, ...]:
        """All statements that were used."""
        return tuple(self._position)

    def _short(self, row: int) -> tuple[tuple[int, Number], ...]:
        """A short row as multipliers of statements; many proofs use the same ones."""
        if row not in self._of_short:
            stated = self._added(self._areas.of_system({}, {row: Fraction(1)}))
            self._of_short[row] = tuple((n, x) for n, x in stated.items() if x)
        return self._of_short[row]

    def _added(self, y: Mapping[int, Number]) -> dict[int, Number]:
        scale = self._prepared.system.scale
        total: dict[int, Number] = {}
        for row, factor in sorted(y.items()):
            n = self._number(row)
            if n is not None:
                whole = factor.numerator if factor.denominator == 1 else factor
                total[n] = total.get(n, 0) + whole * int(scale[row])
        return total

    def _number(self, row: int) -> int | None:
        """The statement that a system row is made of; rows that make base tables agree say nothing of joint leaves."""
        if row not in self._of_row:
            cell, link = int(self._prepared.system.cell[row]), int(self._prepared.system.link[row])
            if cell == link == SEPARATOR:
                self._of_row[row] = None
            else:
                said = self.cell(cell) if cell >= 0 else link + 1
                self._of_row[row] = self._position.setdefault(said, len(self._position))
        return self._of_row[row]

    def _listed(self, total: Mapping[int, Number], below: int) -> tuple[Term, ...]:
        """Those that are not 0, divided by `below`; equal terms are one object, as there are millions."""
        terms = ((n, x if below == 1 else Fraction(x, below)) for n, x in total.items() if x)
        return tuple([self._terms.setdefault(term, term) for term in terms])
