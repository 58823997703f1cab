"""What insiders - contributors who know their own share - can work out (Oganian & Domingo-Ferrer 2003, 4.5.4).

* The largest and the second largest contributor of a withheld cell estimate each other's contribution from the
  interval that outsiders are left with.
* The only contributor of a withheld cell knows that cell exactly: it is fixed, and whatever hangs together with it is
  bounded again. For magnitudes the target is the largest contribution of the other cell, for counts the other cell.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array, vstack

from audit.bounds.component import Limits, TargetBounds
from audit.bounds.engine import CellBounds, bound_forms
from audit.bounds.method import Method
from audit.linear.cells import Cells
from audit.linear.difference import Differenced
from audit.linear.naming import cell_name, plural
from audit.linear.propagate import InfeasibleError
from audit.linear.reduce import Reduced, reduce
from audit.measures.insiders import End, largest_seen_by_second, others, second_seen_by_largest, too_close
from audit.model import Note, Policy, Status
from audit.prepare import Prepared
from audit.progress import Progress, silent

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
    """What insiders get, per open cell (position among the open cells).

    findings: the closest insider of each cell that one gets too close to.
    open: cells for which it is not shown that no insider gets too close (a limit was reached).
    """

    findings: dict[int, Insider]
    open: frozenset[int]
    notes: tuple[Note, ...]


@dataclass
class _Gathered:
    findings: dict[int, Insider]
    open: set[int]

    def judge(self, k: int, proved: Insider, shown: Insider | None, close: Callable[[Insider], bool]) -> None:
        """Keep what is proved of an insider and cell k; if tables in hand do not show the opposite, leave it open."""
        if close(proved):
            if k not in self.findings or proved.width < self.findings[k].width:
                self.findings[k] = proved
        elif shown is None or close(shown):
            self.open.add(k)


def audit_insiders(
    prepared: Prepared,
    reduced: Reduced,
    found: CellBounds,
    policy: Policy,
    methods: tuple[Method, Method],
    limits: Limits,
    progress: Progress,
) -> InsiderAudit:
    """Run the insiders that the release asks for, as far as the agency's data allow.

    methods: for the only contributors of cells, one that quickly shows tables and one that also proves bounds.

    Cells that outsiders already know are left out: nothing is worse than that.
    """
    asked = prepared.release.intruder.insiders
    kinds = KINDS if asked is None else asked
    targets = _targets(prepared, found)
    gathered = _Gathered({}, set())
    if prepared.system.nonnegative and ("largest" in kinds or "second" in kinds):
        _inside(prepared, found, policy, kinds, targets, gathered)
    if "singletons" in kinds:
        _singletons(prepared, reduced, policy, methods, limits, progress, targets, gathered)
    return InsiderAudit(gathered.findings, frozenset(gathered.open - gathered.findings.keys()), _notes(prepared, asked))


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
    """Say for how many withheld cells the agency's data do not allow an insider to be audited."""
    cells = prepared.cells
    withheld = cells.status >= Status.SECONDARY
    magnitude = withheld & ~_is_count(prepared)
    kinds = KINDS if asked is None else asked
    notes = []
    if ("largest" in kinds or "second" in kinds) and not prepared.system.nonnegative and magnitude.any():
        text = "the largest and the second largest contributor are not audited where values may be negative"
        notes.append(Note("insiders_not_audited", text, int(magnitude.sum())))
    elif "largest" in kinds or "second" in kinds:
        several = magnitude & ~(cells.frequency.known & (cells.frequency.units < 2))
        both = _contribution_known(cells, 0) & _contribution_known(cells, 1) & cells.frequency.known
        lacking = int((several & ~both).sum())
        if lacking:
            text = (
                f"the largest and the second largest contributor could not be audited for "
                f"{plural(lacking, 'withheld cell')}: their contributions or the number of contributors are not given"
            )
            notes.append(Note("insiders_not_audited", text, lacking))
    if "singletons" in kinds:
        known = np.where(_is_count(prepared), True, cells.frequency.known)
        lacking = int((withheld & ~(known & cells.truth.known)).sum())
        if lacking:
            text = (
                f"single contributors could not be audited for {plural(lacking, 'withheld cell')}: "
                f"the true value or the number of contributors is not given"
            )
            notes.append(Note("insiders_not_audited", text, lacking))
    return tuple(notes)


