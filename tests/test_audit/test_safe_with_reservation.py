"""What is safe only because somebody accepts it, or by an agreement whose end nobody checked, is no plain SAFE."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import report, table

from tableseal.audit.report.called import called
from tableseal.audit.report.words import headline, verdict_line

ACCEPTED = {"primary": [{"threshold": 3}], "require": {"exposed": True, "protection": False}}
LISTED = table(["T", "k", "l", "m"], [9, 1, 4, 4])
LEFT_OUT = table(["T", "k", "l"], [9, 4, 4], absent={"leaves": "not_released"})


@pytest.mark.parametrize("released", [LISTED, LEFT_OUT])
def test_exposed_cells_that_the_policy_accepts_are_said(released: dict[str, Any]) -> None:
    # CONVENTION 653
    found = report(released, policy=ACCEPTED)
    assert (found.verdict, called(found)) == ("safe", "safe as listed")
    assert verdict_line(found) == (
        "SAFE as listed; 1 exposed sensitive cell is accepted (require: exposed: true). "
        "This release may go out: every other sensitive cell is protected."
    )
    assert "1 exposed sensitive cell is accepted" in headline(found)


@given(st.lists(st.integers(0, 5), min_size=3, max_size=3), st.lists(st.sampled_from(["", "withheld"]), min_size=4))
def test_no_plain_safe_names_a_cell_that_is_exposed(leaves: list[int], status: list[str]) -> None:
    # CONVENTION 653
    found = report(table(["T", "k", "l", "m"], [sum(leaves), *leaves], status=status[:4]), policy=ACCEPTED)
    exposed = [cell for cell in found.cells if cell.verdict == "exposed" and cell.sensitive]
    if found.verdict == "safe":  # an insider may get too close
        assert (called(found) == "safe as listed") == bool(exposed or found.implied)


@pytest.mark.parametrize(("date", "word"), [({"date": "2026-11-28"}, "safe"), ({}, "safe as listed")])
def test_consent_whose_end_was_not_checked_is_said(date: dict[str, str], word: str) -> None:
    # CONVENTION 653
    consent = [{"cell": {"a": "k"}, "reason": "letter", "by": "k", "until": "2027-12-31"}]
    found = report(LISTED, policy={"primary": [{"threshold": 3}]}, consent=consent, **date)
    assert (found.verdict, called(found)) == ("safe", word)
    assert ("1 consent has an end that was not checked" in verdict_line(found)) == (word != "safe")


def test_a_what_if_is_no_answer_on_the_release_as_it_is() -> None:
    # CONVENTION 653: k is published
    parts = table(["k", "l"], [1, 6], absent={"leaves": "not_released"})
    found = report(parts, policy={"primary": [{"threshold": 3}]}, options={"withhold_primaries": True})
    assert (found.verdict, called(found)) == ("safe", "safe as listed")
    what = "what if exactly the sensitive cells are withheld, not the release as it is"
    assert verdict_line(found).startswith(f"SAFE as listed; {what}.")
