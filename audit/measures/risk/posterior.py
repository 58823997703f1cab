"""Disclosure risk after publication: how much an intruder still does not know of a cell.

Source: Oganian & Domingo-Ferrer 2003, expression (2), with the values that remain possible taken as equally
likely.
"""

from math import log2


def entropy_bits(values: int | None) -> float | None:
    """Shannon entropy in bits of a cell that can take `values` equally likely values.

    Parameters
    ----------
    values: number of possible values, at least 1; None if there is no limit.

    Returns
    -------
    log2(values); 0.0 for a single value (exactly disclosed); None if there is no limit.

    Raises
    ------
    ValueError: fewer than one possible value.

    Examples
    --------
    >>> entropy_bits(8), entropy_bits(1), entropy_bits(None)
    (3.0, 0.0, None)
    """
    if values is None:
        return None
    if values < 1:
        raise ValueError(f"A cell has at least one possible value, not {values}.")
    return log2(values)


def disclosure_risk(values: int | None) -> float | None:
    """DR = 1 / entropy of a cell that can take `values` equally likely values.

    Returns
    -------
    1 / log2(values); 0.0 if there is no limit; None for a single value, where the risk is infinite.

    Raises
    ------
    ValueError: fewer than one possible value.

    Examples
    --------
    >>> disclosure_risk(4), disclosure_risk(1), disclosure_risk(None)
    (0.5, None, 0.0)
    """
    bits = entropy_bits(values)
    if bits is None:
        return 0.0
    return 1.0 / bits if bits > 0.0 else None