def _contribution_known(cells: Cells, rank: int) -> NDArray[np.bool_]:
    if rank < len(cells.contributors):
        return cells.contributors[rank].known
    return np.zeros(len(cells), np.bool_)


def _inside(
    prepared: Prepared,
    found: CellBounds,
    policy: Policy,
    kinds: tuple[str, ...],
    targets: NDArray[np.int64],
    gathered: _Gathered,
) -> None:
    """Estimates within one cell of a magnitude with at least two contributors."""
    cells, release = prepared.cells, prepared.release
    magnitude = ~_is_count(prepared)
    for k in targets.tolist():
        cell = int(prepared.system.open_cells[k])
        count = cells.frequency.get(cell)
        first, second = (_contribution(cells, rank, cell) for rank in (0, 1))
        if not magnitude[cell] or count is None or count < 2 or first is None or second is None:
            continue
        name = cell_name(release, cells, cell)
        for kind, who, estimate, own, target in (
            ("largest", f"largest of {name}", second_seen_by_largest, first, second),
            ("second", f"second largest of {name}", largest_seen_by_second, second, first),
        ):
            if kind not in kinds:
                continue
            proved, shown = (
                None if ends is None else Insider(who, *estimate(*ends, own, count))
                for ends in (_outer(found.bounds[k]), _attained(found.bounds[k]))
            )
            if proved is not None:
                gathered.judge(k, proved, shown, partial(_too_close, target=target, p=policy.insider_p))


def _too_close(insider: Insider, *, target: int, p: Fraction) -> bool:
    return too_close(insider.lower, insider.upper, target, p)


def _knows(insider: Insider) -> bool:
    return insider.lower is not None and insider.lower == insider.upper


def _outer(bounds: TargetBounds) -> tuple[End, End]:
    return bounds.lower.outer, bounds.upper.outer


def _attained(bounds: TargetBounds) -> tuple[End, End] | None:
    """What whole-unit tables in hand reach; None if there is none."""
    for end in (bounds.lower, bounds.upper):
        if end.attained is None and not end.unlimited:
            return None
    low, high = (None if e.unlimited else e.attained for e in (bounds.lower, bounds.upper))
    return low, high


def _contribution(cells: Cells, rank: int, cell: int) -> int | None:
    return cells.contributors[rank].get(cell) if rank < len(cells.contributors) else None


def _singletons(
    prepared: Prepared,
    reduced: Reduced,
    policy: Policy,
    methods: tuple[Method, Method],
    limits: Limits,
    progress: Progress,
    targets: NDArray[np.int64],
    gathered: _Gathered,
) -> None:
    """Fix each withheld cell that has one contributor and bound the others that hang together with it.

    methods: one that quickly shows tables, and one that also proves bounds, for cells that those tables do not clear.
    """
    cells, system = prepared.cells, prepared.system
    is_count = _is_count(prepared)
    alone = np.where(is_count, cells.truth.units == 1, cells.frequency.known & (cells.frequency.units == 1))
    alone &= cells.truth.known
    insiders = [k for k in targets.tolist() if alone[system.open_cells[k]]]
    neighbourhood = _Neighbourhood(reduced, system.forms, targets)
    for done, s in enumerate(insiders):
        cell = int(system.open_cells[s])
        # A cell inside or around the insider's own with no other contributor holds nothing but the insider's own value.
        near = [k for k in neighbourhood.of(s) if not (alone[system.open_cells[k]] and _nested(prepared, s, k))]
        if limits.out_of_time():
            gathered.open.update(near)
            continue
        progress("insiders", done, len(insiders))
        who = f"only contributor of {cell_name(prepared.release, cells, cell)}"
        tests = {k: _tests(prepared, policy, who, s, k) for k in near}
        found: dict[int, TargetBounds] = {}
        for method in methods if near else ():
            answer = _with_cell_known(prepared, reduced, neighbourhood, s, near, method, limits)
            if answer is None:
                gathered.open.update(near)  # the true value does not fit: nothing is shown
                near = []
                break
            found = answer
            near = [k for k in near if not _cleared(_attained(found[k]), tests[k])]
            if not near:
                break
        for k in near:
            shown = _attained(found[k])
            for estimate, close in tests[k]:
                gathered.judge(k, estimate(_outer(found[k])), None if shown is None else estimate(shown), close)


