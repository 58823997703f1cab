"""`tableseal schema`: the JSON Schemas of what is read and written."""

import json as json_text
from enum import StrEnum
from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.streams import STREAM, check_targets, write_target
from tableseal.api.options.shared import JsonFile


class Subject(StrEnum):
    """What has a schema."""

    RELEASE = "release"
    POLICY = "policy"
    REPORT = "report"
    RISK = "risk"
    PROOF = "proof"
    SAP = "sap"
    SUPPRESSION = "suppression"
    COMPARISON = "comparison"
    BATCH = "batch"
    PUBLICATION = "publication"
    PUBLICATION_AUDIT = "publication-audit"


def schema_verb(
    subject: Annotated[Subject, typer.Argument(help="Which schema.", show_default=False)],
    json: JsonFile = None,
) -> Code:
    """Print a JSON Schema: release, policy, report, risk, sap, suppression, comparison, proof, batch, publication or
    publication-audit.

    Example: tableseal schema release --json release.schema.json
    """
    target = STREAM if json is None else json
    check_targets({"--json": target})
    write_target(target, json_text.dumps(_schema(subject), indent=2, ensure_ascii=False) + "\n")
    return Code.DONE


def _schema(subject: Subject) -> object:
    if subject is Subject.PROOF:
        from tableseal.audit.proof import proof_schema

        return proof_schema()
    if subject is Subject.SUPPRESSION:
        from tableseal.suppression.report.schema import suppression_schema

        return suppression_schema()
    if subject is Subject.BATCH:
        from tableseal.audit.batch import batch_schema

        return batch_schema()
    if subject in (Subject.PUBLICATION, Subject.PUBLICATION_AUDIT):
        from tableseal.audit.publications import publication_schema

        return publication_schema("publication" if subject is Subject.PUBLICATION else "publication-audit")
    if subject in (Subject.RELEASE, Subject.POLICY):
        from tableseal.audit.io import policy_schema, release_schema

        return release_schema() if subject is Subject.RELEASE else policy_schema()
    if subject is Subject.COMPARISON:
        from tableseal.suppression.comparison.to_json import comparison_schema

        return comparison_schema()
    from tableseal.audit.report.schema import report_schema, risk_schema, sap_schema

    return {Subject.REPORT: report_schema, Subject.RISK: risk_schema, Subject.SAP: sap_schema}[subject]()
