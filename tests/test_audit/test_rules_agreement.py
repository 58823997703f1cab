"""What the agency says of contributors is held against the values: contradictions are refused or said."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import document, report, table

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import FACTS_DIFFER
from tableseal.audit.report.called import called
from tableseal.suppression.suppress import suppress

MONEY = {"kind": "magnitude", "unit": 1}
THRESHOLD = {"policy": {"primary": [{"threshold": 3}]}}
DOMINANCE = {"policy": {"primary": [{"dominance": {"n": 1, "k": 85}}]}}
CODES = ["T", "k", "l"]


def refusal(released: dict[str, Any], **changes: Any) -> str:
    made = release_from_document(document(released, **changes))
    with pytest.raises(InputError) as refused:
        suppress(made)
    with pytest.raises(InputError) as again:
        report(released, **changes)
    assert str(again.value) == str(refused.value)
    return str(again.value)


def test_a_count_below_its_number_of_contributors_is_no_plain_safe() -> None:
    # CONVENTION 662
    found = report(table(CODES, [16, 2, 14], frequency=[9, 9, 9]), **THRESHOLD)
    assert called(found) == "safe as listed"
    assert [note.count for note in found.notes if note.code == FACTS_DIFFER] == [1]
    weighted = table(CODES, [16, 9, 7], frequency=[18, 9, 9], weighted="w")
    weighted["cells"]["w"] = [15.5, 8.9, 6.6]
    assert called(report(weighted, **THRESHOLD)) == "safe"


@pytest.mark.parametrize(
    ("value", "n", "largest", "words"),
    [
        ([54, 14, 40], [1, 1, 1], [1, 1, 1], "do not add up to the value"),
        ([54, 14, 40], [9, 1, 8], [20, 14, 45], "are more than the value"),
        ([54, 14, 40], [9, 1, 8], [20, 12, 20], "do not add up to the value"),
    ],
)
def test_contributions_fit_the_value(value: list[int], n: list[int], largest: list[int], words: str) -> None:
    # CONVENTION 662
    message = refusal(table(CODES, value, frequency=n, largest=largest), **MONEY, **DOMINANCE)
    assert words in message
    withheld = table(CODES, value, status=["", "primary", "secondary"], frequency=n, largest=largest)
    message = refusal(withheld, **MONEY, **DOMINANCE)
    assert words in message
    assert not any(number in message for number in ("14", "40", "45"))
    negative = {"intruder": {"nonnegative": False}}
    assert report(table(CODES, value, frequency=n, largest=largest), **MONEY, **DOMINANCE, **negative).judged


@pytest.mark.parametrize(
    ("n", "word"),
    [
        ([9, 9, 9], "safe"),  # one holding may be in both
        ([18, 9, 9], "safe"),
        ([19, 9, 9], "safe as listed"),
        ([8, 9, 5], "safe as listed"),
        ([9, None, 5], "safe"),
    ],
)
def test_numbers_of_contributors_that_contradict_each_other_are_said(n: list[int | None], word: str) -> None:
    # CONVENTION 662
    status = ["", "" if n[1] is not None else "primary", "" if n[1] is not None else "secondary"]
    found = report(table(CODES, [900, 400, 500], status=status, frequency=n), **MONEY, **THRESHOLD)
    assert called(found) == word
    assert sum(note.count for note in found.notes if note.code == FACTS_DIFFER) == (word != "safe")


FIRMS = st.lists(st.decimals(0, 40, places=2), min_size=1, max_size=5)


@given(FIRMS, FIRMS, st.sampled_from([1, 0.1]), st.integers(1, 3))
def test_what_is_added_up_from_firms_is_never_refused(k: list[Any], l_: list[Any], unit: float, listed: int) -> None:
    """CONVENTION 661, 662: values are rounded to the unit, contributions are not."""
    groups = [sorted(map(float, each), reverse=True) for each in (k, l_)]
    digits = 0 if unit == 1 else 1
    values = [round(sum(each), digits) for each in groups]
    released: dict[str, Any] = table(["k", "l"], values, frequency=[len(each) for each in groups])
    for rank in range(listed):
        released["cells"][f"x{rank}"] = [each[rank] if rank < len(each) else None for each in groups]
    released["contributors"] = [f"x{rank}" for rank in range(listed)]
    scale = {"kind": "magnitude", "unit": unit, "variables": {"a": {"codes": ["k", "l"]}}}
    found = report(released, **scale, **DOMINANCE)
    sensitive = {dict(cell.cell)["a"] for cell in found.cells if cell.sensitive}
    for code, each, value in zip("kl", groups, values, strict=True):
        assert code in sensitive or each[0] <= 0.85 * max(value, each[0]) + 1e-9
