"""Entries of `statistics` -> Statistic: published percentages, rates, means and changes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor

import numpy as np

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.codes import position
from tableseal.audit.io.document import StatisticDocument, TableDocument
from tableseal.audit.io.files import Folder
from tableseal.audit.io.numbers import decimal_text
from tableseal.audit.io.tables import Setting, choose_measure, read_table
from tableseal.audit.model import Amounts, Denominator, Measure, Note, Release, Statistic, Table
from tableseal.audit.said import NEGATIVE, Said
from tableseal.audit.wording import listing, quoted

_OWN_KEYS = ("kind", "of", "denominator", "per", "decimals", "unit", "measure")
_MEASURE = "measure"


def read_statistic(
    document: StatisticDocument,
    fixed: Mapping[str, str],
    setting: Setting,
    tables: Sequence[Table],
    folder: Folder,
    where: Place,
) -> tuple[Statistic, list[Note]]:
    """The statistic that an entry describes. Parameters: as for `read_table`; tables: of the release.

    Raises
    ------
    InputError: whatever in the entry or its data cannot be used.
    """
    measure = choose_measure(document.measure, setting.measures, where)
    if not any(table.measure == measure.name for table in tables):
        text = f"no table is of {quoted(measure.name)}, whose values are behind the statistic; add a table that lists "
        raise InputError(text, "them, with empty values where they are not published.", at=where)
    for mark, meaning in document.marks.items():
        if meaning == "zero":
            text = "zero may be exact or rounded; expected structural_zero, or 0 in the data."
            raise InputError(text, at=where / "marks" / mark)
    unit, per = _unit(document, where), _per(document, where)
    over_time = document.kind in ("growth", "change")
    of = _of_then(document, measure, setting, where) if over_time else _denominator(document, setting, where)
    if document.measure is None:
        document = document.model_copy(update={"measure": measure.name})
    shown = Measure(document.name, "magnitude", unit)
    given = {key: getattr(document, key) for key in document.model_fields_set if key not in _OWN_KEYS}
    entry = TableDocument.model_construct(**given, measure=shown.name, frequency=document.denominator)
    own = replace(setting, measures={shown.name: shown}, stated_units=frozenset({shown.name}))
    if over_time:
        own = replace(own, nonnegative=False)
    table, notes = read_table(entry, fixed, own, folder, where)
    if any(note.code == "rounded_to_unit" for note in notes):
        text = f"values have more decimals than {decimal_text(unit)} has, to which they are rounded."
        raise InputError(text, at=where)
    stated = table.frequency
    if stated is not None and (table.value.known & ~stated.known).any():
        row = int(np.flatnonzero(table.value.known & ~stated.known)[0])
        text = f"row {row + 1} has a value but no denominator in column {document.denominator}."
        raise InputError(text, at=where, places=[table.place(row, document.denominator)])
    if (table.lower.known | table.upper.known).any():
        text = "a range in place of a statistic is not read; write what it says as `links`."
        raise InputError(text, at=where / "marks")
    # What stands beside a status is the agency's knowledge of a statistic, which nothing asks for.
    table = replace(
        table, truth=table.value, lower=Amounts.none(len(table.codes)), upper=Amounts.none(len(table.codes))
    )
    return Statistic(document.kind, measure.name, per, unit, of, table), notes


def check_statistics(release: Release) -> None:
    """Refuse a statistic that no numerator can give, as far as its denominator is published exactly.

    Raises
    ------
    InputError: with the cell, what was found and what is possible.
    """
    if not release.statistics:
        return
    published = {
        (table.measure, tuple(codes)): Fraction(units) * release.measures[table.measure].unit
        for table in release.tables
        if table.rounding is None
        for codes, units, known in zip(
            table.codes.tolist(), table.value.units.tolist(), table.value.known.tolist(), strict=True
        )
        if known
    }
    for statistic in release.statistics:
        for row in range(len(statistic.table.codes)):
            _check(statistic, row, release, published)


def _check(
    statistic: Statistic,
    row: int,
    release: Release,
    published: Mapping[tuple[str, tuple[int, ...]], Fraction],
) -> None:
    found = statistic.table.value.get(row)
    own, *behind = statistic.cells(row)
    of = published.get(behind[0]) if behind else statistic.stated(row) if found is not None else None
    if found is None or of is None:
        return
    step = release.measures[statistic.measure].unit
    if statistic.kind == "change":
        low, high = (of + end for end in statistic.between(found))
    else:
        low, high = (end * of / statistic.per for end in statistic.between(found))
    numerator = published.get(own)
    if numerator is None:
        below, above = high // step * step, -(-low // step) * step
        if above <= below:
            return
        numbers = [below, above] if below >= 0 or not release.intruder.nonnegative else [above]
        possible = " and ".join(f"{_shown(statistic, x, of)} ({decimal_text(x)})" for x in numbers) if of else "0"
        tail = f"which no value can be of {decimal_text(of)}; the nearest possible are {possible}"
    elif low <= numerator <= high:
        return
    else:
        is_it = _shown(statistic, numerator, of) if of else "none"
        tail = f"but {decimal_text(numerator)} of {decimal_text(of)} are published, which is {is_it}"
    codes = release.cell_codes(own[1])
    cell = ", ".join(f"{name}={code}" for name, code in codes.items() if name in statistic.table.named)
    text = f"statistic {quoted(statistic.table.name)}, {cell or 'its cell'}: found "
    shown = decimal_text(found * statistic.unit)
    raise InputError(f"{text}{shown}, {tail}.", places=[statistic.table.place(row)], found=shown)


def _shown(statistic: Statistic, numerator: Fraction, of: Fraction) -> str:
    """The statistic of a numerator, rounded."""
    if statistic.kind == "change":
        return decimal_text(numerator - of)
    base = statistic.per if statistic.kind == "growth" else 0
    steps = floor((numerator * statistic.per / of - base) / statistic.unit + Fraction(1, 2))
    return decimal_text(steps * statistic.unit)


def _unit(document: StatisticDocument, where: Place) -> Fraction:
    if (document.decimals is None) == (document.unit is None):
        raise InputError("say to how many `decimals` it is published (or to which `unit`), one of them.", at=where)
    return Fraction(1, 10**document.decimals) if document.decimals is not None else Fraction(document.unit or 1)


def _per(document: StatisticDocument, where: Place) -> int:
    usual = {"percent": 100, "mean": 1, "growth": 100, "change": 1}.get(document.kind)
    if usual is None and document.per is None:
        raise InputError("a rate needs `per`, such as `per: 1000`.", at=where)
    if usual is not None and document.per not in (None, usual):
        raise InputError(f"a {document.kind} is per {usual}; other statistics are of `kind: rate`.", at=where / "per")
    return document.per if usual is None and document.per is not None else usual or 1


def _of_then(document: StatisticDocument, measure: Measure, setting: Setting, where: Place) -> Denominator:
    """The same cell of the earlier period."""
    if document.of is not None or document.denominator is not None:
        raise InputError(
            f"a {document.kind} is of the same cell of the earlier period; leave `of` and `denominator` out.", at=where
        )
    then = next((m.name for m in setting.measures.values() if m.previous == measure.name), None)
    if then is None:
        text = f"a {document.kind} needs the tables of {quoted(measure.name)} of the earlier period; give `previous`."
        raise InputError(text, at=where)
    if document.kind == "growth" and not setting.nonnegative:
        text = Said("the denominator may be negative (", NEGATIVE, "); publish a change instead.")
        raise InputError(text, at=where)
    return Denominator(then, (None,) * len(setting.variables), measure.unit)


def _denominator(document: StatisticDocument, setting: Setting, where: Place) -> Denominator | Fraction | None:
    of = document.of
    if (of is None) == (document.denominator is None):
        text = f"say of what: `of` (a cell, such as `of: {{{next(iter(setting.variables))}: ...}}`, a measure, "
        raise InputError(text, "or a number) or `denominator` (a column of numbers), one of them.", at=where)
    if of is None:
        return None
    if isinstance(of, str):
        try:
            number = Fraction(of)
        except ValueError:
            number = None
        if number is not None and of not in setting.measures:
            if number <= 0:
                raise InputError(found=of, expected="a number above 0", at=where / "of")
            return number
        of = {_MEASURE: of}
    if not setting.nonnegative:
        text = Said("the denominator may be negative (", NEGATIVE, "); state it as a number.")
        raise InputError(text, at=where / "of")
    measure = choose_measure(
        of.get(_MEASURE, document.measure) if _MEASURE not in setting.variables else document.measure,
        setting.measures,
        where / "of",
    )
    named = {name: code for name, code in of.items() if name in setting.variables or name != _MEASURE}
    for name in named:
        if name not in setting.variables:
            raise InputError(f"there is no variable {quoted(name)}; {listing(setting.variables)} are.", at=where / "of")
    return Denominator(
        measure.name,
        tuple(
            position(named[name], hierarchy, where / "of" / name) if name in named else None
            for name, hierarchy in setting.variables.items()
        ),
        measure.unit,
    )
