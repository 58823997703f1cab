"""`tableseal attack`: what a release with changed counts still gives away."""

from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.reading import release_of
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.options.attack import AttackOptions
from tableseal.api.options.release import ReleaseOptions
from tableseal.api.options.shared import JsonFile, Language
from tableseal.audit.language import lines_said, speaking


def attack_verb(
    releases: Annotated[
        list[str],
        typer.Argument(
            metavar="RELEASE...",
            help="Release with changed counts and their true values (the agency's copy), or - for standard input; "
            "several are attacked together, as readers do who have all of them.",
        ),
    ],
    options: AttackOptions,
    said: ReleaseOptions,
    json: JsonFile = None,
    lang: Language = "en",
) -> Code:
    """Attack a release whose counts were changed, and say which true counts come back.

    Replays what readers can do, by name, and prints for each attack how many true counts come back, exactly and within
    1, the best example's arithmetic, and how wide the range of changes would have to be. Cells of several releases with
    the same measure and codes are one cell. The result is confidential.

    Example: tableseal attack kept.json --with sums --with averaging
    """
    from tableseal.api.attacking import side_by_side
    from tableseal.audit.attacks.replay import replay
    from tableseal.audit.report.attack import attack_json, attack_text

    check_targets({"--json": json}, inputs=(*releases, said.policy))
    settings = options.settings()
    loaded = side_by_side([(release, release_of(release, said)) for release in releases])
    check_targets({"--json": json}, inputs=loaded.files)
    with Progress() as progress:
        found = replay(loaded, settings, progress=progress)
    if json is not None:
        write_target(json, attack_json(found))
    with speaking(lang):
        text = lines_said(attack_text(found, title=loaded.title or releases[0]))
    say(text, error=json == STREAM)
    return Code.DONE
