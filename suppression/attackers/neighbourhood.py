"""Which cells hang together under a pattern, as the audit of insiders sees it.

An insider is asked about the cells that hang together with what it knows and others do not. What the audit calls so
follows from its own reduction: from the short rows that it makes of a release, and from what these and bounds
determine. The relations of a search do not tell that, so it is asked in the same way here.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.neighbourhood import Neighbourhood
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.engine import bound_forms
from tableseal.audit.bounds.method import Method
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import Release
from tableseal.audit.prepare import prepare
from tableseal.audit.progress import silent
from tableseal.audit.reduction import reduction
from tableseal.audit.sparse import rows_at
from tableseal.suppression.problem.places import Places
from tableseal.suppression.protections.apply import protected_release


class PatternNeighbourhood:
    """Of a release under one pattern."""

    def __init__(
        self,
        release: Release,
        cells: Cells,
        places: Places,
        primary: NDArray[np.bool_],
        pattern: NDArray[np.bool_],
        moved: NDArray[np.bool_],
        method: Method,
    ) -> None:
        """primary: bool (cells), those that are asked about; pattern: bool (cells), all withheld ones.

        moved: bool (cells), those that have other values in some table of whole units under the pattern. method: finds
        out which of the others anybody can compute.
        """
        protected = protected_release(release, cells, primary, pattern)
        listed, _ = merge_cells(protected)
        prepared = prepare(protected, listed)
        self._moved = moved
        self._forms, self._method, self._reduced = prepared.system.forms, method, reduction(prepared)
        open_cells = prepared.system.open_cells
        keys = zip(listed.measure[open_cells].tolist(), map(tuple, listed.codes[open_cells].tolist()), strict=True)
        self._cell = np.array([places.at(*key) for key in keys], np.int64)
        self._place = {cell: place for place, cell in enumerate(self._cell.tolist())}
        self._neighbourhood = Neighbourhood(self._reduced, self._forms, np.flatnonzero(primary[self._cell]))
        self._secret: dict[int, bool] = {}

    def near(self, known: Sequence[int], limits: Limits) -> NDArray[np.int64]:
        """int64, sensitive cells that hang together with what is known of some cells; nothing hangs together with
        cells that anybody can compute (if that is found out within the limits)."""
        places = [self._place[cell] for cell in known if cell in self._place]
        self._look_at([place for place in places if place not in self._secret], limits)
        return self._cell[self._neighbourhood.of([place for place in places if self._secret.get(place, True)])]

    def _look_at(self, places: list[int], limits: Limits) -> None:
        """Find out which cells outsiders cannot compute: not those that tables in hand move."""
        self._secret |= {place: True for place in places if self._moved[self._cell[place]]}
        asked = [place for place in places if place not in self._secret]
        if not asked or limits.out_of_time():
            return
        forms = rows_at(self._forms, np.array(asked, np.int64))
        limits = replace(limits, values=False, prove=False)
        found = bound_forms(self._reduced, forms, self._method, limits, silent, check_rest=False)
        for place, ends in zip(asked, found.bounds, strict=True):
            secret = ends.lower.outer is None or ends.lower.outer != ends.upper.outer
            if not (secret and limits.out_of_time()):
                self._secret[place] = secret
