"""Which requirements every safe pattern meets: what a search proves that asks for no others holds.

The fewer cells are withheld, the more everybody knows: who sees a cell too well sees it too well under all narrower
patterns, too. But the audit need not blame the insider there: it is asked only about cells that hang together with
what it knows and others do not. Two kinds of requirement do not depend on that:

* Outsiders must not get so far either. Whether the insider is asked or knows no more than they do, the pattern fails.
* The insider has a share in the cell, and that alone or cells that are withheld in every pattern make it an insider:
  what it knows always hangs together with the cell.

Any other (of a cell in which the insider has no share, and from which it must stay further away than outsiders must)
may be nobody's under another safe pattern. So may one of somebody who is taken to know more than it does. But as much
of it as outsiders must not find out either lasts.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.suppression.attackers.requirements import Unmet


class Lasting:
    """Of a release with these requirements against outsiders, one for each sensitive cell.

    never: bool (cells), published in no pattern. value: int64 (columns), true values.
    """

    def __init__(self, requirements: Sequence[Requirement], never: NDArray[np.bool_], value: NDArray[np.int64]) -> None:
        self._outsiders = {need.cell: need for need in requirements}
        self._never, self._value = never, value

    def __call__(self, unmet: Unmet) -> bool:
        """Whether no safe pattern leaves a requirement unmet."""
        need, attacker = unmet.requirement, unmet.requirement.attacker
        there = bool(self._never[list(attacker.known)].all()) and not attacker.shares
        return self.implied(need) or (unmet.shared and (there or need.cell in dict(attacker.shares)))

    def part(self, need: Requirement) -> Requirement:
        """As much of a requirement as outsiders must not find out either: every safe pattern meets that."""
        other, value = self._outsiders[need.cell], int(self._value[need.cell])
        (low, high), (other_low, other_high) = need.ends(value), other.ends(value)
        return replace(
            need,
            lower=need.lower if low >= other_low else other_low,
            upper=need.upper if high <= other_high else other_high,
            width=min(need.width, max(other.width, other_high - other_low)),
        )

    def implied(self, need: Requirement) -> bool:
        """Whether outsiders must not get so far either."""
        return self.part(need) == need
