"""From what an audit has found to a proof that stands on released statements only."""

from collections.abc import Callable, Mapping

import numpy as np
from scipy.sparse import csr_array

from tableseal.audit.bounds.certify import Rational
from tableseal.audit.bounds.component import End, Limits, TargetBounds
from tableseal.audit.bounds.engine import CellBounds, Kept
from tableseal.audit.bounds.reveal import Argument as Revealed
from tableseal.audit.bounds.unfold import Multipliers as Exact
from tableseal.audit.implied.find import Implied
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.prepare import Prepared
from tableseal.audit.progress import Progress
from tableseal.audit.proof.areas import Areas
from tableseal.audit.proof.leaves import LeafCodes
from tableseal.audit.proof.model import Argument, Claim, Combination, Proof, ProvedEnd
from tableseal.audit.proof.outer import Finder, Wanted
from tableseal.audit.proof.statements import Statements
from tableseal.audit.proof.witness import Part, Witnesses
from tableseal.audit.solvers.protocol import Solver
from tableseal.audit.sparse import rows_at, stacked

SIDES = ((1, "lower"), (-1, "upper"))


class _Writer:
    """Claims of one release. forms: those of open cells, then those of cells that no row lists."""

    def __init__(
        self, prepared: Prepared, reduced: Reduced, kept: Kept, forms: csr_array, solver: Solver, limits: Limits
    ) -> None:
        self._prepared, self._kept, self._forms, self._solver = prepared, kept, forms, solver
        self._leaves = LeafCodes(prepared.release, prepared.system.base)
        self._areas = Areas(prepared, reduced)
        self._finder = Finder(self._areas, solver, limits)
        self.statements = Statements(prepared, self._areas)
        self.witnesses = Witnesses(prepared, reduced, kept, self._leaves)

    def find(self, wanted: Wanted, tell: Callable[[int], None]) -> None:
        """Look for the arguments of outer ends."""
        self._found = self._finder.find(self._forms, wanted, tell)

    def claim(self, k: int, bounds: TargetBounds, revealed: Revealed | None) -> Claim:
        """Both ends of open cell k."""
        ends = []
        for sign, name in SIDES:
            end: End = getattr(bounds, name)
            ends.append(self._end(k, sign, end, self._outer(k, sign, end, revealed)))
        return Claim(self.statements.cell(int(self._prepared.system.open_cells[k])), ends[0], ends[1])

    def implied(self, k: int, k_of_all: int, implied: Implied, revealed: Revealed | None) -> Claim:
        """The outer ends of a cell that no row lists; what no code stands for is named by its leaf codes."""
        ends = []
        for sign, name in SIDES:
            outer = self._outer(k_of_all, sign, getattr(implied.bounds[k], name), revealed)
            ends.append(ProvedEnd(outer, None, None, None))
        release, codes = implied.named.release, implied.cells.codes[k]
        names = zip(release.cell_codes(codes).values(), implied.named.added, strict=True)
        measure = list(release.measures)[int(implied.cells.measure[k])]
        return Claim((measure, *(added.get(code, code) for code, added in names)), ends[0], ends[1])

    def _outer(self, k: int, sign: int, end: End, revealed: Revealed | None) -> tuple[int, Argument] | None:
        if end.outer is None:
            return None
        y = _multipliers(revealed, sign)
        if y is not None:
            return end.outer, Combination(self.statements.terms({row: sign * x for row, x in y.items()}))
        why = self._found.argument(k, sign, self.statements, self._leaves)
        return None if why is None else (end.outer, why)

    def _ray(self, k: int, sign: int) -> int | None:
        """A direction in which the form goes on for ever."""
        form = rows_at(self._forms, np.array([k]))
        area = self._areas.of(form.indices.astype(np.int64))
        if area is None:
            return None
        cost = sign * area.own(self._areas.open_part(form)[0]).toarray()[0]
        return self.witnesses.ray(area.component, area.columns, cost, self._solver)

    def _end(self, k: int, sign: int, end: End, outer: tuple[int, Argument] | None) -> ProvedEnd:
        if not self.witnesses.complete:
            return ProvedEnd(outer, None, None, None)
        if end.unlimited:
            return ProvedEnd(outer, None, None, self._ray(k, sign))
        parts = [(c, bounds.lower if sign > 0 else bounds.upper) for c, bounds in self._kept.pieces[k]]
        attained = continuous = None
        if end.attained is not None and self.witnesses.whole:
            whole: list[Part] = [(c, p.table) for c, p in parts if p.table is not None]
            if len(whole) == len(parts):
                attained = end.attained, self.witnesses.table(whole)
        if end.continuous is not None:
            real: list[Part] = [(c, best) for c, p in parts if (best := _best_table(p)) is not None]
            if len(real) == len(parts):
                continuous = end.continuous, self.witnesses.table(real)
        return ProvedEnd(outer, attained, continuous, None)


def _multipliers(revealed: Revealed | None, sign: int) -> Exact | None:
    """Those of the arithmetic that was found, unless it goes case by case."""
    if revealed is None or revealed.by_cases:
        return None
    return revealed.lower if sign > 0 else revealed.upper


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
    count, unlisted = len(found.bounds), 0 if implied is None else len(implied)
    forms = prepared.system.forms
    if implied is not None and unlisted:
        forms = stacked([forms, implied.forms])
    writer = _Writer(prepared, reduced, found.kept, forms, solver, limits)
    also = implied_arguments or {}
    told = [arguments.get(k) for k in range(count)] + [also.get(k) for k in range(unlisted)]
    bounds = [*found.of_pieces, *(() if implied is None else implied.bounds)]
    wanted = {
        (k, sign): sign * end.outer
        for k, (both, revealed) in enumerate(zip(bounds, told, strict=True))
        for sign, name in SIDES
        if (end := getattr(both, name)).outer is not None and _multipliers(revealed, sign) is None
    }
    done = 0

    def tell_more(ends: int) -> None:
        nonlocal done
        done += ends
        tell("proof", done, len(wanted))

    writer.find(wanted, tell_more)
    claims = [writer.claim(k, found.of_pieces[k], told[k]) for k in range(count)]
    for k in range(unlisted):
        assert implied is not None
        claims.append(writer.implied(k, count + k, implied, told[count + k]))
    witnesses = writer.witnesses
    return Proof(
        digest,
        writer.statements.list(),
        witnesses.reference,
        tuple(witnesses.tables),
        tuple(witnesses.rays),
        tuple(claims),
    )
