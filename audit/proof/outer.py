"""Why nothing lies beyond the outer ends: arguments for all of them, from the cheapest method that finds one.

Propagation answers most ends of all areas together, flows or a dictionary of whole numbers those of one area, and what
is left then has a linear program of its own, and cases (`bounding.py`).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.tableaux.tableau import Tableau
from tableseal.audit.proof.areas import Area, Areas
from tableseal.audit.proof.bounding import Bound, Bounder, Halves
from tableseal.audit.proof.exact import confirmed, of_all_targets
from tableseal.audit.proof.leaves import LeafCodes
from tableseal.audit.proof.model import Argument, Cases, Combination
from tableseal.audit.proof.propagated import Propagated
from tableseal.audit.proof.statements import Statements
from tableseal.audit.solvers.protocol import Solver
from tableseal.audit.sparse import csr, row_of_entries, rows_at

Ints = NDArray[np.int64]

Wanted = Mapping[tuple[int, int], int]
"""(form, sign) -> least value of sign * form over whole tables: sign 1 of its lower end, -1 of its upper end."""


@dataclass(frozen=True)
class Finder:
    """What it takes to find arguments."""

    areas: Areas
    solver: Solver
    limits: Limits

    def find(self, forms: csr_array, wanted: Wanted, tell: Callable[[int], None]) -> "Found":
        """Bounds for what is wanted of forms (csr int64, forms x columns), as far as time allows.

        tell: told how many ends are done.
        """
        open_forms, constant = self.areas.open_part(forms)
        ends = list(wanted)
        form, sign = (np.array(part, np.int64) for part in (([k for k, _ in ends], [s for _, s in ends])))
        target = np.array(list(wanted.values()), np.int64) - sign * constant[form]
        signed = _signed(rows_at(open_forms, form), sign)
        whole = self.areas.whole
        found: list[tuple[Bound, Area | None] | None] = [
            None if y is None else (y, None)
            for y in confirmed(whole, signed, Propagated(whole).prove(signed, target), target)
        ]
        left = [e for e, bound in enumerate(found) if bound is None]
        tell(len(ends) - len(left))
        by_area: dict[int, tuple[Area, list[int]]] = {}
        for e, area in zip(left, self.areas.divided(rows_at(open_forms, form[left])), strict=True):
            if area is not None:
                by_area.setdefault(id(area), (area, []))[1].append(e)
        tableau = Tableau()
        for area, own in by_area.values():
            in_area = self._in_area(area, open_forms, form[own], sign[own], target[own], tableau)
            for e, bound in zip(own, in_area, strict=True):
                found[e] = None if bound is None else (bound, area)
                tell(1)
        return Found(dict(zip(ends, found, strict=True)), forms, self.areas)

    def _in_area(
        self, area: Area, forms: csr_array, form: Ints, sign: Ints, target: Ints, tableau: Tableau
    ) -> Iterator[Bound | None]:
        """A bound for each end in turn."""
        asked, which = np.unique(form, return_inverse=True)
        costs = area.own(rows_at(forms, asked))
        proofs = of_all_targets(replace(area.component, targets=costs), tableau, self.limits)
        signed = _signed(rows_at(costs, which), sign)
        places = (which + np.where(sign < 0, len(asked), 0)).tolist()
        told = [proofs[p] for p in places] if proofs else [None] * len(places)
        bounder = Bounder(area.component, self.solver, self.limits)
        for e, y in enumerate(confirmed(area.component, signed, told, target)):
            yield y or bounder.prove(rows_at(signed, np.array([e])).toarray()[0], int(target[e]))


class Found:
    """What was found, by (form, sign): multipliers of short rows, or what lies in an area."""

    def __init__(
        self, bounds: Mapping[tuple[int, int], tuple[Bound, Area | None] | None], forms: csr_array, areas: Areas
    ) -> None:
        self._bounds, self._forms, self._areas = bounds, forms, areas
        self._made: dict[tuple[object, ...], Combination] = {}

    def argument(self, k: int, sign: int, statements: Statements, leaves: LeafCodes) -> Argument | None:
        """The proof of one end in the words of statements; None if there is none. Equal ones are one object."""
        found = self._bounds.get((k, sign))
        if found is None:
            return None
        span = slice(self._forms.indptr[k], self._forms.indptr[k + 1])
        weights = (sign * self._forms.data[span]).tolist()
        form = dict(zip(self._forms.indices[span].tolist(), map(Fraction, weights), strict=True))
        return self._argument(*found, form, statements, leaves)

    def _argument(
        self, bound: Bound, area: Area | None, form: dict[int, Fraction], statements: Statements, leaves: LeafCodes
    ) -> Argument:
        if isinstance(bound, Halves):
            assert area is not None
            parts = tuple(leaves.base_cell(int(area.columns[c])) for c in bound.columns)
            low, high = (self._argument(half, area, form, statements, leaves) for half in (bound.low, bound.high))
            return Cases(parts, bound.at, low, high)
        published = {} if bound.empty else self._areas.published(form)
        key = (
            id(area),
            bound.rows.tobytes(),
            bound.numerator.tobytes(),
            bound.denominator,
            bound.empty,
            *published.items(),
        )
        if key not in self._made:
            each = dict(zip(bound.rows.tolist(), bound.numerator.tolist(), strict=True))
            stated = len(self._areas.whole.lower) if area is None else len(area.rows)
            of_rows = {row if area is None else int(area.rows[row]): n for row, n in each.items() if row < stated}
            more = {stated - 1 - row: n for row, n in each.items() if row >= stated}
            terms = statements.terms_of_short(published, of_rows, bound.denominator, more)
            self._made[key] = Combination(terms, bound.empty)
        return self._made[key]


def _signed(forms: csr_array, sign: Ints) -> csr_array:
    """Each form times its sign."""
    return csr(forms.data * sign[row_of_entries(forms)], forms.indices, forms.indptr, forms.shape)
