"""Shape of a policy file: pydantic models, the single source of its JSON Schema."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Discriminator, Field, Tag

from tableseal.audit.io.document_types import (
    TAG,
    Count,
    Flag,
    Model,
    NonNegative,
    Percent,
    Positive,
    Rank,
    Share,
    Text,
    shape,
)

ProtectionPercent = Annotated[
    NonNegative | None, Field(description="required distance on each side, in percent of the cell's value")
]

LevelField = Annotated[
    Literal["holding", "unit"],
    Field(description="who is one contributor: a holding with all its units, or each unit (from the microdata)"),
]


class ThresholdRule(Model):
    """Minimum frequency: a cell with fewer respondents is sensitive."""

    threshold: Count = Field(description="fewest respondents (for counts: smallest value) that is not sensitive")
    of: Literal["respondents", "weighted"] = Field(
        default="respondents", description="weighted: weights are counted, not who answered"
    )
    zeros: Flag = Field(default=False, description="zero cells are sensitive too")
    protection_percent: ProtectionPercent = None
    level: LevelField = "holding"


class DominanceParameters(Model):
    """Parameters of the (n,k) rule."""

    n: Rank = Field(description="number of largest contributions")
    k: Percent = Field(description="their largest share of the cell, in percent")


class DominanceRule(Model):
    """(n,k) dominance: the n largest contributions make up more than k percent of the cell."""

    dominance: DominanceParameters
    level: LevelField = "holding"


class PPercentRule(Model):
    """p% rule: the second largest contributor can estimate the largest to within p percent."""

    p_percent: Positive
    level: LevelField = "holding"


class PQParameters(Model):
    """Parameters of the pq rule."""

    p: Positive = Field(description="precision in percent to which no contribution may be estimated")
    q: Percent = Field(description="precision in percent to which contributions are known beforehand")


class PQRule(Model):
    """pq rule: as p%, where contributions are known beforehand to within q percent."""

    pq: PQParameters
    level: LevelField = "holding"


class EntropyRule(Model):
    """Relative entropy of the contributions below a limit (needs microdata)."""

    entropy: Positive = Field(description="smallest relative entropy H / log2 N that is not sensitive, at most 1")
    protection_percent: ProtectionPercent = None
    level: LevelField = "holding"


class RequestParameters(Model):
    """Parameters of the request rule."""

    percent: Percent | None = Field(
        default=None, description="smallest share of the cell that counts; left out: any share"
    )


class RequestRule(Model):
    """A contributor asked for protection."""

    request: Annotated[
        Annotated[Flag, Tag(TAG + "text")] | Annotated[RequestParameters, Tag(TAG + "mapping")],
        Discriminator(shape),
    ]
    protection_percent: ProtectionPercent = None


class AttributeParameters(Model):
    """Parameters of the attribute rule."""

    given: list[Text] = Field(min_length=1, description="variables that the intruder knows of a person")
    populated: Count = Field(default=1, description="a line whose total sits in at most this many cells is disclosive")


class AttributeRule(Model):
    """Attribute disclosure in counts: all members of a group share a characteristic."""

    attribute: AttributeParameters


RULES: dict[str, type[Model]] = {
    "threshold": ThresholdRule,
    "dominance": DominanceRule,
    "p_percent": PPercentRule,
    "pq": PQRule,
    "entropy": EntropyRule,
    "request": RequestRule,
    "attribute": AttributeRule,
}


def _rule(value: Any) -> str:
    """Branch of a rule: by the key that names it."""
    if isinstance(value, BaseModel):
        value = type(value).model_fields
    named = [name for name in RULES if isinstance(value, Mapping) and name in value]
    return TAG + (named[0] if named else "none")


RuleDocument = Annotated[
    Annotated[ThresholdRule, Tag(TAG + "threshold")]
    | Annotated[DominanceRule, Tag(TAG + "dominance")]
    | Annotated[PPercentRule, Tag(TAG + "p_percent")]
    | Annotated[PQRule, Tag(TAG + "pq")]
    | Annotated[EntropyRule, Tag(TAG + "entropy")]
    | Annotated[RequestRule, Tag(TAG + "request")]
    | Annotated[AttributeRule, Tag(TAG + "attribute")],
    Discriminator(_rule),
]


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
    implied: Literal["any", "judged"] = Field(
        default="any", description="judged: cells that can be computed and that no rule can judge make it undecided"
    )


class InsiderDocument(Model):
    """How near an insider may come."""

    p_percent: Positive = Field(
        default_factory=lambda: Fraction(10),
        description="an estimate within this percentage of the target is too close; left out: 10",
    )


Letter = Annotated[Text, Field(max_length=20)]


class ReasonsDocument(Model):
    """Why a cell is withheld -> the letter that says so in protected files."""

    threshold: Letter | None = None
    dominance_by_one: Letter | None = Field(default=None, description="(1, k); left out: as dominance")
    dominance_by_two: Letter | None = Field(default=None, description="(2, k); left out: as dominance")
    dominance: Letter | None = None
    pq: Letter | None = Field(default=None, description="p% rules, too")
    entropy: Letter | None = None
    request: Letter | None = None
    attribute: Letter | None = None
    status: Letter | None = Field(default=None, description="by its status, no rule says why")
    secondary: Letter | None = Field(default=None, description="to protect other cells")


class PolicyDocument(Model):
    """One agency's disclosure policy."""

    primary: list[RuleDocument] = Field(default=[], description="rules that make a cell sensitive")
    require: RequireDocument = Field(default_factory=RequireDocument)
    insider: InsiderDocument = Field(default_factory=InsiderDocument)
    implied: Literal["all", "computed", "off"] = Field(
        default="all",
        description="cells that no row lists: all that affordable bounds show to be sensitive, computed ones, or none",
    )
    reasons: ReasonsDocument | None = Field(
        default=None, description="letters that say in protected files why a cell is withheld, where statuses are told"
    )