_Test = tuple[Callable[[tuple[End, End]], Insider], Callable[[Insider], bool]]
"""What an insider concludes from the interval of a cell, and whether that is too close."""


def _tests(prepared: Prepared, policy: Policy, who: str, s: int, k: int) -> list[_Test]:
    """What the only contributor of cell s can be too close to in cell k: its value, and its largest contribution."""
    cells, system = prepared.cells, prepared.system
    target = int(system.open_cells[k])
    tests: list[_Test] = [(lambda ends: Insider(who, *ends), _knows)]
    if _is_count(prepared)[target] or not system.nonnegative:
        return tests
    own = int(cells.truth.units[int(system.open_cells[s])]) if _nested(prepared, s, k) else None
    value = _largest_other(cells, target, own)
    if value is not None:
        count = max((cells.frequency.get(target) or 1) - (own is not None), 1)
        share = partial(_share, own=own or 0, count=count)
        tests.append((lambda ends: Insider(who, *share(ends)), partial(_too_close, target=value, p=policy.insider_p)))
    return tests


def _cleared(shown: tuple[End, End] | None, tests: list[_Test]) -> bool:
    """True if tables in hand show that the insider is not too close in any way."""
    return shown is not None and not any(close(estimate(shown)) for estimate, close in tests)


class _Neighbourhood:
    """Which targets hang together."""

    def __init__(self, reduced: Reduced, forms: csr_array, targets: NDArray[np.int64]) -> None:
        self._label, self._forms = reduced.component, forms
        self._members: dict[int, list[int]] = {}
        for k in targets.tolist():
            for component in self.components(k):
                self._members.setdefault(component, []).append(k)

    def components(self, k: int) -> list[int]:
        """Open components that form k reaches into."""
        label = self._label[self._forms.indices[self._forms.indptr[k] : self._forms.indptr[k + 1]]]
        return sorted({int(c) for c in label.tolist() if c >= 0})

    def of(self, k: int) -> list[int]:
        """Other targets that share an open component with form k."""
        return sorted({t for c in self.components(k) for t in self._members.get(c, ())} - {k})


def _largest_other(cells: Cells, target: int, own: int | None) -> int | None:
    """Largest contribution to a cell that is not the insider's own; None if it is not known."""
    first = _contribution(cells, 0, target)
    return _contribution(cells, 1, target) if own is not None and first == own else first


def _share(ends: tuple[End, End], *, own: int, count: int) -> tuple[End, End]:
    """The largest of `count` other contributions is at least an equal share of what is not the insider's own, and at
    most all of it."""
    low, high = others(*ends, own)
    return (None if low is None else -(-low // count)), high


def _nested(prepared: Prepared, one: int, other: int) -> bool:
    """True if one of two open cells is part of the other. By codes: linked cells may be written over different base
    tables."""
    cells, open_cells = prepared.cells, prepared.system.open_cells
    a, b = int(open_cells[one]), int(open_cells[other])
    if cells.measure[a] != cells.measure[b]:
        return False
    inside = around = True
    for v, hierarchy in enumerate(prepared.release.variables.values()):
        part, whole = (set(hierarchy.members[[int(cells.codes[c, v])]].indices.tolist()) for c in (a, b))
        inside &= part <= whole
        around &= part >= whole
    return inside or around


def _with_cell_known(
    prepared: Prepared,
    reduced: Reduced,
    neighbourhood: _Neighbourhood,
    s: int,
    near: list[int],
    method: Method,
    limits: Limits,
) -> dict[int, TargetBounds] | None:
    """Bounds of each near form once form s is known; None if its true value does not fit the release."""
    forms, value = prepared.system.forms, int(prepared.cells.truth.units[int(prepared.system.open_cells[s])])
    involved = sorted({c for k in [s, *near] for c in neighbourhood.components(k)})
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
        found = bound_forms(smaller, csr_array(local[1:]), method, limits, silent, check_rest=False)
    except InfeasibleError:
        return None
    return dict(zip(near, found.shifted(constants[1:]).bounds, strict=True))
