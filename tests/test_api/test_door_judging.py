"""What a new user asked the door, and what must not be called safe."""

from typing import Any

import pandas as pd
import pytest

import tableseal as ts

TURNOVER = pd.DataFrame(
    {"region": ["N", "S", "Total"], "turnover": [600, 310, 910], "firms": [20, 5, 25], "largest": [150, 300, 300]}
)
RULES = {"dominance": (1, 85), "threshold": 3}
PATIENTS = pd.DataFrame(
    {
        "district": ["North"] * 3 + ["South"] * 3 + ["Total"] * 3,
        "sex": ["F", "M", "Total"] * 3,
        "patients": [2, 17, 19, 14, 21, 35, 16, 38, 54],
    }
)


@pytest.mark.parametrize(
    "said",
    [
        {"frequency": "firms", "contributors": ["largest"]},
        {"contributors": ["largest"]},
        {},
        {"variables": ["region"]},
    ],
)
def test_whole_numbers_beside_contributors_are_magnitudes(said: dict[str, Any]) -> None:
    # CONVENTION 659
    found = ts.audit(TURNOVER, value="turnover", **said, **RULES)
    assert (found.verdict, found.to_frame()["region"].tolist()) == ("unsafe", ["S"])
    assert found.to_frame()["rule"].tolist() == ["dominance (1, 85)"]
    assert ts.suppress(TURNOVER, value="turnover", **said, **RULES).cost == 600
    with pytest.raises(ts.InputError, match="though tables name contributors"):
        ts.audit(TURNOVER, value="turnover", kind="count", **said, **RULES)


def test_what_is_named_like_a_number_of_contributors_and_is_none_is_asked_for() -> None:
    # CONVENTION 659
    for column in ("n", "frequency"):
        with pytest.raises(ts.InputError, match=rf"{column} seems to hold .* frequency='COLUMN'.* out of the frame"):
            ts.audit(PATIENTS.assign(**{column: 9}), value="patients", threshold=5)


def test_data_of_the_agency_that_contradict_the_values_are_refused_or_said() -> None:
    # CONVENTION 662
    found = ts.audit(PATIENTS.assign(n=9), value="patients", frequency="n", threshold=5)
    assert found.called == "safe as listed"
    thousands = PATIENTS.assign(m=1, n=1)
    with pytest.raises(ts.InputError, match="do not add up to the value"):
        ts.audit(thousands, value="patients", contributors=["m"], frequency="n", dominance=(1, 85))


def test_a_total_that_is_said_to_be_none_is_no_plain_safe() -> None:
    # CONVENTION 660
    hidden = PATIENTS.assign(patients=[None, *PATIENTS["patients"][1:]])
    assert ts.audit(hidden, value="patients", threshold=5).called == "unsafe"
    found = ts.audit(hidden, value="patients", threshold=5, total={"district": None, "sex": None})
    assert (found.verdict, found.called) == ("safe", "safe as listed")
    assert "hierarchies" not in str(found)


def test_a_unit_that_is_coarser_than_the_values_is_refused() -> None:
    # CONVENTION 106
    frame = pd.DataFrame({"s": ["A", "B", "Total"], "v": [None, 17, 19]})
    with pytest.raises(ts.InputError, match='found "17", expected a multiple of the unit 10'):
        ts.audit(frame, value="v", unit=10)


def test_results_say_what_they_are_called() -> None:
    # CONVENTION 663
    frame = pd.DataFrame({"s": ["A", "B", "Everyone"], "v": [None, 5, 7]})
    found = ts.audit(frame, value="v")
    assert (found.verdict, found.called) == ("safe", "safe as listed")
    assert ts.audit(PATIENTS, value="patients").called == "not judged"
    safe = ts.suppress(PATIENTS, value="patients", threshold=5)
    assert safe.audit is not None
    assert (safe.verdict, safe.called, safe.audit.called) == ("safe", "safe", "safe")
    assert "called='safe'" in repr(safe)
