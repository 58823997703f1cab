"""`tableseal convert`: a release in another format, and what is lost there."""

from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated

import typer

from tableseal.api.cli.arguments import ReleaseArgument
from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.reading import release_of
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.options.conversion import ConversionOptions
from tableseal.api.options.option import Option
from tableseal.api.options.release import ReleaseOptions
from tableseal.api.options.shared import JsonFile
from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from tableseal.audit.codec.exact_json import Json
    from tableseal.audit.io.formats.out import Written
    from tableseal.audit.model import Release


def convert_verb(
    release: ReleaseArgument,
    output: Annotated[str, typer.Argument(metavar="OUT", help="File to write; - for standard output.")],
    options: ConversionOptions,
    said: ReleaseOptions,
    dry_run: Annotated[bool, Option("Say what would be lost, and write nothing.")] = False,
    json: JsonFile = None,
) -> Code:
    """Write a release in another format, and say beforehand what that cannot hold.

    OUT.json is the canonical release file: self-contained, with the true values if the release has them; the same
    release always gives the same bytes, whose digest stands in every report. Other formats are PC-Axis (.px),
    JSON-stat (.jsonstat.json) and SDMX-CSV (.sdmx.csv), a file for each table; what is confidential is not in them
    unless it is asked for.

    Example: tableseal convert release.yaml release.px
    """
    from tableseal.audit.codec.exact_json import dumps
    from tableseal.audit.io import release_digest

    outputs = {"OUT": None if dry_run else output, "--json": json}
    check_targets(outputs, inputs=(release, said.policy))
    loaded = release_of(release, said)
    check_targets(outputs, inputs=loaded.files)
    found = _written(loaded, output, options)
    files = {f"OUT ({path.name})": str(path) for path in found.files if str(path) != output}
    check_targets({**outputs, **({} if dry_run else files)}, inputs=loaded.files)
    on_stream = STREAM in (json, None if dry_run else output)
    if found.losses:
        say("Not in the output:" if not dry_run else "It would not be in the output:", error=True)
    for loss in found.losses:
        say(f"  - {loss.text}", error=True)
    if not dry_run:
        for path, text in found.files.items():
            write_target(str(path), text)
    digest = release_digest(loaded)
    rows = sum(len(table.codes) for table in loaded.tables)
    if json is not None:
        result: Json = {
            "schema": "tableseal/conversion/1",
            "sha256": digest,
            "tables": len(loaded.tables),
            "rows": rows,
            "files": [] if dry_run else [path.name for path in found.files],
            "losses": [
                {"part": loss.part.name.lower(), "count": loss.count, "text": loss.part.value, "confidential": loss.can}
                for loss in found.losses
            ],
        }
        write_target(json, dumps(result, indent=1))
    tables = "1 table" if len(loaded.tables) == 1 else f"{len(loaded.tables)} tables"
    say(f"{tables}, {rows:,} rows, sha256 {digest}", error=on_stream)
    return Code.DONE


def _written(release: "Release", output: str, options: ConversionOptions) -> "Written":
    """What is to be written, file by file.

    Raises
    ------
    InputError: no format that is known, or what it cannot hold.
    """
    from tableseal.audit.io import canonical_json
    from tableseal.audit.io.formats.out import Written, format_named, written

    found = format_named(options.format, output)
    if found is None:
        suffix = PurePath(output).suffix
        if suffix.lower() in (".csv", ".yaml", ".yml"):
            known = ".json, .px, .jsonstat.json or .sdmx.csv"
            raise InputError(f"OUT {output}: found {suffix}, but no such file is written; expected {known}.")
        return Written({Path(output): canonical_json(release).decode("utf-8")}, ())
    if output == STREAM and len(release.tables) > 1:
        text = f"the release has {len(release.tables)} tables, and {found.title} holds one in a file; expected a file."
        raise InputError(f"OUT -: {text}")
    return written(release, Path(output), found, options.asked())
