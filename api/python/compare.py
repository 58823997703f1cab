"""`ts.compare`: several methods of protection side by side."""

from collections.abc import Mapping
from dataclasses import dataclass

from tableseal.api.options.compare import CompareOptions
from tableseal.api.python.advice import InPython
from tableseal.api.python.keywords import Reading, Running, takes
from tableseal.api.python.result import Result
from tableseal.api.python.running import telling, working
from tableseal.api.python.source import given
from tableseal.api.python.to_frame import Column, Floats, Texts, numbers
from tableseal.api.suppressing import run_comparison
from tableseal.suppression.comparison.compare import Comparison
from tableseal.suppression.comparison.document import comparison_json
from tableseal.suppression.comparison.html import comparison_html
from tableseal.suppression.comparison.text import cheapest, comparison_text


@dataclass(frozen=True, kw_only=True)
class CompareKeywords(Running, CompareOptions, Reading):
    """Keywords of `compare`."""


@dataclass(frozen=True, repr=False, eq=False)
class CompareResult(Result):
    """Methods side by side. Confidential.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({
    ...     "district": ["N", "N", "N", "S", "S", "S", "T", "T", "T"],
    ...     "sex": ["F", "M", "T"] * 3,
    ...     "persons": [2, 17, 19, 14, 21, 35, 16, 38, 54],
    ... })
    >>> found = ts.compare(frame, value="persons", threshold=5, methods=["optimal", "elimination"])
    >>> found.to_frame().select("method", "verdict", "cost").rows()
    [('optimal', 'safe', 52), ('elimination', 'safe', 52)]
    """

    comparison: Comparison

    @property
    def best(self) -> str | None:
        """The method whose pattern is safe and cheapest; None: no method that withholds cells is safe."""
        found = cheapest(self.comparison)
        return None if found is None else found.method

    @property
    def stopped_by(self) -> str | None:
        """`time` if the time limit left something of a method open; else None."""
        outcomes = self.comparison.outcomes
        notes = [note.code for outcome in outcomes if outcome.report is not None for note in outcome.report.notes]
        return "time" if "time_limit" in notes or any(outcome.stopped_by for outcome in outcomes) else None

    def to_json(self) -> str:
        """The comparison as JSON text, schema tableseal/comparison/1."""
        return comparison_json(self.comparison)

    def to_html(self) -> str:
        """The comparison as one self-contained page."""
        return comparison_html(self.comparison)

    def text(self) -> str:
        """The comparison in words."""
        return comparison_text(self.comparison, asked=InPython("compare"))

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        verdicts = {o.method: o.protection.verdict if o.protection else "failed" for o in self.comparison.outcomes}
        return {"best": self.best, "verdicts": verdicts, "stopped_by": self.stopped_by}

    def columns(self) -> Mapping[str, Column]:
        """One row a method; risk and utility are those of the table with the largest R2."""
        worst = [None if o.changes is None else o.changes.worst for o in self.comparison.outcomes]
        outcomes = self.document["methods"]
        protections = [outcome["protection"] or {} for outcome in outcomes]
        return {
            "method": Texts(outcome["method"] for outcome in outcomes),
            "verdict": Texts(protection.get("verdict") for protection in protections),
            **{name: Texts(outcome[name] for outcome in outcomes) for name in ("status", "guarantee")},
            **{name: numbers([o[name] for o in outcomes]) for name in ("secondary", "cost", "bound", "gap")},
            **{name: numbers([p.get(name) for p in protections]) for name in _COUNTS},
            **{
                f"{which}_{name}": Floats(_figure(protection.get(name), which) for protection in protections)
                for name in ("relative_width", "entropy_bits")
                for which in ("least", "mean")
            },
            **{name: Floats(getattr(table, name, None) for table in worst) for name in _OF_WORST},
            "remark": Texts(outcome["remark"] for outcome in outcomes),
        }


_OF_WORST = ("risk_before", "risk_after", "utility")
_COUNTS = ("exposed", "underprotected", "undecided", "secondary_exposed", "rank_decrease", "degrees_of_freedom")


def _figure(pair: Mapping[str, float | str | None] | None, which: str) -> float | None:
    value = None if pair is None else pair[which]
    return float("inf") if isinstance(value, str) else value


@takes(CompareKeywords)
def compare(data: object, keywords: CompareKeywords) -> CompareResult:
    """Protect a release in several ways and audit each: cells, cost, intervals, entropy and rank side by side.

    Parameters
    ----------
    data: path (str or Path), release document (dict), Release, or DataFrame of pandas, polars or pyarrow.
    {keywords}

    Raises
    ------
    InputError: what is given cannot be used: it says what was found and what to pass. LimitError: too much at once.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({
    ...     "district": ["N", "N", "N", "S", "S", "S", "T", "T", "T"],
    ...     "sex": ["F", "M", "T"] * 3,
    ...     "persons": [2, 17, 19, 14, 21, 35, 16, 38, 54],
    ... })
    >>> ts.compare(frame, value="persons", threshold=5, methods=["optimal", "elimination"]).best
    'optimal'
    """
    about = given(data, keywords)
    with telling(keywords) as progress, working(keywords) as executor:
        found = run_comparison(about.release, keywords, progress=progress, executor=executor)
    return CompareResult(about.origin, found)
