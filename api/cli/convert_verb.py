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
    from tableseal.audit.io.formats.format import Format


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
    JSON-stat (.jsonstat.json), SDMX-CSV (.sdmx.csv) and Excel (.xlsx), a file for each table, in which what is
    confidential is only if it is asked for; and tau-ARGUS (.tab) and JJ (.jj), for programs that search.

    Example: tableseal convert release.yaml release.px
    """
    from tableseal.api.converting import converted, refuse_several
    from tableseal.audit.codec.exact_json import dumps

    outputs = {"OUT": None if dry_run else output, "--json": json}
    check_targets(outputs, inputs=(release, said.policy))
    loaded = release_of(release, said)
    check_targets(outputs, inputs=loaded.files)
    target = _format(output, options.format)
    if output == STREAM:
        refuse_several(loaded, target)
    found = converted(loaded, Path(output), target, options.asked())
    if found.losses:
        say(found.lost(), error=True)
    if not dry_run:
        others = {f"OUT ({path.name})": str(path) for path in found.files if str(path) != output}
        check_targets({"--json": json, **others}, inputs=(release, said.policy, *loaded.files))
        for path, text in found.files.items():
            write_target(str(path), text)
    document = found.document(files=not dry_run)
    if json is not None:
        write_target(json, dumps(document, indent=1))
    tables = "1 table" if len(loaded.tables) == 1 else f"{len(loaded.tables)} tables"
    say(f"{tables}, {found.rows:,} rows, sha256 {document['sha256']}", error=STREAM in (json, outputs["OUT"]))
    return Code.DONE


def _format(output: str, key: str | None) -> "Format | None":
    """The format to write; None: a release file.

    Raises
    ------
    InputError: no format that is known.
    """
    from tableseal.audit.io.formats.out import format_named
    from tableseal.audit.io.formats.registry import ENDINGS
    from tableseal.audit.io.sources import STATISTICAL
    from tableseal.audit.wording import listing

    found = format_named(key, output)
    suffix = PurePath(output).suffix
    if found is None and suffix.lower() in (".csv", ".yaml", ".yml", ".xlsm", ".rda", *STATISTICAL):
        known = listing([".json", *ENDINGS], limit=len(ENDINGS) + 1)
        lost = (
            " (a value there is a number or missing and nothing says why: a withheld cell would become missing)"
            if suffix.lower() in STATISTICAL
            else ""
        )
        raise InputError(f"OUT {output}: found {suffix}, but no such file is written{lost}; expected {known}.")
    return found
