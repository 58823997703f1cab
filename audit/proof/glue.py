"""Tables of cliques that agree on their common margins, glued to one joint table.

Two tables that share some variables are joined slice by slice (one slice for each combination of common codes): within
a slice both have the same sum, and the joint cells are a transportation plan, filled from the north-west corner. Whole
margins give whole cells, and non-negative ones non-negative cells. Along a junction tree every table meets what is
glued already in exactly its separator (running intersection).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

Number = int | Fraction
Key = tuple[int, ...]
Table = Mapping[Key, Number]
"""Cells (atom of each variable) and their values."""


def transport(
    rows: list[tuple[Key, Number]], columns: list[tuple[Key, Number]], *, nonnegative: bool
) -> dict[tuple[Key, Key], Number]:
    """Joint cells with the given margins, which have equal sums (and are > 0 if nothing is negative)."""
    plan: dict[tuple[Key, Key], Number] = {}
    if not nonnegative:
        # Any sign will do: rows go to the first column, columns to the first row, and the sum comes off the corner.
        for a, x in rows:
            plan[a, columns[0][0]] = x
        for b, y in columns:
            plan[rows[0][0], b] = plan.get((rows[0][0], b), 0) + y
        plan[rows[0][0], columns[0][0]] -= sum(x for _, x in rows)
        return plan
    i = j = 0
    used_row: Number = 0
    used_column: Number = 0
    while i < len(rows) and j < len(columns):
        need, room = rows[i][1] - used_row, columns[j][1] - used_column
        plan[rows[i][0], columns[j][0]] = min(need, room)
        i, used_row = (i + 1, 0) if need <= room else (i, used_row + room)
        j, used_column = (j + 1, 0) if room <= need else (j, used_column + need)
    return plan


class _Joint:
    """One step of gluing: what is glued so far, and one more table."""

    def __init__(self, left_variables: Key, variables: Key, *, nonnegative: bool) -> None:
        self._common_left = [left_variables.index(v) for v in variables if v in left_variables]
        self._common = [k for k, v in enumerate(variables) if v in left_variables]
        self._new = [k for k, v in enumerate(variables) if v not in left_variables]
        self._width = len(left_variables), len(variables)
        self._nonnegative = nonnegative
        self.variables = left_variables + tuple(variables[k] for k in self._new)
        self._left: dict[Key, dict[Key, Number]] = {}
        self._right: dict[Key, dict[Key, Number]] = {}
        self._glued: dict[Key, dict[Key, Number]] = {}

    def start(self, left: Table, right: Table) -> dict[Key, Number]:
        """Glue the reference."""
        self._left, self._right = self._slices(left, self._common_left), self._slices(right, self._common)
        self._glued = {
            s: self._join(s, self._left.get(s, {}), self._right.get(s, {})) for s in {*self._left, *self._right}
        }
        return {key: x for glued in self._glued.values() for key, x in glued.items()}

    def change(self, left: Table, right: Table) -> dict[Key, Number]:
        """New values of joint cells, given those of cells of both sides; slices that do not change stay as they are."""
        new_left, new_right = self._slices(left, self._common_left), self._slices(right, self._common)
        changed: dict[Key, Number] = {}
        for s in {*new_left, *new_right}:
            left_after = self._left.get(s, {}) | new_left.get(s, {})
            after = self._join(s, left_after, self._right.get(s, {}) | new_right.get(s, {}))
            before = self._glued.get(s, {})
            for key in {*before, *after}:
                if before.get(key, 0) != after.get(key, 0):
                    changed[key] = after.get(key, 0)
        return changed

    def _slices(self, table: Table, common: Sequence[int]) -> dict[Key, dict[Key, Number]]:
        found: dict[Key, dict[Key, Number]] = {}
        for key, x in table.items():
            found.setdefault(tuple(key[k] for k in common), {})[key] = x
        return found

    def _join(self, s: Key, left: Table, right: Table) -> dict[Key, Number]:
        rows, columns = (sorted((key, x) for key, x in side.items() if x) for side in (left, right))
        if not rows and not columns:
            return {}
        if not self._nonnegative:  # values that add up to 0 on one side need a cell on the other
            rows = rows or [(self._blank(s, self._common_left, self._width[0]), 0)]
            columns = columns or [(self._blank(s, self._common, self._width[1]), 0)]
        plan = transport(rows, columns, nonnegative=self._nonnegative)
        return {a + tuple(b[k] for k in self._new): x for (a, b), x in plan.items() if x}

    def _blank(self, s: Key, common: Sequence[int], width: int) -> Key:
        at = dict(zip(common, s, strict=True))
        return tuple(at.get(k, 0) for k in range(width))


class Gluer:
    """Glues the tables of one block; the first call sets the reference that changes refer to.

    cliques: variables of each table, in an order in which each one's common variables with those before it are those
    of its separator.
    """

    def __init__(self, cliques: Sequence[Key], *, nonnegative: bool) -> None:
        self._steps: list[_Joint] = []
        self.variables: Key = cliques[0]
        for clique in cliques[1:]:
            step = _Joint(self.variables, clique, nonnegative=nonnegative)
            self._steps.append(step)
            self.variables = step.variables

    def start(self, tables: Sequence[Table]) -> Table:
        """The joint table, over `variables`."""
        joint: Table = tables[0]
        for step, table in zip(self._steps, tables[1:], strict=True):
            joint = step.start(joint, table)
        return joint

    def change(self, tables: Sequence[Table]) -> Table:
        """New values of joint cells, given new values of some cells of each table."""
        joint: Table = tables[0]
        for step, table in zip(self._steps, tables[1:], strict=True):
            joint = step.change(joint, table)
        return joint
