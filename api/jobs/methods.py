"""What a search or a comparison keeps of its methods in a few figures, to be shown beside those of others."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from tableseal.api.store.job import Document

if TYPE_CHECKING:
    from tableseal.suppression.answer import Suppression
    from tableseal.suppression.comparison.compare import Comparison

METHODS = "methods.json"
"""The file with the figures."""


@dataclass(frozen=True)
class MethodFigures:
    """One method, in words. costs: what a cell costs ("column" and so on); - stands for what there is not."""

    method: str
    verdict: str
    secondary: str
    cost: str
    gap: str
    costs: str


def figures_of_search(result: "Suppression") -> Document:
    """Of a search: its own."""
    from fractions import Fraction

    from tableseal.audit.report.words import HTML, number

    gap = result.found.gap
    told = gap is not None and (result.found.bound > 0 or result.found.status == "optimal")
    cost = number(Fraction(result.found.cost, result.problem.scale), HTML)
    secondary = number(result.secondary, HTML)
    share = f"{100 * gap:.3g}%" if told and gap is not None else "-"
    return _document([MethodFigures(result.method, result.verdict, secondary, cost, share, result.costs.kind)])


def figures_of_comparison(comparison: "Comparison") -> Document:
    """Of a comparison: those of the methods that withhold cells."""
    from tableseal.suppression.comparison.text import cost_of, gap_of, secondary_of

    return _document(
        [
            MethodFigures(
                one.method,
                "failed" if one.protection is None else one.protection.verdict,
                secondary_of(comparison, one),
                cost_of(comparison, one),
                gap_of(one),
                "column",
            )
            for one in comparison.outcomes
            if one.found is not None
        ]
    )


def figures_in(content: bytes) -> Sequence[MethodFigures]:
    """What was kept; nothing of jobs of earlier versions."""
    return [MethodFigures(**one) for one in json.loads(content or b"[]")]


def _document(found: Sequence[MethodFigures]) -> Document:
    return Document(METHODS, "application/json", json.dumps([asdict(one) for one in found]).encode())
