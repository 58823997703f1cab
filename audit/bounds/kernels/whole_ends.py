"""The least whole value of a target, from the vertex where its least real value is: cuts, and splits in between.

Splits of a column's values go depth first: the table that attains a rounded bound is nearly always near. Every box is a
dictionary whose bounds were changed, taken to its best vertex by the dual simplex method in whole numbers. So what is
cut off is proved empty, or proved to hold nothing better.
"""

from tableseal.audit.bounds.kernels.cuts import with_cuts
from tableseal.audit.bounds.kernels.fixing import narrowed
from tableseal.audit.bounds.kernels.simplex import reoptimise
from tableseal.audit.bounds.tableaux.dictionary import (
    ACTIVE,
    BUDGET,
    CARRIED,
    CUT,
    DETERMINANT,
    DONE,
    EMPTY,
    PIVOTS,
    ROWS,
    SAFE,
    Aim,
    Check,
    Dictionary,
)
from tableseal.audit.compiling import Cells, kernel
from tableseal.audit.linear.integers import NO_UPPER
from tableseal.audit.primitives import copied, integers, matrix

PIVOTS_OF_CUTS = 3000
"""Pivots that one round of cuts may take."""

PIVOTS_OF_A_BOX = 300
"""Pivots that one box may take."""

SMALL = 100_000
"""Entries up to which the first splits are tried with all that can move: nearly all ends are closed by them, in less
time than it takes to find out what cannot (384 x 110: 0.2 ms). Larger ones are copied at every split."""

PIVOT = 2_000
"""Entries that a pivot could look at in the time that it takes whatever the size."""

FEW = 6
"""Splits tried first on a small dictionary: what they leave open, cuts close sooner than more splits do (mh3d_mid with
a pattern of tau-ARGUS: 0.11 instead of 0.15 s). On large ones that leaves ends to integer programs, for minutes."""


@kernel
def least_whole(d: Dictionary, check: Check, aim: Aim, boxes: Cells, effort: Cells) -> bool:
    """Look for better tables than those in hand until one has the goal, or it is proved that there are none.

    d: a dictionary at the minimum of the aim; it is left as it is. boxes: splits to try, in turn with rounds of cuts.
    effort: int64 (1), entries that pivots may still look at; what they have looked at is taken off.

    True if it is proved that nothing less is possible than what is attained now.
    """
    best = _best(check, aim)
    fixed = integers(len(check.x), 0)
    own, all_of_it = len(d.span), len(d.basic) * len(d.nonbasic) <= SMALL
    left = d
    if not all_of_it:
        refuted, left = narrowed(d, aim, best, fixed)
        if refuted:
            return True
    for at in range(len(boxes)):
        if boxes[at]:
            tried = min(FEW, boxes[at]) if all_of_it else boxes[at]
            closed, found = dive(duplicate(left), check, aim, best, fixed, tried, effort)
            if closed:
                return True
            if found < best or all_of_it:
                best, all_of_it = found, False
                refuted, left = narrowed(left, aim, best, fixed)
                if refuted:
                    return True
        if at + 1 == len(boxes):
            break
        left, all_of_it = with_cuts(left, aim, own), False
        code = back(left, aim, best, PIVOTS_OF_CUTS, effort)
        if code in (EMPTY, CUT):
            return True
        if code != DONE:
            return False
        refuted, left = narrowed(left, aim, best, fixed)
        if refuted:
            return True
    return False


@kernel
def dive(d: Dictionary, check: Check, aim: Aim, best: int, fixed: Cells, nodes: int, effort: Cells) -> tuple[bool, int]:
    """Look for whole vertices with less than `best` of the aim, until one has its goal (for nobody: any will do).

    d: a dictionary at the minimum of the aim; it is changed. fixed: int64 (columns), to be added to its w.
    nodes: boxes to look at; effort: see `least_whole`.

    (True if it is proved that nothing less than what is best now is possible, what is best now).
    """
    low = integers(len(fixed), 0)
    waiting = [(d, low, 0, 0, False) for _ in range(0)]
    code = DONE
    for _ in range(nodes):
        row, at, upward = -1, 0, False
        if code == DONE:
            row = _most_fractional(d, len(fixed))
            if row < 0:
                show(check, _columns(d, low, fixed))
                if aim.end < 0:
                    return True, best
                best = _best(check, aim)
                if best <= aim.goal:
                    return True, best
                if _value(d, aim, low) < best:
                    return False, best  # the table was refused, so nothing is known of this box
        elif code not in (EMPTY, CUT):
            return False, best
        if row >= 0:
            if d.free[d.basic[row]]:
                return False, best  # not measured from a bound, so it cannot be given another one
            D = d.state[DETERMINANT]
            at = d.beta[row] // D
            upward = 2 * (d.beta[row] - at * D) > D
            waiting.append((duplicate(d), low.copy(), row, at, not upward))
        elif len(waiting):
            d, low, row, at, upward = waiting.pop()
        else:
            return True, best
        # w of the column is at most `at`, or (upward) at least one more; it is measured from there.
        v = d.basic[row]
        if upward:
            d.beta[row] -= (at + 1) * d.state[DETERMINANT]
            low[v] += at + 1
            if d.span[v] != NO_UPPER:
                d.span[v] -= at + 1
        else:
            d.span[v] = at
        code = back(d, aim, best, PIVOTS_OF_A_BOX, effort)
    return False, best


