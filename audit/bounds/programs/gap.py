"""The gap between linear and integer bounds: integer programs find tables; cuts and splits rule out the rest."""

from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.knowledge import Knowledge
from tableseal.audit.bounds.method import Step
from tableseal.audit.bounds.programs.split_trees import Splits, close_gap, find_any, integer_point
from tableseal.audit.solvers.protocol import Solver

FRUITLESS = 200
"""Integer programs in a row that have led to no better table, after which no more are asked."""


class Gap:
    """Closes what no integral vertex or rounding has closed; and finds out whether any integer table exists."""

    name = "integer programs"
    quick = False

    def __init__(self, solver: Solver, prover: Step | None = None, *, real: bool = False) -> None:
        """`prover`: what to try when the best tables are known, before trees of splits.

        `real`: what a real solution in hand shows is left at that (an integer program for each end is too much).
        """
        self._solver, self._prover, self._real = solver, prover, real

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        """Tables for all open ends, one after another, then proofs for those that stay open."""
        if not limits.integer:
            return
        fruitless = 0
        for k in self._open(known):
            if limits.out_of_time():
                return
            if fruitless < FRUITLESS and known.proved[k] < known.attained[k]:
                before = known.attained[k]
                table = integer_point(component, known.cost(k), self._solver, limits)
                if table is not None:
                    known.witness(table)
                fruitless = 0 if known.attained[k] < before else fruitless + 1
        if self._prover is not None and self._open(known):
            self._prover.work(component, known, limits)
        splits = Splits()
        for k in self._open(known):
            if limits.out_of_time():
                return
            if splits.left and known.proved[k] < known.attained[k]:
                close_gap(component, known, k, self._solver, limits, splits)
        if not known.in_hand and not limits.out_of_time():
            # Nobody asks, or the answer has no limit: still, a release that no table fits must not pass.
            find_any(component, known, self._solver, limits, prove=not self._real)

    def _open(self, known: Knowledge) -> list[int]:
        ends = known.open_integer()
        open_ends: list[int] = ends[~known.met[ends]].tolist() if self._real else ends.tolist()
        return open_ends
