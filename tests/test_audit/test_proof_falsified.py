"""False proofs are refused; what a proof claims holds for every table there is."""

import json
from collections import Counter

import pytest
from agreement import oracle_of
from dense_proof import Dense
from falsify import CHANGES, falsified
from proofs import accepted, samples

from tableseal.audit.errors import TablesealError
from tableseal.audit.io import canonical_json, release_digest, release_from_document
from tableseal.audit.proof.verify import RefusedError, check


def test_a_thousand_falsifications_are_refused() -> None:
    """A change that happens to leave a valid proof (a wider claim, a multiplier that was not needed) is accepted by
    both checks; 1,000 others by neither."""
    refused, left_valid, kinds = 0, 0, Counter[str]()
    for random, document, proof, release in samples():
        dense = Dense(document)
        for change in CHANGES * 4:
            wrong = falsified(random, proof, change)
            if wrong is None:
                continue
            verdict = accepted(json.dumps(wrong).encode(), release)
            assert verdict == dense.accepts(wrong), (change.__name__, document, wrong)
            refused, left_valid = refused + (not verdict), left_valid + verdict
            kinds[change.__name__] += not verdict
        if refused >= 1000:
            break
    assert left_valid < refused
    assert set(kinds) == {change.__name__ for change in CHANGES}
    assert min(kinds.values()) > 0


def test_true_tables_never_break_a_claim() -> None:
    """What an accepted proof claims holds for every table there is."""
    checked = 0
    for _, document, proof, _ in samples():
        oracle, tables = oracle_of(document)
        if tables is None:
            continue
        for claim in proof["claims"]:
            values = tables @ oracle.forms[claim["cell"][0], tuple(claim["cell"][1:])]
            assert claim["lower"]["outer"] == claim["lower"]["attained"][0] == values.min()
            assert claim["upper"]["outer"] == claim["upper"]["attained"][0] == values.max()
            checked += 1
        if checked > 40:
            break


def test_another_release_is_refused() -> None:
    """Changed data under the old digest, and under its own."""
    tried = 0
    for random, document, proof, _ in samples():
        table = random.choice(document["tables"])
        rows = [i for i, s in enumerate(table["cells"]["status"]) if s == "published" and "rounding" not in table]
        if not rows or not proof["claims"]:
            continue
        row = random.choice(rows)
        table["cells"]["status"][row] = "primary"
        table["cells"]["value"][row] = None
        try:
            other = release_from_document(document)
        except TablesealError:
            continue
        with pytest.raises(RefusedError, match="of another release"):
            check(json.dumps(proof).encode(), canonical_json(other))
        proof["release"]["sha256"] = release_digest(other)
        assert accepted(json.dumps(proof).encode(), canonical_json(other)) == Dense(document).accepts(proof)
        tried += 1
        if tried == 8:
            break
