"""`ts.tables`: ask a table generator for a table."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

from tableseal.api.generating.asking import counter_for, told_to
from tableseal.api.generating.document import TableAnswer
from tableseal.api.generating.requests import read_table_request
from tableseal.api.generating.words import columns_of, told_text
from tableseal.api.generating.written import table_written
from tableseal.api.options.generator import GeneratorOptions, TableOptions
from tableseal.api.options.option import Option
from tableseal.api.options.service import StoreOptions
from tableseal.api.python.keywords import AS_GIVEN, takes
from tableseal.api.python.origin import Origin
from tableseal.api.python.result import Result
from tableseal.api.python.source import existing
from tableseal.api.python.to_frame import Column, Floats, Texts, Whole
from tableseal.audit.codec.documents import json_of
from tableseal.audit.codec.public import public_part
from tableseal.audit.errors import InputError
from tableseal.audit.hypercube.ask import request_of
from tableseal.audit.hypercube.store import ENDING
from tableseal.audit.wording import a_kind

EXPECTED = f"the path of a hypercube (NAME{ENDING})"


@dataclass(frozen=True, kw_only=True)
class TablesKeywords(TableOptions, GeneratorOptions):
    """Keywords of `tables`."""

    request: Annotated[
        Any,
        Option("What is asked: a dict (tableseal-request: 1), or a file of it; or say it by the keywords below."),
        AS_GIVEN,
    ] = None
    public: Annotated[bool, Option("Only what the user may know.")] = False
    database: Annotated[
        str | None, Option("Database of the answers that are remembered (default: as of the command).", metavar="URL")
    ] = None


@dataclass(frozen=True, repr=False, eq=False)
class TablesResult(Result):
    """The answer of a table generator: values, or the reason why there are none and which tables there would be.

    Examples
    --------
    >>> from pathlib import Path
    >>> policy = '{"tableseal-generator": 1, "protection": {"rounding": {"base": 3}}, "memory": false}'
    >>> _ = Path("policy.json").write_text(policy)
    >>> _ = Path("secret.txt").write_text("no secret, but long enough")
    >>> town = ts.hypercube({
    ...     "tableseal": 1,
    ...     "kind": "count",
    ...     "variables": {"sex": {"total": "T", "codes": ["F", "M"]}},
    ...     "tables": [{"name": "persons", "cells": {"sex": ["F", "M"], "value": [30, 27]}}],
    ... }, secret_file="secret.txt")
    >>> _ = town.save("town.cube")
    >>> ts.tables("town.cube", by="sex", policy="policy.json", secret_file="secret.txt")
    TablesResult(outcome='answered', cells=2)
    """

    result: TableAnswer

    @property
    def answered(self) -> bool:
        """Whether a table is given."""
        return self.result.outcome == "answered"

    def to_json(self) -> str:
        """The result as JSON text, schema tableseal/table/1."""
        return json_of(self.result)

    def text(self) -> str:
        """The table, or the refusal."""
        return told_text(self.result)

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        answer = self.result.answer
        return {"outcome": self.result.outcome, "cells": 0 if answer is None else len(answer.shown)}

    def columns(self) -> Mapping[str, Column]:
        """A row for each cell: its codes and `value`; of a share, too, `share`; of a mean `count` and `mean`.

        Raises
        ------
        InputError: it was refused.
        """
        found = self._table()
        statistic = self.result.statistic
        figures = {"share": (Whole, Floats), "mean": (Whole, Whole, Floats)}.get(statistic, (Whole,))
        codes: list[type[Texts] | type[Whole] | type[Floats]] = [Texts] * (len(found) - len(figures))
        made = zip(found.items(), [*codes, *figures], strict=True)
        return {
            name: Floats([float(value) for value in values])
            if any(isinstance(value, Fraction) for value in values)
            else kind(values)
            for (name, values), kind in made
        }

    def save(self, path: Any) -> tuple[Path, ...]:
        """Write the values as .csv, .jsonl or .parquet, or the whole answer as .json; gives the file.

        Raises
        ------
        InputError: another suffix; values of a table that was refused.
        """

        def values(ending: str) -> Mapping[Path, str | bytes]:
            self._table()
            return {Path(path).expanduser(): table_written(self.result, f"table.{ending}")}

        return self._save(
            path,
            {
                ".json": self.to_json,
                ".csv": lambda: values("csv"),
                ".jsonl": lambda: values("jsonl"),
                ".parquet": lambda: values("parquet"),
            },
        )

    def _table(self) -> Mapping[str, Any]:
        if self.result.refusal is not None:
            raise InputError(f"the table was refused: {self.result.refusal.sentence}")
        return columns_of(self.result)


@takes(TablesKeywords)
def tables(data: object, keywords: TablesKeywords) -> TablesResult:
    """Ask a hypercube for a table: it is judged, protected, judged with all earlier answers, and given or refused.

    Answers are kept in the database, for they are part of what the user knows; the same cell always has the same value.

    Parameters
    ----------
    data: path of a hypercube (NAME.cube), as `hypercube` makes it.
    {keywords}

    Raises
    ------
    InputError: what cannot be read or used; all that is wrong with a request at once.

    Examples
    --------
    >>> from pathlib import Path
    >>> policy = '{"tableseal-generator": 1, "protection": {"rounding": {"base": 3}}, "memory": false}'
    >>> _ = Path("policy.json").write_text(policy)
    >>> _ = Path("secret.txt").write_text("no secret, but long enough")
    >>> town = ts.hypercube({
    ...     "tableseal": 1,
    ...     "kind": "count",
    ...     "variables": {"sex": {"total": "T", "codes": ["F", "M"]}},
    ...     "tables": [{"name": "persons", "cells": {"sex": ["F", "M"], "value": [30, 27]}}],
    ... }, secret_file="secret.txt")
    >>> _ = town.save("town.cube")
    >>> found = ts.tables("town.cube", by="sex", policy="policy.json", secret_file="secret.txt")
    >>> found.to_frame("polars").rows()
    [('F', 30), ('M', 27)]
    """
    if not isinstance(data, str | os.PathLike):
        raise InputError(found=a_kind(data), expected=EXPECTED)
    cube = Path(data).expanduser()
    counter = counter_for(cube, keywords)
    options = TableOptions(**{name: getattr(keywords, name) for name in TableOptions.__dataclass_fields__})
    request = keywords.request
    if isinstance(request, Mapping):
        if options != TableOptions():
            raise InputError("say what is asked: either a request or keywords such as by.")
        asked = request_of(request, counter.cells)
    else:
        asked = read_table_request(counter.cells, None if request is None else existing(request, "a request"), options)
    told = told_to(counter, asked, keywords, StoreOptions(database=keywords.database))
    return TablesResult(Origin(inputs=(cube,)), public_part(told) if keywords.public else told)
