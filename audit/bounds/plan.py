"""Which steps a component is put through: by its size and shape, each choice resting on a measurement."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from tableseal.audit.bounds.component import Component
from tableseal.audit.bounds.dense.relax_and_fix import RelaxAndFix
from tableseal.audit.bounds.dense.witness_rounds import Rounds
from tableseal.audit.bounds.knowledge import Knowledge
from tableseal.audit.bounds.method import Method, Step
from tableseal.audit.bounds.networks.flows import Flows
from tableseal.audit.bounds.programs.few_tables import FewTables
from tableseal.audit.bounds.programs.gap import Gap
from tableseal.audit.bounds.programs.simplex import Simplex
from tableseal.audit.bounds.programs.whole_tables import WholeTables
from tableseal.audit.bounds.propagation.one_sum import OneSum
from tableseal.audit.bounds.propagation.shuttle import Shuttle
from tableseal.audit.bounds.tableaux.inner_values import Fill
from tableseal.audit.bounds.tableaux.many_components import Blocks
from tableseal.audit.bounds.tableaux.tableau import MORE_BOXES, Tableau
from tableseal.audit.solvers.protocol import Solver

TABLEAU = 3_000_000
"""Rows times columns up to which one dense dictionary is kept for a component (24 MB; 2,264 x 1,211 with 1,741 targets
took 0.2 s, a flat table of 100 x 100 with 2,540 targets 0.6 s)."""

DENSE = 1000
"""Columns from which a component that is no network and does not suit the tableau gets witness rounds. All ends, CPU
seconds beside GLPK warm, whose answers are floats: 268 columns (f3d_10) 0.8, 0.13; 1,389 columns (3d20) 9.5, 11.3;
10,301 columns (3d40) 134 on a busy machine, hours."""

WHOLE = 3000
"""Columns up to which integer programs look for whole ends of a dense component that real tables have not reached, and
for a table of whole numbers where blocks have led to none (3d20: 0.5 s in blocks, 4.0 s in one program; 3d40: 22 s)."""

CUBE = 3.5
"""Entries a column up to which a component is taken for a cube, three relations to each cell. In linked tables there
are more, propagation proves little, and warm simplex shows many ends with each vertex (French counts, 3,142 columns and
1,433 targets: no answer after 200 s of rounds, 28 s with simplex on the same busy machine, 70 s for whole tables)."""

LINKED = 10_000
"""WHOLE for components that are no cubes: most of their vertices are tables of whole numbers, which leaves little to
integer programs."""

MANY = 100
"""Open ends from which rounds pay on a component of up to WHOLE columns. French counts (2,641 columns), questions of 63
insiders, each with a few ends that no quick table has answered: 152 s with rounds, 13 s with simplex (profiled)."""


def shuttle_only() -> Method:
    """Propagation only: proves, shows nothing."""
    return Method("shuttle", _Always((Shuttle(),)))


def full(solver: Solver) -> Method:
    """Everything it takes to close both ends of every target."""
    steps = _Full(solver)
    return Method("full", steps, Blocks(steps.tableau))


def deciding(solver: Solver) -> Method:
    """The same for questions that a few tables may answer (see Knowledge.enough): these are looked for first."""
    return Method("deciding", _Full(solver, tables_first=True))


@dataclass(frozen=True)
class _Always:
    """The same steps for every component. (Classes, not closures: methods travel to other processes.)"""

    steps: tuple[Step, ...]

    def __call__(self, component: Component, known: Knowledge) -> Iterator[Step]:
        return iter(self.steps)


@dataclass(frozen=True)
class _Full:
    solver: Solver
    tables_first: bool = False
    tableau: Tableau = field(default_factory=Tableau)
    """One for all components: it loads compiled pivots once the plain ones have had enough to do."""
    patient: Tableau = field(default_factory=lambda: Tableau(boxes=MORE_BOXES))

    def __call__(self, component: Component, known: Knowledge) -> Iterator[Step]:
        rows, columns = component.matrix.shape
        if columns >= DENSE and rows == 1:
            yield OneSum()  # 6,400 columns, 11,134 targets: at once, where rounds take minutes
            if known.all_closed():
                return
        tableau = suits_tableau(component)
        if known.convex:
            yield Flows()  # all ends of 2d300 (22,912 columns) in 0.4 s, of 2d30 (221 columns) in 0.013 s
            if known.all_closed():
                return
        elif tableau:
            yield self.tableau
            if known.all_closed() and known.values is None and not known.keep:
                return
        elif self.tables_first:
            yield FewTables(self.solver)
        if columns >= DENSE and not known.convex and len(known.open_linear()):
            cube = component.matrix.nnz <= CUBE * columns
            if cube and (columns > WHOLE or len(known.open_linear()) >= MANY):
                yield Rounds(self.solver)
            yield Simplex(self.solver)
            if cube:
                yield RelaxAndFix(self.solver, further=not self.tables_first)
            if columns <= (WHOLE if cube else LINKED):
                yield Gap(self.solver, real=True)
            return
        yield Simplex(self.solver)
        # Joint integer programs first: f3d_10, 136 ends left by simplex: 2.9 s instead of 4.8 s, 124 of them jointly.
        yield WholeTables(self.solver)
        yield Gap(self.solver, self.patient if tableau else None)
        yield Fill(self.solver, self.tableau if tableau else None)


def suits_tableau(component: Component) -> bool:
    """True if one dense dictionary may be kept for all targets of the component."""
    sums = int((np.diff(component.targets.indptr) > 1).sum())
    rows, columns = component.matrix.shape
    return (rows + sums) * columns <= TABLEAU and not _dense_cube(component)


def _dense_cube(component: Component) -> bool:
    """True for large components that leave a fifth of their columns free and have most columns in three rows: their
    determinants outgrow a dictionary (3d20: after 1.1 s, with nothing to show)."""
    rows, columns = component.matrix.shape
    return bool(columns >= DENSE and 5 * rows <= 4 * columns and 2 * component.matrix.nnz > 5 * columns)
