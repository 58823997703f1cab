"""`tableseal reconstruct`: how much of small areas can be worked out from several tables of counts."""

from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.reading import release_of
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.options.reconstruct import ReconstructOptions
from tableseal.api.options.release import ReleaseOptions, StatusOptions
from tableseal.api.options.shared import Jobs, JsonFile, Language
from tableseal.audit.language import speaking


def reconstruct_verb(
    release: Annotated[
        str,
        typer.Argument(
            metavar="RELEASE", help="Release with exact tables of counts of small areas, or - for standard input."
        ),
    ],
    options: ReconstructOptions,
    said: StatusOptions,
    jobs: Jobs = 1,
    json: JsonFile = None,
    lang: Language = "en",
) -> Code:
    """Say how much of small areas can be reconstructed from all their published counts together.

    For each area: how many tables of its inner cells (all variables at once) fit, whether there is only one, and how
    many records are certain. Exit code: 3 if that could not be found out of some area.

    Example: tableseal reconstruct blocks.yaml --areas block --jobs 4
    """
    check_targets({"--json": json}, inputs=(release,))
    from tableseal.audit.codec.documents import json_of
    from tableseal.audit.errors import Place
    from tableseal.audit.execution.executor import local
    from tableseal.audit.reconstruction.reconstruct import reconstruct
    from tableseal.audit.reconstruction.result import reconstruction, reconstruction_text
    from tableseal.audit.reconstruction.tables import area_tables

    areas = options.chosen()
    loaded = release_of(release, ReleaseOptions(status_map=said.status_map))
    check_targets({"--json": json}, inputs=loaded.files)
    tables = area_tables(loaded, areas, Place("standard input" if release == STREAM else release))
    with Progress() as progress, local(jobs) as executor:
        found = reconstruct(tables, options.effort(), executor=executor, progress=progress)
    result = reconstruction(loaded.title, areas, tables, found, options.effort(), records=options.records)
    if json is not None:
        write_target(json, json_of(result) + "\n")
    with speaking(lang):
        text = reconstruction_text(result)
    say(text, error=json == STREAM)
    return Code.UNDECIDED if result.undecided else Code.DONE
