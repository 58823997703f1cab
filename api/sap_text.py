"""SAP as JSON and as text."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tableseal.audit.codec.exact_json import Json
    from tableseal.audit.measures.sap.result import Sap

ROWS = 40
"""Sizes shown in the text; all are in the JSON."""

WIDEST = 24
"""Characters of a fraction that is shown in the text."""


def sap_document(found: "Sap", more: "Mapping[str, Json] | None" = None) -> "dict[str, Json]":
    """The result in the shape of tableseal/sap/1."""
    document: dict[str, Json] = {"schema": "tableseal/sap/1", **sap_entry(found)}
    return document | dict(more or {})


def sap_entry(found: "Sap") -> "dict[str, Json]":
    """One curve."""
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


def sap_text(found: "Sap", *, title: str) -> str:
    """A heading and one line a size."""
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


def comparison_text(curves: "Sequence[tuple[str, Sap]]", *, heading: str) -> str:
    """Several curves with the same sizes side by side."""
    sizes = curves[0][1].n
    rows = [("n", *(name for name, _ in curves))]
    rows += [(f"{sizes[k]:,}", *(f"{found.value[k]:.6f}" for _, found in curves)) for k in _shown(len(sizes))]
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
