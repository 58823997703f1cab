"""Which counts may stand behind shown ones, for somebody who knows the matrix and the method, but not the draws."""

from collections.abc import Mapping

from tableseal.suppression.protections.perturbation.chain import Counts
from tableseal.suppression.protections.perturbation.settings import Perturbation


def possible(shown: Mapping[int, int], matrix: Counts, settings: Perturbation) -> dict[int, set[int]]:
    """Shown count -> true counts that may stand behind it.

    A matrix that was not made invariant says it alone. An invariant one leads only to counts that occur, through any
    state that both may become; so every shown count is the true one of some cell. With quotas no other true counts
    occur. With independent draws others may, but only where of the shown counts that may have become each other one is
    shown twice: else they are all taken by the cells that show them.

    shown: how often each count is shown in the stratum.
    """
    if not settings.invariant:
        return {k: matrix.sources(k) for k in shown}
    near = {k: {count for state in matrix.row(k) for count in matrix.sources(state)} for k in shown}
    if settings.draws == "quotas":
        return {k: counts & shown.keys() for k, counts in near.items()}
    found: dict[int, set[int]] = {}
    for first in shown:
        if first not in found:
            group, left = {first}, [first]
            while left:
                more = (near[left.pop()] & shown.keys()) - group
                group |= more
                left += more
            twice = any(shown[k] > 1 for k in group)
            found |= {k: near[k] if twice else near[k] & shown.keys() for k in group}
    return found
