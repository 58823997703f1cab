"""What a table generator says: an answer, or a refusal with its reason. Users see the public part of it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal

from tableseal.audit.codec.declared import HIDDEN, PUBLIC, SPARSE, derived
from tableseal.audit.hypercube.model import Ints
from tableseal.audit.hypercube.question import Question
from tableseal.suppression.generator.figures import Figures
from tableseal.suppression.generator.nearest import Nearest
from tableseal.suppression.generator.rules import Blocked, TooMuch


@dataclass(frozen=True)
class Answer:
    """A table that is given."""

    variables: Annotated[tuple[str, ...], "That span it.", PUBLIC]
    codes: Annotated[tuple[tuple[str, ...], ...], "Of each variable.", PUBLIC]
    shown: Annotated[Ints, HIDDEN, PUBLIC]
    figures: Annotated[Figures, PUBLIC]
    left_out: Annotated[tuple[str, ...], "Areas that rules block.", PUBLIC, SPARSE]
    question: Annotated[Question, HIDDEN, PUBLIC]
    measure: Annotated[str | None, "Of which the values are sums; left out: they are counts.", PUBLIC, SPARSE] = None
    unit: Annotated[Fraction | None, "Sums are whole multiples of it.", PUBLIC, SPARSE] = None

    @derived(after="codes")
    def values(self) -> Annotated[tuple[int | Fraction, ...], PUBLIC]:
        """Published counts or sums, row by row: the last variable changes first."""
        shown, unit = self.shown.tolist(), self.unit or Fraction(1)
        return tuple(value * unit.numerator if unit.denominator == 1 else value * unit for value in shown)


@dataclass(frozen=True)
class RiskAbove:
    """The risk of the whole table is above the policy's limit."""

    when: Annotated[Literal["before", "after"], "Of the true table, or after protection.", PUBLIC]
    found: Annotated[float | None, "Made of true counts, so that users are not told.", SPARSE]
    allowed: Annotated[float, PUBLIC]


@dataclass(frozen=True)
class MemoryFound:
    """What stands against a table together with earlier answers."""

    cells: Annotated[
        tuple[tuple[int, ...], ...], "Base cells whose small count would be the only one that fits; positions of codes."
    ]
    seen: Annotated[int, "Small sets of units that would be known better than the policy allows."]
    contributors: Annotated[int, "Contributors of whom more would be known than it allows."] = 0


Reason = Literal["asked", "measure", "held", "risk", "memory"]
"""asked: more than may be asked. measure: no sums are given, only counts. held: what the table holds. risk: of the
whole table. memory: together with earlier answers."""

SENTENCES: dict[Reason, str] = {
    "asked": "More was asked than the policy allows.",
    "measure": "Counts alone are answered here: the policy gives no sums, or who contributes to them is not kept.",
    "held": "Rules block what the table holds.",
    "risk": "The risk of the whole table is above the limit.",
    "memory": "Together with earlier answers, small counts or single contributions would come back.",
}


@dataclass(frozen=True)
class Refusal:
    """A table that is not given, why, and what would be given instead."""

    reason: Annotated[Reason, PUBLIC]
    asked: Annotated[tuple[TooMuch, ...], PUBLIC, SPARSE] = ()
    held: Annotated[tuple[Blocked, ...], "The first ones.", PUBLIC, SPARSE] = ()
    areas: Annotated[int, "How many areas rules block.", PUBLIC] = 0
    risk: Annotated[RiskAbove | None, PUBLIC, SPARSE] = None
    memory: Annotated[MemoryFound | None, SPARSE] = None
    nearest: Annotated[tuple[Nearest, ...], "Tables that pass, those that keep most cells first.", PUBLIC] = ()

    @derived(after="reason")
    def sentence(self) -> Annotated[str, PUBLIC]:
        """The reason in words."""
        return SENTENCES[self.reason]
