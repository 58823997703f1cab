"""What the agency knows of contributors: how many a cell has, who gave how much, and which cells hold nobody else."""

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attackers.attacker import Attacker
from tableseal.audit.attackers.held import codes_around, held_together, inside
from tableseal.audit.attackers.sums import sums_of
from tableseal.audit.bounds.engine import CellBounds
from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import Release, Status
from tableseal.audit.prepare import Prepared
from tableseal.audit.rules.contributions import Contributions
from tableseal.audit.rules.facts import Facts

Ints = NDArray[np.int64]


class Contributors:
    """What the agency knows of contributors to the open cells of a release.

    open_cells: int64, positions in the cells. withheld: int64, positions among the open cells of the withheld ones;
    targets: of those that outsiders cannot compute. nonnegative: everyone knows that no value is negative.
    is_withheld: bool (open cells).
    """

    def __init__(
        self,
        release: Release,
        cells: Cells,
        open_cells: NDArray[np.int64],
        withheld: NDArray[np.int64],
        targets: NDArray[np.int64],
        *,
        nonnegative: bool,
    ) -> None:
        self.release, self.cells = release, cells
        self.open_cells, self.withheld, self.targets = open_cells, withheld, targets
        self.nonnegative = nonnegative
        self.is_withheld = np.zeros(len(open_cells), np.bool_)
        self.is_withheld[withheld] = True
        self._held: dict[int, tuple[dict[int, int], list[NDArray[np.int64]]]] = {}
        self._made: dict[tuple[int, bytes], Attacker] = {}
        self._nested: dict[int, tuple[Ints, Ints, Ints]] = {}
        self._related: dict[tuple[int, int, bool], NDArray[np.bool_]] = {}

    @classmethod
    def audited(cls, prepared: Prepared, found: CellBounds) -> Self:
        """Of a release whose open cells have been bounded."""
        open_cells = prepared.system.open_cells
        status = prepared.cells.status[open_cells]
        exposed = np.array(
            [b.lower.outer is not None and b.lower.outer == b.upper.outer for b in found.bounds], np.bool_
        )
        withheld = np.flatnonzero(status >= Status.SECONDARY)
        targets = withheld[~exposed[withheld]]
        nonnegative = prepared.system.nonnegative
        return cls(prepared.release, prepared.cells, open_cells, withheld, targets, nonnegative=nonnegative)

    def aimed_at(self, withheld: NDArray[np.int64]) -> Self:
        """The same with other withheld cells, all of them targets; what has been looked up stays."""
        other = copy(self)
        other.withheld = other.targets = withheld
        other.is_withheld = np.zeros(len(self.open_cells), np.bool_)
        other.is_withheld[withheld] = True
        return other

    def once(self, key: tuple[int, bytes], make: Callable[[], Attacker]) -> Attacker:
        """An attacker that is made once for all patterns: thousands are the same in most. key: a cell and what its
        contributors know."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    @cached_property
    def is_count(self) -> NDArray[np.bool_]:
        """bool (cells), of a count."""
        kinds = np.array([m.kind == "count" for m in self.release.measures.values()], np.bool_)
        result: NDArray[np.bool_] = kinds[self.cells.measure]
        return result

    @cached_property
    def number(self) -> NDArray[np.int64]:
        """int64 (cells), number of contributors where it is known, -1 elsewhere; of a count the value itself."""
        cells = self.cells
        counts = np.where(cells.truth.known, cells.truth.units, -1)
        listed = np.where(cells.frequency.known, cells.frequency.units, -1)
        return np.where(self.is_count, counts, listed)

    @cached_property
    def contributions(self) -> Contributions | None:
        """Contributor by contributor, from the microdata."""
        return Facts(self.release, self.cells).contributions

    def contribution(self, rank: int, cell: int) -> int | None:
        """The (rank + 1)-th largest contribution to a cell, None where it is not known."""
        return self.cells.contributors[rank].get(cell) if rank < len(self.cells.contributors) else None

    def held_by(self, s: int) -> NDArray[np.int64]:
        """Open cells (positions, ascending, s among them) that hold nobody but the contributors of open cell s: those
        inside a cell around it that has no more contributors than it has; and those inside a cell around one of these
        that has as many. A cell is around its parts, in other codes or by an equation between measures."""
        cell = int(self.open_cells[s])
        number = int(self.number[cell])
        if number not in self._held:
            few = np.flatnonzero(self.number <= number)
            codes = np.column_stack([self.cells.codes[few], self.cells.measure[few]])
            group, held = held_together(few, self.number[few] == number, codes, self._around_codes, self._added_up)
            at = [self._open_place[cells] for cells in held]
            self._held[number] = group, [np.sort(places[places >= 0]) for places in at]
        group, held = self._held[number]
        return held[group[cell]]

    def nested(self, s: int, others: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which open cells (positions) are part of open cell s, or it of them. By codes: linked cells may be written
        over different base tables."""
        cell, cells = int(self.open_cells[s]), self.open_cells[others]
        same = np.flatnonzero(self.cells.measure[cells] == self.cells.measure[cell])
        related = np.zeros(len(others), np.bool_)
        for whole in (True, False):
            related[self._parts(cells, same, cell, whole=whole)] = True
        return related

    def nested_with(self, s: int) -> Ints:
        """The same of all open cells (positions, each once): of all cells with as many contributors as open cell s at
        once, for whoever asks about many cells."""
        cell = int(self.open_cells[s])
        number = int(self.number[cell])
        if number < 1:  # few attackers know such a cell, and nearly all cells may be alike
            return np.flatnonzero(self.nested(s, np.arange(len(self.open_cells))))
        if number not in self._nested:
            alike = np.flatnonzero(self.number == number)
            codes = np.column_stack([self.cells.codes, self.cells.measure])
            inner, whole = inside(codes, codes[alike], self._around_codes)
            part, outer = inside(codes[alike], codes, self._around_codes)
            pair = np.unique(np.append(whole, part) * len(codes) + np.append(inner, outer))
            start = np.searchsorted(pair, np.arange(len(alike) + 1) * len(codes))
            self._nested[number] = alike, start, pair % len(codes)
        alike, start, cells = self._nested[number]
        place = int(np.searchsorted(alike, cell))
        at = self._open_place[cells[start[place] : start[place + 1]]]
        return at[at >= 0]

    @cached_property
    def _open_place(self) -> NDArray[np.int64]:
        """int64 (cells), positions among the open cells, -1 elsewhere."""
        place = np.full(len(self.cells), -1, np.int64)
        place[self.open_cells] = np.arange(len(self.open_cells))
        return place

    @cached_property
    def _around_codes(self) -> list[csr_array]:
        """For each variable: bool csr (codes x codes), which others hold all members of a code; and for the measures,
        each of which holds itself."""
        measures = csr_array(np.eye(len(self.release.measures), dtype=np.bool_))
        return [*(codes_around(hierarchy.members) for hierarchy in self.release.variables.values()), measures]

    @cached_property
    def _added_up(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(int64, int64) cells: parts, and the whole that they add up to by an equation between measures. Where no
        value is negative, whoever gives to a part gives to the whole."""
        found = sums_of(self.release, self.cells) if self.nonnegative else ()
        parts = [part for _, own in found for part in own]
        wholes = [whole for whole, own in found for _ in own]
        return np.array(parts, np.int64), np.array(wholes, np.int64)

    def _parts(self, cells: Ints, among: Ints, other: int, *, whole: bool) -> Ints:
        """Of cells at some positions those inside another one, or around it. Code by code, of what is left so far: of
        thousands of cells few are."""
        for v, code in enumerate(self.cells.codes[other].tolist()):
            if (v, code, whole) not in self._related:
                members = list(self.release.variables.values())[v].members
                own = np.zeros(members.shape[1], np.int64)
                own[members.indices[members.indptr[code] : members.indptr[code + 1]]] = 1
                shared = (members != 0).astype(np.int64) @ own
                self._related[v, code, whole] = shared == (np.diff(members.indptr) if whole else own.sum())
            among = among[self._related[v, code, whole][self.cells.codes[cells[among], v]]]
        return among
