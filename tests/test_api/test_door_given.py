"""Results in place of tables, and proofs of tables that are read again. CONVENTION 665."""

from typing import Any

import polars as pl
import pytest
from frames import PERSONS

import tableseal as ts
from tableseal.audit.proof.verification import OF_ANOTHER

TRUE = pl.DataFrame(PERSONS)
SAID: dict[str, Any] = {"value": "persons", "threshold": 5}


def test_an_audit_stands_for_what_it_audited() -> None:
    found = ts.audit(TRUE, **SAID)
    assert ts.audit(found).to_json() == found.to_json()
    assert ts.read(found) is found.release
    assert ts.suppress(found).to_json() == ts.suppress(TRUE, **SAID).to_json()
    assert ts.compare(found, methods=["optimal"]).best == "optimal"
    assert ts.risk(found).before == ts.risk(TRUE, value="persons").before
    assert ts.sap(found, n=1).to_json() == ts.sap(TRUE, value="persons", n=1).to_json()
    assert ts.audit(found, threshold=30).report.rules != found.report.rules


def test_a_search_stands_for_its_protected_release() -> None:
    safe = ts.suppress(TRUE, **SAID)
    assert ts.audit(safe).verdict == "safe"
    assert ts.audit(safe).to_json() == ts.audit(safe.confidential).to_json()
    assert ts.suppress(TRUE, **SAID, last_period=safe).verdict == "safe"
    assert ts.verify(ts.audit(safe, proof=True).proof, safe).accepted


@pytest.mark.parametrize("door", [ts.audit, ts.suppress, ts.compare, ts.read, ts.risk])
def test_a_result_without_release_is_refused(door: Any) -> None:
    with pytest.raises(ts.InputError, match="found a RiskResult, which has no release in it, expected the path of"):
        door(ts.risk([[1, 2], [3, 4]]))


def test_a_proof_of_what_was_read_otherwise_says_what_to_pass() -> None:
    found = ts.audit(TRUE, **SAID, proof=True)
    reason = ts.verify(found.proof, TRUE).reason
    assert reason is not None
    assert reason.startswith("of another release")
    assert "result.release" in reason
    assert reason.startswith(OF_ANOTHER)  # as the verifier says it
    assert ts.verify(found.proof, found).accepted
    assert ts.verify(found.proof, found.release).accepted
    other = ts.verify(found.proof, ts.read(TRUE, value="persons", threshold=3)).reason
    assert other is not None
    assert "result.release" not in other


def test_a_cell_is_a_mapping() -> None:
    with pytest.raises(ts.InputError, match=r"distribution.*found an int, expected a cell as \{variable: code\}"):
        ts.audit(TRUE, **SAID).distribution(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"policy": "nix.yaml"}, '"nix.yaml": there is no such file; expected the path of a policy file'),
        ({"hierarchies": {"sex": "nix.csv"}}, "expected nested codes such as"),
        (
            {"rounded": 3},
            "expected a dict with keys of base, method, range, share, flex, never, zeros, unchanged, bands, "
            "ranges, wider, top, such as {'base': 3",
        ),
        ({"absent": "zero"}, "expected a dict with keys of leaves, totals, such as {'leaves': 'not_released'}"),
        ({"hierarchies": 3}, "expected a dict, such as {'region': {'North': ['N1', 'N2']}}"),
        ({"threshold": 10**300}, "expected at most 40 characters"),
    ],
)
def test_what_was_expected_is_what_was_asked_for(keywords: dict[str, Any], said: str) -> None:
    with pytest.raises(ts.InputError) as error:
        ts.audit(TRUE, value="persons", **keywords)
    assert said in str(error.value)
    assert len(str(error.value)) < 300


def test_a_proof_that_is_none() -> None:
    with pytest.raises(ts.InputError, match='"nix": there is no such file; expected a proof'):
        ts.verify("nix", TRUE)


def test_columns_without_values_and_with_gaps() -> None:
    with pytest.raises(ts.InputError, match='The column "persons" is empty, so no value is published'):
        ts.audit(TRUE.with_columns(persons=pl.lit(None)))
    with pytest.raises(ts.InputError, match="if the column holds no codes, name those that do: variables="):
        ts.audit(TRUE.with_columns(comment=pl.Series(["see below", *[None] * 8])), value="persons")


def test_numbers_of_hundreds_of_digits_are_cut() -> None:
    with pytest.raises(ts.InputError) as error:
        ts.audit(TRUE.with_columns(persons=pl.lit(1e300)))
    assert len(str(error.value)) < 400
