"""`ts.tabulate`: tables from microdata."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tableseal.api.options.tabulate import TabulateOptions
from tableseal.api.python.keywords import OfRecords, takes
from tableseal.api.python.result import Result
from tableseal.api.python.source import given
from tableseal.api.python.suppress import table_columns
from tableseal.api.python.to_frame import Column, Whole
from tableseal.audit.io import canonical_json, release_files
from tableseal.audit.model import Amounts, Release
from tableseal.audit.tabulation.release import tabulated


@dataclass(frozen=True, kw_only=True)
class TabulateKeywords(TabulateOptions, OfRecords):
    """Keywords of `tabulate`."""


@dataclass(frozen=True, repr=False, eq=False)
class TabulateResult(Result):
    """Tables made of microdata. Confidential.

    release: the tables with all that the agency knows of their cells, and without the records.

    Examples
    --------
    >>> made = ts.tabulate({
    ...     "tableseal": 1,
    ...     "kind": "count",
    ...     "variables": {"sex": {"total": "T", "codes": ["F", "M"]}},
    ...     "tables": [{"name": "persons", "by": ["sex"]}],
    ...     "microdata": {"cells": {"sex": ["F", "M", "F"]}},
    ... })
    >>> made
    TabulateResult(tables=1, cells=3)
    >>> ts.suppress(made, threshold=2).verdict
    'safe'
    """

    release: Release

    def as_tables(self, expected: str) -> Release:
        """The tables, to audit and to protect."""
        return self.release

    def to_json(self) -> str:
        """The release as JSON text."""
        return canonical_json(self.release).decode("utf-8")

    def text(self) -> str:
        """What was made, in words."""
        return "\n".join(f"{table.name}: {len(table.codes):,} cells" for table in self.release.tables)

    def save(self, path: Any) -> tuple[Path, ...]:
        """Write the release (.yaml with a CSV file for each table, or .json); gives the files that were written.

        Raises
        ------
        InputError: a file that was read, a folder that is not there, another suffix.
        """

        def written() -> Mapping[Path, str | bytes]:
            return release_files(self.release, Path(path).expanduser())

        return self._save(path, dict.fromkeys((".yaml", ".yml", ".json"), written))

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        return {"tables": len(self.release.tables), "cells": sum(len(t.codes) for t in self.release.tables)}

    def columns(self) -> Mapping[str, Column]:
        """A row for each cell: its codes and value, how many respond (`frequency`)."""
        tables = self.release.tables
        frequency = [count for t in tables for count in _numbers(t.frequency or Amounts.none(len(t.codes)))]
        return table_columns(self.release, self.origin, {"frequency": Whole(frequency)})


def _numbers(amounts: Amounts) -> list[int | None]:
    return [
        value if known else None for value, known in zip(amounts.units.tolist(), amounts.known.tolist(), strict=True)
    ]


@takes(TabulateKeywords)
def tabulate(data: object, keywords: TabulateKeywords) -> TabulateResult:
    """Make the tables of a release from its microdata, with respondents, weights and largest contributions.

    Parameters
    ----------
    data: records as a DataFrame or the path of a bare data file, with `by`; or path (str or Path) or release document
        (dict), with `microdata` and tables that say `by`.
    {keywords}

    Raises
    ------
    InputError: no microdata, records without codes or contributions; what cannot be read or used.

    Examples
    --------
    >>> import polars as pl
    >>> firms = pl.DataFrame({"region": ["N", "N", "S"], "sales": [5, 7, 80], "firm": ["a", "b", "c"]})
    >>> ts.tabulate(firms, by="region", value="sales", id="firm").to_frame().rows()
    [('Total', 92, 'published', 3), ('N', 12, 'published', 2), ('S', 80, 'published', 1)]
    >>> made = ts.tabulate({
    ...     "tableseal": 1,
    ...     "kind": "magnitude",
    ...     "variables": {"region": {"total": "T", "codes": ["N", "S"]}},
    ...     "tables": [{"name": "turnover", "by": ["region"]}],
    ...     "microdata": {
    ...         "cells": {"region": ["N", "N", "S"], "sales": [5, 7, 80], "firm": ["a", "b", "c"]},
    ...         "values": {"value": "sales"},
    ...         "id": "firm",
    ...     },
    ... })
    >>> made.to_frame("polars").rows()
    [('T', 92, 'published', 3), ('N', 12, 'published', 2), ('S', 80, 'published', 1)]
    """
    about = given(data, keywords)
    return TabulateResult(about.origin, tabulated(about.release, keywords.largest))
