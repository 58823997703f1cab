"""How far readers may believe small counts: CONVENTION 834 to 836."""

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import document, report, table

from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_document, release_from_document
from tableseal.audit.io.policy_file import policy_document, policy_from_document
from tableseal.audit.model import BELIEVABLE
from tableseal.audit.pipeline import audit
from tableseal.audit.report import public_copy
from tableseal.audit.report.text import verdict_line
from tableseal.suppression.protections.believed import believed
from tableseal.suppression.protections.cell_keys.ptable import chances, table_of
from tableseal.suppression.protections.methods import settings_of
from tableseal.suppression.protections.perturbation.settings import Perturbation
from tableseal.suppression.protections.protect import Protection, protect
from tableseal.suppression.protections.public import public_release

CODES = [f"c{k}" for k in range(20)]
VARIABLES = {"a": {"total": "T", "codes": CODES}}


def perturbed(stay: str, counts: list[int], *, draws: Any = "quotas", **require: Any) -> Protection:
    policy = {"primary": [{"threshold": 3}], "require": {"protection": False, **require}}
    release = release_from_document(document(table(CODES[: len(counts)], counts), policy=policy, variables=VARIABLES))
    return protect(release, Perturbation(stay=Fraction(stay), reach=2, draws=draws), seed=3)


@given(st.lists(st.integers(1, 5), min_size=3, max_size=20), st.integers(1, 4))
def test_bayes_by_hand(counts: list[int], below: int) -> None:
    """CONVENTION 834: of all that may be drawn with their probabilities, the share of small counts that are true."""
    rows = {k: {k: Fraction(1, 2), k + 1: Fraction(1, 3), k - 1: Fraction(1, 6)} for k in range(1, 6)}
    shown: Counter[bool] = Counter()
    for count in counts:
        for become, probability in rows[count].items():
            if 1 <= become < below:
                shown[become == count] += probability  # type: ignore[assignment]
    expected = shown[True] / sum(shown.values()) if shown else None
    assert believed(((k, n, rows[k]) for k, n in Counter(counts).items()), below) == expected


def test_the_chances_of_a_perturbation_table() -> None:
    rules = table_of([(0, [(3, 0)]), (1, [(0, -1), (2, 0), (3, 1)])], modulus=4)
    quarter = Fraction(1, 4)
    assert list(chances(rules, np.array([0, 1, 1, 5]))) == [
        (0, 1, {0: Fraction(1)}),
        (1, 2, {0: quarter, 1: 2 * quarter, 2: quarter}),
        (5, 1, {4: quarter, 5: 2 * quarter, 6: quarter}),
    ]


@pytest.mark.parametrize("draws", ["quotas", "independent"])
def test_settings_that_leave_nearly_everything_are_said(draws: str) -> None:
    """CONVENTION 835: wide intervals of what is nearly certain are no protection."""
    found = perturbed("0.99999", [1, 2, 3, 4, 5], draws=draws)
    assert found.verdict == "safe"
    assert found.report.called == "safe as listed"
    assert "nearly nothing is protected" in verdict_line(found.report)
    assert found.statement.confidence == pytest.approx(0.99999, abs=1e-5)
    fair = perturbed("0.5", [1, 2, 3, 4, 5], draws=draws)
    assert fair.report.called == "safe"
    assert fair.statement.confidence == pytest.approx(0.5, abs=0.2)


def test_the_agency_copy_keeps_what_is_said_of_the_settings() -> None:
    """CONVENTION 863: a later audit of the agency's copy says it again, and one of what is public does not."""
    found = perturbed("0.99999", [1, 2, 3, 4, 5])
    again = release_from_document(canonical_document(found.release))
    assert again.notes == found.release.notes
    assert audit(again).report == found.report
    public = canonical_document(public_release(found.release))
    assert "notes" not in public
    assert BELIEVABLE not in {note.code for note in audit(release_from_document(public)).report.notes}
    with pytest.raises(InputError, match=r"notes\[0\]\.code"):
        release_from_document(canonical_document(found.release) | {"notes": [{"code": "other", "text": "x"}]})


def test_a_limit_refuses_such_settings() -> None:
    """CONVENTION 836."""
    with pytest.raises(InputError, match=r"with probability 0\.9999\d+, and the policy allows 0\.8"):
        perturbed("0.99999", [1, 2, 3, 4, 5], confidence=0.8)


def changed(shown: list[int], truth: list[int], **require: Any) -> Any:
    cells = table(CODES[: len(shown)], shown, truth=truth, rounding={"method": "cell_key", "range": 2})
    policy = {"primary": [{"threshold": 3}], "require": {"protection": False, **require}}
    return report(cells, policy=policy, variables=VARIABLES, intruder={"insiders": []})


def test_the_audit_judges_a_limit_by_what_is_published() -> None:
    """CONVENTION 836."""
    above = changed([1, 2, 2, 9], [1, 2, 3, 8], confidence=0.6)
    assert above.verdict == "unsafe"
    assert "2 of 3 published counts from 1 to 2 are the true ones, above the policy's 0.6." in verdict_line(above)
    assert "confidence at most 0.6" in above.rules
    within = changed([1, 2, 2, 9], [1, 2, 3, 8], confidence="2/3")
    assert within.verdict == "safe"
    none = changed([3, 4, 5, 9], [1, 2, 3, 8], confidence=0)
    assert none.verdict == "safe"
    assert "There are no published counts from 1 to 2" in verdict_line(none)
    assert not any(note.code.startswith("confidence") for note in public_copy(above).notes)


def test_without_a_limit_many_counts_speak_for_themselves() -> None:
    """CONVENTION 835: of fewer than 20, chance may leave all."""
    many = changed([1] * 20, [1] * 19 + [2])
    assert many.called == "safe as listed"
    assert "19 of 20 published counts from 1 to 2" in verdict_line(many)
    assert changed([1] * 19, [1] * 19).called == "safe"
    assert changed([1] * 20, [1] * 18 + [2] * 2).called == "safe"


def test_a_limit_on_a_release_without_changed_counts_is_idle() -> None:
    found = report(table(["k", "l"], [4, 5]), policy={"primary": [{"threshold": 3}], "require": {"confidence": 0.5}})
    assert found.called == "safe as listed"
    assert any(note.code == "rule_idle" for note in found.notes)


def test_a_limit_reads_back() -> None:
    policy = policy_from_document({"require": {"confidence": "0.75"}})
    assert policy.require.confidence == Fraction(3, 4)
    assert policy_from_document(policy_document(policy)) == policy
    with pytest.raises(InputError, match="confidence"):
        policy_from_document({"require": {"confidence": 2}})


@pytest.mark.parametrize("method", ["random-rounding", "semi-controlled-rounding"])
def test_roundings_to_a_base_below_the_threshold_say_their_confidence(method: str) -> None:
    """CONVENTION 914: a cell goes up with probability residual / base; of base 3 and more nothing small is shown."""
    counts = [1, 1, 2, 2, 2, 3, 7]
    policy = {"primary": [{"threshold": 3}], "require": {"protection": False}}
    release = release_from_document(document(table(CODES[:7], counts), policy=policy, variables=VARIABLES))
    said = protect(release, settings_of(method, {"base": "2"}), seed=1).statement
    # 2 is shown of each of two ones with 1/2, of three twos, and of a three with 1/2.
    assert said.confidence == pytest.approx(3 / 4.5, rel=1e-6)
    assert protect(release, settings_of(method, {"base": "3"}), seed=1).statement.confidence is None
