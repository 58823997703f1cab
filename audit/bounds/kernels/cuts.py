"""Gomory's cuts (1958): what whole tables satisfy beyond their rows, read off a dictionary in whole numbers.

A basic variable is whole: D w = beta + T z with whole z >= 0, so T z leaves the same rest modulo D as -beta does, and
any multiple of the row says that too. With entries t and right side r modulo D, r > 0, the value of t z is one of r,
r + D, ...: (t z - r) / D is a whole variable >= 0, which the vertex breaks, and one more row of the dictionary.
"""

from tableseal.audit.bounds.kernels.fixing import reduced_costs
from tableseal.audit.bounds.tableaux.dictionary import ACTIVE, CARRIED, DETERMINANT, FRESH, ROWS, Aim, Dictionary
from tableseal.audit.compiling import Cells, kernel
from tableseal.audit.linear.integers import NO_UPPER
from tableseal.audit.primitives import flags, floats, integers, joined, matrix, order_of

FACTORS = (1, -1, 2, -2, 3, -3)
"""Multiples of a row that are tried."""

SOURCES = 60
"""Rows that are tried, those nearest to a half first."""

TOGETHER = 12
"""Cuts that are added before the next vertex is found."""

_ENDLESS = 1e30


@kernel
def with_cuts(d: Dictionary, aim: Aim, own: int) -> Dictionary:
    """The dictionary with cuts that its vertex breaks, without older ones that do not bind.

    own: variables from this one on are cuts.
    """
    D, rows, active = d.state[DETERMINANT], d.state[ROWS], d.state[ACTIVE]
    cost = reduced_costs(d, aim)[0]
    source = _sources(d)
    tried = len(source) * len(FACTORS)
    t, need = matrix(tried, active), integers(tried, 0)
    gain, size = floats(tried, 0.0), integers(tried, 0)
    for f in range(len(FACTORS)):
        factor = FACTORS[f] % D
        again = factor == 0
        for g in range(f):
            again |= FACTORS[g] % D == factor
        if again:
            continue
        for s in range(len(source)):
            row, c = d.T[source[s]], f * len(source) + s
            new, price = t[c], _ENDLESS
            need[c] = (-factor * (d.beta[source[s]] % D)) % D
            for j in range(active):
                if row[j] == 0:
                    continue
                entry = (factor * (row[j] % D)) % D
                if entry != 0:
                    new[j] = entry
                    size[c] += 1
                    price = min(price, float(cost[j]) / float(entry))
                    if d.free[d.nonbasic[j]]:
                        need[c] = 0  # only of variables with a bound is the distance z >= 0
            gain[c] = float(need[c]) * price
    chosen, count = _best(t, need, gain, size)
    stays = count
    for i in range(rows):
        stays += d.basic[i] < own
    T, beta, basic = matrix(stays, active), integers(stays, 0), integers(stays, 0)
    r = 0
    for i in range(rows):
        if d.basic[i] < own:
            T[r][:] = d.T[i][:active]
            beta[r], basic[r] = d.beta[i], d.basic[i]
            r += 1
    for c in range(count):
        T[r][:] = t[chosen[c]]
        beta[r], basic[r] = -need[chosen[c]], len(d.span) + c
        r += 1
    state = d.state.copy()
    state[ROWS], state[CARRIED], state[FRESH] = stays, active, 1
    return Dictionary(
        T,
        beta,
        basic,
        d.nonbasic[:active].copy(),
        joined(d.span, integers(count, NO_UPPER)),
        joined(d.free, flags(count, False)),
        joined(d.up, flags(count, False)),
        state,
    )


@kernel
def _sources(d: Dictionary) -> Cells:
    """Rows that are not whole, those nearest to a half first."""
    D, rows = d.state[DETERMINANT], d.state[ROWS]
    row, distance, count = integers(rows, 0), integers(rows, 0), 0
    for i in range(rows):
        rest = d.beta[i] % D
        if rest != 0:
            row[count], distance[count] = i, abs(2 * rest - D)
            count += 1
    order = order_of(distance[:count])
    source = integers(min(count, SOURCES), 0)
    for s in range(len(source)):
        source[s] = row[order[s]]
    return source


@kernel
def _best(t: Cells, need: Cells, gain: Cells, size: Cells) -> tuple[Cells, int]:
    """(The cuts that raise the aim most in the first pivot, how many): among equals those with fewest entries, none
    twice."""
    chosen, count = integers(TOGETHER, 0), 0
    left = flags(len(need), True)
    while count < TOGETHER:
        best = -1
        for c in range(len(need)):
            if (
                left[c]
                and need[c] > 0
                and (best < 0 or gain[c] > gain[best] or (gain[c] == gain[best] and size[c] < size[best]))
            ):
                best = c
        if best < 0:
            break
        left[best] = False
        new = True
        for o in range(count):
            other = chosen[o]
            if new and need[other] == need[best] and gain[other] == gain[best]:
                same = True
                for j in range(len(t[best])):
                    same &= t[other][j] == t[best][j]
                new = not same
        if new:
            chosen[count] = best
            count += 1
    return chosen, count
