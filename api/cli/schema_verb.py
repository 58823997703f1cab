"""`tableseal schema`: the JSON Schemas of what is read and written."""

import json as json_text
from enum import StrEnum
from typing import Annotated

import typer

from api.cli.exit_codes import Code
from api.cli.options import JsonOption
from api.cli.streams import STREAM, check_targets, write_target


class Subject(StrEnum):
    """What has a schema."""

    RELEASE = "release"
    POLICY = "policy"
    REPORT = "report"
    RISK = "risk"


def schema_verb(
    subject: Annotated[Subject, typer.Argument(help="Which schema.", show_default=False)],
    json: JsonOption = None,
) -> Code:
    """Print a JSON Schema: release, policy, report or risk.

    Example: tableseal schema release --json release.schema.json
    """
    target = STREAM if json is None else json
    check_targets({"--json": target})
    write_target(target, json_text.dumps(_schema(subject), indent=2, ensure_ascii=False) + "\n")
    return Code.DONE


def _schema(subject: Subject) -> object:
    if subject is Subject.REPORT:
        from audit.report import report_schema

        return report_schema()
    if subject is Subject.RISK:
        from audit.report.schema import risk_schema

        return risk_schema()
    from audit.io import policy_schema, release_schema

    return release_schema() if subject is Subject.RELEASE else policy_schema()
