"""`ts.hypercube`: a hypercube from records, from a table, or from its folder."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tableseal.api.hypercubes import build
from tableseal.api.options.hypercube import HypercubeOptions
from tableseal.api.python.document import with_columns
from tableseal.api.python.keywords import takes
from tableseal.api.python.origin import Origin
from tableseal.api.python.result import Result
from tableseal.api.python.source import existing
from tableseal.api.python.to_frame import Column, Kind, Texts, Whole, frame_of, kind_of
from tableseal.audit.codec.documents import json_of
from tableseal.audit.errors import InputError
from tableseal.audit.hypercube.ask import ask, request_of
from tableseal.audit.hypercube.manifest import manifest_of
from tableseal.audit.hypercube.model import Cells, HeldCells, Hypercube
from tableseal.audit.hypercube.read import read_source, source_from_document
from tableseal.audit.hypercube.source import Recorded
from tableseal.audit.hypercube.store import ENDING, StoredCells, opened, pieces, write_cube
from tableseal.audit.hypercube.words import cube_text
from tableseal.audit.model import Release
from tableseal.audit.wording import a_kind

EXPECTED = f"the path of a hypercube (NAME{ENDING}) or of what it is made of, a list of these, or a document (a dict)"


@dataclass(frozen=True, kw_only=True)
class HypercubeKeywords(HypercubeOptions):
    """Keywords of `hypercube`."""


@dataclass(frozen=True, repr=False, eq=False)
class HypercubeResult(Result):
    """A hypercube. Confidential.

    Examples
    --------
    >>> cube = ts.hypercube({
    ...     "tableseal": 1,
    ...     "kind": "count",
    ...     "variables": {"sex": {"total": "T", "codes": ["F", "M"]}, "age": {"total": "T", "codes": ["0", "1", "2"]}},
    ...     "microdata": {"cells": {"sex": ["F", "M", "F"], "age": ["0", "2", "1"]}},
    ... })
    >>> cube
    HypercubeResult(variables=2, units=3, cells=3)
    >>> cube.table({"tableseal-request": 1, "by": ["sex"], "where": {"age": "0-1"}}, kind="polars").rows()
    [('F', 2), ('M', 0)]
    """

    cells: Cells

    @property
    def about(self) -> Hypercube:
        """Variables, measures, keys and size."""
        return self.cells.about

    def table(self, request: Mapping[str, Any], kind: Kind | None = None) -> Any:
        """The true figures of a table, as a DataFrame: a row for each cell, with the code of each variable, how many
        units (`count`; of a share also `part`), the key, and the sum of the measure.

        Raises
        ------
        InputError: all that is wrong with the request at once; `ts.LimitError`: too many cells.
        """
        asked = ask(request_of(request, self.cells), self.cells)
        axes, shape = asked.request.question.axes, asked.whole.shape
        where = np.unravel_index(np.arange(len(asked.whole.count)), shape) if shape else ()
        names = [self.about.variables[axis.variable].name for axis in axes]
        columns: dict[str, Column] = {
            name: Texts([axis.codes[at] for at in own.tolist()])
            for name, axis, own in zip(names, axes, where, strict=True)
        }
        columns["count"] = Whole(asked.whole.count.tolist())
        if asked.part is not None:
            columns["part"] = Whole(asked.part.count.tolist())
        if len(asked.whole.keys):
            columns["key"] = Whole(asked.whole.keys.tolist())
        columns |= {name: Whole(values.tolist()) for name, values in asked.whole.sums.items()}
        return frame_of(columns, kind_of(kind, self.origin.kind))

    def to_json(self) -> str:
        """What is said of the hypercube as JSON text, schema tableseal/hypercube/2; no cell."""
        found = self.cells.manifest if isinstance(self.cells, StoredCells) else manifest_of(self.about, ())
        return json_of(found)

    def text(self) -> str:
        """Size, variables with their levels, measures and keys."""
        return cube_text(self.about)

    def save(self, path: Any) -> tuple[Path, ...]:
        """Write the hypercube into a folder NAME.cube; gives the folder.

        Raises
        ------
        InputError: another ending; a folder that holds something else, or cannot be written.
        """
        folder = Path(path).expanduser()
        if folder.suffix.lower() != ENDING:
            raise InputError(f"save(): {folder}: found {folder.suffix or 'no suffix'}, expected {ENDING}.")
        if isinstance(self.cells, HeldCells):
            write_cube(folder, self.about, pieces(self.cells.held))
        else:
            everything = range(len(self.about.variables))
            write_cube(folder, self.about, self.cells.parts(everything, self.about.measures))
        return (folder,)

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        return {"variables": len(self.about.variables), "units": self.about.units, "cells": self.about.cells}

    def columns(self) -> Mapping[str, Column]:
        """A row for each level of each variable: how many codes it has."""
        rows = [(variable, level) for variable in self.about.variables for level in variable.levels]
        return {
            "variable": Texts([variable.name for variable, _ in rows]),
            "level": Texts([level.name for _, level in rows]),
            "codes": Whole([len(level.codes) for _, level in rows]),
        }


@takes(HypercubeKeywords)
def hypercube(data: object, keywords: HypercubeKeywords) -> HypercubeResult:
    """Open a hypercube, or make one of records or of a table: a large table from which any table is made at once.

    Parameters
    ----------
    data: path of a hypercube (NAME.cube); path or document (dict) of a release file with `microdata` (or a list of
        paths, which are added up), or with one table of counts by all its variables.
    {keywords}

    Raises
    ------
    InputError: what cannot be read or used; keywords with a hypercube that is made already.

    Examples
    --------
    >>> made = ts.hypercube({
    ...     "tableseal": 1,
    ...     "kind": "count",
    ...     "variables": {"region": {"total": "T", "tree": {"N": ["N1", "N2"], "S": ["S1"]}}},
    ...     "microdata": {"cells": {"region": ["N1", "N2", "N2"]}},
    ... }, areas="region")
    >>> made.to_frame("polars").rows()
    [('region', '1', 2), ('region', '2', 3)]
    """
    paths = [data] if isinstance(data, str | os.PathLike) else data
    if isinstance(data, str | os.PathLike) and str(data).rstrip("/").lower().endswith(ENDING):
        if keywords != HypercubeKeywords():
            raise InputError("this hypercube is made already; keywords are for making one.", at=Path(data).name)
        return HypercubeResult(Origin(title=Path(data).name), opened(Path(data).expanduser()))
    sources: list[tuple[str, Recorded | Release]]
    inputs: tuple[Path, ...] = ()
    if isinstance(paths, Mapping):
        sources = [("document", source_from_document(with_columns(paths), Path.cwd(), "document"))]
    elif isinstance(paths, Sequence) and paths and all(isinstance(path, str | os.PathLike) for path in paths):
        inputs = tuple(existing(path, EXPECTED) for path in paths)
        sources = [(path.name, read_source(path)) for path in inputs]
    else:
        raise InputError(found=a_kind(data), expected=EXPECTED)
    return HypercubeResult(Origin(inputs=inputs), build(sources, keywords).cube)
