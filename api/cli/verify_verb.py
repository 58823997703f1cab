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
    from tableseal.audit.codec.exact_json import dumps
    from tableseal.audit.errors import InputError
    from tableseal.audit.proof.verify import RefusedError, check

    check_targets({"--json": json}, inputs=(proof, release))
    reason, count = None, {}
    try:
        count = check(_content(proof), _content(release))
    except RefusedError as error:
        reason = str(error)
    except ValueError as error:
        raise InputError(f"{proof} and {release}: {error}") from error
    if json is not None:
        result = {"schema": "tableseal/verification/1", "accepted": reason is None, "reason": reason, **count}
        write_target(json, dumps(result, indent=1))
    text = f"Refused: {reason}." if reason is not None else _accepted(count)
    say(text, error=json == STREAM)
    return Code.DONE if reason is None else Code.UNSAFE


def _accepted(count: dict[str, int]) -> str:
    ends, proved, attained = count["ends"], count["proved"], count["attained"]
    text = f"Accepted: of {ends:,} ends of intervals {proved:,} are proved and {attained:,} attained by a table."
    return text if proved == attained == ends else f"{text} What is left over is claimed by nobody."


def _content(name: str) -> bytes:
    from tableseal.audit.errors import InputError

    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}.", at=name) from error
