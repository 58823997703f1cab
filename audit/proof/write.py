"""From what an audit has found to a proof that stands on released statements only."""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array

from tableseal.audit.bounds.certify import Rational
from tableseal.audit.bounds.component import End, Limits
from tableseal.audit.bounds.engine import CellBounds, Kept
from tableseal.audit.bounds.reveal import Argument as Revealed
from tableseal.audit.bounds.unfold import Multipliers as Exact
from tableseal.audit.implied.find import Implied
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.linear.system import SEPARATOR
from tableseal.audit.prepare import Prepared
from tableseal.audit.progress import Progress
from tableseal.audit.proof.areas import Area, Areas
from tableseal.audit.proof.bounding import Bound, Bounder, Halves
from tableseal.audit.proof.leaves import LeafCodes
from tableseal.audit.proof.model import Argument, Cases, Cell, Claim, Combination, Proof, ProvedEnd
from tableseal.audit.proof.witness import Part, Witnesses
from tableseal.audit.solvers.protocol import Solver
from tableseal.audit.sparse import rows_at


class _Statements:
    """The proof's list of statements, in the order in which they are first used."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self._measures = list(prepared.release.measures)
        self._position: dict[Cell | int, int] = {}

    def cell(self, position: int) -> Cell:
        """Measure and codes of a cell."""
        cells = self._prepared.cells
        codes = self._prepared.release.cell_codes(cells.codes[position]).values()
        return self._measures[int(cells.measure[position])], *codes

    def terms(self, y: Exact) -> list[tuple[int, Fraction]]:
        """Multipliers of system rows as multipliers of statements; rows that make base tables agree say nothing of
        joint leaves."""
        system = self._prepared.system
        total: dict[int, Fraction] = {}
        for row, factor in sorted(y.items()):
            cell, link = int(system.cell[row]), int(system.link[row])
            if cell == link == SEPARATOR:
                continue
            said = self.cell(cell) if cell >= 0 else link + 1
            n = self._position.setdefault(said, len(self._position))
            total[n] = total.get(n, Fraction(0)) + factor * int(system.scale[row])
        return [(n, x) for n, x in total.items() if x]

    def list(self) -> tuple[Cell | int, ...]:
        """All statements that were used."""
        return tuple(self._position)


class _Writer:
    def __init__(
        self,
        prepared: Prepared,
        reduced: Reduced,
        kept: Kept,
        solver: Solver,
        limits: Limits,
    ) -> None:
        self._prepared, self._kept, self._solver, self._limits = prepared, kept, solver, limits
        self.statements = _Statements(prepared)
        self._leaves = LeafCodes(prepared.release, prepared.system.base)
        self._areas = Areas(prepared, reduced)
        self.witnesses = Witnesses(prepared, reduced, kept, self._leaves)
        self._bounders: dict[int, Bounder] = {}

    def claim(self, k: int, found: CellBounds, revealed: Revealed | None) -> Claim:
        """Both ends of open cell k."""
        system = self._prepared.system
        form = csr_array(system.forms[[k]])
        area = self._areas.of(form.indices.astype(np.int64))
        ends = []
        for sign, name in ((1, "lower"), (-1, "upper")):
            end: End = getattr(found.of_pieces[k], name)
            signed = _signed(form, sign)
            outer = self._proved(signed, area, sign, end.outer, _multipliers(revealed, name))
            ends.append(self._end(k, name, end, outer, signed, area))
        return Claim(self.statements.cell(int(system.open_cells[k])), ends[0], ends[1])

    def implied(self, k: int, implied: Implied, revealed: Revealed | None) -> Claim:
        """The outer ends of a cell that no row lists; what no code stands for is named by its leaf codes."""
        form = rows_at(implied.forms, np.array([k]))
        area = self._areas.of(form.indices.astype(np.int64))
        ends = []
        for sign, name in ((1, "lower"), (-1, "upper")):
            end: End = getattr(implied.bounds[k], name)
            outer = self._proved(_signed(form, sign), area, sign, end.outer, _multipliers(revealed, name))
            ends.append(ProvedEnd(outer, None, None, None))
        release, codes = implied.named.release, implied.cells.codes[k]
        names = zip(release.cell_codes(codes).values(), implied.named.added, strict=True)
        measure = list(release.measures)[int(implied.cells.measure[k])]
        return Claim((measure, *(added.get(code, code) for code, added in names)), ends[0], ends[1])

    def _proved(
        self, signed: Exact, area: Area | None, sign: int, value: int | None, y: Exact | None
    ) -> tuple[int, Argument] | None:
        if value is None:
            return None
        short = None if y is None else {row: sign * x for row, x in y.items()}
        why = self._outer(signed, area, sign * value, short)
        return None if why is None else (value, why)

    def _outer(self, form: Exact, area: Area | None, target: int, y: Exact | None) -> Argument | None:
        if y is not None:
            return Combination(tuple(self.statements.terms(y)))
        if area is None:
            return Combination(tuple(self.statements.terms(self._areas.of_system(form, {}))))
        constant, cost = self._areas.constant(form), area.cost(form)
        bounder = self._bounders.setdefault(id(area), Bounder(area.component, self._solver, self._limits))
        bound = bounder.prove(cost, target - constant)
        return None if bound is None else self._argument(bound, form, area)

    def _argument(self, bound: Bound, form: Exact, area: Area) -> Argument:
        """A proof over an area's rows as one over statements."""
        if isinstance(bound, Halves):
            parts = tuple(self._leaves.base_cell(int(area.columns[c])) for c in bound.columns)
            low, high = (self._argument(half, form, area) for half in (bound.low, bound.high))
            return Cases(parts, bound.at, low, high)
        each = zip(bound.rows.tolist(), bound.numerator.tolist(), strict=True)
        y = {row: Fraction(n, bound.denominator) for row, n in each}
        stated = len(area.rows)
        of_rows = {int(area.rows[row]): factor for row, factor in y.items() if row < stated}
        terms = self.statements.terms(self._areas.of_system({} if bound.empty else form, of_rows))
        terms += [(stated - 1 - row, factor) for row, factor in y.items() if row >= stated]
        return Combination(tuple(terms), bound.empty)

    def _end(
        self, k: int, name: str, end: End, outer: tuple[int, Argument] | None, form: Exact, area: Area | None
    ) -> ProvedEnd:
        if not self.witnesses.complete:
            return ProvedEnd(outer, None, None, None)
        parts = [(c, getattr(bounds, name)) for c, bounds in self._kept.pieces[k]]
        if end.unlimited and area is not None:
            ray = self.witnesses.ray(area.component, area.columns, area.cost(form), self._solver)
            return ProvedEnd(outer, None, None, ray)
        attained = continuous = None
        if end.attained is not None and self.witnesses.whole and all(p.table is not None for _, p in parts):
            attained = end.attained, self.witnesses.table([(c, p.table) for c, p in parts])
        if end.continuous is not None:
            real: list[Part] = [(c, best) for c, p in parts if (best := _best_table(p)) is not None]
            if len(real) == len(parts):
                continuous = end.continuous, self.witnesses.table(real)
        return ProvedEnd(outer, attained, continuous, None)


