"""Status, value and truth of the rows of a table: who knows what."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.numbers import decimal, decimal_text, read_amounts, wrong
from tableseal.audit.io.rounding import Scheme
from tableseal.audit.io.statuses.usual_marks import how_to_say
from tableseal.audit.model import Amounts, Measure, Note, Rounding, Status
from tableseal.audit.model.amounts import LIMIT
from tableseal.audit.model.rounding import is_possible
from tableseal.audit.wording import quoted


@dataclass(frozen=True)
class Context:
    """What reading the numbers of one table needs to know.

    unit_stated: the release says the unit of the measure.
    sign: decimal sign. secret: rows that are withheld, whose entries never appear in messages.
    """

    columns: Columns
    measure: Measure
    unit_stated: bool
    nonnegative: bool
    sign: str
    secret: NDArray[np.bool_]


@dataclass(frozen=True)
class Values:
    """Outcome of `read_values`."""

    status: NDArray[np.int8]
    value: Amounts
    truth: Amounts
    rounding: Rounding | None
    impossible: NDArray[np.bool_] | None
    notes: tuple[Note, ...]


def read_values(
    context: Context, status: NDArray[np.int8], value: str, truth: str | None, scheme: Scheme | None
) -> Values:
    """Value, truth and final status of every row.

    A value counts as published where the status says so; beside any other status it is the agency's own knowledge
    (not in rounded tables, where it is no true value). A published row without a value is withheld. A structural zero
    is 0.

    Raises
    ------
    InputError: text that is no number, a published value that is negative, off the unit or no multiple of the rounding
        base, a non-zero structural zero, a frozen row without value, a truth that differs from what is
        published exactly.
    """
    columns, measure = context.columns, context.measure
    given, off = read_amounts(
        columns,
        value,
        measure.unit,
        role="the value",
        sign=context.sign,
        secret=context.secret,
        off_unit=_off_unit(context),
        advice=lambda text: f"say what the mark means: {how_to_say([text])}",
    )
    released = status <= Status.FROZEN
    empty = released & ~given.known
    constrained = np.flatnonzero(empty & (status != Status.PUBLISHED))
    if len(constrained):
        row = int(constrained[0])
        text = f"is empty, but the status is {Status(int(status[row])).word}; a cell that is out must have a value."
        raise InputError(text, at=columns.place(row, value))
    status = np.where(empty, np.int8(Status.WITHHELD), status).astype(np.int8)
    released &= given.known
    structural = status == Status.STRUCTURAL_ZERO
    _refuse_rows(
        structural & given.known & (given.units != 0),
        columns,
        value,
        "a structural zero has no other value than 0",
    )
    notes = note_rounded(columns, value, measure, off)
    if context.nonnegative:
        _refuse_rows(released & (given.units < 0), columns, value, _negative(measure), show=True)
    rounding = None if scheme is None else scheme.rounding(given.units[released])
    if rounding is not None:
        _refuse_rows(
            released & ~is_possible(given.units, rounding), columns, value, _not_given(rounding, measure), show=True
        )
    published = Amounts(np.where(released, given.units, 0), released)
    known, impossible, more = _truth(context, given, released, structural, value, truth, rounded=rounding is not None)
    return Values(status, published, known, rounding, impossible, (*notes, *more))


def _not_given(rounding: Rounding, measure: Measure) -> str:
    base = decimal_text(rounding.base * measure.unit)
    return {
        "midpoint": f"midpoint rounding to {base} gives 0 and middles of {base} values",
        "small": f"values below {base} are to be shown as 0 or {base}",
        "cell_key": f"no value from {decimal_text(measure.unit)} to {decimal_text(rounding.never * measure.unit)} is "
        "published under this scheme",
        "ranges": "the rounding of the table cannot give this value",
    }.get(rounding.method, f"values are to be multiples of the rounding base {base}")


def _truth(
    context: Context,
    given: Amounts,
    released: NDArray[np.bool_],
    structural: NDArray[np.bool_],
    value: str,
    truth: str | None,
    *,
    rounded: bool,
) -> tuple[Amounts, NDArray[np.bool_] | None, list[Note]]:
    """True values, and where one is stated that cannot be."""
    columns, measure = context.columns, context.measure
    notes: list[Note] = []
    beside = given.known & ~released & ~structural & (not rounded)
    impossible = beside & (given.units < 0) & context.nonnegative
    if impossible.any():
        notes.append(
            Note(
                "impossible_value_beside_withheld",
                f"{columns.source}, column {quoted(value)}: negative values stand beside withheld statuses; "
                "they are not used.",
                int(impossible.sum()),
            )
        )
        beside &= ~impossible
    exact = released & (not rounded)
    units = np.where(beside | exact, given.units, 0)
    known = beside | exact | structural
    if truth is not None:
        stated, off = read_amounts(columns, truth, measure.unit, role="the true value", sign=context.sign, secret=True)
        notes += note_rounded(columns, truth, measure, off)
        if context.nonnegative:
            _refuse_rows(stated.known & (stated.units < 0), columns, truth, _negative(measure))
        _refuse_rows(structural & stated.known & (stated.units != 0), columns, truth, "a structural zero is 0")
        _refuse_rows(
            exact & stated.known & (stated.units != given.units),
            columns,
            truth,
            f"the true value differs from what column {quoted(value)} publishes; a table that is rounded says so "
            "with `rounding`",
        )
        differs = beside & stated.known & (stated.units != given.units)
        if differs.any():
            notes.append(
                Note(
                    "truth_beside_withheld_differs",
                    f"{columns.source}: columns {quoted(value)} and {quoted(truth)} differ for withheld cells; "
                    f"{quoted(truth)} is taken as the true value.",
                    int(differs.sum()),
                )
            )
        units = np.where(stated.known, stated.units, units)
        known = known | stated.known
        impossible &= ~stated.known
    return Amounts(units, known), impossible if impossible.any() else None, notes


def read_bound(context: Context, name: str | None, *, upper: bool) -> Amounts:
    """Bounds that the intruder has anyway, rounded inward to the unit."""
    if name is None:
        return Amounts.none(len(context.columns))
    bounds, _ = read_amounts(
        context.columns,
        name,
        context.measure.unit,
        role="an upper bound" if upper else "a lower bound",
        sign=context.sign,
        rounding="down" if upper else "up",
    )
    return bounds


def check_bounds(columns: Columns, lower: Amounts, upper: Amounts, names: tuple[str, str]) -> None:
    """Refuse bounds between which there is no multiple of the unit."""
    bad = np.flatnonzero(lower.known & upper.known & (lower.units > upper.units))
    if len(bad):
        row = int(bad[0])
        found = [quoted((columns.data[name][row] or "").strip()) for name in names]
        raise InputError(
            f"the lower bound {found[0]} is above the upper bound {found[1]} in column {quoted(names[1])} (bounds are "
            "rounded inward to the unit).",
            at=columns.place(row, names[0]),
        )


def read_knowledge(
    context: Context, name: str, measure: Measure, role: str, *, rounding_up: bool = False
) -> tuple[Amounts, list[Note]]:
    """A column of agency knowledge that cannot be negative (frequencies, protection distances)."""
    amounts, off = read_amounts(
        context.columns,
        name,
        measure.unit,
        role=role,
        sign=context.sign,
        rounding="up" if rounding_up else "nearest",
        secret=True,
    )
    _refuse_rows(amounts.known & (amounts.units < 0), context.columns, name, f"{role} is negative")
    return amounts, [] if rounding_up else note_rounded(context.columns, name, measure, off)


def read_contributors(context: Context, names: Sequence[str]) -> tuple[tuple[Amounts, ...], list[Note]]:
    """Columns of the largest contributions, descending in absolute value."""
    found: list[Amounts] = []
    notes: list[Note] = []
    for at, name in enumerate(names):
        amounts, off = read_amounts(
            context.columns,
            name,
            context.measure.unit,
            role="a largest contribution",
            sign=context.sign,
            rounding="away",  # so that no rule finds less than there is
            secret=True,
        )
        if context.nonnegative:
            _refuse_rows(amounts.known & (amounts.units < 0), context.columns, name, "the contribution is negative")
        if at:
            before = found[-1]
            _refuse_rows(
                amounts.known & (~before.known | (np.abs(amounts.units) > np.abs(before.units))),
                context.columns,
                name,
                f"the contribution is larger than the one in column {quoted(names[at - 1])}; "
                "`contributors` lists columns from the largest contribution downward",
            )
        notes += note_rounded(context.columns, name, context.measure, off, "away from 0")
        found.append(amounts)
    return tuple(found), notes


def read_costs(context: Context, name: str) -> NDArray[np.float64]:
    """Cost of withholding each cell; NaN where none is given."""
    costs = np.full(len(context.columns), np.nan)
    for row, entry in enumerate(context.columns.column(name, "the cost")):
        text = (entry or "").strip().replace(context.sign, ".")
        if text:
            try:
                cost = decimal(text)
            except ValueError:
                cost = Fraction(-1)
            if not 0 <= cost < LIMIT:
                raise wrong(context.columns, name, row, True, "a cost of at least 0")
            costs[row] = float(cost)
    return costs


def note_rounded(
    columns: Columns, name: str, measure: Measure, off: NDArray[np.bool_], how: str | None = None
) -> list[Note]:
    """One note for the column if values were rounded to the unit; how: None: to the nearest multiple."""
    count = int(off.sum())
    if not count:
        return []
    text = (
        f"{columns.source}, column {quoted(name)}: values that are no multiple of the unit "
        f"{decimal_text(measure.unit)} were rounded to it{'' if how is None else f', {how}'}."
    )
    return [Note("rounded_to_unit", text, count)]


def _off_unit(context: Context) -> str:
    if context.measure.kind == "count":
        return "a whole number (the measure is a count; a weighted count is a magnitude with its own unit)"
    if not context.unit_stated:
        return f"a whole number (say the published precision: `unit: 0.1` for measure {context.measure.name})"
    unit = decimal_text(context.measure.unit)
    return f"a multiple of the unit {unit} (which is the published precision: mend it, or round what is published)"


def _negative(measure: Measure) -> str:
    if measure.kind == "count":
        return "a count cannot be negative (`intruder: {nonnegative: false}` allows it)"
    return "the value is negative; say `intruder: {nonnegative: false}` if values may be"


def _refuse_rows(bad: NDArray[np.bool_], columns: Columns, name: str, problem: str, *, show: bool = False) -> None:
    """Refuse the first bad row; `show`: the entry is (to be) published, so the message may repeat it."""
    rows = np.flatnonzero(bad)
    if len(rows):
        found = f"found {quoted(columns.data[name][int(rows[0])])}, but " if show else ""
        more = f" ({len(rows) - 1} more such rows)" if len(rows) > 1 else ""
        raise InputError(f"{found}{problem}{more}.", at=columns.place(int(rows[0]), name))
