"""Whether the value of a count says how many respond, and what they weigh, where no column does."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.implied.danger import Danger
from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import WEIGHT_UNIT, Policy, Release
from tableseal.audit.rules import Threshold
from tableseal.audit.rules.facts import Facts


@dataclass(frozen=True)
class Telling:
    """Measures whose values a threshold may judge: counts, unless the agency's columns differ from them somewhere.

    respondents: bool (measures), of thresholds that count respondents; not where records have sampling weights.
    weights: bool (measures), of thresholds that count weights.
    """

    respondents: NDArray[np.bool_]
    weights: NDArray[np.bool_]

    @staticmethod
    def of(release: Release, cells: Cells) -> "Telling":
        """cells: those that are listed."""
        counts = np.array([measure.kind == "count" for measure in release.measures.values()], np.bool_)
        respondents, weights = counts.copy(), counts.copy()
        stated, truth, number, weight = cells.truth.known, cells.truth.units, cells.frequency, cells.weighted
        respondents[cells.measure[stated & number.known & (number.units != truth)]] = False
        units = np.where(stated & weight.known, weight.units, 0)
        whole, rest = np.divmod(units, WEIGHT_UNIT.denominator)
        weights[cells.measure[stated & weight.known & ((whole != truth) | (rest != 0))]] = False
        if release.microdata is not None and release.microdata.weight is not None:
            respondents[:] = False
        return Telling(respondents, weights)

    def facts(self, release: Release, cells: Cells) -> Facts:
        """What the agency knows of other cells of these measures, as rules need it."""
        return Facts(release, cells, self.respondents[cells.measure], self.weights[cells.measure])

    def of_all(self, policy: Policy) -> NDArray[np.bool_]:
        """bool (measures): every threshold of the policy may judge the values."""
        of = [self._of(rule) for rule in policy.primary if isinstance(rule, Threshold)]
        return np.logical_and.reduce(of) if of else np.zeros(len(self.weights), np.bool_)

    def dangers(self, policy: Policy, *, nonnegative: bool) -> list[Danger | None]:
        """The values of each measure that a threshold finds sensitive."""
        found = []
        for m in range(len(self.weights)):
            rules = tuple(rule for rule in policy.primary if isinstance(rule, Threshold) and self._of(rule)[m])
            found.append(Danger.of(replace(policy, primary=rules), nonnegative=nonnegative))
        return found

    def _of(self, rule: Threshold) -> NDArray[np.bool_]:
        return self.weights if rule.of == "weighted" else self.respondents
