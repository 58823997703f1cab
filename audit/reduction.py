"""The reduction of a prepared release, from which everything that is asked of it goes on."""

from tableseal.audit.bounds.propagation.frechet import first_bounds
from tableseal.audit.linear.reduce import Reduced, reduce
from tableseal.audit.prepare import Prepared


def reduction(prepared: Prepared) -> Reduced:
    """What is still open of a release, and which parts of it hang together.

    Raises
    ------
    InfeasibleError: nothing fits.
    """
    system = prepared.system
    return reduce(prepared.differenced, nonnegative=system.nonnegative, first=first_bounds(system))
