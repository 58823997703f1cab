"""Proofs of random releases, for tests."""

import json
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

from oracle import Document
from random_releases import Maker

from tableseal.audit.errors import TablesealError
from tableseal.audit.io import canonical_json, release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.proof import proof_json
from tableseal.audit.proof.verify import RefusedError, check


def proved(document: Document, **options: Any) -> tuple[bytes, bytes] | None:
    """(proof, canonical release); None if the release cannot be audited. options: of the audit."""
    try:
        release = release_from_document(document)
        result = audit(release, prove=True, **options)
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


BY_CASES: Document = {
    "tableseal": "1",
    "measures": {"n": {"kind": "count"}},
    "variables": {"v0": {"total": "T", "codes": ["1", "2", "3"]}},
    "tables": [
        {
            "name": "t0",
            "measure": "n",
            "status": "status",
            "truth": "truth",
            "absent": {"leaves": "zero", "totals": "compute"},
            "cells": {
                "v0": ["1", "2", "3"],
                "value": [None, None, None],
                "status": ["withheld", "primary", "missing"],
                "truth": ["1", "2", "1"],
            },
        }
    ],
    "links": [
        {
            "terms": [
                ["-3", {"measure": "n", "v0": "3"}],
                ["1", {"measure": "n", "v0": "T"}],
                ["2", {"measure": "n", "v0": "2"}],
            ],
            "lower": "14/3",
            "upper": "16/3",
        },
    ],
}
"""x + y + z = 4 and 14/3 <= x + 3 y - 2 z <= 16/3: fractions leave wide intervals, whole numbers only 1, 2, 1."""


def samples() -> Iterator[tuple[Random, Document, Any, bytes]]:
    """Proofs of random releases for ever: (random, document, proof, canonical release)."""
    for n in range(10**6):
        random = Random(n)
        document = Maker(random, linked=40, base=8, damaged=0).document() if n else deepcopy(BY_CASES)
        files = proved(document)
        if files is not None:
            yield random, document, json.loads(files[0]), files[1]
