"""Samples against any release: a table in hand clears, exact arithmetic convicts.

The intruder who knows a sample (t units in each group) recovers the zero of leaf j of group g exactly if no feasible
table of whole numbers holds the sample, one more unit in g, and a unit in j. A table that does clears j, whoever found
it: those that were found are kept, and an integer program looks for more; each is put into every statement first. That
there is none is believed from the proved bounds of `audit.bounds` only. What is neither cleared nor proved stays open.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, vstack

from tableseal.audit.bounds.component import Limits, TargetBounds
from tableseal.audit.bounds.engine import bound_forms
from tableseal.audit.bounds.plan import full
from tableseal.audit.linear.difference import Differenced
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, product
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.linear.reduce import reduce
from tableseal.audit.measures.sap.attack import Attack, Ints
from tableseal.audit.progress import silent
from tableseal.audit.solvers.highs import Highs

RECOVERED, NOT_RECOVERED, OPEN = 1, 0, -1

MOST_KEPT = 2048
"""Tables, and judged samples, that are kept."""


def largest(attack: Attack, known: Ints, forms: csr_array, limits: Limits) -> tuple[TargetBounds, ...]:
    """Bounds of forms (csr, forms x leaves) over all tables with at least `known` units (int64, groups).

    Raises
    ------
    InfeasibleError: there is no such table.
    """
    leaves = len(attack.counts)
    bounded = np.flatnonzero((attack.low > 0) | (attack.high < NO_UPPER))
    some = np.flatnonzero(known > 0)
    single = csr_array(
        (np.ones(len(bounded), np.int64), (np.arange(len(bounded)), bounded)), shape=(len(bounded), leaves)
    )
    matrix = csr_array(vstack([attack.rows, single, attack.membership[some]], format="csr", dtype=np.int64))
    lower = np.concatenate([attack.row_low, attack.low[bounded], known[some]])
    upper = np.concatenate([attack.row_high, attack.high[bounded], np.full(len(some), NO_UPPER)])
    identity = csr_array((np.ones(len(lower), np.int64), (np.arange(len(lower)), np.arange(len(lower)))))
    reduced = reduce(Differenced(matrix, lower, upper, identity), nonnegative=True)
    return bound_forms(reduced, forms, full(Highs()), limits, silent).bounds


class _Rows:
    """Rows of integers of equal length, in one growing array; beyond the limit the older half goes, the first stays."""

    def __init__(self, width: int) -> None:
        self._rows, self._used = np.zeros((16, width), np.int64), 0

    @property
    def rows(self) -> Ints:
        return self._rows[: self._used]

    def add(self, row: Ints) -> None:
        if self._used >= MOST_KEPT:
            half = self._used // 2
            self._rows[1:half] = self._rows[self._used - half + 1 : self._used]
            self._used = half
        elif self._used == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        self._rows[self._used] = row
        self._used += 1


class Checker:
    """Judges samples of one attack; remembers tables and judgements, so that later samples are cheaper."""

    def __init__(self, attack: Attack, tight: NDArray[np.bool_], limits: Limits) -> None:
        """tight: bool (groups), groups whose exhaustion is known to recover a target's zero."""
        self._attack, self._tight, self._limits = attack, tight, limits
        groups = len(attack.group_counts)
        self._tables, self._sums = _Rows(len(attack.counts)), _Rows(groups)
        self._keep(attack.counts)
        self._recovered, self._spared = _Rows(groups), _Rows(groups)
        self._targets = np.flatnonzero(attack.targets)
        self.leaves = np.zeros(len(attack.counts), np.bool_)
        """Leaves whose zero some sample was found to recover."""

    def states(self, samples: Ints) -> NDArray[np.int8]:
        """RECOVERED, NOT_RECOVERED or OPEN for each sample (int64, samples x groups)."""
        return np.array([self._state(sample) for sample in samples], np.int8)

    def _state(self, sample: Ints) -> int:
        if self._limits.out_of_time():
            return OPEN
        counts = self._attack.group_counts
        if (self._tight & (sample == counts)).any() or (self._recovered.rows <= sample).all(axis=1).any():
            return RECOVERED
        if (self._spared.rows >= sample).all(axis=1).any():
            return NOT_RECOVERED
        state = self._search(sample)
        if state == RECOVERED:
            self._recovered.add(sample)
        elif state == NOT_RECOVERED:
            self._spared.add(sample)
        return state

    def _search(self, sample: Ints) -> int:
        state = NOT_RECOVERED
        left = self._uncleared(sample, self._targets)
        while len(left):
            leaf = int(left[0])
            need = sample.copy()
            need[self._attack.groups[leaf]] += 1
            table = self._table(need, leaf)
            if table is not None:
                self._keep(table)
                left = self._uncleared(sample, left)
                continue
            found = self._proved(need, leaf)
            if found == RECOVERED:
                self.leaves[leaf] = True
                return RECOVERED
            state = min(state, found)
            left = left[1:]
        return state

    def _uncleared(self, sample: Ints, leaves: NDArray[np.intp]) -> NDArray[np.intp]:
        """Leaves that no table in hand clears."""
        tables, sums = self._tables.rows, self._sums.rows
        holding = (sums >= sample).all(axis=1)
        group = self._attack.groups[leaves]
        cleared = (sums[holding][:, group] > sample[group]) & (tables[holding][:, leaves] > 0)
        return leaves[~cleared.any(axis=0)]

    def _keep(self, table: Ints) -> None:
        self._tables.add(table)
        self._sums.add(np.asarray(self._attack.membership @ table, dtype=np.int64))

    def _table(self, need: Ints, leaf: int) -> Ints | None:
        """A feasible table with these units in the groups and one in the leaf; None if none was found.

        Of all such tables one that differs from the true table as little as possible: it holds many other samples, and
        clears this leaf for them too. Unknowns: what is added to each leaf, what is taken away.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp

        attack, true = self._attack, self._attack.counts
        most_taken = np.minimum(true - attack.low, true)
        if attack.fully_known:
            most_taken = np.minimum(most_taken, np.maximum(true - need[attack.groups], 0))
        least_added = np.zeros(len(true))
        if attack.fully_known:
            least_added = np.maximum(need[attack.groups] - true, 0).astype(np.float64)
        if true[leaf] == 0:
            least_added[leaf] = 1
        else:
            most_taken[leaf] = min(most_taken[leaf], true[leaf] - 1)
        most_added = np.where(attack.high >= NO_UPPER, np.inf, (attack.high - true).astype(np.float64))
        if (least_added > most_added).any():
            return None
        constraints = []
        if not attack.fully_known:
            change = csr_array(hstack([attack.membership, -attack.membership], format="csr"))
            constraints.append(LinearConstraint(change, need - attack.group_counts, np.inf))
        if attack.rows.shape[0]:
            change = csr_array(hstack([attack.rows, -attack.rows], format="csr"))
            sums = product(attack.rows, true)
            constraints.append(LinearConstraint(change, _floats(attack.row_low, sums), _floats(attack.row_high, sums)))
        bounds = Bounds(
            np.concatenate([least_added, np.zeros(len(true))]),
            np.concatenate([most_added, most_taken.astype(np.float64)]),
        )
        outcome = milp(
            np.ones(2 * len(true)), constraints=constraints, bounds=bounds, integrality=np.ones(2 * len(true))
        )
        if outcome.x is None or not np.isfinite(outcome.x).all() or (np.abs(outcome.x) > 2**53).any():
            return None
        added, taken = np.rint(outcome.x).astype(np.int64).reshape(2, -1)
        table: Ints = true + added - taken
        return table if self._fits(table, need) and table[leaf] >= 1 else None

    def _fits(self, table: Ints, need: Ints) -> bool:
        attack = self._attack
        sums = product(attack.rows, table)
        return bool(
            (table >= attack.low).all()
            and (table <= attack.high).all()
            and (sums >= attack.row_low).all()
            and (sums <= attack.row_high).all()
            and (attack.membership @ table >= need).all()
        )

    def _proved(self, need: Ints, leaf: int) -> int:
        form = csr_array((np.ones(1, np.int64), (np.zeros(1, np.int64), [leaf])), shape=(1, len(self._attack.counts)))
        try:
            upper = largest(self._attack, need, form, self._limits)[0].upper
        except InfeasibleError:
            return RECOVERED
        if upper.outer is not None and upper.outer <= 0:
            return RECOVERED
        return NOT_RECOVERED if upper.unlimited or (upper.attained or 0) >= 1 else OPEN


def _floats(bound: Ints, shift: Ints) -> NDArray[np.float64]:
    """bound - shift as floats, infinite where there is no bound."""
    missing = np.abs(bound) >= NO_UPPER
    result = np.where(missing, 0, bound - np.where(missing, 0, shift)).astype(np.float64)
    result[bound <= NO_LOWER] = -np.inf
    result[bound >= NO_UPPER] = np.inf
    return result
