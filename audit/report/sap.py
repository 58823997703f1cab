"""What `tableseal sap` found, as JSON and as text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from tableseal.audit.codec.declared import INLINE
from tableseal.audit.codec.documents import json_of
from tableseal.audit.codec.kinds import Also
from tableseal.audit.measures.sap.result import Curve, Definition, Sap, SapResult, fraction_text
from tableseal.audit.report.columns import Column, aligned
from tableseal.audit.said import COMMAND, Do, Spelling

ROWS = 40
"""Sizes shown in the text; all are in the JSON."""

WIDEST = 24
"""Characters of a fraction that is shown in the text."""


@dataclass(frozen=True)
class SapOfTable:
    """Subtraction-attribution probability. Of one table."""

    schema: ClassVar[Literal["tableseal/sap/1"]] = "tableseal/sap/1"
    sap: Annotated[Sap, INLINE]


@dataclass(frozen=True)
class SapOfKey:
    """Of the units of one combination of key codes."""

    key: Mapping[str, str]
    sap: Annotated[Sap, INLINE]


@dataclass(frozen=True)
class ConditionalSap:
    """With --given: of the units of each combination of key codes."""

    schema: ClassVar[Literal["tableseal/sap/1"]] = "tableseal/sap/1"
    definition: Definition
    conditional: Annotated[tuple[SapOfKey, ...], Also({"minItems": 1})]


@dataclass(frozen=True)
class SapOfScheme:
    """Under one scheme."""

    scheme: str
    sap: Annotated[Sap, INLINE]


@dataclass(frozen=True)
class SapBySchemes:
    """With --schemes: under each rounding scheme."""

    schema: ClassVar[Literal["tableseal/sap/1"]] = "tableseal/sap/1"
    definition: Definition
    schemes: Annotated[tuple[SapOfScheme, ...], Also({"minItems": 1})]


def sap_json(found: SapResult) -> str:
    """The result as JSON text, tableseal/sap/1."""
    first, curves = found.curves[0], found.curves
    if first.scheme is not None:
        return json_of(SapBySchemes(found.definition, tuple(SapOfScheme(c.scheme or "", c.sap) for c in curves)))
    if first.key is not None:
        return json_of(ConditionalSap(found.definition, tuple(SapOfKey(c.key or {}, c.sap) for c in curves)))
    return json_of(SapOfTable(first.sap))


def sap_text(found: SapResult, *, title: str, spelling: Spelling = COMMAND) -> str:
    """A heading and one line a size, for each curve; schemes side by side.

    title: names the table. spelling: of advice.
    """
    if found.curves[0].scheme is not None:
        return _side_by_side(found.curves, title)
    return "\n\n".join(_one(curve, title, spelling) for curve in found.curves)


def _one(curve: Curve, title: str, spelling: Spelling) -> str:
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
    lines += _table(_HEADER, [_row(found, k) for k in _shown(len(found.n))])
    if len(found.n) > ROWS:
        lines.append(f"  {ROWS} of {len(found.n):,} sizes; {spelling.spelled(Do('more sizes'))}.")
    return "\n".join(lines)


def _side_by_side(curves: Sequence[Curve], title: str) -> str:
    first = curves[0].sap
    names = ("n", *(str(curve.scheme) for curve in curves))
    rows = [(f"{first.n[k]:,}", *(f"{curve.sap.value[k]:.6f}" for curve in curves)) for k in _shown(len(first.n))]
    heading = f"{title}: SAP ({first.definition}), N = {first.total:,}, by rounding scheme"
    return "\n".join([heading, *_table(names, rows)])


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return aligned([Column(name, right=True) for name in names], rows, indent="  ")


_HEADER = ("n", "SAP", "fraction or interval")


def _row(found: Sap, k: int) -> tuple[str, ...]:
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
