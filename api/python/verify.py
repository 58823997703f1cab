"""`ts.verify`: check the proof of an audit."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tableseal.api.python.audit import AuditResult
from tableseal.api.python.keywords import Reading
from tableseal.api.python.origin import Origin
from tableseal.api.python.result import Result
from tableseal.api.python.source import existing, given
from tableseal.api.python.to_frame import Column, Flags, Texts, numbers
from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_json
from tableseal.audit.model import Release
from tableseal.audit.proof import Proof, proof_json
from tableseal.audit.proof.verification import (
    OF_ANOTHER,
    Verification,
    verification_json,
    verification_text,
    verified,
)
from tableseal.audit.wording import a_kind

A_PROOF = "a proof: the path of a file, its content (a dict), or a result with one"

PASS_THE_RESULT = (
    "if it was read with keywords (a rule, a total, ...), pass the result of the audit itself, or result.release, in "
    "place of what was read"
)


@dataclass(frozen=True, repr=False, eq=False)
class VerifyResult(Result):
    """Whether a proof proves what it claims. As a truth value: whether it is accepted.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sex": ["F", "M", "Total"], "persons": [None, 17, 19]})
    >>> ts.verify(ts.audit(frame, value="persons", proof=True))
    VerifyResult(accepted=True, ends=2, proved=2, attained=2)
    """

    found: Verification

    @property
    def accepted(self) -> bool:
        """The proof proves all that it claims of this release."""
        return self.found.reason is None

    @property
    def reason(self) -> str | None:
        """Why it is refused; None if it is accepted."""
        return self.found.reason

    def to_json(self) -> str:
        """The result as JSON text, schema tableseal/verification/1."""
        return verification_json(self.found)

    def text(self) -> str:
        """The result in words."""
        return verification_text(self.found)

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        return {"accepted": self.accepted, "reason": self.reason, **self.found.count}

    def columns(self) -> Mapping[str, Column]:
        """One row."""
        counts: dict[str, Column] = {name: numbers([count]) for name, count in self.found.count.items()}
        return {"accepted": Flags([self.accepted]), "reason": Texts([self.reason]), **counts}

    def __bool__(self) -> bool:
        return self.accepted


def verify(proof: object, release: object = None) -> VerifyResult:
    """Check the proof of an audit with exact arithmetic and no solver: audit/proof/verify.py, a short file that needs
    nothing but Python and believes nothing that the proof says.

    Parameters
    ----------
    proof: file that `save_proof` or `audit --proof` has written, its content (a dict), or the proof of a result; or the
        result of an audit itself, which has its release with it.
    release: the release that was audited, as `read` takes it.

    Raises
    ------
    InputError: no proof, or no release.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sex": ["F", "M", "Total"], "persons": [None, 17, 19]})
    >>> ts.verify(ts.audit(frame, value="persons", total="Total", proof=True)).accepted
    True
    """
    if isinstance(proof, AuditResult):
        release = proof if release is None else release
        proof = proof.proof
        if proof is None:
            raise InputError("this audit has no proof; ask for one: audit(..., proof=True).")
    if release is None:
        raise InputError("found a proof without its release; pass the release that was audited, too.")
    about = given(release, Reading())
    inputs = about.origin.inputs
    if isinstance(proof, str | os.PathLike):
        path = existing(proof, A_PROOF)
        inputs, content = (*inputs, path), path.read_bytes()
    elif isinstance(proof, Proof):
        content = proof_json(proof).encode()
    elif isinstance(proof, Mapping):
        content = json.dumps(proof).encode()
    else:
        raise InputError(found=a_kind(proof), expected=A_PROOF)
    found = verified(content, canonical_json(about.release), "proof", about.origin.title)
    if found.reason == OF_ANOTHER and not isinstance(release, Release | Result):
        found = replace(found, reason=f"{OF_ANOTHER}; {PASS_THE_RESULT}")
    return VerifyResult(Origin(about.origin.kind, inputs=inputs), found)
