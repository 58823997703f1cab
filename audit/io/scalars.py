"""One Python value -> the text that a document or a table would hold."""

from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import Any


def scalar_text(value: Any) -> str | None:
    """Exact text of a single value; None for nothing (None, NaN, the missing values of DataFrames).

    Raises
    ------
    TypeError: the value is no text, number, yes/no or date.
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Fraction):
        return str(value)
    if isinstance(value, float):
        return None if value != value else float.__repr__(value)
    if isinstance(value, Decimal):
        return format(value, "f") if value.is_finite() and abs(value.adjusted()) < 100 else str(value)
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        return scalar_text(value.item())  # numpy scalars
    raise TypeError(type(value).__name__)
