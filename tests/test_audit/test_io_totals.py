"""Totals of bare files: one pass over the rows, and the same answer as looking at every code by itself."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.column import Column
from tableseal.audit.io.numbers import decimal_text
from tableseal.audit.io.totals import NAMES, Rows, find_total

Classifications = Mapping[str, Sequence[str]]
Values = Sequence[Fraction | None]


def one_by_one(code: str, lines: Mapping[tuple[str, ...], Mapping[str, Fraction | None]]) -> tuple[int, str | None]:
    """(how often a value is the sum of the others, the first that is not), looking at every line anew."""
    agreed, failure = 0, None
    for line in lines.values():
        total = line.get(code)
        parts = [value for other, value in line.items() if other != code]
        known = [value for value in parts if value is not None]
        if total is None or len(parts) < 2 or len(known) < len(parts):
            continue
        expected = sum(known, Fraction())
        if expected != total:
            failure = failure or f"expected {decimal_text(expected)}, found {decimal_text(total)}"
        elif total:
            agreed += 1
    return agreed, failure


def reference(variable: str, classifications: Classifications, values: Values) -> str | None:
    """The total, None if there is none, and the start of the refusal where it is not clear."""
    others = [codes for name, codes in classifications.items() if name != variable]
    lines: dict[tuple[str, ...], dict[str, Fraction | None]] = {}
    for row, code in enumerate(classifications[variable]):
        lines.setdefault(tuple(codes[row] for codes in others), {})[code] = values[row]
    codes = list(dict.fromkeys(classifications[variable]))
    named = [code for code in codes if code.casefold() in NAMES]
    checks = {code: one_by_one(code, lines) for code in named or codes}
    fitting = [code for code, (agreed, failure) in checks.items() if agreed and failure is None]
    if len(named) == 1:
        failure = checks[named[0]][1]
        return named[0] if failure is None else f"refused: ({failure})"
    if len(fitting) > 1 or (named and not fitting):
        return f"refused: ({', '.join(fitting or named)})"
    if fitting and not named and checks[fitting[0]][0] < 2:
        return "refused: only once"
    return fitting[0] if fitting else None


@st.composite
def tables(draw: st.DrawFn) -> tuple[Classifications, Values]:
    axes = draw(
        st.lists(
            st.lists(st.sampled_from(["T", "all", "p", "q", "r", "u"]), min_size=1, max_size=4, unique=True),
            min_size=1,
            max_size=3,
        )
    )
    rows = draw(st.permutations(list(product(*axes))))
    rows = rows[: draw(st.integers(1, len(rows)))]
    unit = draw(st.sampled_from([Fraction(1), Fraction(1, 10), Fraction(1, 7), Fraction(10**30)]))
    inner = {row: draw(st.integers(0, 3)) for row in rows}

    def within(row: Sequence[str], other: Sequence[str]) -> bool:
        return all(a == b or (a == axis[0] != b) for a, b, axis in zip(row, other, axes, strict=True))

    values: list[Fraction | None] = []
    for row in rows:
        own = draw(st.sampled_from(["sum", "sum", "own", None]))
        added = sum(inner[other] for other in rows if within(row, other))
        values.append(None if own is None else unit * (added if own == "sum" else inner[row]))
    return {f"v{k}": [row[k] for row in rows] for k in range(len(axes))}, values


@given(tables())
def test_one_sum_for_each_line_tells_it_of_every_code(drawn: tuple[Classifications, Values]) -> None:
    # CONVENTION 113
    classifications, values = drawn
    rows = Rows.of({name: Column.of(codes) for name, codes in classifications.items()}, values)
    for name in classifications:
        wanted = reference(name, classifications, values)
        if wanted is not None and wanted.startswith("refused: "):
            with pytest.raises(InputError) as error:
                find_total(Place("x.csv"), name, rows)
            assert wanted.removeprefix("refused: ") in str(error.value)
        else:
            assert find_total(Place("x.csv"), name, rows)[0] == wanted


def test_many_rows_of_many_codes_are_no_more_work_than_reading_them() -> None:
    # CONVENTION 113: looked at code by code these are 500 million sums
    codes = ["Hele", *map(str, range(699))]
    rows = list(product(codes, codes))
    value = {code: 1 if code != "Hele" else 699 for code in codes}
    values = [Fraction(value[a] * value[b]) for a, b in rows]
    found = Rows.of({"a": Column.of(a for a, _ in rows), "b": Column.of(b for _, b in rows)}, values)
    assert find_total(Place("x.csv"), "a", found) == ("Hele", "it is the sum of the others", True)
    assert find_total(Place("x.csv"), "b", found) == ("Hele", "it is the sum of the others", True)
