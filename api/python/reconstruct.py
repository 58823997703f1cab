"""`ts.reconstruct`: how much of small areas can be worked out from several tables of counts."""

from collections.abc import Mapping
from dataclasses import dataclass

from tableseal.api.options.reconstruct import ReconstructOptions
from tableseal.api.python.keywords import Reading, Running, takes
from tableseal.api.python.result import Result
from tableseal.api.python.running import telling, working
from tableseal.api.python.source import given
from tableseal.api.python.to_frame import Column, Texts, Whole
from tableseal.audit.codec.documents import json_of
from tableseal.audit.errors import Place
from tableseal.audit.progress import silent
from tableseal.audit.reconstruction.reconstruct import reconstruct as reconstructed
from tableseal.audit.reconstruction.result import AreaFound, Reconstruction, reconstruction, reconstruction_text
from tableseal.audit.reconstruction.tables import area_tables


@dataclass(frozen=True, kw_only=True)
class ReconstructKeywords(ReconstructOptions, Running, Reading):
    """Keywords of `reconstruct`."""


@dataclass(frozen=True, repr=False, eq=False)
class ReconstructResult(Result):
    """What all tables of small areas give away together. Confidential.

    Examples
    --------
    >>> found = ts.reconstruct({
    ...     "tableseal": 1,
    ...     "kind": "count",
    ...     "variables": {
    ...         "block": {"total": "T", "codes": ["1", "2"]},
    ...         "sex": {"total": "T", "codes": ["F", "M"]},
    ...         "age": {"total": "T", "codes": ["young", "old"]},
    ...     },
    ...     "tables": [
    ...         {"name": "a", "cells": {"block": ["1", "2", "2"], "sex": ["F", "F", "M"], "value": [3, 1, 1]}},
    ...         {"name": "b", "cells": {"block": ["1", "2", "2"], "age": ["old", "young", "old"], "value": [3, 1, 1]}},
    ...     ],
    ... }, areas="block")
    >>> found
    ReconstructResult(areas=2, unique=1, certain=3)
    >>> found.to_frame("polars").select("area", "units", "tables", "certain").rows()
    [('1', 3, 1, 3), ('2', 2, 2, 0)]
    """

    result: Reconstruction

    @property
    def areas(self) -> tuple[AreaFound, ...]:
        """Every area, in the order of the classification."""
        return self.result.found

    def to_json(self) -> str:
        """The result as JSON text, schema tableseal/reconstruction/1."""
        return json_of(self.result)

    def text(self) -> str:
        """The result in words."""
        return reconstruction_text(self.result)

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        return {"areas": len(self.areas), "unique": self.result.unique, "certain": self.result.certain}

    def columns(self) -> Mapping[str, Column]:
        """A row for each area: units, tables that fit (`exact`: 1 if these are all), `unique` (1, 0 or nothing),
        records that are certain."""
        found = self.areas
        return {
            "area": Texts([one.area for one in found]),
            "units": Whole([one.units for one in found]),
            "tables": Whole([one.tables for one in found]),
            "exact": Whole([int(one.exact) for one in found]),
            "unique": Whole([None if one.unique is None else int(one.unique) for one in found]),
            "certain": Whole([one.certain for one in found]),
        }


@takes(ReconstructKeywords)
def reconstruct(data: object, keywords: ReconstructKeywords) -> ReconstructResult:
    """Say how much of small areas can be reconstructed from all their published counts together.

    Parameters
    ----------
    data: what `read` takes, with exact tables of counts of areas.
    {keywords}

    Raises
    ------
    InputError: no variable of places; tables that are not exact and whole, or contradict each other.

    Examples
    --------
    >>> ts.reconstruct({
    ...     "tableseal": 1,
    ...     "kind": "count",
    ...     "variables": {"block": {"total": "T", "codes": ["1"]}, "sex": {"total": "T", "codes": ["F", "M"]}},
    ...     "tables": [{"name": "a", "cells": {"block": ["1", "1"], "sex": ["F", "M"], "value": [2, 1]}}],
    ... }, areas="block", records=True).areas[0].records[0].records
    2
    """
    areas, about = keywords.chosen(), given(data, keywords)
    tables = area_tables(about.release, areas, Place(about.origin.title))
    with working(keywords) as executor, telling(keywords) as progress:
        found = reconstructed(tables, keywords.effort(), executor=executor, progress=progress or silent)
    title, effort = about.release.title, keywords.effort()
    return ReconstructResult(
        about.origin, reconstruction(title, areas, tables, found, effort, records=keywords.records)
    )
