"""`tableseal verify`: check a proof, or the certificate of a publication, without the engine that made it."""

from pathlib import Path
from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.options.option import Option
from tableseal.api.options.shared import JsonFile
from tableseal.audit.errors import InputError


def verify_verb(
    proof: Annotated[
        str,
        typer.Argument(
            metavar="PROOF|CERTIFICATE", help="What audit --proof, or publish, has written.", show_default=False
        ),
    ],
    release: Annotated[
        str,
        typer.Argument(
            metavar="RELEASE.json|DIR",
            help="The release in canonical form (convert), or the folder of the publication.",
            show_default=False,
        ),
    ],
    key: Annotated[
        str | None, Option("Public key (PEM) by which the certificate is to be signed.", metavar="PUBLIC.pem")
    ] = None,
    inputs: Annotated[
        str | None, Option("Folder of the plan: are the files that went in still the same?", metavar="DIR")
    ] = None,
    json: JsonFile = None,
) -> Code:
    """Check the proof of an audit with exact arithmetic and no solver, or the certificate of a publication.

    The check is one short file that needs nothing but Python, written to be read by an auditor: audit/proof/verify.py.
    It reads the release by itself and believes nothing that the proof says. Of a certificate all digests, proofs and,
    with --key, the signature are checked; no file may be missing, changed or added. Exit code: 0 accepted, 1 refused, 2
    not a proof, certificate or release.

    Example: tableseal verify proof.json release.json
    """
    if Path(release).is_dir():
        return _certificate(Path(proof), Path(release), key, inputs, json)
    if key is not None or inputs is not None:
        raise InputError("--key and --inputs are for the certificate of a publication; name its folder after it.")
    from tableseal.audit.proof.verification import verification_json, verification_text, verified

    check_targets({"--json": json}, inputs=(proof, release))
    found = verified(_content(proof), _content(release), proof, release)
    if json is not None:
        write_target(json, verification_json(found))
    say(verification_text(found), error=json == STREAM)
    return Code.DONE if found.reason is None else Code.UNSAFE


def _certificate(certificate: Path, folder: Path, key: str | None, inputs: str | None, json: str | None) -> Code:
    from tableseal.audit.proof.certificate_words import certificate_json, certificate_text, certified

    check_targets({"--json": json}, inputs=(str(certificate), key))
    found = certified(
        _content(str(certificate)),
        certificate.name,
        folder,
        key=None if key is None else _content(key),
        inputs=None if inputs is None else Path(inputs),
    )
    if json is not None:
        write_target(json, certificate_json(found))
    say(certificate_text(found), error=json == STREAM)
    return Code.DONE if found.reason is None else Code.UNSAFE


def _content(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}.", at=name) from error
