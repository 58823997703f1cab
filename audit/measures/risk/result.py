"""What was measured of the risk of one table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from tableseal.audit.codec.declared import HIDDEN, INLINE, SPARSE, Key, derived
from tableseal.audit.codec.kinds import Count
from tableseal.audit.measures.risk.assess_risk import PartRisk, RiskFormula, by_variable
from tableseal.audit.measures.risk.distribution import Distribution
from tableseal.audit.measures.risk.sample_risk import SampleRisk


@dataclass(frozen=True)
class RiskResult:
    """Disclosure risk of a whole frequency table.

    parts: the whole table first, then its slices; empty if only a sample is at hand.
    """

    schema: ClassVar[Literal["tableseal/risk/1"]] = "tableseal/risk/1"
    name: Annotated[str, "Name of the table.", Key("table")]
    formula: Annotated[RiskFormula, INLINE]
    parts: Annotated[tuple[PartRisk, ...], HIDDEN] = ()
    versions: Annotated[Count, "Protected versions measured; 0: the original alone."] = 0
    drawn: Annotated[
        Mapping[str, int], "Base (`rounding`) and `seed` of random roundings; empty if none were drawn."
    ] = field(default_factory=dict)
    sample: Annotated[SampleRisk | None, "What was estimated from a sample; null: no sample."] = None

    distribution: Annotated[
        Distribution | None, "How many cells have which counts; left out: not asked for.", SPARSE
    ] = None

    @derived(after="drawn")
    def whole(self) -> PartRisk | None:
        """The whole table; null: only a sample is at hand."""
        return self.parts[0] if self.parts else None

    @derived(after="whole")
    def rows(self) -> tuple[PartRisk, ...]:
        """Two-way tables: one for each code of the first variable."""
        return self._two_way[0]

    @derived(after="rows")
    def columns(self) -> tuple[PartRisk, ...]:
        """Two-way tables: one for each code of the second variable."""
        return self._two_way[1]

    @derived(after="columns")
    def slices(self) -> tuple[PartRisk, ...]:
        """Tables of more variables: one for each code of each."""
        groups = by_variable(self.parts)
        return () if len(groups) == 2 else tuple(part for group in groups for part in group)

    @property
    def _two_way(self) -> tuple[tuple[PartRisk, ...], ...]:
        groups = by_variable(self.parts)
        return groups if len(groups) == 2 else ((), ())
