"""Which states may stand behind shown ones, for somebody who knows the matrix and the method, but not the draws."""

from collections.abc import Mapping

from tableseal.suppression.protections.perturbation.chain import Matrix
from tableseal.suppression.protections.perturbation.draws import Draws


def possible(shown: Mapping[int, int], matrix: Matrix, draws: Draws, *, made_invariant: bool) -> dict[int, set[int]]:
    """Shown state (a count, or a category) -> true states that may stand behind it.

    A matrix that was not made invariant says it alone. An invariant one leads only to states that occur, through any
    state that both may become; so every shown state is the true one of some unit. With quotas no other true states
    occur. With independent draws others may, but only where of the shown states that may have become each other one is
    shown twice: else they are all taken by the units that show them.

    shown: how many units show each state in the stratum.
    """
    if not made_invariant:
        return {k: matrix.sources(k) for k in shown}
    near = {k: {true for state in matrix.row(k) for true in matrix.sources(state)} for k in shown}
    if draws == "quotas":
        return {k: states & shown.keys() for k, states in near.items()}
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
