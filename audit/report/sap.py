"""What `tableseal sap` found, as JSON and as text."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from tableseal.audit.report.exact_json import dumps

if TYPE_CHECKING:
    from tableseal.audit.measures.sap.result import Curve, Sap, SapResult
    from tableseal.audit.report.exact_json import Json

ROWS = 40
"""Sizes shown in the text; all are in the JSON."""

WIDEST = 24
"""Characters of a fraction that is shown in the text."""


def sap_json(found: "SapResult") -> str:
    """The result as JSON text, tableseal/sap/1."""
    document: dict[str, Json] = {"schema": "tableseal/sap/1", "definition": found.definition}
    first = found.curves[0]
    if first.scheme is not None:
        document["schemes"] = [{"scheme": curve.scheme, **_entry(curve.sap)} for curve in found.curves]
    elif first.key is not None:
        document["conditional"] = [{"key": dict(curve.key or {}), **_entry(curve.sap)} for curve in found.curves]
    else:
        document |= _entry(first.sap)
    return dumps(document, indent=1)


def _entry(found: "Sap") -> "dict[str, Json]":
    entry: dict[str, Json] = {
        "definition": found.definition,
        "method": found.method,
        "N": found.total,
        "n": list(found.n),
        "sap": None if found.exact is None else [fraction_text(f) for f in found.exact],
        "value": list(found.value),
        "error": 0 if found.exact is not None else found.error,
    }
    if found.interval is not None:
        entry["interval"] = [list(pair) for pair in found.interval]
    if found.sampling is not None:
        entry["confidence"] = found.sampling.confidence
        entry["replicates"] = found.sampling.replicates
        entry["seed"] = found.sampling.seed
    return entry


def fraction_text(value: Fraction) -> str:
    """`1/13`; of any length (Python itself refuses to write numbers of more than 4,300 digits)."""
    from flint import fmpz

    if value.denominator == 1:
        return str(value.numerator)
    return f"{fmpz(value.numerator)}/{fmpz(value.denominator)}"


def sap_text(found: "SapResult", *, title: str) -> str:
    """A heading and one line a size, for each curve; schemes side by side. title: names the table."""
    if found.curves[0].scheme is not None:
        return _side_by_side(found.curves, title)
    return "\n\n".join(_one(curve, title) for curve in found.curves)


def _one(curve: "Curve", title: str) -> str:
    found = curve.sap
    title = ", ".join([title, *(f"{variable}={code}" for variable, code in (curve.key or {}).items())])
    sure = "exact" if found.exact is not None else f"proved error at most {found.error:.1e}"
    if found.sampling is not None:
        sampling = found.sampling
        sure = (
            f"{sampling.confidence:.0%} intervals from {sampling.replicates:,} random orders, seed {sampling.seed}; "
            f"error at most {found.error:.1e}"
        )
    lines = [f"{title}: SAP ({found.definition}), N = {found.total:,}; {found.method}; {sure}"]
    lines += _columns([_HEADER, *(_row(found, k) for k in _shown(len(found.n)))])
    if len(found.n) > ROWS:
        lines.append(f"  {ROWS} of {len(found.n):,} sizes; --json has them all, --n chooses.")
    return "\n".join(lines)


def _side_by_side(curves: "Sequence[Curve]", title: str) -> str:
    first = curves[0].sap
    rows = [("n", *(str(curve.scheme) for curve in curves))]
    rows += [(f"{first.n[k]:,}", *(f"{curve.sap.value[k]:.6f}" for curve in curves)) for k in _shown(len(first.n))]
    heading = f"{title}: SAP ({first.definition}), N = {first.total:,}, by rounding scheme"
    return "\n".join([heading, *_columns(rows)])


_HEADER = ("n", "SAP", "fraction or interval")


def _row(found: "Sap", k: int) -> tuple[str, ...]:
    detail = ""
    if found.exact is not None:
        text = fraction_text(found.exact[k])
        detail = text if len(text) <= WIDEST else ""
    elif found.interval is not None:
        low, high = found.interval[k]
        detail = f"[{low:.6f}, {high:.6f}]"
    return (f"{found.n[k]:,}", f"{found.value[k]:.6f}", detail)


def _shown(count: int) -> list[int]:
    """All positions, or the first half of what is shown and the rest spread evenly."""
    if count <= ROWS:
        return list(range(count))
    first = ROWS // 2
    return [*range(first), *(first + (count - 1 - first) * i // (ROWS - first - 1) for i in range(ROWS - first))]


def _columns(rows: "Sequence[tuple[str, ...]]") -> list[str]:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  " + "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
