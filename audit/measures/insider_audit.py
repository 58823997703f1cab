"""What insiders - contributors who know their own share - can work out (Oganian & Domingo-Ferrer 2003, 4.5.4).

* The largest and the second largest contributor of a withheld cell estimate each other's contribution from the
  interval that outsiders are left with.
* The only contributor of a withheld cell knows that cell exactly: it is fixed, and whatever hangs together with it is
  bounded again. For magnitudes the target is the largest contribution of the other cell, for counts the other cell.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array, vstack

from audit.bounds.component import Limits, Method
from audit.bounds.engine import CellBounds, bound_forms
from audit.linear.cells import Cells
from audit.linear.difference import Differenced
from audit.linear.naming import cell_name
from audit.linear.propagate import InfeasibleError
from audit.linear.reduce import Reduced, reduce
from audit.measures.insiders import End, largest_seen_by_second, second_seen_by_largest, too_close
from audit.model import Note, Policy, Status
from audit.prepare import Prepared

KINDS = ("largest", "second", "singletons")


@dataclass(frozen=True)
class Insider:
    """Who gets too close, and the ends (in units) between which they can place the target."""

    who: str
    lower: End
    upper: End

    @property
    def width(self) -> float:
        """Width of the estimate, infinite without a limit."""
        return float("inf") if self.lower is None or self.upper is None else float(self.upper - self.lower)


@dataclass(frozen=True)
class InsiderAudit:
    """The closest insider per open cell (position among the open cells), and what could not be audited."""

    findings: dict[int, Insider]
    notes: tuple[Note, ...]


def audit_insiders(
    prepared: Prepared,
    reduced: Reduced,
    found: CellBounds,
    policy: Policy,
    method: Method,
    limits: Limits,
    progress: Callable[[str, int, int], None],
) -> InsiderAudit:
    """Run the insiders that the release asks for, as far as the agency's data allow.

    Cells that outsiders already know are left out: nothing is worse than that.
    """
    asked = prepared.release.intruder.insiders
    kinds = KINDS if asked is None else asked
    targets = _targets(prepared, found)
    findings: dict[int, Insider] = {}

    def keep(candidates: Iterable[tuple[int, Insider]]) -> None:
        for k, insider in candidates:
            if k not in findings or insider.width < findings[k].width:
                findings[k] = insider

    if "largest" in kinds or "second" in kinds:
        keep(_inside(prepared, found, policy, kinds, targets))
    if "singletons" in kinds:
        keep(_singletons(prepared, reduced, policy, method, limits, progress, targets))
    return InsiderAudit(findings, _notes(prepared, asked))


def _targets(prepared: Prepared, found: CellBounds) -> NDArray[np.int64]:
    """Withheld cells that outsiders cannot compute."""
    status = prepared.cells.status[prepared.system.open_cells]
    exposed = np.array([b.lower.outer is not None and b.lower.outer == b.upper.outer for b in found.bounds], np.bool_)
    return np.flatnonzero((status >= Status.SECONDARY) & ~exposed)


def _is_count(prepared: Prepared) -> NDArray[np.bool_]:
    kinds = np.array([m.kind == "count" for m in prepared.release.measures.values()], np.bool_)
    result: NDArray[np.bool_] = kinds[prepared.cells.measure]
    return result


def _notes(prepared: Prepared, asked: tuple[str, ...] | None) -> tuple[Note, ...]:
    """Say where insiders could not be audited although the release asks for them, or although cells are withheld."""
    cells = prepared.cells
    withheld = cells.status >= Status.SECONDARY
    blind = withheld & np.where(
        _is_count(prepared),
        ~cells.truth.known,
        ~(cells.truth.known & cells.frequency.known & _contribution_known(cells, 0)),
    )
    count = int(blind.sum())
    if count == 0 or asked == ():
        return ()
    text = f"insiders could not be audited for {count} withheld cells: no true value, frequency or contributions"
    return (Note("insiders_not_audited", text, count),)


def _contribution_known(cells: Cells, rank: int) -> NDArray[np.bool_]:
    if rank < len(cells.contributors):
        return cells.contributors[rank].known
    return np.zeros(len(cells), np.bool_)


def _inside(
    prepared: Prepared, found: CellBounds, policy: Policy, kinds: tuple[str, ...], targets: NDArray[np.int64]
) -> Iterable[tuple[int, Insider]]:
    """Estimates within one cell of a magnitude with at least two contributors."""
    cells, release = prepared.cells, prepared.release
    magnitude = ~_is_count(prepared)
    for k in targets.tolist():
        cell = int(prepared.system.open_cells[k])
        count = cells.frequency.get(cell)
        first, second = (_contribution(cells, rank, cell) for rank in (0, 1))
        if not magnitude[cell] or count is None or count < 2 or first is None or second is None:
            continue
        low, high = found.bounds[k].lower.outer, found.bounds[k].upper.outer
        name = cell_name(release, cells, cell)
        if "largest" in kinds:
            estimate = second_seen_by_largest(low, high, first, count)
            if too_close(*estimate, second, policy.insider_p):
                yield k, Insider(f"largest of {name}", *estimate)
        if "second" in kinds:
            estimate = largest_seen_by_second(low, high, second, count)
            if too_close(*estimate, first, policy.insider_p):
                yield k, Insider(f"second largest of {name}", *estimate)


def _contribution(cells: Cells, rank: int, cell: int) -> int | None:
    return cells.contributors[rank].get(cell) if rank < len(cells.contributors) else None


def _singletons(
    prepared: Prepared,
    reduced: Reduced,
    policy: Policy,
    method: Method,
    limits: Limits,
    progress: Callable[[str, int, int], None],
    targets: NDArray[np.int64],
) -> Iterable[tuple[int, Insider]]:
    """Fix each withheld cell that has one contributor and bound the others that hang together with it."""
    cells, system = prepared.cells, prepared.system
    is_count = _is_count(prepared)
    single = np.where(is_count, cells.truth.units == 1, cells.frequency.known & (cells.frequency.units == 1))
    single &= cells.truth.known & (cells.status >= Status.SECONDARY)
    insiders = [k for k in targets.tolist() if single[system.open_cells[k]]]
    for done, s in enumerate(insiders):
        if limits.out_of_time():
            return
        progress("insiders", done, len(insiders))
        cell = int(system.open_cells[s])
        near = _near(reduced, system.forms, s, targets)
        bounds = _with_cell_known(prepared, reduced, s, int(cells.truth.units[cell]), near, method, limits)
        if bounds is None:
            continue
        who = f"only contributor of {cell_name(prepared.release, cells, cell)}"
        for k, b in zip(near, bounds.bounds, strict=True):
            low, high = b.lower.outer, b.upper.outer
            target = int(system.open_cells[k])
            if low is not None and low == high:
                yield k, Insider(who, low, high)
            elif not is_count[target] and _contribution_known(cells, 0)[target]:
                largest = int(cells.contributors[0].units[target])
                count = cells.frequency.get(target) or 1
                # The largest of n contributions is at least an equal share of the cell, and at most all of it.
                share = None if low is None else -(-low // count)
                if too_close(share, high, largest, policy.insider_p):
                    yield k, Insider(who, share, high)


def _silent(what: str, done: int, total: int) -> None:
    """Progress of nobody."""


def _near(reduced: Reduced, forms: csr_array, s: int, targets: NDArray[np.int64]) -> list[int]:
    """Other targets that share an open component with form s."""
    own = set(_components(reduced, forms, s))
    return [k for k in targets.tolist() if k != s and own & set(_components(reduced, forms, k))]


def _components(reduced: Reduced, forms: csr_array, k: int) -> list[int]:
    label = reduced.component[forms.indices[forms.indptr[k] : forms.indptr[k + 1]]]
    return [int(c) for c in np.unique(label[label >= 0])]


def _with_cell_known(
    prepared: Prepared, reduced: Reduced, s: int, value: int, near: list[int], method: Method, limits: Limits
) -> CellBounds | None:
    """Bounds of the near forms once form s is known; None if the true value does not fit the release."""
    forms = prepared.system.forms
    if not near:
        return None
    involved = sorted({c for k in [s, *near] for c in _components(reduced, forms, k)})
    inside = np.isin(reduced.component, involved)
    rows = np.flatnonzero(inside[reduced.matrix.indices[reduced.matrix.indptr[:-1]]])
    columns = np.flatnonzero(inside)
    fixed = np.where(reduced.fixed, reduced.value, 0)
    constants = forms[[s, *near]] @ fixed
    local = csr_array(forms[[s, *near]][:, columns])
    matrix = csr_array(vstack([reduced.matrix[rows][:, columns], local[[0]]], format="csr"))
    known = np.array([value - int(constants[0])])
    system = Differenced(
        matrix,
        np.concatenate([reduced.lower[rows], known]),
        np.concatenate([reduced.upper[rows], known]),
        csr_array(eye_array(matrix.shape[0], dtype=np.int64, format="csr")),
    )
    try:
        smaller = reduce(system, nonnegative=prepared.system.nonnegative, eliminate=False)
        found = bound_forms(smaller, csr_array(local[1:]), method, limits, _silent, check_rest=False)
    except InfeasibleError:
        return None
    return found.shifted(constants[1:])