def _signed(form: csr_array, sign: int) -> Exact:
    return {int(c): sign * Fraction(int(w)) for c, w in zip(form.indices, form.data, strict=True)}


def _multipliers(revealed: Revealed | None, end: str) -> Exact | None:
    """Those of the arithmetic that was found, unless it goes case by case."""
    found: Exact | None = None if revealed is None or revealed.by_cases else getattr(revealed, end)
    return found


def _best_table(end: End) -> int | Rational | None:
    """The table in hand that goes furthest, None where it was not kept."""
    if end.continuous is None:
        return end.table
    return None if end.point is None else Rational(*end.point)


def prove(
    prepared: Prepared,
    reduced: Reduced,
    found: CellBounds,
    arguments: dict[int, Revealed],
    digest: str,
    solver: Solver,
    limits: Limits,
    tell: Progress,
    implied: Implied | None = None,
    implied_arguments: Mapping[int, Revealed] | None = None,
) -> Proof:
    """A proof of every end that was found, as far as time allows.

    Parameters
    ----------
    found: bounds of all open cells, with what was kept for proofs.
    arguments: open cell -> arithmetic that leaves it one value.
    implied, implied_arguments: the same of cells that no row lists (only their outer ends are proved).
    """
    assert found.kept is not None
    writer = _Writer(prepared, reduced, found.kept, solver, limits)
    claims = []
    for k in range(len(found.bounds)):
        claims.append(writer.claim(k, found, arguments.get(k)))
        tell("proof", k + 1, len(found.bounds))
    for k in range(0 if implied is None else len(implied)):
        assert implied is not None
        claims.append(writer.implied(k, implied, (implied_arguments or {}).get(k)))
    witnesses = writer.witnesses
    return Proof(
        digest,
        writer.statements.list(),
        witnesses.reference,
        tuple(witnesses.tables),
        tuple(witnesses.rays),
        tuple(claims),
    )
