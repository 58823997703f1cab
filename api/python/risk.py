"""`ts.risk`: disclosure risk of a whole table of counts."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from tableseal.api.options.option import Option, declared
from tableseal.api.options.risk import RiskOptions
from tableseal.api.python.counts import array_of, counts_of
from tableseal.api.python.keywords import AS_GIVEN, Bare, Reading, takes
from tableseal.api.python.result import Result
from tableseal.api.python.source import existing
from tableseal.api.python.to_frame import Column, Floats, Texts, numbers
from tableseal.api.reading import transition_matrix
from tableseal.audit.measures.risk.measure import measure
from tableseal.audit.measures.risk.result import RiskResult as Measured
from tableseal.audit.measures.risk.transition import GivenMatrix
from tableseal.audit.report.risk import risk_json, risk_text


@dataclass(frozen=True, kw_only=True)
class RiskKeywords(RiskOptions, Bare):
    """Keywords of `risk`."""

    protected: Annotated[
        object, AS_GIVEN, Option("The table after protection (its published values), as a release is given.")
    ] = None
    transition: Annotated[
        Any,
        AS_GIVEN,
        Option("The protected table was made with this matrix of transition probabilities (a file or array)."),
    ] = None


@dataclass(frozen=True, repr=False, eq=False)
class RiskResult(Result):
    """The risk of a table, its rows, columns and other parts.

    Examples
    --------
    >>> found = ts.risk([[10, 0, 3], [2, 5, 0]], rounding=3, replicates=100, seed=1)
    >>> found.before > found.after
    True
    >>> found.to_frame()["part"].to_list()[:3]
    ['whole table', 'row=1', 'row=2']
    """

    report: Measured

    @property
    def before(self) -> float | None:
        """R1 of the whole table; None where it is not defined or only a sample is at hand."""
        return self.report.parts[0].risk if self.report.parts else None

    @property
    def after(self) -> float | None:
        """R2 of the whole table, the mean of all protected versions; None without one."""
        end = self.report.parts[0].after if self.report.parts else None
        return None if end is None else end.risk.mean

    def to_json(self) -> str:
        """The result as JSON text, schema tableseal/risk/1."""
        return risk_json(self.report)

    def text(self) -> str:
        """The result in words."""
        return risk_text(self.report)

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        return {"definition": self.report.formula.definition, "R1": self.before, "R2": self.after}

    def columns(self) -> Mapping[str, Column]:
        """One row for the whole table and each of its parts; of a sample, one row for each figure."""
        document = self.document
        if document["sample"] is not None and document["whole"] is None:
            found = {
                k: v for k, v in document["sample"].items() if isinstance(v, int | float | dict) and k != "smoothing"
            }
            values = [v["mean"] if isinstance(v, dict) else v for v in found.values()]
            return {"figure": Texts(found), "value": Floats(values)}
        whole = [] if document["whole"] is None else [document["whole"]]
        parts = [*whole, *document["rows"], *document["columns"], *document["slices"]]
        names = [", ".join(f"{v}={c}" for v, c in part["where"].items()) or "whole table" for part in parts]
        counts: dict[str, Column] = {name: numbers([part[name] for part in parts]) for name in ("K", "N", "zeros")}
        figures = {
            name: Floats(part[name] for part in parts) for name in ("R1", "R2", "H_X", "H_X_given_Y", "HD", "utility")
        }
        return {"part": Texts(names), **counts, **figures, "undefined": Texts(part["undefined"] for part in parts)}


@takes(RiskKeywords)
def risk(data: object, keywords: RiskKeywords) -> RiskResult:
    """Measure the disclosure risk of a whole frequency table.

    R1 before and R2 after protection with the distance between the two tables, for the whole table, each row and each
    column; or, for a sample, estimates for the population. Counts of leaf cells only: totals are left out.

    Parameters
    ----------
    data: matrix of counts (array, nested lists, or a file without header), or what `read` takes; true values are used.
    {keywords}

    Raises
    ------
    InputError: what is given cannot be used, or options that do not belong together. LimitError: too large a table.

    Examples
    --------
    >>> round(ts.risk([[10, 0, 3], [2, 5, 0]]).before, 4)
    0.3498
    """
    said = Reading(**{name: getattr(keywords, name) for name in (one.name for one in declared(Bare))})
    first, origin = counts_of(data, said, table=keywords.table, all_cells=keywords.all_cells)
    second = None
    if keywords.protected is not None:
        # Sums that protection happens to make are no margins.
        second, _ = counts_of(keywords.protected, said, table=keywords.table, all_cells=True, published=True)
    return RiskResult(origin, measure(first, keywords.settings(second, _transition(keywords.transition))))


def _transition(given: Any) -> GivenMatrix | None:
    if given is None:
        return None
    if isinstance(given, str | os.PathLike):
        return transition_matrix(existing(given, "a matrix of numbers, or the path of a file of them"))
    return GivenMatrix(array_of(given, "transition").astype(np.float64))
