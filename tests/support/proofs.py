"""Proofs of random releases, for tests."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from oracle import Document
from random_releases import Maker

from audit.errors import TablesealError
from audit.io import canonical_json, release_from_document
from audit.pipeline import audit
from audit.proof import proof_json
from audit.proof.verify import RefusedError, check


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


BY_CASES = (19, 90, 39)
"""Seeds of releases with links whose proofs take cases (the last has ends without limit, too)."""


def samples() -> Iterator[tuple[Random, Document, Any, bytes]]:
    """Proofs of random releases for ever: (random, document, proof, canonical release)."""
    for n in range(10**6):
        random = Random(BY_CASES[n] if n < len(BY_CASES) else n)
        document = Maker(random, linked=100 if n < len(BY_CASES) else 40, base=8, damaged=0).document()
        files = proved(document)
        if files is not None:
            yield random, document, json.loads(files[0]), files[1]
