"""`ts.sap`: how likely is it that subtracting known units recovers a zero."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from tableseal.api.python.counts import array_of, matrix_of
from tableseal.api.python.keywords import AS_GIVEN, Bare, Reading, Running, takes
from tableseal.api.python.result import Result
from tableseal.api.python.running import telling
from tableseal.api.python.source import Origin, existing, given
from tableseal.api.python.to_frame import Column, Floats, Texts, numbers
from tableseal.api.sap import SapOptions, measure_sap, population_of, release_population, upper_bounds
from tableseal.audit.io.matrix import checked_matrix
from tableseal.audit.progress import silent
from tableseal.audit.report.exact_json import Json, dumps


class SapKeywords(SapOptions, Bare):
    """Keywords of `sap`."""

    upper: Annotated[
        Any, AS_GIVEN, Field(description="Matrix of the tightest upper bounds of the counts (a file or array).")
    ] = None
    progress: Annotated[Any, AS_GIVEN, Field(description=Running.model_fields["progress"].description)] = None

    @classmethod
    def as_option(cls, name: str, value: Any) -> Any:
        """One cell as a mapping, or several in a list, are the cells aimed at."""
        one = name == "target" and isinstance(value, Mapping)
        return super().as_option(name, [value] if one else value)


@dataclass(frozen=True, repr=False, eq=False)
class SapResult(Result):
    """The probability for each sample size, of each table."""

    found: Mapping[str, Json]
    words: str

    def to_json(self) -> str:
        """The result as JSON text, schema tableseal/sap/1."""
        return dumps(dict(self.found), indent=1)

    def text(self) -> str:
        """The result in words."""
        return self.words

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        curves = self._curves()
        return {
            "definition": self.found["definition"],
            "tables": len(curves) if len(curves) > 1 else None,
            "N": curves[0][1]["N"] if len(curves) == 1 else None,
            "sizes": sum(len(curve["n"]) for _, curve in curves),
        }

    def columns(self) -> Mapping[str, Column]:
        """One row for each sample size (of each scheme or conditional table)."""
        curves = self._curves()
        rows = [(name, curve, at) for name, curve in curves for at in range(len(curve["n"]))]
        named: dict[str, Column] = {"table": Texts(name for name, _, _ in rows)} if len(curves) > 1 else {}
        exact = [curve["sap"][at] if curve["sap"] else None for _, curve, at in rows]
        ends = [curve["interval"][at] if "interval" in curve else (None, None) for _, curve, at in rows]
        return {
            **named,
            "n": numbers([curve["n"][at] for _, curve, at in rows]),
            "sap": Floats(curve["value"][at] for _, curve, at in rows),
            "fraction": Texts(exact),
            "low": Floats(low for low, _ in ends),
            "high": Floats(high for _, high in ends),
        }

    def _curves(self) -> list[tuple[str, Any]]:
        document = json.loads(self.to_json())
        if "schemes" in document:
            return [(curve["scheme"], curve) for curve in document["schemes"]]
        if "conditional" in document:
            return [(", ".join(f"{v}={c}" for v, c in t["key"].items()), t) for t in document["conditional"]]
        return [("", document)]


@takes(SapKeywords)
def sap(data: object, keywords: SapKeywords) -> SapResult:
    """Give the probability that subtracting known units from the tables recovers a zero (SAP).

    Of a matrix alone the counts themselves are taken as released; its rows and columns are the variables row and column
    with codes 1, 2, ...

    Parameters
    ----------
    data: matrix of true counts (array, nested lists, or a file without header), or what `read` takes.
    {keywords}

    Raises
    ------
    InputError: what is given cannot be used, or options that do not belong together.

    Examples
    --------
    >>> sap([[3, 0], [1, 2]], rounding=3, n=1).to_frame()["fraction"].to_list()
    ['1/6']
    """
    keywords.check(upper=keywords.upper is not None)
    matrix = matrix_of(data, all_cells=keywords.all_cells)
    if matrix is not None:
        counts, title, file = matrix
        origin = Origin(inputs=() if file is None else (file,), title=title)
        population = population_of(counts, _upper(keywords.upper), keywords, title)
    else:
        about = given(data, Reading(**{name: getattr(keywords, name) for name in Bare.model_fields}))
        origin, title = about.origin, about.origin.title
        population = release_population(about.release, title, keywords, upper=keywords.upper is not None)
    with telling(keywords) as progress:
        found, words = measure_sap(
            population, keywords, matrix=matrix is not None, title=title, progress=progress or silent
        )
    return SapResult(origin, found, words)


def _upper(bounds: Any) -> Any:
    if bounds is None:
        return None
    if isinstance(bounds, str | os.PathLike):
        return upper_bounds(existing(bounds))
    return checked_matrix(array_of(bounds, "upper"), "upper", all_cells=True)
