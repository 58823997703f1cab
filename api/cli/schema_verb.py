"""`tableseal schema`: the JSON Schemas of what is read and written."""

import json as json_text
from enum import StrEnum
from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.streams import STREAM, check_targets, write_target
from tableseal.api.options.shared import JsonFile
from tableseal.api.schemas import SCHEMAS, schema

Subject = StrEnum("Subject", {word.upper().replace("-", "_"): word for word in SCHEMAS})  # type: ignore[misc]


def schema_verb(
    subject: Annotated[Subject, typer.Argument(help="Which schema.", show_default=False)],
    json: JsonFile = None,
) -> Code:
    """Print a JSON Schema: release, policy, report, risk, sap, attack, reconstruction, suppression, protection,
    comparison, proof, hypercube, request, generator-attack, plan-file, plan, published, certificate, run, batch,
    publication or publication-audit.

    Example: tableseal schema release --json release.schema.json
    """
    target = STREAM if json is None else json
    check_targets({"--json": target})
    write_target(target, json_text.dumps(schema(subject), indent=2, ensure_ascii=False) + "\n")
    return Code.DONE
