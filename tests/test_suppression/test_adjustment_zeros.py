"""Tabular adjustment and zeros: what no share and no range leaves open is refused with the cell, and what readers know
of the method is told in full."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Release
from tableseal.audit.model.rounding import floor_times, rounding_interval
from tableseal.audit.report.call import Call
from tableseal.suppression.protections.method import Tools
from tableseal.suppression.protections.methods import settings_of
from tableseal.suppression.protections.protect import protect
from tableseal.suppression.protections.subject import subject_of
from tableseal.suppression.protections.tabular_adjustment import TabularAdjustment, adjust
from tableseal.suppression.protections.text import next_step
from tests.test_suppression.test_tabular_adjustment import limits_of, marked

CELLS = st.lists(st.integers(0, 6), min_size=4, max_size=4)


def persons(cells: list[int], rule: dict[str, object], **require: bool) -> Release:
    """Counts by two codes of two variables, with all sums."""
    a, b, c, d = cells
    value = [a, b, a + b, c, d, c + d, a + c, b + d, a + b + c + d]
    table = {"x": ["p", "p", "p", "q", "q", "q", "T", "T", "T"], "y": ["r", "s", "T"] * 3}
    return release_from_document(
        {
            "tableseal": 1,
            "kind": "count",
            "variables": {"x": {"total": "T", "codes": ["p", "q"]}, "y": {"total": "T", "codes": ["r", "s"]}},
            "tables": [{"name": "t", "cells": {**table, "value": value}}],
            "policy": {"primary": [rule], "require": require},
        }
    )


@pytest.mark.parametrize("range_", [0, 3, 1000])
def test_a_rule_that_asks_for_zero_is_refused_with_the_cell(range_: int) -> None:
    """CONVENTION 877."""
    how = TabularAdjustment(Fraction("0.9"), range_)
    with pytest.raises(
        InputError, match=r"must leave 0 possible by its rule.*require: \{protection: false\}"
    ) as refused:
        protect(persons([1, 9, 8, 7], {"threshold": 3}), how)
    assert refused.value.places[0].cell == (("x", "p"), ("y", "r"))
    with pytest.raises(InputError, match="is 0 and sensitive, and zeros stay") as refused:
        protect(persons([0, 9, 8, 7], {"threshold": 3, "zeros": True}, protection=False), how)
    assert refused.value.places[0].cell == (("x", "p"), ("y", "r"))
    if range_:  # what the message says to do does it
        assert protect(persons([1, 9, 8, 7], {"threshold": 3}, protection=False), how).verdict == "safe"


@settings(max_examples=25, deadline=None)
@given(CELLS, st.sampled_from(["0.2", "0.6"]), st.integers(1, 9), st.booleans())
def test_counts_below_a_threshold_are_refused_or_come_out_safe(
    cells: list[int], share: str, range_: int, protection: bool
) -> None:
    """CONVENTION 877."""
    release = persons(cells, {"threshold": 3}, protection=protection)
    small = any(0 < value < 3 for value in subject_of(release).value.tolist())
    how = TabularAdjustment(Fraction(share), range_)
    if small and protection:
        with pytest.raises(InputError, match="must leave 0 possible"):
            protect(release, how)
    elif small and range_ < 3:
        with pytest.raises(InputError, match=r"\(a range of 3 is enough\)|\(a share of"):
            protect(release, how)
    else:
        assert protect(release, how).verdict == "safe"


@settings(max_examples=60, deadline=None)
@given(
    CELLS,
    st.lists(st.integers(0, 8), min_size=1, max_size=2, unique=True),
    st.integers(1, 3),
    st.sampled_from(["0.3", "0.5"]),
    st.integers(1, 12),
)
def test_all_that_readers_know_of_the_method_is_told(
    cells: list[int], sensitive: list[int], level: int, share: str, range_: int
) -> None:
    """CONVENTION 878: by trying all true values. What is told of each cell is what the method may make of it, and holds
    what is required."""
    release = marked(np.array(cells).reshape(2, 2), sensitive, [level] * len(sensitive))
    how = TabularAdjustment(Fraction(share), range_)
    subject = subject_of(release)
    try:
        changed = adjust(subject, how, Tools())
    except InputError:
        return
    moves = limits_of(subject, how)
    assert changed.upper is not None
    low, high = rounding_interval(changed.shown.units, changed.rounding(release.tables[0]), nonnegative=True)
    high = np.where(changed.upper.known, np.minimum(high, changed.upper.units), high)
    for at, (true, x) in enumerate(zip(subject.value.tolist(), changed.shown.units.tolist(), strict=True)):
        most = max(range_, int(floor_times(np.array([x]), how.share)[0]))
        behind = [v for v in range(x + most + 1) if (v == x == 0) or (v > 0 and 2 * x > v and abs(x - v) <= most)]
        assert (low[at], high[at]) == (behind[0], behind[-1])
        if moves.sensitive[at]:
            assert behind[0] <= max(true - level, 1)
            assert behind[-1] >= true + level


def test_the_next_step_names_the_cell_that_cannot_be_zero() -> None:
    """CONVENTION 877, of other methods."""
    release = persons([1, 9, 8, 7], {"threshold": 3})
    for method, base, said in (("random-rounding", "5", "take a larger base, say"), ("perturbation", None, "; say")):
        given = {"base": base} if base else {"stay": "0.5", "reach": 3, "margins": "apart"}
        found = protect(release, settings_of(method, given), seed=2)
        step = next_step(found, Call(verb=("protect",), file="persons.yaml"))
        assert step is not None
        assert "readers know that x=p, y=r is not 0" in step
        assert f"{said} `require: {{protection: false}}`" in step
        assert step.endswith("tableseal suppress persons.yaml")
