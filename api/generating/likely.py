"""What may be said of a request before it is asked: its size, and the likely verdict.

Made of what everybody may know and of nothing else: the sizes of levels, the policy, and how many units the hypercube
counts in all. A look at true counts would be an answer that no memory keeps.
"""

from dataclasses import dataclass
from typing import Literal

from tableseal.audit.hypercube.model import Hypercube
from tableseal.audit.hypercube.request import TableRequest
from tableseal.suppression.generator.policy import Limit
from tableseal.suppression.generator.result import Refusal
from tableseal.suppression.generator.steps import Generator, refused_as_asked


@dataclass(frozen=True)
class Doubt:
    """A rule that a table with evenly spread units would break. area: each area by itself, not the whole table."""

    rule: Literal["population", "mean_cell"]
    area: bool
    found: float
    allowed: float


@dataclass(frozen=True)
class Likely:
    """What is expected of a request.

    Attributes
    ----------
    shape: of the table. areas: how many there are. mean: units a cell, on average; at_most: the table may hold fewer
        units, because it chooses some. refusal: more is asked than the policy allows, whatever the table holds.
    """

    shape: tuple[int, ...]
    cells: int
    areas: int
    mean: float
    at_most: bool
    refusal: Refusal | None
    doubts: tuple[Doubt, ...]

    @property
    def verdict(self) -> Literal["refused", "unlikely", "possible"]:
        """refused for certain; unlikely to be answered in full; it may well be answered."""
        if self.refusal is not None:
            return "refused"
        return "unlikely" if self.doubts else "possible"


def likely(request: TableRequest, about: Hypercube, generator: Generator) -> Likely:
    """The likely verdict on a request. It reads no cell of the hypercube."""
    question = request.question
    places = [len(axis.codes) for axis in question.axes if generator.variables[axis.variable].areas]
    areas, cells = 1, question.size
    for number in places:
        areas *= number
    chosen = [*question.where, *request.part, *(axis for axis in question.axes if (axis.of_leaf < 0).any())]
    rules = generator.policy.rules
    found: list[Doubt] = []
    for rule, limit, whole, area in (
        ("population", rules.population, float(about.units), about.units / areas),
        ("mean_cell", rules.mean_cell, about.units / cells, about.units / cells),
    ):
        found += _doubts(rule, limit, whole, area)  # type: ignore[arg-type]  # the names stand just above
    return Likely(
        question.shape,
        cells,
        areas,
        about.units / cells,
        bool(chosen),
        refused_as_asked(question, generator),
        tuple(found),
    )


def _doubts(rule: Literal["population", "mean_cell"], limit: Limit, whole: float, area: float) -> list[Doubt]:
    sides = ((False, limit.table, whole), (True, limit.area, area))
    return [
        Doubt(rule, by_area, found, float(allowed))
        for by_area, allowed, found in sides
        if allowed is not None and found < allowed
    ]
