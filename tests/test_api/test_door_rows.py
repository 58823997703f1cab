"""A pandas frame gets its rows back: what is added to it lands where it belongs. CONVENTION 664."""

from typing import Any

import pandas as pd
import pytest
from frames import PERSONS
from hypothesis import given, settings
from hypothesis import strategies as st

import tableseal as ts

TRUE = pd.DataFrame(PERSONS)
HIDDEN = {("North", "F"), ("North", "M"), ("South", "F"), ("South", "M")}


def protected(frame: Any, **keywords: Any) -> Any:
    return ts.suppress(frame, value="persons", threshold=5, **keywords).to_frame()


def hidden(frame: pd.DataFrame) -> set[tuple[str, str]]:
    """Cells whose new column is empty."""
    return set(map(tuple, frame.loc[frame["out"].isna(), ["district", "sex"]].to_numpy().tolist()))


@settings(deadline=None, max_examples=10)
@given(st.permutations(range(9)), st.booleans())
def test_a_new_column_lands_in_its_row(order: list[int], numbered: bool) -> None:
    frame = TRUE.iloc[order]
    if numbered:
        frame = frame.set_axis([100 - at for at in range(9)])
    frame = frame.assign(out=protected(frame)["persons"])
    assert hidden(frame) == HIDDEN
    assert (frame["out"].dropna() == frame.loc[frame["out"].notna(), "persons"]).all()


@pytest.mark.parametrize("levels", [["district", "sex"], ["sex", "district"], ["district"]])
def test_levels_stay_levels(levels: list[str]) -> None:
    frame = TRUE.set_index(levels).sort_index()
    found = protected(frame)
    assert found.index.equals(frame.index)
    assert list(found.columns) == [*(c for c in ("district", "sex") if c not in levels), "persons", "status"]
    assert hidden(frame.assign(out=found["persons"].to_numpy()).reset_index()) == HIDDEN
    assert (
        ts.suppress(frame, value="persons", threshold=5).to_frame("polars").columns[:2]
        == levels[:1] + [c for c in (*levels, "sex", "district") if c != levels[0]][:1]
    )


def test_a_release_that_was_read_before_keeps_them() -> None:
    frame = TRUE.sort_values("persons")
    release = ts.read(frame, value="persons", threshold=5)
    assert ts.suppress(release).to_frame().index.equals(frame.index)


@pytest.mark.parametrize("named", [False, True])
def test_rows_that_are_new_come_behind_those_that_came_in(named: bool) -> None:
    """Totals that the frame leaves to be added up are written out."""
    frame = TRUE[(TRUE["sex"] != "Total") | (TRUE["district"] == "Total")].iloc[::-1]
    frame = frame.set_index(["district", "sex"]) if named else frame
    release = {"total": "Total", "absent": {"totals": "compute"}}
    found = ts.suppress(frame, value="persons", threshold=5, **release).to_frame()
    assert len(found) > len(frame)
    assert found.index[: len(frame)].equals(frame.index)
    assert found.index.is_unique
    if named:
        assert ("Total", "Total") in found.index
