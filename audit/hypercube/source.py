"""Records (microdata), or a table of all its variables -> a hypercube."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Literal

import numpy as np

from tableseal.audit.errors import InputError, OptionName, Place, unknown
from tableseal.audit.hypercube.classification import variable_of
from tableseal.audit.hypercube.gather import Contributors, gathered
from tableseal.audit.hypercube.model import BaseCells, Codes, HeldCells, Hypercube, Ints
from tableseal.audit.hypercube.ranks import RANKS
from tableseal.audit.hypercube.structural_zeros import occurring, structural_zeros
from tableseal.audit.model import Hierarchy, Measure, Microdata, Note, Release, Table
from tableseal.audit.rules.contributors import contributor_numbers
from tableseal.audit.tabulation.naming import rows_named
from tableseal.audit.tabulation.values import amounts_of
from tableseal.audit.wording import listing, quoted


@dataclass(frozen=True, repr=False)
class Keys:
    """Keys of records or of rows: int64, from 0 to modulus - 1."""

    units: Ints
    modulus: int


@dataclass(frozen=True)
class Recorded:
    """Records with all that is said of their columns. files: those that were read."""

    title: str
    measures: Mapping[str, Measure]
    variables: Mapping[str, Hierarchy]
    microdata: Microdata
    notes: tuple[Note, ...] = ()
    files: tuple[Path, ...] = ()


def of_records(
    sources: Sequence[Recorded], keys: Keys | None, areas: Collection[str] = (), ranks: int = RANKS
) -> HeldCells:
    """The hypercube of records: each is one unit. Its measures are those that have a column of contributions.

    Parameters
    ----------
    sources: with the same variables and measures, added up; a holding, or a unit, may have records in several. keys: of
        all records one source behind the other; None: its cells have none. areas: variables whose codes are places.
        ranks: largest contributions of each cell that are kept.

    Raises
    ------
    InputError: weights; records without a code or contribution, or whose code is broken down further; unknown areas; a
        measure that not all sources have. LimitError: sums beyond 2^62.
    """
    first = sources[0]
    for source in sources:
        if source.microdata.weight is not None:
            text = "a hypercube counts units, and weighted records stand for others; leave `weight` out."
            raise InputError(text, at=source.microdata.where / "weight")
    names = [name for name in first.measures if name in first.microdata.values]
    columns = [[_leaves(s.microdata, at, h) for s in sources] for at, h in enumerate(first.variables.values())]
    records = sum(len(source.microdata.codes) for source in sources)
    cells = gathered(
        [np.concatenate(column) for column in columns],
        np.ones(records, np.int64),
        np.zeros(0, np.int64) if keys is None else keys.units,
        {name: np.concatenate([amounts_of(s.microdata, s.measures[name]) for s in sources]) for name in names},
        None if keys is None else keys.modulus,
        Contributors(_contributors(sources), ranks) if names else None,
    )
    about = _about(first.title, first.variables, {name: first.measures[name] for name in names}, areas, cells)
    about = replace(about, ranks=ranks if names else None)
    return HeldCells(_with_keys(about, keys, "records"), cells)


def _contributors(sources: Sequence[Recorded]) -> Ints:
    """int64 (records): who stands behind each, under one number in all sources."""
    given = [source.microdata for source in sources]
    if len(given) == 1:
        return contributor_numbers(given[0])

    def labels(kind: Literal["unit_id", "holding"]) -> Sequence[str] | None:
        own = [(getattr(one, kind), len(one.codes)) for one in given]
        if all(found is None for found, _ in own):
            return None
        return tuple(chain.from_iterable(("",) * records if found is None else found for found, records in own))

    codes = np.zeros((sum(len(one.codes) for one in given), 0), np.int32)
    return contributor_numbers(Microdata(codes, {}, labels("unit_id"), labels("holding")))


def _leaves(microdata: Microdata, at: int, hierarchy: Hierarchy) -> Codes:
    """int32 (records): the leaf that each lies in."""
    leaf = np.full(len(hierarchy.codes) + 1, -1, np.int32)
    leaf[hierarchy.leaves] = np.arange(len(hierarchy.leaves))
    code = microdata.codes[:, at]
    missing = np.flatnonzero(code < 0)
    if len(missing):
        name = quoted(hierarchy.name)
        text = rows_named(missing, f"has no code of {name}", f"have no code of {name}")
        raise InputError(f"{text}; a hypercube needs the codes of all variables.", at=microdata.where)
    found = leaf[code]
    coarse = np.flatnonzero(found < 0)
    if len(coarse):
        name = quoted(hierarchy.name)
        text = rows_named(coarse, f"has a code of {name}", f"have codes of {name}")
        raise InputError(f"{text} that is broken down further; a hypercube needs the finest codes.", at=microdata.where)
    return found


def of_table(release: Release, where: Place, name: str | None = None, areas: Collection[str] = ()) -> HeldCells:
    """The hypercube of a table of counts that has every variable; tables of magnitudes that have them too are its
    measures. A leaf cell without a row is empty.

    Parameters
    ----------
    where: the release, for messages. name: of the table of counts; None: there is only one.

    Raises
    ------
    InputError: no such table, or several; cells whose value is not known, negative counts; measures of cells that have
        no units; unknown areas.
    """
    whole = [table for table in release.tables if set(table.named) == set(release.variables)]
    counts = [table for table in whole if release.measures[table.measure].kind == "count"]
    if name is not None:
        if name not in [table.name for table in counts]:
            raise unknown("table of counts by all variables", name, [table.name for table in counts], where)
        counts = [table for table in counts if table.name == name]
    if len(counts) != 1:
        found = listing(table.name for table in counts) if counts else "none"
        expected = f"one table of counts by all variables ({listing(release.variables)})"
        raise InputError(found=found, expected=expected, at=where)
    cells = _cells_of(counts[0], release)
    found_sums: dict[str, Ints] = {}
    for table in whole:
        if release.measures[table.measure].kind == "magnitude" and table.measure not in found_sums:
            found_sums[table.measure] = _beside(cells, _cells_of(table, release), table)
    cells = replace(cells, sums=found_sums)
    known = {measure: release.measures[measure] for measure in found_sums}
    return HeldCells(_about(release.title, release.variables, known, areas, cells), cells)


def _cells_of(table: Table, release: Release) -> BaseCells:
    """Leaf cells of a table that are not 0, their values as counts."""
    leaf_rows = np.ones(len(table.codes), np.bool_)
    columns = []
    for at, hierarchy in enumerate(release.variables.values()):
        leaf = np.full(len(hierarchy.codes), -1, np.int32)
        leaf[hierarchy.leaves] = np.arange(len(hierarchy.leaves))
        columns.append(leaf[table.codes[:, at]])
        leaf_rows &= columns[-1] >= 0
    known = table.truth.known | table.value.known
    units = np.where(table.truth.known, table.truth.units, table.value.units)
    unknown_rows = np.flatnonzero(leaf_rows & ~known)
    if len(unknown_rows):
        text = "has no true value; a hypercube is made of true values, so give those of withheld cells (`truth`)."
        raise InputError(text, at=table.place(int(unknown_rows[0])))
    negative = np.flatnonzero(leaf_rows & (units < 0))
    if len(negative) and release.measures[table.measure].kind == "count":
        raise InputError("a count is negative.", at=table.place(int(negative[0])))
    rows = np.flatnonzero(leaf_rows & (units != 0))
    return gathered([column[rows] for column in columns], units[rows], np.zeros(0, np.int64), {}, None)


def _beside(cells: BaseCells, values: BaseCells, table: Table) -> Ints:
    """int64 (cells): the values of the same cells, 0 of others."""
    place = {codes: at for at, codes in enumerate(zip(*(column.tolist() for column in cells.codes), strict=True))}
    found = np.zeros(len(cells), np.int64)
    for codes, value in zip(
        zip(*(column.tolist() for column in values.codes), strict=True), values.count.tolist(), strict=True
    ):
        if codes not in place:
            raise InputError(f"{quoted(table.measure)} is not 0 in a cell that has no units.", at=table.where)
        found[place[codes]] = value
    return found


def cell_names(cube: HeldCells) -> list[str]:
    """A name of each base cell that depends on its codes alone: by variable, in alphabetical order."""
    variables = cube.about.variables
    order = sorted(range(len(variables)), key=lambda at: variables[at].name)
    named = [[(variables[at].name, code) for code in variables[at].leaves] for at in order]
    rows = zip(*(cube.held.codes[at].tolist() for at in order), strict=True)
    return [
        json.dumps([entries[code] for entries, code in zip(named, row, strict=True)], ensure_ascii=False)
        for row in rows
    ]


def with_cell_keys(cube: HeldCells, keys: Keys) -> HeldCells:
    """The same hypercube with keys of its base cells."""
    return HeldCells(_with_keys(cube.about, keys, "cells"), replace(cube.held, keys=keys.units))


def with_impossible(cube: HeldCells, impossible: Sequence[Mapping[str, tuple[str, ...]]], where: Place) -> HeldCells:
    """The same hypercube with combinations that cannot occur.

    Raises
    ------
    InputError: unknown variables and codes; a cell that cannot occur has units.
    """
    about = replace(cube.about, impossible=tuple(impossible))
    held = occurring(structural_zeros(about, where), cube.held)
    if len(held):
        variables, cell = about.variables, int(held[0])
        named = ", ".join(f"{v.name}={v.leaves[c[cell]]}" for v, c in zip(variables, cube.held.codes, strict=True))
        text = f"{len(held)} cells that are said to be impossible have units, {named} among them."
        raise InputError(text, at=where)
    return HeldCells(about, cube.held)


def _about(
    title: str,
    variables: Mapping[str, Hierarchy],
    measures: Mapping[str, Measure],
    areas: Collection[str],
    cells: BaseCells,
) -> Hypercube:
    for name in areas:
        if name not in variables:
            raise unknown("variable", name, variables, OptionName("areas"))
    made = tuple(variable_of(hierarchy, areas=name in areas) for name, hierarchy in variables.items())
    return Hypercube(title, made, measures, None, None, (), int(cells.count.sum()), len(cells))


def _with_keys(about: Hypercube, keys: Keys | None, of: Literal["records", "cells"]) -> Hypercube:
    return about if keys is None else replace(about, modulus=keys.modulus, keys_of=of)
