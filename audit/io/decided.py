"""Rows of a table that others have decided, and sums of what is not confidential that are published in their place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import floor

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, Place, unknown
from tableseal.audit.io.codes import position
from tableseal.audit.io.document import PartialSumsDocument
from tableseal.audit.model import Amounts, Hierarchy, Measure, Note, Status, Table
from tableseal.audit.wording import listing, quoted

SHOWN = 6
"""Cells that a note names."""


def with_fixed_rows(
    table: Table, fixed: Mapping[str, str | Sequence[str]], variables: Mapping[str, Hierarchy], where: Place
) -> Table:
    """The table in which rows with certain codes stay as they are: what is published stays published, and what is
    withheld, for whatever reason, is withheld and has to be protected.

    Raises
    ------
    InputError: an unknown variable or code.
    """
    if not fixed:
        return table
    rows = np.ones(len(table.codes), np.bool_)
    names = list(variables)
    for name, said in fixed.items():
        if name not in variables:
            raise unknown("variable", name, variables, where)
        codes = [position(code, variables[name], where / name) for code in ([said] if isinstance(said, str) else said)]
        rows &= np.isin(table.codes[:, names.index(name)], codes)
    return _fixed(table, rows)


def _fixed(table: Table, rows: NDArray[np.bool_]) -> Table:
    status = table.status.copy()
    status[rows & (status == Status.PUBLISHED)] = Status.FROZEN
    status[rows & (status == Status.SECONDARY)] = Status.WITHHELD
    status.setflags(write=False)
    return replace(table, status=status)


@dataclass(frozen=True)
class _Rule:
    variable: int
    hierarchy: Hierarchy
    codes: tuple[int, ...]
    share: Fraction


def with_partial_sums(
    table: Table,
    document: PartialSumsDocument | None,
    measure: Measure,
    variables: Mapping[str, Hierarchy],
    where: Place,
    *,
    nonnegative: bool,
) -> tuple[Table, list[Note]]:
    """The table with what readers know of aggregates that are not published, where the sum of the members that are is
    published in their place if it is large enough: the aggregate is at least that, and no more than it divided by the
    share. Of other aggregates they know that the share is not reached. Members are fixed (`with_fixed_rows`).

    Raises
    ------
    InputError: an unknown variable or code, a code without members, a member that the table does not list or shows
        rounded, an aggregate without its true value, values that may be negative.
    """
    if document is None:
        return table, []
    if not nonnegative:
        raise InputError("a sum of parts says nothing of a whole whose parts may be negative.", at=where)
    if table.rounding is not None:
        raise InputError("sums of rounded values are no partial sums; leave `rounding` or this out.", at=where)
    if document.variable not in variables:
        raise unknown("variable", document.variable, variables, where / "variable")
    hierarchy = variables[document.variable]
    codes = tuple(position(code, hierarchy, where / "codes") for code in document.codes)
    rule = _Rule(list(variables).index(document.variable), hierarchy, codes, document.share)
    return _applied(table, rule, measure, variables, where)


def _applied(
    table: Table, rule: _Rule, measure: Measure, variables: Mapping[str, Hierarchy], where: Place
) -> tuple[Table, list[Note]]:
    row_of = {tuple(codes): row for row, codes in enumerate(table.codes.tolist())}
    lower, upper = ([bounds.get(row) for row in range(len(table.codes))] for bounds in (table.lower, table.upper))
    members = np.zeros(len(table.codes), np.bool_)
    shown: list[str] = []
    short: list[str] = []
    for row, code in product(range(len(table.codes)), rule.codes):
        if table.codes[row, rule.variable] != code:
            continue
        parts = _members(table, row, code, rule, row_of, variables, where)
        members[parts] = True
        if table.status[row] < Status.MISSING and table.value.known[row]:
            truth: int | None = int(table.value.units[row])
        else:
            truth = table.truth.get(row)
        if truth is None:
            text = f"{_name(table, row, variables)} needs its true value: whether the share is reached depends on it."
            raise InputError(text, at=where, places=[table.place(row)])
        known = [part for part in parts if table.value.known[part] and table.status[part] < Status.MISSING]
        partial = sum(int(table.value.units[part]) for part in known)
        if partial >= rule.share * truth:
            low, high = partial, floor(partial / rule.share)
            if len(known) < len(parts):
                shown.append(_name(table, row, variables))
        else:
            low, high = max(partial, floor(partial / rule.share) + 1), None
            short.append(_name(table, row, variables))
        lower[row] = low if (old := lower[row]) is None else max(low, old)
        if high is not None:
            upper[row] = high if (old := upper[row]) is None else min(high, old)
    changed = replace(_fixed(table, members), lower=Amounts.of(lower), upper=Amounts.of(upper))
    return changed, _notes(table, rule, shown, short)


def _members(
    table: Table,
    row: int,
    code: int,
    rule: _Rule,
    row_of: Mapping[tuple[int, ...], int],
    variables: Mapping[str, Hierarchy],
    where: Place,
) -> list[int]:
    """Rows of the parts of an aggregate, in the first grouping of which the table lists all."""
    missing: list[str] = []
    for parents in rule.hierarchy.parents:
        parts = np.flatnonzero(parents == code).tolist()
        if not parts:
            continue
        cell = table.codes[row].tolist()
        rows = [row_of.get((*cell[: rule.variable], part, *cell[rule.variable + 1 :])) for part in parts]
        if None not in rows:
            return [found for found in rows if found is not None]
        missing = missing or [rule.hierarchy.codes[p] for p, found in zip(parts, rows, strict=True) if found is None]
    if not missing:
        raise InputError(f"{quoted(rule.hierarchy.codes[code])} has no members.", at=where / "codes")
    text = f"{_name(table, row, variables)} is listed without its members {listing(missing, SHOWN)}; list all of them."
    raise InputError(text, at=where, places=[table.place(row)])


def _name(table: Table, row: int, variables: Mapping[str, Hierarchy]) -> str:
    codes = zip(variables.items(), table.codes[row].tolist(), strict=True)
    return " / ".join(h.codes[code] for (name, h), code in codes if name in table.named)


def _notes(table: Table, rule: _Rule, shown: list[str], short: list[str]) -> list[Note]:
    share = f"{float(rule.share * 100):g}%"
    notes = []
    if shown:
        text = (
            f'table "{table.name}": if not published itself, of {_count(shown)} the sum of the members that are '
            f"published is, as it is at least {share}: {_listed(shown)}. Readers get it as `lower`: a published "
            "partial sum, which the aggregate is at least, and not its value."
        )
        notes.append(Note("partial_sums", text, len(shown)))
    if short:
        text = (
            f'table "{table.name}": of {_count(short)} published members are less than {share}, so that no such sum is '
            f"published, and readers know that: {_listed(short)}."
        )
        notes.append(Note("partial_sums_short", text, len(short)))
    return notes


def _count(cells: list[str]) -> str:
    return "1 aggregate" if len(cells) == 1 else f"{len(cells)} aggregates"


def _listed(cells: list[str]) -> str:
    return ", ".join(cells[:SHOWN]) + (f" and {len(cells) - SHOWN} more" if len(cells) > SHOWN else "")