@kernel
def back(d: Dictionary, aim: Aim, best: int, pivots: int, effort: Cells) -> int:
    """`reoptimise` in so many pivots, or as many as the effort allows: what they look at is taken off, and as much as
    one more does for what is looked at beside them."""
    entries, before = d.state[ROWS] * d.state[ACTIVE] + PIVOT, d.state[PIVOTS]
    d.state[BUDGET] = max(0, min(pivots, effort[0] // entries))
    code = reoptimise(d, aim.variable, aim.sign, best)
    effort[0] -= (d.state[PIVOTS] - before + 1) * entries
    return code


@kernel
def held(d: Dictionary, variable: int, w: int) -> tuple[bool, Dictionary]:
    """(it is possible, a new dictionary in which a variable has the value w and is measured from there).

    Not where the variable is not in the dictionary, or where a number does not fit.
    """
    D, rows, columns = d.state[DETERMINANT], len(d.basic), len(d.nonbasic)
    r, q, step = -1, -1, w
    for i in range(rows):
        if d.basic[i] == variable:
            r, step = i, -w
    for j in range(columns):
        if d.nonbasic[j] == variable:
            q = j
            if d.up[variable]:
                step = d.span[variable] - w
    if r < 0 and q < 0:
        return False, d
    stays = columns - (q >= 0)
    T, beta, nonbasic = matrix(rows, stays), d.beta.copy(), integers(stays, 0)
    for i in range(rows):
        row, new = d.T[i], T[i]
        moved = row[q] if q >= 0 else (D if i == r else 0)
        if abs(float(beta[i])) + abs(float(moved)) * abs(float(step)) >= SAFE / 4:
            return False, d
        beta[i] += moved * step
        c = 0
        for j in range(columns):
            if j != q:
                new[c] = row[j]
                c += 1
    c = 0
    for j in range(columns):
        if j != q:
            nonbasic[c] = d.nonbasic[j]
            c += 1
    span, free, state = d.span.copy(), d.free.copy(), d.state.copy()
    span[variable], free[variable] = 0, False
    state[ACTIVE] = state[CARRIED] = stays
    return True, Dictionary(T, beta, d.basic.copy(), nonbasic, span, free, d.up.copy(), state)


@kernel
def show(check: Check, w: Cells) -> None:
    """Told w of the columns of a whole vertex: where the table goes further than all before, and every row and bound
    holds, its targets are attained."""
    x, value, attained, filled = check.x, check.value, check.attained, check.filled
    if filled[0] < len(check.shown):
        check.shown[filled[0]][:] = w
        filled[0] += 1
    largest = 0.0
    for j in range(len(x)):
        x[j] = check.origin[j] + check.sign[j] * w[j]
        if x[j] < check.column_lower[j] or x[j] > check.column_upper[j]:
            return
        largest = max(largest, abs(float(x[j])))
    if largest * check.heaviest >= SAFE:
        return
    half, better = len(value), False
    for t in range(half):
        value[t] = _sum(check.asked_indptr, check.asked_indices, check.asked_data, t, check.first, x)
        better |= value[t] < attained[t] or -value[t] < attained[half + t]
    if not better:
        return
    for i in range(len(check.lower)):
        activity = _sum(check.indptr, check.indices, check.data, i, check.first, x)
        if activity < check.lower[i] or activity > check.upper[i]:
            return
    for t in range(half):
        attained[t] = min(attained[t], value[t])
        attained[half + t] = min(attained[half + t], -value[t])


@kernel
def _sum(indptr: Cells, indices: Cells, data: Cells, row: int, first: int, x: Cells) -> int:
    """row @ x."""
    value = 0
    for t in range(indptr[row], indptr[row + 1]):
        value += data[t] * x[indices[t] - first]
    return value


@kernel
def _best(check: Check, aim: Aim) -> int:
    """The least w of the aim in the tables in hand."""
    return min(check.attained[aim.end] - check.offset[aim.end], NO_UPPER)


@kernel
def duplicate(d: Dictionary) -> Dictionary:
    """A dictionary whose pivots leave this one alone."""
    T, beta, basic, nonbasic = copied(d.T), d.beta.copy(), d.basic.copy(), d.nonbasic.copy()
    return Dictionary(T, beta, basic, nonbasic, d.span.copy(), d.free, d.up.copy(), d.state.copy())


@kernel
def _most_fractional(d: Dictionary, columns: int) -> int:
    """Row of the column whose value is nearest to a half; -1: all are whole."""
    D = d.state[DETERMINANT]
    row, nearest = -1, 0
    if D == 1:
        return row
    for i in range(d.state[ROWS]):
        if d.basic[i] >= columns:
            continue
        rest = d.beta[i] % D
        if rest != 0 and (row < 0 or abs(2 * rest - D) < nearest):
            row, nearest = i, abs(2 * rest - D)
    return row


@kernel
def _value(d: Dictionary, aim: Aim, low: Cells) -> int:
    """The aim at a whole vertex; NO_UPPER where it is not in the dictionary."""
    shift = aim.sign * low[aim.variable] if aim.variable < len(low) else 0
    for i in range(d.state[ROWS]):
        if d.basic[i] == aim.variable:
            return aim.sign * d.beta[i] // d.state[DETERMINANT] + shift
    for v in d.nonbasic:
        if v == aim.variable:
            return (aim.sign * d.span[v] if d.up[v] else 0) + shift
    return NO_UPPER


@kernel
def _columns(d: Dictionary, low: Cells, fixed: Cells) -> Cells:
    """w of the columns at a whole vertex."""
    w = integers(len(fixed), 0)
    for j in range(len(w)):
        w[j] = low[j] + fixed[j]
        if d.up[j]:
            w[j] += d.span[j]
    for i in range(d.state[ROWS]):
        if d.basic[i] < len(w):
            w[d.basic[i]] += d.beta[i] // d.state[DETERMINANT]
    return w
