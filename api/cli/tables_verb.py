"""`tableseal tables`: ask a table generator for a table."""

from pathlib import Path
from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.options.generator import GeneratorOptions, TableOptions
from tableseal.api.options.option import Option
from tableseal.api.options.service import StoreOptions
from tableseal.api.options.shared import JsonFile, Language
from tableseal.audit.language import speaking

LISTED = 40
"""Rows that the text shows; the files have all."""


def tables_verb(
    cube: Annotated[str, typer.Argument(metavar="HYPERCUBE", help="Hypercube (NAME.cube).")],
    request: Annotated[
        str | None, typer.Argument(metavar="[REQUEST]", help="What is asked (YAML or JSON); or say it by options.")
    ] = None,
    *,
    table: TableOptions,
    options: GeneratorOptions,
    output: Annotated[
        str | None, Option("Write the table: CSV, or Parquet where the name ends so.", names=("-o", "--output"))
    ] = None,
    json: JsonFile = None,
    public: Annotated[bool, Option("Say and write only what the user may know.")] = False,
    lang: Language = "en",
    at: StoreOptions,
) -> Code:
    """Ask a hypercube for a table: it is judged, protected, judged with all earlier answers, and given or refused.

    The answers are kept in the database, for they are part of what the user knows. Exit code: 0 given, 1 refused.

    Example: tableseal tables census.cube --by region,sex --policy generator.yaml --secret-file secret.txt
    """
    from tableseal.api.generating.asking import counter_for, told_to
    from tableseal.api.generating.requests import read_table_request
    from tableseal.api.generating.words import told_text
    from tableseal.api.generating.written import table_written
    from tableseal.audit.codec.documents import json_of
    from tableseal.audit.codec.public import public_part

    check_targets({"--output": output, "--json": json}, inputs=(request, options.policy, options.secret_file))
    counter = counter_for(Path(cube), options)
    asked = read_table_request(counter.cells, None if request is None else Path(request), table)
    told = told_to(counter, asked, options, at)
    shown = public_part(told) if public else told
    if json is not None:
        write_target(json, json_of(shown) + "\n")
    if output is not None and told.answer is not None:
        write_target(output, table_written(told, output))
    with speaking(lang):
        text = told_text(shown, limit=LISTED)
    say(text, error=STREAM in (json, output))
    return Code.DONE if told.answer is not None and told.refusal is None else Code.UNSAFE
