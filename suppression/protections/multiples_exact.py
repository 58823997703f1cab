"""The nearest zero-restricted choice for cells that hang together, if they are a network or few; or the proof that
none exists."""

import numpy as np

from tableseal.audit.bounds.component import Limits
from tableseal.audit.progress import silent
from tableseal.suppression.protections.multiples import Chosen, Part, program, steps_of
from tableseal.suppression.protections.multiples_guides import guides
from tableseal.suppression.protections.multiples_kernel import near_guides

EXACT = 1_500
"""Cells that hang together up to which an integer program is asked for the best choice, or the proof that none exists
(972 cells of a cube of two nested classifications: 8 s)."""

BEGUN = 0.3
"""Of the time that is left, for a choice near the guides, with which the program begins."""

WHOLE_SHARE = 0.8
"""The same for an integer program of a whole part; what it leaves open is for neighbourhoods (`multiples_kernel`). With
half of 30 s it leaves 1,406 nested cells open, which it has settled after 22 s."""


def choose(part: Part, limits: Limits) -> Chosen:
    """The nearest zero-restricted choice, if the part is a network or small; else a bound alone."""
    small = len(part.value) <= EXACT
    bound = part.nearest
    if small or part.flat:
        linear, bound = program(part, limits.share(0.3), whole=False)
        steps = None if linear.x is None else steps_of(part, linear.x)
        if steps is not None and part.change(steps) == bound:
            return Chosen("optimal", steps, bound)
    if not small:
        return Chosen("none", None, bound)
    guided = guides(part, np.full(len(part.value), -1), limits.share(BEGUN), silent)
    first = near_guides(part, guided, limits.share(BEGUN), silent)
    if first.status == "infeasible":
        return Chosen("none", None, bound, unrestricted=True)
    found, least = program(part, limits.share(WHOLE_SHARE), whole=True, start=first.x)
    if found.status == "infeasible":
        return Chosen("none", None, bound, unrestricted=True)
    bound = max(bound, least)
    steps = None if found.x is None else steps_of(part, found.x)
    if steps is None:
        return Chosen("none", None, bound)
    best = found.status == "optimal" or part.change(steps) == bound
    return Chosen("optimal" if best else "feasible", steps, part.change(steps) if best else bound)
