"""What a message says about values that do not add up, or disagree."""

import re
from fractions import Fraction
from math import floor
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tableseal.audit import audit, release_from_document
from tableseal.audit.errors import InputError

YEARS = {"codes": ["2024", "2025"]}
MERGER = {"total": "Total", "tree": {"AB": ["A", "B"], "C": None}}


def refusal(tables: list[dict[str, Any]], **document: Any) -> str:
    named = [{"name": f"t{at}", **table} for at, table in enumerate(tables)]
    release = release_from_document({"tableseal": 1, "kind": "count", "tables": named, **document})
    with pytest.raises(InputError) as error:
        audit(release)
    return str(error.value)


def one_way(values: list[Any], **document: Any) -> str:
    codes = [f"c{at}" for at in range(len(values) - 1)]
    return refusal(
        [{"cells": {"a": ["T", *codes], "value": values}}], variables={"a": {"total": "T", "codes": codes}}, **document
    )


@pytest.mark.parametrize(
    ("values", "document", "base"),
    [
        ([20, 5, 10], {}, "5"),
        ([25, 5, 5], {}, None),  # more than rounding to 5 can be off
        ([24, 14, 9], {}, None),  # no base
        (["8.7", "3.3", "5.3"], {"kind": "magnitude", "unit": "0.1"}, "0.1"),
        (["9.7", "3.3", "5.3"], {"kind": "magnitude", "unit": "0.1"}, None),
        ([2000, 1000, 0], {"kind": "magnitude"}, "1000"),
    ],
)
def test_rounding_is_named_where_the_difference_is_of_its_size(
    values: list[Any], document: dict[str, Any], base: str | None
) -> None:
    # CONVENTION 550
    message = one_way(values, **document)
    assert "do not add up" in message
    assert ("rounding" in message) == (base is not None)
    assert base is None or f"`rounding: {{base: {base}, method: ...}}`" in message


@settings(max_examples=60)
@given(st.lists(st.integers(1, 400), min_size=2, max_size=4), st.sampled_from([(100, "1"), (1000, "0.1"), (10, "5")]))
def test_what_is_said_of_rounding_can_be_written(parts: list[int], kind: tuple[int, str]) -> None:
    """Sums and parts rounded to the nearest multiple of a base: with what the message asks for they are audited."""
    # CONVENTION 550
    scale, base = kind
    step = Fraction(base)
    shown = [floor(Fraction(x, scale) / step + Fraction(1, 2)) * step for x in (sum(parts), *parts)]
    assume(shown[0] != sum(shown[1:]))
    codes = [f"c{at}" for at in range(len(parts))]
    cells = {"a": ["T", *codes], "value": [str(float(x)) for x in shown]}
    measure: dict[str, Any] = {"kind": "magnitude", "unit": "0.1" if base == "0.1" else "1"}
    variables = {"a": {"total": "T", "codes": codes}}
    found = re.search(
        r"(?:`unit: ([0-9.]+)`, and )?`rounding: {base: ([0-9.]+), method: ...}`",
        refusal([{"cells": cells}], variables=variables, **measure),
    )
    assert found is not None
    rounding = {"base": found[2], "method": "conventional"}
    table = {"name": "t", "cells": cells, "rounding": rounding}
    unit = found[1] or measure["unit"]
    audit(release_from_document({"tableseal": 1, **measure, "unit": unit, "variables": variables, "tables": [table]}))


def test_another_period_and_mergers_are_named() -> None:
    # CONVENTION 550
    variables = {"d": MERGER, "year": YEARS}
    cells = {"d": ["A", "B", "AB"], "year": ["2024", "2024", "2025"], "value": [4, 20, 26]}
    assert "where: {year: ...}" in refusal([{"cells": cells}], variables=variables)

    before, after = {"d": ["A", "B", "C"], "value": [14, 20, 30]}, {"d": ["AB", "C"], "value": [26, 30]}
    apart = refusal([{"cells": before}, {"cells": after}], variables={"d": MERGER})
    assert "two periods" in apart
    assert "merged" in apart

    disagree = refusal([{"cells": before}, {"cells": {"d": ["C"], "value": [31]}}], variables={"d": MERGER})
    assert "one cell, two values" in disagree
    assert "two periods" in disagree


def test_a_group_with_two_coverings_that_disagree_may_be_a_merger() -> None:
    # CONVENTION 550
    two = {"d": {"total": "T", "trees": [{"N": ["A", "B"], "S": ["C"]}, {"E": ["A", "C"], "W": ["B"]}]}}
    values = {"d": ["T", "N", "S", "E", "W"], "value": [60, 34, 26, 30, 29]}
    message = refusal([{"cells": values}], variables=two)
    assert "other parts of it do add up: if codes were merged" in message


@pytest.mark.parametrize(
    ("regions", "values", "mentions"),
    [
        (["k", "k", "l", "l"], [90, None, 60, 40], ["1 record lacks a code or a value", "row 2: a value", "write 0"]),
        (["k", None, "l", "l"], [90, 8, 60, None], ["2 records lack", "row 2: a code"]),
        (["k", "k", "l", "l"], [90, "NA", 60, 40], ['row 2, column "s": found "NA"', "leave the entry empty"]),
    ],
)
def test_records_with_gaps_say_so(regions: list[Any], values: list[Any], mentions: list[str]) -> None:
    # CONVENTION 148
    with pytest.raises(InputError) as error:
        audit(
            release_from_document(
                {
                    "tableseal": 1,
                    "kind": "magnitude",
                    "variables": {"a": {"total": "T", "codes": ["k", "l"]}, "b": {"total": "T", "codes": ["m"]}},
                    "tables": [{"name": "t", "cells": {"a": ["T", "k", "l"], "value": [200, 100, 100]}}],
                    "microdata": {"cells": {"a": regions, "s": values}, "values": {"value": "s"}},
                    "policy": {"primary": [{"dominance": {"n": 1, "k": 80}}]},
                }
            )
        )
    for mention in mentions:
        assert mention in str(error.value)
