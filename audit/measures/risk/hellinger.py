"""Hellinger distance between an original and a protected table, on counts and on shares.

Source: Shlomo, Antal & Elliot 2015, section 4.3; Antal, Shlomo & Elliot 2014, section 3.1.
"""

import numpy as np

from tableseal.audit.measures.risk.information import Counts, Floats, shares


def hellinger_counts(original: Counts, protected: Counts) -> Floats:
    """HD(F, G) = |sqrt F - sqrt G| / sqrt 2 on counts (..., m), at least 0 and at most sqrt((N + M) / 2).

    Examples
    --------
    >>> round(float(hellinger_counts(np.array([4, 5, 2]), np.array([3, 6, 3]))), 9)
    0.330428611
    """
    before, after = np.asarray(original), np.asarray(protected)
    # (F - G) / (sqrt F + sqrt G), with F - G in whole numbers: large counts that differ by 1 keep their digits.
    roots = np.sqrt(before) + np.sqrt(after)
    apart = np.divide(before - after, roots, out=np.zeros_like(roots), where=roots > 0)
    result: Floats = np.sqrt((apart * apart).sum(axis=-1) / 2)
    return result


def hellinger_shares(original: Counts, protected: Counts) -> Floats:
    """HD of the two distributions, in [0, 1]; 1 if the protected table is empty: nothing is left in common.

    Examples
    --------
    >>> round(float(hellinger_shares(np.array([4, 5, 2]), np.array([3, 6, 3]))), 9)
    0.092502132
    """
    q = shares(protected)
    distance = np.minimum(hellinger_counts(shares(original), q), 1.0)
    result: Floats = np.where(q.any(axis=-1), distance, 1.0)
    return result


def utility(distance: Floats, total: Floats) -> Floats:
    """1 - HD / sqrt N, the data utility of a protected table whose original has N units."""
    result: Floats = 1.0 - distance / np.sqrt(total)
    return result
