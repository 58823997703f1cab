"""The releases for which SAP has a closed form: one rounded table, and one rounded table with its rounded total.

Smith & Elliot 2007, 2.3.1 and 2.3.2. Counts c with trivial bounds l <= c <= u from the rounding, total T with l_T <= T
<= u_T.

**Rounded table.** The trivial bounds are tight, and stay so when a sample is subtracted: static and resolved agree.

**With rounded total.** The tightest upper bound of cell j is min(u_j, u_T - sum of the other l) (static). With a sample
s the largest possible count of j is min(u_j, u_T - sum over i != j of max(l_i, s_i)). It equals s_j = c_j if c_j = u_j,
or if T = u_T and every other cell above its lower bound is exhausted. So a zero is recovered exactly if the sample
exhausts a cell with c = u, or if T = u_T and it exhausts all cells D with c > l and any cell at all. With tight cells
Tt = {c = u}

    Q(w) = prod_Tt (1 - w^c)                          T < u_T, or D meets Tt
    Q(w) = (1 - w^|D|) prod_Tt (1 - w^c)              T = u_T, D not empty, |D|: its units
    Q(w) = prod_all (1 - w^c)                         T = u_T, all counts at their lower bounds.

The paper's algorithm is the second line with Tt empty, C(S, n-T+S)/C(T, n) for S = T - |D|. It leaves out the condition
"any cell at all", so for D empty and no zero it gives 1 for every n, which is wrong (`as_printed` repeats it), and it
takes for granted that rounding changes every count (l < u everywhere).
"""

from tableseal.audit.measures.sap.attack import Ints
from tableseal.audit.measures.sap.curve import curve, curve_of_tight
from tableseal.audit.measures.sap.result import Sap
from tableseal.audit.measures.sap.unrecovered import exhausting_none


def rounded_table_and_total(
    counts: Ints,
    low: Ints,
    high: Ints,
    total_high: int,
    n: tuple[int, ...],
    *,
    exact: bool = False,
    as_printed: bool = False,
) -> Sap:
    """Resolved SAP of a table with bounds on single cells and an upper bound on the total.

    Parameters
    ----------
    counts, low, high: int64 (cells); total_high: largest total that is released as possible.
    as_printed: the paper's algorithm to the letter.
    """
    from flint import fmpz_poly

    total = int(counts.sum())
    tight = counts == high
    above = counts > low
    if total < total_high or (above & tight).any() or (as_printed and tight.any()):
        return curve_of_tight(counts[tight].tolist(), total, n, "resolved", exact=exact)
    if not above.any():
        everything = [] if as_printed else counts.tolist()
        return curve_of_tight([0] if as_printed else everything, total, n, "resolved", exact=exact)
    units = int(counts[above].sum())
    q = exhausting_none(counts[tight].tolist(), max(n) + 1)
    if units <= max(n):
        q = q - q.left_shift(units).truncate(max(n) + 1)
    return curve(fmpz_poly(q), total, n, "resolved", exact=exact)
