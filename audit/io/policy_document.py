"""Shape of a policy file: pydantic models, the single source of its JSON Schema."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field

from tableseal.audit.io.document_types import Count, Flag, Model, Positive, Share
from tableseal.audit.io.rule_document import AnyRule, Letters
from tableseal.audit.rules.rule import Rule


class SapDocument(Model):
    """How likely subtraction of known units may recover a zero; for one measure of counts with true values."""

    n: Count = Field(description="number of random units that the intruder knows")
    max: Share = Field(description="largest probability allowed")


class RequireDocument(Model):
    """What a release must satisfy."""

    exposed: Flag = Field(default=False, description="true: exposed sensitive cells are accepted")
    protection: Flag = Field(default=True, description="required protection levels are enforced")
    basis: Literal["any", "integer"] = Field(default="any", description="integer: a continuous witness is not enough")
    risk: Positive | None = Field(default=None, description="largest disclosure risk 1/log2(possible values) allowed")
    sap: SapDocument | None = Field(default=None, description="limit on the subtraction-attribution probability")
    table_risk: Share | None = Field(
        default=None, description="largest risk of a whole table of counts allowed: R1, of changed counts R2"
    )
    table_risk_measure: Literal["a14", "s15", "s15-split"] = Field(
        default="a14", description="by which definition whole tables are judged: that of 2014, or one of 2015"
    )
    confidence: Share | None = Field(
        default=None,
        description="changed counts: largest share of the published small ones that may be the true ones",
    )
    implied: Literal["any", "judged"] = Field(
        default="any", description="judged: cells that can be computed and that no rule can judge make it undecided"
    )


class InsiderDocument(Model):
    """How near an insider may come."""

    p_percent: Positive = Field(
        default_factory=lambda: Fraction(10),
        description="an estimate within this percentage of the target is too close; left out: 10",
    )


class PolicyDocument(Model):
    """One agency's disclosure policy."""

    primary: list[Annotated[Rule | None, AnyRule]] = Field(default=[], description="rules that make a cell sensitive")
    require: RequireDocument = Field(default_factory=RequireDocument)
    insider: InsiderDocument = Field(default_factory=InsiderDocument)
    implied: Literal["all", "computed", "off"] = Field(
        default="all",
        description="cells that no row lists: all that affordable bounds show to be sensitive, computed ones, or none",
    )
    reasons: Annotated[Mapping[str, str] | None, Letters] = Field(
        default=None, description="letters that say in protected files why a cell is withheld, where statuses are told"
    )
