"""What attackers find out: who gets too close to what."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from tableseal.audit.attackers.estimates import Interval
from tableseal.audit.bounds.component import TargetBounds
from tableseal.audit.model import Note

Whose = Literal["value", "largest", "second_largest", "largest_of_others"]
"""What an attacker estimates: the value of the cell, or a contribution to it."""

Verdict = Literal["too close", "too close by rank", "far enough", "open"]
"""too close: by what is proved. too close by rank: whatever is withheld. far enough: by tables in hand. open: neither
is shown (a limit was reached)."""


@dataclass(frozen=True)
class Finding:
    """Who gets too close to what, and the ends (in units) between which they can place it."""

    who: str
    whose: Whose
    lower: int | None
    upper: int | None

    @property
    def width(self) -> float:
        """Width of the estimate, infinite without a limit."""
        return float("inf") if self.lower is None or self.upper is None else float(self.upper - self.lower)


@dataclass(frozen=True)
class Answer:
    """To one question about a cell (position among the open cells). finding: None where nobody is too close."""

    cell: int
    verdict: Verdict
    finding: Finding | None = None


@dataclass(frozen=True)
class InsiderAudit:
    """What insiders get, per open cell (position among the open cells).

    findings: the closest insider of each cell that one gets too close to.
    ranks: contributors who are too close to each other by what their ranks say, whatever is withheld; they are not in
        `findings`.
    open: cells for which it is not shown that no insider gets too close (a limit was reached).
    closest: who places another most narrowly, too close or not: one of the cell's own contributors, who subtracts what
        it gave, or the one in `findings`.
    """

    findings: Mapping[int, Finding]
    ranks: Mapping[int, Sequence[Finding]]
    open: frozenset[int]
    notes: tuple[Note, ...]
    closest: Mapping[int, Finding]


def gathered(
    answers: Iterable[Answer], notes: tuple[Note, ...], estimates: Iterable[tuple[int, Finding]]
) -> InsiderAudit:
    """All answers together; of those who are too close to a cell the closest is kept, of equals the first.

    estimates: (cell, what one of its contributors concludes), too close or not.
    """
    findings: dict[int, Finding] = {}
    ranks: dict[int, list[Finding]] = {}
    left: set[int] = set()
    for answer in answers:
        cell, finding = answer.cell, answer.finding
        if answer.verdict == "open":
            left.add(cell)
        elif finding is not None and answer.verdict == "too close by rank":
            ranks.setdefault(cell, []).append(finding)
        elif finding is not None and (cell not in findings or finding.width < findings[cell].width):
            findings[cell] = finding
    closest: dict[int, Finding] = {}
    for cell, found in chain(estimates, findings.items()):
        if cell not in closest or found.width < closest[cell].width:
            closest[cell] = found
    return InsiderAudit(findings, ranks, frozenset(left - findings.keys()), notes, closest)


def outer_ends(bounds: TargetBounds) -> Interval:
    """What is not proved impossible."""
    return bounds.lower.outer, bounds.upper.outer


def attained_ends(bounds: TargetBounds) -> Interval | None:
    """What whole-unit tables in hand reach; None if there is none."""
    ends = bounds.lower, bounds.upper
    if any(end.attained is None and not end.unlimited for end in ends):
        return None
    low, high = (None if end.unlimited else end.attained for end in ends)
    return low, high
