"""Shape of a plan file: pydantic models, the source of its JSON Schema."""

from typing import Any

from pydantic import Field

from tableseal.audit.io.document import (
    CodeOrCodes,
    ConsentDocument,
    IntruderDocument,
    MeasureDocument,
    MicrodataDocument,
    PolicyOrFile,
    TableDocument,
    VariableDocument,
)
from tableseal.audit.io.document_types import Model, Positive, Text
from tableseal.audit.io.schemas import document_schema

VERSION_KEY = "tableseal-plan"
"""Key that makes a document a plan; its value is the version of the format, 1."""


class PlannedTableDocument(TableDocument):
    """A table that is owed: made of the microdata (`by`, in which `variable@level` names a level), or finished."""

    population: Text | None = Field(default=None, description="whom it is about; one of `populations`, or just a name")


class ClusterDocument(Model):
    """What holds for one cluster of tables and not for all."""

    policy: PolicyOrFile | None = None
    method: Text | None = Field(default=None, description="search method, as `suppress --method`")
    time_limit: Positive | None = Field(default=None, description="seconds of its search")


class PlanDocument(Model):
    """The tables that an agency owes, and what they are made of."""

    title: Text = ""
    date: Text | None = Field(default=None, description="YYYY-MM-DD, day of publication")
    measures: dict[str, MeasureDocument] = Field(default={})
    variables: dict[str, VariableDocument] = Field(default={})
    populations: dict[str, dict[str, CodeOrCodes]] = Field(
        default={}, description="name -> variable -> code or codes: the records that its tables are made of"
    )
    equations: list[Text] = Field(default=[], description="between measures: total = part + other part")
    tables: list[PlannedTableDocument] = Field(default=[])
    sheet: Text | None = Field(default=None, description="a CSV file or sheet with a row a table, besides `tables`")
    microdata: MicrodataDocument | None = None
    consent: list[ConsentDocument] = Field(default=[])
    accept: list[ConsentDocument] = Field(default=[])
    intruder: IntruderDocument = Field(default_factory=IntruderDocument)
    policy: PolicyOrFile | None = None
    method: Text | None = Field(
        default=None, description="search method of all clusters; left out: as `suppress` has it"
    )
    time_limit: Positive | None = Field(default=None, description="seconds of the search of a cluster")
    clusters: dict[str, ClusterDocument] = Field(default={}, description="name of a cluster -> what holds for it alone")


def plan_schema() -> dict[str, Any]:
    """JSON Schema of a plan file (`tableseal schema plan-file`)."""
    found = document_schema(PlanDocument, "plan-file")
    version = {"enum": [1, "1"], "description": "version of the format"}
    return {**found, "required": [VERSION_KEY], "properties": {VERSION_KEY: version, **found["properties"]}}
