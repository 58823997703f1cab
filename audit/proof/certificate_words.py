"""What came of checking a certificate, in words and as JSON."""

from dataclasses import dataclass
from pathlib import Path

from tableseal.audit.codec.exact_json import Json, dumps
from tableseal.audit.errors import InputError
from tableseal.audit.proof.certificate import Checked, check_certificate
from tableseal.audit.proof.verify import RefusedError


@dataclass(frozen=True)
class Certified:
    """reason: why a certificate is refused; None: it is accepted. checked: what was looked at."""

    reason: str | None
    checked: Checked | None


def certified(content: bytes, name: str, folder: Path, *, key: bytes | None, inputs: Path | None) -> Certified:
    """Check a certificate, which messages call `name`; see `check_certificate`.

    Raises
    ------
    InputError: not a certificate, not a public key.
    """
    try:
        return Certified(None, check_certificate(content, folder, key=key, inputs=inputs))
    except RefusedError as error:
        return Certified(str(error), None)
    except ValueError as error:
        raise InputError(f"{error}.", at=name) from error


def certificate_json(found: Certified) -> str:
    """As JSON text, schema tableseal/certificate-check/1."""
    accepted, checked = found.reason is None, found.checked
    counts = {} if checked is None else vars(checked)
    head: dict[str, Json] = {"schema": "tableseal/certificate-check/1", "accepted": accepted, "reason": found.reason}
    return dumps({**head, **counts}, indent=1)


def certificate_text(found: Certified) -> str:
    """In words."""
    checked = found.checked
    if checked is None:
        return f"Refused: {found.reason}."
    proofs = "1 proof" if checked.proofs == 1 else f"{checked.proofs} proofs"
    text = f"Accepted: {checked.files} files are as they were certified, {proofs} checked."
    text += " The signature is by this key." if checked.signed else " Signatures were not checked; --key names a key."
    return text if checked.inputs is None else f"{text} {checked.inputs} inputs are as they were."
