"""What `tableseal reconstruct` found, as a document and in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from tableseal.audit.codec.declared import SPARSE
from tableseal.audit.codec.kinds import Codes, Count
from tableseal.audit.language import numbered, numerals, put, words_of
from tableseal.audit.reconstruction.reconstruct import Effort, Reconstructed
from tableseal.audit.reconstruction.tables import AreaTables
from tableseal.audit.report.columns import Column, aligned

SHOWN = 10
"""Areas in the text: those with the most certain records. All are in the JSON."""

SIZES = (1, 5, 10, 20, 50, 100)
"""Persons from which the text counts areas together."""


@dataclass(frozen=True)
class CertainCell:
    """An inner cell of which some records are certain."""

    codes: Annotated[Codes, "Its code of each variable."]
    records: Annotated[Count, "The least count that it can have."]


@dataclass(frozen=True)
class AreaFound:
    """An area."""

    area: Annotated[str, "Its code."]
    units: Annotated[Count, "Counted in it."]
    cells: Annotated[Count, "Inner cells that no published zero excludes."]
    tables: Annotated[Count, "Tables of inner cells that fit."]
    exact: Annotated[bool, "true: these are all; false: there are at least so many."]
    unique: Annotated[bool | None, "Only one table fits; null: it could not be found out."]
    certain: Annotated[Count, "Records whose inner cell is known, proved."]
    certain_at_most: Annotated[Count, "No more are: tables in hand show it."]
    records: Annotated[tuple[CertainCell, ...], "Which these are (--records).", SPARSE] = ()


@dataclass(frozen=True)
class Reconstruction:
    """What published counts of small areas give away together. Of each area how many tables of inner cells fit, and
    which records are certain."""

    schema: ClassVar[Literal["tableseal/reconstruction/1"]] = "tableseal/reconstruction/1"

    title: Annotated[str, "Of the release."]
    areas: Annotated[str, "The variable of places."]
    tables: Annotated[tuple[str, ...], "Tables of areas."]
    passed: Annotated[tuple[str, ...], "Tables that are not of areas, and were not looked at."]
    limit: Annotated[Count, "Tables that are counted of each part of an area."]
    units: Annotated[Count, "Counted in all areas."]
    unique: Annotated[Count, "Areas with units and one possible table."]
    unique_units: Annotated[Count, "Units of these."]
    undecided: Annotated[Count, "Areas of which something could not be found out."]
    certain: Annotated[Count, "Records whose inner cell is known, in all areas."]
    found: Annotated[tuple[AreaFound, ...], "Every area, in the order of the classification."]


def reconstruction(
    title: str, areas: str, tables: AreaTables, found: Sequence[Reconstructed], effort: Effort, *, records: bool
) -> Reconstruction:
    """The result as a document. records: with the cells of certain records."""
    alone = [one for one in found if one.unique and one.units]
    return Reconstruction(
        title=title,
        areas=areas,
        tables=tuple(margin.name for margin in tables.margins),
        passed=tables.passed,
        limit=effort.tables,
        units=sum(one.units for one in found),
        unique=len(alone),
        unique_units=sum(one.units for one in alone),
        undecided=sum(one.unique is None or one.certain[0] < one.certain[1] for one in found),
        certain=sum(one.certain[0] for one in found),
        found=tuple(
            AreaFound(
                area,
                one.units,
                one.cells,
                one.tables,
                one.exact,
                one.unique,
                *one.certain,
                _certain_cells(tables, one) if records else (),
            )
            for area, one in zip(tables.areas, found, strict=True)
        ),
    )


def _certain_cells(tables: AreaTables, found: Reconstructed) -> tuple[CertainCell, ...]:
    cells = []
    for number, records in found.known:
        where = np.unravel_index(number, tables.inner)
        codes = ((n, own[at]) for n, own, at in zip(tables.variables, tables.codes, where, strict=True))
        cells.append(CertainCell(tuple(codes), records))
    return tuple(cells)


def reconstruction_text(result: Reconstruction) -> str:
    """Shares of all areas, by their size, and the areas of which most is known, in the language that is spoken."""
    areas = [one for one in result.found if one.units]
    whole = ", ".join(
        (
            f"{numbered(len(result.found), '{n} area', '{n} areas')} ({result.areas})",
            numbered(result.units, "{n} unit", "{n} units"),
            numbered(len(result.tables), "{n} table", "{n} tables"),
        )
    )
    lines = [
        put("{what}: {value}", what=result.title, value=whole) if result.title else whole,
        put(
            "one possible table: {areas} of areas with units, {units} of units",
            areas=_share(result.unique, len(areas)),
            units=_share(result.unique_units, result.units),
        ),
        put("certain records: {share}", share=_share(result.certain, result.units)),
    ]
    if result.undecided:
        lines.append(numbered(result.undecided, "not found out: {n} area", "not found out: {n} areas"))
    if result.passed:
        lines.append(put("not of areas, not looked at: {what}", what=", ".join(result.passed)))
    columns = [Column(c, right=True) for c in words_of(("units", "areas", "one table", "certain records"))]
    rows = []
    for first, last in zip(SIZES, [*(size - 1 for size in SIZES[1:]), None], strict=True):
        own = [one for one in areas if first <= one.units and (last is None or one.units <= last)]
        if own:
            size = f"{first}+" if last is None else f"{first}-{last}"
            alone, certain = sum(bool(one.unique) for one in own), sum(one.certain for one in own)
            rows.append((size, _number(len(own)), _share(alone, len(own)), _share(certain, sum(a.units for a in own))))
    lines += ["", *aligned(columns, rows)]
    known = sorted((one for one in areas if one.certain), key=lambda one: -one.certain)[:SHOWN]
    if known:
        columns = [Column(*words_of(("area",)), most=40)]
        columns += [Column(c, right=True) for c in words_of(("units", "certain records", "possible tables"))]
        rows = [(one.area, _number(one.units), _number(one.certain), _tables(one)) for one in known]
        lines += ["", *aligned(columns, rows)]
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{_number(part)} ({numerals(f'{100 * part / whole:.1f}%')})" if whole else "0"


def _tables(one: AreaFound) -> str:
    return _number(one.tables) if one.exact else put("{n} or more", n=_number(one.tables))


def _number(number: int) -> str:
    return numerals(f"{number:,}")
