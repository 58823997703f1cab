"""Proofs: what is written is accepted by the verifier and by a dense second check; what is falsified by neither."""

import json
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from dense_proof import Dense
from falsify import CHANGES, falsified
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from oracle import Document
from random_releases import SCHEMAS, SHAPES, Maker

from audit.errors import TablesealError
from audit.io import canonical_json, release_digest, release_from_document
from audit.linear import base
from audit.pipeline import audit
from audit.proof import proof_json
from audit.proof.verify import RefusedError, check

SEEDS = st.integers(0, 2**40)
FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def proved(document: Document) -> tuple[bytes, bytes] | None:
    """(proof, canonical release); None if the release cannot be audited."""
    try:
        release = release_from_document(document)
        result = audit(release, prove=True)
    except TablesealError:
        return None
    assert result.proof is not None
    return proof_json(result.proof).encode(), canonical_json(release)


def accepted(proof: bytes, release: bytes) -> bool:
    try:
        check(proof, release)
    except (RefusedError, ValueError):
        return False
    return True


def all_proved(maker: Maker) -> None:
    """Everything that such a small audit finds is proved, and a second check agrees."""
    document = maker.document()
    note(str(document))
    files = proved(document)
    if files is None:
        return
    count = check(*files)
    assert count["proved"] == count["attained"] == count["ends"]
    assert Dense(document).accepts(json.loads(files[0]))


@settings(FEW, max_examples=80)
@given(SEEDS)
def test_random_releases(seed: int) -> None:
    all_proved(Maker(Random(seed)))


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
@settings(FEW, max_examples=6)
@given(SEEDS)
def test_every_way_of_linking(schema: tuple[tuple[int, ...], ...], seed: int) -> None:
    all_proved(Maker(Random(seed), schema=schema))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@settings(FEW, max_examples=6)
@given(SEEDS)
def test_every_kind_of_classification(shape: dict[str, object], seed: int) -> None:
    all_proved(Maker(Random(seed), first_shape=shape))


@settings(FEW)
@given(SEEDS)
def test_populations_split_into_blocks(seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "WORTH_SPLITTING", 0)
        all_proved(Maker(Random(seed)))


@settings(FEW)
@given(SEEDS)
def test_rounded_tables(seed: int) -> None:
    all_proved(Maker(Random(seed), rounded=100))


@settings(FEW)
@given(SEEDS)
def test_links_with_coefficients_take_cases(seed: int) -> None:
    all_proved(Maker(Random(seed), linked=100, base=8))


def samples() -> Iterator[tuple[Random, Document, Any, bytes]]:
    """Proofs of random releases, links often among them, for ever: (random, document, proof, canonical release)."""
    for seed in range(10**6):
        random = Random(seed)
        document = Maker(random, linked=60, damaged=0).document()
        files = proved(document)
        if files is not None:
            yield random, document, json.loads(files[0]), files[1]


def test_a_thousand_falsifications_are_refused() -> None:
    """A change that happens to leave a valid proof (a wider claim, a multiplier that was not needed) is accepted by
    both checks; 1,000 others by neither."""
    refused, left_valid, kinds = 0, 0, Counter[str]()
    for random, document, proof, release in samples():
        dense = Dense(document)
        for _ in range(25):
            change = random.choice(CHANGES)
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
    from agreement import oracle_of

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
        if checked > 100:
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
        if tried == 15:
            break
