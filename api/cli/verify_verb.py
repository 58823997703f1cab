"""`tableseal verify`: check a proof without the engine that made it."""

from pathlib import Path
from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.options.shared import JsonFile


def verify_verb(
    proof: Annotated[str, typer.Argument(metavar="PROOF", help="What audit --proof has written.", show_default=False)],
    release: Annotated[
        str,
        typer.Argument(metavar="RELEASE.json", help="The release in canonical form (convert).", show_default=False),
    ],
    json: JsonFile = None,
) -> Code:
    """Check the proof of an audit with exact arithmetic and no solver.

    The check is one short file that needs nothing but Python, written to be read by an auditor: audit/proof/verify.py.
    It reads the release by itself and believes nothing that the proof says. Exit code: 0 accepted, 1 refused, 2 not a
    proof or not a release.

    Example: tableseal verify proof.json release.json
    """
    from tableseal.audit.proof.verification import verification_json, verification_text, verified

    check_targets({"--json": json}, inputs=(proof, release))
    found = verified(_content(proof), _content(release), proof, release)
    if json is not None:
        write_target(json, verification_json(found))
    say(verification_text(found), error=json == STREAM)
    return Code.DONE if found.reason is None else Code.UNSAFE


def _content(name: str) -> bytes:
    from tableseal.audit.errors import InputError

    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}.", at=name) from error
