"""The gap between linear and integer bounds: integer programs find tables, a tree of splits rules out the rest."""

from audit.bounds.component import Component, Limits
from audit.bounds.integer import close_gap, find_any
from audit.bounds.knowledge import Knowledge
from audit.solvers.protocol import Solver


class Gap:
    """Closes what no integral vertex or rounding has closed; and finds out whether any integer table exists."""

    name = "integer programs"

    def __init__(self, solver: Solver, *, real: bool = False) -> None:
        """`real`: what a real solution in hand shows is left at that (an integer program for each end is too much)."""
        self._solver, self._real = solver, real

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        """Close open ends one after another."""
        if not limits.integer:
            return
        for k in known.open_integer().tolist():
            if limits.out_of_time():
                return
            if known.proved[k] < known.attained[k] and not (self._real and known.met[k]):
                close_gap(component, known, k, self._solver, limits)
        if not known.in_hand and not limits.out_of_time():
            # Nobody asks, or the answer has no limit: still, a release that no table fits must not pass.
            find_any(component, known, self._solver, limits, prove=not self._real)
