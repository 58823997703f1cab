"""`ts.sap`: how likely is it that subtracting known units recovers a zero."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from tableseal.api.options.option import Option, declared
from tableseal.api.options.sap import SapOptions
from tableseal.api.python.advice import InPython
from tableseal.api.python.counts import array_of, matrix_of
from tableseal.api.python.keywords import AS_GIVEN, Bare, Reading, Running, takes
from tableseal.api.python.origin import Origin
from tableseal.api.python.result import Result
from tableseal.api.python.running import telling
from tableseal.api.python.source import existing, given
from tableseal.api.python.to_frame import Column, Floats, Texts, numbers
from tableseal.api.reading import base_table, refuse_bounds, upper_bounds
from tableseal.audit.io.matrix import checked_matrix
from tableseal.audit.measures.sap.measure import measure
from tableseal.audit.measures.sap.population import of_release
from tableseal.audit.measures.sap.result import SapResult as Measured
from tableseal.audit.measures.sap.result import fraction_text
from tableseal.audit.progress import silent
from tableseal.audit.report.sap import sap_json, sap_text

_PROGRESS = {one.name: one.option for one in declared(Running)}["progress"]


@dataclass(frozen=True, kw_only=True)
class SapKeywords(SapOptions, Bare):
    """Keywords of `sap`."""

    upper: Annotated[
        Any, AS_GIVEN, Option("Matrix of the tightest upper bounds of the counts (a file or an array).")
    ] = None
    progress: Annotated[Any, AS_GIVEN, _PROGRESS] = None


@dataclass(frozen=True, repr=False, eq=False)
class SapResult(Result):
    """The probability for each sample size, of each table.

    Examples
    --------
    >>> ts.sap([[3, 0], [1, 2]], rounding=3, n=range(0, 3)).to_frame().select("n", "fraction").rows()
    [(0, '0'), (1, '1/6'), (2, '1/3')]
    """

    found: Measured

    def to_json(self) -> str:
        """The result as JSON text, schema tableseal/sap/1."""
        return sap_json(self.found)

    def text(self) -> str:
        """The result in words."""
        return sap_text(self.found, title=self.origin.title, spelling=InPython("sap"))

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        curves = self.found.curves
        return {
            "definition": self.found.definition,
            "tables": len(curves) if len(curves) > 1 else None,
            "N": curves[0].sap.total if len(curves) == 1 else None,
            "sizes": sum(len(curve.sap.n) for curve in curves),
        }

    def columns(self) -> Mapping[str, Column]:
        """One row for each sample size (of each scheme or conditional table)."""
        rows = [(curve, curve.sap, at) for curve in self.found.curves for at in range(len(curve.sap.n))]
        tables = [curve.scheme or ", ".join(f"{v}={c}" for v, c in (curve.key or {}).items()) for curve, _, _ in rows]
        ends = [sap.interval[at] if sap.interval else (None, None) for _, sap, at in rows]
        return {
            **({"table": Texts(tables)} if any(tables) else {}),
            "n": numbers([sap.n[at] for _, sap, at in rows]),
            "sap": Floats(sap.value[at] for _, sap, at in rows),
            "fraction": Texts(fraction_text(sap.exact[at]) if sap.exact else None for _, sap, at in rows),
            "low": Floats(low for low, _ in ends),
            "high": Floats(high for _, high in ends),
        }


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
    >>> ts.sap([[3, 0], [1, 2]], rounding=3, n=1).to_frame()["fraction"].to_list()
    ['1/6']
    """
    settings = keywords.settings(upper=keywords.upper is not None)
    matrix = matrix_of(data, all_cells=keywords.all_cells)
    if matrix is None:
        about = given(data, Reading(**{one.name: getattr(keywords, one.name) for one in declared(Bare)}))
        refuse_bounds(keywords, about.origin.title, upper=keywords.upper is not None)
        origin, table = about.origin, of_release(about.release)
    else:
        counts, title, file = matrix
        origin = Origin(inputs=() if file is None else (file,), title=title)
        table = base_table(counts, _upper(keywords.upper), keywords, title)
    with telling(keywords) as progress:
        return SapResult(origin, measure(table, settings, progress=progress or silent))


def _upper(bounds: Any) -> NDArray[np.int64] | None:
    if bounds is None:
        return None
    if isinstance(bounds, str | os.PathLike):
        return upper_bounds(existing(bounds, "a matrix of numbers, or the path of a file of them"))
    return checked_matrix(array_of(bounds, "upper"), "upper", all_cells=True)
