"""Perturbation tables of other programs.

| form | columns | a key finds |
| --- | --- | --- |
| long (ONS) | `pcv` (count), `ckey`, `pvalue` (change) | its own row; of 750 counts the last 250 repeat |
| tau-ARGUS (PFILE) | `i`, `j`, `p`, `v`, `p_int_ub`, perhaps `type` | the first row with key <= `p_int_ub` |
| R ptable | the same and `p_int_lb` | the first row with key < `p_int_ub` |
"""

from collections.abc import Mapping
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from tableseal.audit.errors import InputError
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.numbers import decimal
from tableseal.audit.model import Ptable
from tableseal.audit.wording import quoted
from tableseal.suppression.protections.cell_keys.ptable import PTable, table_of

ONS_ROWS, ONS_REPEATED = 750, 250
"""Counts above 750 use the rows of 501 to 750 again."""

ALL = "all"
"""Type of the rows of a file that tells no types apart."""


def ptables_of(own: Ptable, modulus: int) -> Mapping[str, PTable]:
    """The tables that a release states, by their type; see `read_ptables`."""
    return read_ptables(Columns.of(own.source, {name: list(column) for name, column in own.columns.items()}), modulus)


def read_ptables(columns: Columns, modulus: int) -> Mapping[str, PTable]:
    """The tables of a file by their type (`all`, `even`, `odd`, `small_cells`; in the long form `all`).

    modulus: of the keys with which they are used.

    Raises
    ------
    InputError: none of the forms, entries that are no numbers, keys without a change or with two, probabilities that do
        not add up to 1, results that are not value + change.
    """
    if "ckey" in columns.data:
        return {ALL: _long(columns, modulus)}
    types = columns.data.get("type")
    rows: dict[str, list[int]] = {}
    for row in range(len(columns)):
        rows.setdefault((types[row] if types is not None else None) or ALL, []).append(row)
    numbers = {name: _numbers(columns, name) for name in ("i", "j", "v", "p", "p_int_ub")}
    inclusive = "p_int_lb" not in columns.data
    return {kind: _cumulated(columns, own, numbers, modulus, inclusive) for kind, own in rows.items()}


def _numbers(columns: Columns, name: str) -> list[Fraction]:
    column = columns.column(name, "numbers of a perturbation table")
    found = []
    for entry in column.texts:
        try:
            found.append(decimal(entry or ""))
        except ValueError:
            at = columns.place(column.first(entry), name)
            raise InputError(found=quoted(entry), expected="a number", at=at) from None
    return column.each(found)


def _whole(columns: Columns, name: str) -> list[int]:
    found = _numbers(columns, name)
    for row, number in enumerate(found):
        if number.denominator != 1:
            text = quoted(columns.data[name][row])
            raise InputError(found=text, expected="a whole number", at=columns.place(row, name))
    return [int(number) for number in found]


def _long(columns: Columns, modulus: int) -> PTable:
    counts, keys, changes = (_whole(columns, name) for name in ("pcv", "ckey", "pvalue"))
    given: dict[int, dict[int, int]] = {}
    for row, (count, key, change) in enumerate(zip(counts, keys, changes, strict=True)):
        if not 0 <= key < modulus:
            text = f"a key from 0 to {modulus - 1}"
            raise InputError(found=str(key), expected=text, at=columns.place(row, "ckey"))
        if key in given.setdefault(count, {}):
            raise InputError(f"count {count} has two changes for key {key}.", at=columns.place(row, "ckey"))
        given[count][key] = change
    for expected, count in enumerate(sorted(given), start=min(given, default=0)):
        if count != expected or expected < 0 or min(given) > 1:
            text = f"expected counts from 0 or 1 on, without gaps; found {count}."
            raise InputError(text, at=columns.source)
    for count, found in given.items():
        if len(found) != modulus:
            text = f"count {count} has changes for {len(found)} keys; expected one for each of {modulus}."
            raise InputError(text, at=columns.source)
    given.setdefault(0, dict.fromkeys(range(modulus), 0))
    rows = [(count, sorted(given[count].items())) for count in sorted(given)]
    return table_of(rows, modulus, ONS_REPEATED if len(rows) == ONS_ROWS + 1 else 1)


def _cumulated(
    columns: Columns, own: list[int], numbers: Mapping[str, list[Fraction]], modulus: int, inclusive: bool
) -> PTable:
    i, j, v, p, ub = (numbers[name] for name in ("i", "j", "v", "p", "p_int_ub"))
    step = _step([x[row] for row in own for x in (i, v)])
    blocks: dict[Fraction, list[int]] = {}
    for row in own:
        if i[row] + v[row] != j[row]:
            raise InputError("the result `j` is not `i` + `v`.", at=columns.place(row, "j"))
        if i[row] < 0:
            raise InputError("a value below zero.", at=columns.place(row, "i"))
        blocks.setdefault(i[row], []).append(row)
    rows = []
    for level in sorted(blocks):
        block = blocks[level]
        total = sum((p[row] for row in block), Fraction(0))
        if abs(total - 1) > Fraction(len(block), 10**8):
            text = f"probabilities of value {level} add up to {float(total):.8g}, not to 1."
            raise InputError(text, at=columns.place(block[0], "p"))
        before = Fraction(0)
        segments = list[tuple[int, int]]()
        for row in block:
            if ub[row] < before or abs(ub[row] - before - p[row]) > Fraction(2, 10**8):
                text = "is not the sum of the probabilities so far."
                raise InputError(text, at=columns.place(row, "p_int_ub"))
            before = ub[row]
            scaled = ub[row] * modulus
            last = (
                scaled.numerator // scaled.denominator if inclusive else -(-scaled.numerator // scaled.denominator) - 1
            )
            if row == block[-1]:
                last = modulus - 1
            if last > (segments[-1][0] if segments else -1):
                segments.append((min(last, modulus - 1), int(v[row] / step)))
        rows.append((int(level / step), segments))
    return table_of(rows, modulus, 1, step)


def _step(values: list[Fraction]) -> Fraction:
    """The largest number of which all are multiples, at most 1."""
    bottom = lcm(*(value.denominator for value in values))
    top = gcd(*(int(value * bottom) for value in values), bottom)
    return Fraction(top, bottom)


def long_form(table: PTable) -> dict[str, list[int]]:
    """A table of counts in the long form: columns `pcv`, `ckey`, `pvalue`, a row for each count and key."""
    levels = np.repeat(table.levels, table.modulus)
    change = np.repeat(table.change, table.keys)
    keys = np.tile(np.arange(table.modulus), len(table.levels))
    return {"pcv": levels.tolist(), "ckey": keys.tolist(), "pvalue": change.tolist()}
