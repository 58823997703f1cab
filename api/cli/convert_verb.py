"""`tableseal convert`: a release as one canonical JSON file."""

from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated

import typer

from tableseal.api.cli.arguments import ReleaseArgument
from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.reading import release_of
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.options.release import ReleaseOptions
from tableseal.api.options.shared import JsonFile
from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from tableseal.audit.codec.exact_json import Json


def convert_verb(
    release: ReleaseArgument,
    output: Annotated[str, typer.Argument(metavar="OUT.json", help="File to write; - for standard output.")],
    said: ReleaseOptions,
    json: JsonFile = None,
) -> Code:
    """Write a release as one canonical JSON file.

    The file is self-contained and holds the true values if the release does. The same release always gives the same
    bytes, whatever files it was read from; the digest of those bytes stands in every report.

    Example: tableseal convert release.yaml release.json
    """
    from tableseal.audit.codec.exact_json import dumps
    from tableseal.audit.io import canonical_json, release_digest

    check_targets({"OUT.json": output, "--json": json}, inputs=(release, said.policy))
    loaded = release_of(release, said)
    check_targets({"OUT.json": output, "--json": json}, inputs=loaded.files)
    suffix = PurePath(output).suffix
    if suffix.lower() in (".csv", ".yaml", ".yml"):
        raise InputError(f"OUT.json {output}: found {suffix}, but JSON is what is written; expected .json.")
    write_target(output, canonical_json(loaded).decode("utf-8"))
    digest = release_digest(loaded)
    rows = sum(len(table.codes) for table in loaded.tables)
    if json is not None:
        result: Json = {
            "schema": "tableseal/conversion/1",
            "sha256": digest,
            "tables": len(loaded.tables),
            "rows": rows,
        }
        write_target(json, dumps(result, indent=1))
    tables = "1 table" if len(loaded.tables) == 1 else f"{len(loaded.tables)} tables"
    say(f"{tables}, {rows:,} rows, sha256 {digest}", error=STREAM in (output, json))
    return Code.DONE
