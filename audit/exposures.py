"""The arithmetic of what comes out, of open cells and of cells that no row lists: as much as a report can hold."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.engine import CellBounds
from tableseal.audit.bounds.reveal import Argument, Revealer
from tableseal.audit.implied.find import Implied
from tableseal.audit.linear.naming import plural
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.model import Note
from tableseal.audit.prepare import Prepared
from tableseal.audit.progress import Progress
from tableseal.audit.solvers.protocol import Solver
from tableseal.audit.sparse import rows_at

LARGE = 2
"""Cells that no row lists whose arithmetic is looked for by bounds where much hangs together."""

AT_ONCE = 2_000
"""Exposed cells whose arithmetic is looked for before it is asked whether there is room for more."""

MOST_TERMS = 300_000
"""Terms of all that is told from which there is no room: some 50 MB of a report (of a table of a million cells with a
pattern that gives a third of what it withholds away all sums have 2.5 million)."""

LEFT_OUT = "arithmetic_left_out"
"""Code of the note on exposed cells whose arithmetic is not told, as there is too much of it."""


@dataclass(frozen=True)
class Arithmetic:
    """What leaves exposed cells one value.

    listed: of open cells, by position among them. unlisted: of cells that no row lists, by position among those found.
    left_out: exposed cells of which it was not looked for.
    """

    listed: dict[int, Argument] = field(default_factory=dict)
    unlisted: dict[int, Argument] = field(default_factory=dict)
    left_out: int = 0

    @property
    def notes(self) -> tuple[Note, ...]:
        """That some is left out."""
        if not self.left_out:
            return ()
        cells = plural(self.left_out, "exposed cell", "exposed cells")
        text = f"The arithmetic of {cells} is not told: there is too much of it; that of sensitive cells comes first."
        return (Note(LEFT_OUT, text, self.left_out),)


def arithmetic(
    prepared: Prepared,
    reduced: Reduced,
    found: CellBounds,
    implied: Implied | None,
    first: NDArray[np.bool_],
    engine: Solver,
    limits: Limits,
    tell: Progress,
) -> Arithmetic:
    """Arithmetic that leaves one value, as far as time allows and a report has room; for a proof all of it.

    first: bool (cells), those whose arithmetic goes before that of others where there may be no room for all.
    """
    exposed = [k for k, b in enumerate(found.bounds) if b.lower.outer is not None and b.lower.outer == b.upper.outer]
    unlisted = [] if implied is None else np.flatnonzero(implied.single).tolist()
    count = len(exposed) + len(unlisted)
    if not count:
        return Arithmetic()
    if len(exposed) > AT_ONCE:
        open_cells = prepared.system.open_cells
        exposed.sort(key=lambda k: not first[open_cells[k]])
    work = _Work(Revealer(prepared, reduced, engine), limits, tell, count)
    forms = prepared.system.forms
    listed = work.of(forms, exposed)
    others = work.of(forms if implied is None else implied.forms, unlisted, large=LARGE)
    return Arithmetic(listed, others, work.left_out)


@dataclass
class _Work:
    """What was told so far; the rest is left out where there is no more room."""

    revealer: Revealer
    limits: Limits
    tell: Progress
    count: int
    done: int = 0
    terms: int = 0
    left_out: int = 0

    def of(self, forms: csr_array, which: Sequence[int], *, large: int | None = None) -> dict[int, Argument]:
        """Arithmetic of some forms, by their positions; `large` as of `Revealer.explain`."""
        told: dict[int, Argument] = {}
        for begin in range(0, len(which), AT_ONCE):
            if self.terms >= MOST_TERMS and not self.limits.prove:
                self.left_out += len(which) - begin
                break
            part = which[begin : begin + AT_ONCE]
            explained = self.revealer.explain(rows_at(forms, np.array(part, np.int64)), self.limits, large=large)
            for k, argument in zip(part, explained, strict=False):
                if argument is not None:
                    told[k] = argument
                    self.terms += len(argument.lower) + (0 if argument.kind == "equation" else len(argument.upper))
                self.done += 1
                self.tell("arithmetic of exposures", self.done, self.count)
        return told
