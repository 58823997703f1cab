"""Which groups are tight: their true count is the largest that the release allows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tableseal.audit.bounds.component import Limits, TargetBounds
from tableseal.audit.measures.sap.attack import Attack
from tableseal.audit.measures.sap.network import Network
from tableseal.audit.measures.sap.solve import largest


@dataclass(frozen=True)
class Tight:
    """What the release alone says before anything is subtracted.

    certain, possible: bool (groups): groups with a target whose exhaustion recovers a zero, as far as proved, and as
        far as not disproved. zero_known: the zero of a target is recovered by the release alone (certainly, possibly).
    """

    certain: NDArray[np.bool_]
    possible: NDArray[np.bool_]
    zero_known: tuple[bool, bool]

    def counts(self, attack: Attack, *, possible: bool = False) -> list[int]:
        """Counts of the tight groups that a sample can exhaust; a 0 stands for a zero that needs no sample."""
        chosen = (self.possible if possible else self.certain) & (attack.sampled_groups | (attack.group_counts == 0))
        counts: list[int] = attack.group_counts[chosen].tolist()
        return counts + [0] * self.zero_known[possible]

    @property
    def decided(self) -> bool:
        """Nothing is left open."""
        return bool((self.certain == self.possible).all()) and self.zero_known[0] == self.zero_known[1]


def tight_groups(attack: Attack, net: Network | None, upto: int, limits: Limits) -> Tight:
    """Tight groups among those of at most `upto` units (others no sample of that size can exhaust)."""
    asked = attack.target_groups & (attack.group_counts <= upto)
    if net is not None:
        leaf_of = np.argsort(attack.groups)
        at = np.flatnonzero(asked)
        found = np.zeros(len(asked), np.bool_)
        found[at] = net.tight(leaf_of[at])
        return Tight(found, found, (False, False))
    at = np.flatnonzero(asked)
    zeros = np.flatnonzero(attack.targets & (attack.counts == 0) & (attack.group_counts[attack.groups] > 0))
    forms = csr_array(vstack([attack.membership[at], _leaves(zeros, len(attack.counts))], format="csr", dtype=np.int64))
    bounds = largest(attack, np.zeros(len(asked), np.int64), forms, limits)
    values = [*attack.group_counts[at].tolist(), *[0] * len(zeros)]
    certain = np.array([is_tight(b, v) for b, v in zip(bounds, values, strict=True)], np.bool_)
    possible = np.array([may_be_tight(b, v) for b, v in zip(bounds, values, strict=True)], np.bool_)
    both = []
    for flags in (certain, possible):
        result = np.zeros(len(asked), np.bool_)
        result[at] = flags[: len(at)]
        both.append(result)
    known = (bool(certain[len(at) :].any()), bool(possible[len(at) :].any()))
    return Tight(both[0], both[1], known)


def _leaves(leaves: NDArray[np.intp], width: int) -> csr_array:
    return csr_array((np.ones(len(leaves), np.int64), (np.arange(len(leaves)), leaves)), shape=(len(leaves), width))


def is_tight(bounds: TargetBounds, value: int) -> bool:
    """Proved: nothing is possible above the value, which is the true one."""
    return bounds.upper.outer is not None and bounds.upper.outer <= value


def may_be_tight(bounds: TargetBounds, value: int) -> bool:
    """No table in hand goes above the true value."""
    return not bounds.upper.unlimited and (bounds.upper.attained is None or bounds.upper.attained <= value)
