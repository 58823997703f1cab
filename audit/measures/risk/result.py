"""What was measured of the risk of one table."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tableseal.audit.measures.risk.assess_risk import PartRisk, RiskFormula
from tableseal.audit.measures.risk.sample_risk import SampleRisk, SampleSettings


@dataclass(frozen=True)
class RiskResult:
    """The risk of one table.

    Attributes
    ----------
    name: of the table.
    parts: the whole table first, then its slices; empty if only a sample is at hand.
    versions: how many protected versions there were (0: none, 1: the protected table).
    drawn: how they were drawn (rounding base, seed); empty if they were not.
    sample, sample_settings: estimates from a sample, and how they were made.
    """

    name: str
    formula: RiskFormula
    parts: tuple[PartRisk, ...] = ()
    versions: int = 0
    drawn: Mapping[str, int] = field(default_factory=dict)
    sample: SampleRisk | None = None
    sample_settings: SampleSettings | None = None
