"""Who gets too close to what."""

from dataclasses import dataclass, field

from audit.measures.insiders.formulas import End
from audit.model import Note


@dataclass(frozen=True)
class Insider:
    """Who gets too close, and the ends (in units) between which they can place the target."""

    who: str
    lower: End
    upper: End

    @property
    def width(self) -> float:
        """Width of the estimate, infinite without a limit."""
        return float("inf") if self.lower is None or self.upper is None else float(self.upper - self.lower)


@dataclass(frozen=True)
class InsiderAudit:
    """What insiders get, per open cell (position among the open cells).

    findings: the closest insider of each cell that one gets too close to.
    open: cells for which it is not shown that no insider gets too close (a limit was reached).
    """

    findings: dict[int, Insider]
    open: frozenset[int]
    notes: tuple[Note, ...]


@dataclass
class Gathered:
    """Findings so far."""

    findings: dict[int, Insider] = field(default_factory=dict)
    open: set[int] = field(default_factory=set)

    def too_close(self, k: int, insider: Insider) -> None:
        """It is proved that an insider gets too close to cell k; the closest one is kept."""
        if k not in self.findings or insider.width < self.findings[k].width:
            self.findings[k] = insider
