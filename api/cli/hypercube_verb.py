"""`tableseal hypercube`: make a hypercube, from which any table is made at once, look at one, and attack it."""

from pathlib import Path
from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.options.generator_attack import GeneratorAttackOptions
from tableseal.api.options.hypercube import HypercubeOptions
from tableseal.api.options.option import Option
from tableseal.api.options.shared import JsonFile, Language
from tableseal.audit.language import phrase, put, speaking


def hypercube_build(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...",
            help="Release files with `microdata` (several of the same variables are added up), or one table of counts "
            "by all its variables.",
        ),
    ],
    options: HypercubeOptions,
    output: Annotated[str, Option("Folder to write, NAME.cube.", names=("-o", "--output"))],
    lang: Language = "en",
) -> Code:
    """Make a hypercube: units counted by the finest codes of all variables, with levels, measures and keys.

    It holds no record and no secret, and is confidential: its cells are true counts.

    Example: tableseal hypercube build census.yaml -o census.cube --areas municipality
    """
    from tableseal.api.hypercubes import build
    from tableseal.audit.errors import InputError
    from tableseal.audit.hypercube.read import read_source
    from tableseal.audit.hypercube.store import ENDING, pieces, write_cube
    from tableseal.audit.hypercube.words import cube_text

    if not output.lower().endswith(ENDING):
        raise InputError(f"--output {output}: expected the name of a folder that ends in {ENDING}.")
    built = build([(Path(name).name, read_source(Path(name))) for name in sources], options)
    write_cube(Path(output), built.cube.about, pieces(built.cube.held))
    with speaking(lang):
        say(cube_text(built.cube.about))
        say(put("Written, confidential: {file}", file=output))
        for note in built.notes:
            say(put("Note: {text}", text=phrase(note.text)), error=True)
    return Code.DONE


def hypercube_show(
    cube: Annotated[str, typer.Argument(metavar="CUBE", help="Hypercube (NAME.cube).")],
    check: Annotated[bool, typer.Option("--check", help="Read all cells, too, and check their digests.")] = False,
    json: JsonFile = None,
    lang: Language = "en",
) -> Code:
    """Say what a hypercube holds: variables with their levels, measures, keys and size. Reads no cell.

    Example: tableseal hypercube show census.cube
    """
    from tableseal.audit.codec.documents import json_of
    from tableseal.audit.hypercube.store import open_cube
    from tableseal.audit.hypercube.words import cube_text

    check_targets({"--json": json})
    found = open_cube(Path(cube))
    if check:
        for _ in found.parts(range(len(found.about.variables)), found.about.measures):
            pass
    if json is not None:
        write_target(json, json_of(found.manifest) + "\n")
    with speaking(lang):
        say(cube_text(found.about), error=json == STREAM)
    return Code.DONE


def hypercube_attack(
    cube: Annotated[str, typer.Argument(metavar="CUBE", help="Hypercube (NAME.cube).")],
    options: GeneratorAttackOptions,
    json: JsonFile = None,
) -> Code:
    """Attack your own table generator: which counts come back of all that a user may ask, with its memory and without.

    Each attack is a user of its own, who asks for tables with groups of codes and claims counts in the end; nothing is
    kept. The result is confidential. Exit code: 1 if with the memory a count below the threshold comes back.

    Example: tableseal hypercube attack census.cube --policy generator.yaml --secret-file noise.txt
    """
    from tableseal.api.generating.attacking import attacked
    from tableseal.audit.codec.documents import json_of
    from tableseal.suppression.generator.attacks.document import generator_attack_text

    check_targets({"--json": json}, inputs=(options.policy, options.secret_file))
    with Progress() as progress:
        found = attacked(Path(cube), options, progress)
    if json is not None:
        write_target(json, json_of(found) + "\n")
    say(generator_attack_text(found), error=json == STREAM)
    return Code.UNSAFE if found.recovered else Code.DONE
