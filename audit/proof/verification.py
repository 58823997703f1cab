"""What came of checking a proof, in words and as JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tableseal.audit.codec.exact_json import dumps
from tableseal.audit.errors import InputError
from tableseal.audit.proof.verify import RefusedError, check


@dataclass(frozen=True)
class Verification:
    """reason: why a proof is refused; None: it is accepted. count: ends of intervals, how many of them are proved, and
    how many attained by a table; nothing where it is refused."""

    reason: str | None
    count: Mapping[str, int]


OF_ANOTHER = "of another release, or this one is not in canonical form"
"""What `check` says of a proof of another release. (It stands alone; a test compares.)"""


def verified(proof: bytes, release: bytes, proof_name: str, release_name: str) -> Verification:
    """Check the proof of a release in canonical form. The names are what messages call the two.

    Raises
    ------
    InputError: not a proof, or not a release.
    """
    _demand(proof, "schema", "a proof as `tableseal audit --proof` writes it", proof_name)
    _demand(release, "tableseal", "a release in canonical form, as `tableseal convert` writes it (.json)", release_name)
    try:
        return Verification(None, check(proof, release))
    except RefusedError as error:
        return Verification(str(error), {})
    except ValueError as error:
        raise InputError(str(error), at=f"{proof_name} and {release_name}") from error


def _demand(content: bytes, key: str, expected: str, name: str) -> None:
    """Refuse what is no JSON object with this key."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise InputError(found="no JSON", expected=expected, at=name) from None
    if not isinstance(document, dict) or key not in document:
        raise InputError(found=f"JSON without the key {key}", expected=expected, at=name)


def verification_json(found: Verification) -> str:
    """As JSON text, schema tableseal/verification/1."""
    accepted = found.reason is None
    document = {"schema": "tableseal/verification/1", "accepted": accepted, "reason": found.reason, **found.count}
    return dumps(document, indent=1)


def verification_text(found: Verification) -> str:
    """In words."""
    if found.reason is not None:
        return f"Refused: {found.reason}."
    ends, proved, attained = found.count["ends"], found.count["proved"], found.count["attained"]
    text = f"Accepted: of {ends:,} ends of intervals {proved:,} are proved and {attained:,} attained by a table."
    return text if proved == attained == ends else f"{text} What is left over is claimed by nobody."
