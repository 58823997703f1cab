"""Shape of a plan file: pydantic models, the source of its JSON Schema."""

from typing import Any

from pydantic import Field

from tableseal.audit.io.agency_document import MicrodataDocument, PtableDocument, TransitionDocument
from tableseal.audit.io.document import (
    CodeOrCodes,
    ConsentDocument,
    IntruderDocument,
    MeasureDocument,
    PolicyOrFile,
    PreviousDocument,
    TableDocument,
    VariableDocument,
)
from tableseal.audit.io.document_types import Flag, Model, Positive, Rank, Tally, Text
from tableseal.audit.io.schemas import file_schema

VERSION_KEY = "tableseal-plan"
"""Key that makes a document a plan; its value is the version of the format, 1."""


_METHOD = "of `suppress --method`, or of `protect --method`, which changes values"
_SETTINGS = "of a method that changes values, by the names of the options of `protect`: {base: 5}"
_SEED = "of all that the method draws"


class MethodDocument(Model):
    """How something is protected, where it is not as the plan says of all."""

    method: Text | None = Field(default=None, description=_METHOD)
    settings: dict[str, Any] = Field(default={}, description=_SETTINGS)
    seed: Tally | None = Field(default=None, description=_SEED)
    time_limit: Positive | None = Field(default=None, description="seconds of its method")


class PlannedTableDocument(TableDocument, MethodDocument):
    """A table that is owed: made of the microdata (`by`, in which `variable@level` names a level), or finished. Its
    method is that of all tables of its cluster."""

    population: Text | None = Field(default=None, description="whom it is about; one of `populations`, or just a name")


class CombinationsDocument(MethodDocument):
    """Tables of all combinations of variables, such as all pairs of region, activity and size."""

    measures: list[Text] = Field(default=[], description="of which there is a table each; left out: all measures")
    choose: Rank = Field(description="how many variables a table has (2: all pairs)")
    of: list[Text] = Field(description="the variables, in which `variable@level` names a level")
    population: Text | None = Field(default=None, description="whom the tables are about")


class ClusterDocument(MethodDocument):
    """What holds for one cluster of tables and not for all."""

    policy: PolicyOrFile | None = None


class PlanDocument(Model):
    """The tables that an agency owes, and what they are made of."""

    title: Text = ""
    date: Text | None = Field(default=None, description="YYYY-MM-DD, day of publication")
    period: Text | None = Field(
        default=None,
        description="what this period is called: under a name that holds several, figures are told apart by it",
    )
    measures: dict[str, MeasureDocument] = Field(default={})
    variables: dict[str, VariableDocument] = Field(default={})
    populations: dict[str, dict[str, CodeOrCodes]] = Field(
        default={}, description="name -> variable -> code or codes: the part of all that its tables are about"
    )
    equations: list[Text] = Field(default=[], description="between measures: total = part + other part")
    tables: list[PlannedTableDocument] = Field(default=[])
    combinations: list[CombinationsDocument] = Field(default=[], description="tables of all pairs of variables, ...")
    sheet: Text | None = Field(default=None, description="a CSV file or sheet with a row a table, besides `tables`")
    template: Text | None = Field(
        default=None,
        description="a CSV file or sheet with a row for each cell that is owed, which some table has to have",
    )
    microdata: MicrodataDocument | None = None
    ptable: PtableDocument | None = Field(default=None, description="of the method cell-key")
    transition: TransitionDocument | None = Field(default=None, description="of the method perturbation")
    previous: PreviousDocument | None = Field(
        default=None, description="what is out of an earlier period, and how much values may have changed"
    )
    near_previous: Flag | None = Field(
        default=None, description="cells that the earlier period withheld are cheaper to withhold; left out: they are"
    )
    consent: list[ConsentDocument] = Field(default=[])
    accept: list[ConsentDocument] = Field(default=[])
    intruder: IntruderDocument = Field(default_factory=IntruderDocument)
    policy: PolicyOrFile | None = None
    method: Text | None = Field(default=None, description=f"{_METHOD}; left out: as `suppress` has it")
    settings: dict[str, Any] = Field(default={}, description=_SETTINGS)
    seed: Tally | None = Field(default=None, description=_SEED)
    time_limit: Positive | None = Field(default=None, description="seconds of the method of a cluster")
    clusters: dict[str, ClusterDocument] = Field(default={}, description="name of a cluster -> what holds for it alone")


def plan_schema() -> dict[str, Any]:
    """JSON Schema of a plan file (`tableseal schema plan-file`)."""
    schema = file_schema(PlanDocument, "plan-file")
    version = {VERSION_KEY: {"enum": [1, "1"], "description": "version of the format"}}
    return {**schema, "properties": {**version, **schema["properties"]}, "required": [VERSION_KEY]}
