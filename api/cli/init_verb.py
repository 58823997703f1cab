"""`tableseal init`: a first release file for a bare data file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.options.records import RecordOptions
from tableseal.api.options.rules import GivenRules, in_release_file
from tableseal.api.options.shared import JsonFile
from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from tableseal.audit.codec.exact_json import Json


UNDECIDED = """\
# Nothing says yet what is sensitive, and then nothing is judged. Decide, and take away the first sign of each line:
#policy:
#  primary:
"""
"""What stands in a first release file in place of a policy, before the rules there are."""


READERS = """\
# Do readers know the threshold, and which cells are withheld for it (statuses go out too, or only these are withheld)?
# Then they know that these lie below it:
#intruder:
#  knows_rule: true
"""
"""What a first release file asks of readers; of counts."""


def init_verb(
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="A table as CSV, with a header; with --by the records of units.")
    ],
    records: RecordOptions,
    rules: GivenRules,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Release file to write, beside the data; - for standard output.",
        ),
    ] = STREAM,
    json: JsonFile = None,
) -> Code:
    """Write a first release file for a table, or for the tables of records, and say what was assumed.

    Read the assumptions, mend the file where they are wrong, decide on the policy, audit it. An existing file is never
    overwritten.

    Example: tableseal init table.csv -o release.yaml

    Example: tableseal init firms.csv --by region,size --value turnover --id firm -o firms.yaml
    """
    from tableseal.audit.codec.exact_json import dumps
    from tableseal.audit.io import infer_document, write_document
    from tableseal.audit.io.advice import IN_A_FILE
    from tableseal.audit.io.files import Folder
    from tableseal.audit.io.formats.registry import format_in
    from tableseal.audit.io.records_document import read_records, records_document

    source = Path(data)
    if source.suffix.lower() in (".yaml", ".yml", ".json") and format_in(Folder(source.parent), source.name) is None:
        raise InputError(found="a document", expected="a table as CSV, for which a release file is written", at=data)
    if source.is_dir():
        raise InputError(found="a folder", expected="a table or records as CSV, Parquet, ...", at=data)
    _check_output(source, output)
    targets = {"--output": None if json == STREAM == output else output, "--json": json}
    check_targets(targets, inputs=(data,))
    policy = rules.to_policy()  # what was said wrongly is said before anything is read
    about = records.about()
    if about is None:
        document, notes = infer_document(source, policy=policy)
    else:
        document, notes = records_document(read_records(source), {"file": source.name}, source.stem, about, IN_A_FILE)
    asked = READERS if document.get("kind") == "count" else ""
    if rules.documents():
        document["policy"] = {"primary": [dict(rule) for _, rule in rules.documents()]}
    # A file may say its rules itself.
    open_ = "" if "policy" in document else f"{UNDECIDED}{in_release_file()}\n"
    text = write_document(document) + open_ + asked
    if targets["--output"] is not None:
        write_target(output, text)
    if json is not None:
        said: list[Json] = [{"code": note.code, "text": note.text, "count": note.count} for note in notes]
        write_target(json, dumps({"schema": "tableseal/init/1", "release": document, "notes": said}, indent=1))
    for note in notes:
        say(f"Assumed: {note.text}", error=True)
    return Code.DONE


def _check_output(data: Path, output: str) -> None:
    if output == STREAM:
        return
    path = Path(output)
    if path.suffix.lower() not in (".yaml", ".yml"):
        raise InputError(f"{path}: a release file is written as YAML; give it a name that ends in .yaml.")
    if path.exists():
        raise InputError("this file exists already and is left as it is; choose another name.", at=str(path))
    if path.resolve().parent != data.resolve().parent:
        raise InputError(
            f"{path}: a release file names files of its own folder only; write it to {data.resolve().parent}."
        )
