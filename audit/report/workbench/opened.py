"""A written report, of which parts are read."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.language import ENGLISH, spoken
from tableseal.audit.report.cell_words import CellWords
from tableseal.audit.report.front import Front
from tableseal.audit.report.words import HTML, number
from tableseal.audit.report.workbench.cells import KINDS, Mark
from tableseal.audit.report.workbench.packed import Packed, Read


@dataclass(frozen=True)
class Variable:
    """A classification. rank, depth: see `Outline`; total: position of its code, -1 if there is none."""

    name: str
    codes: tuple[str, ...]
    rank: NDArray[np.int32]
    depth: tuple[int, ...]
    total: int

    def position(self, code: str) -> int:
        """Where a code stands.

        Raises
        ------
        InputError: there is no such code.
        """
        try:
            return self.codes.index(code)
        except ValueError:
            raise InputError(f'{self.name}: there is no code "{code[:100]}".') from None


@dataclass(frozen=True)
class OfTable:
    """A table. measure: its position."""

    name: str
    measure: int


class Workbench:
    """A written report; columns are read when they are first asked for."""

    def __init__(self, read: Read) -> None:
        self._file = Packed(read)
        self._columns: dict[str, NDArray[Any]] = {}
        said = self._file.document("meta")
        self._units = [(Fraction(*m["unit"]), int(m["places"])) for m in said["measures"]]
        self.measures: tuple[str, ...] = tuple(m["name"] for m in said["measures"])
        self.tables = tuple(OfTable(**one) for one in said["tables"])
        self.variables = tuple(
            Variable(v["name"], tuple(v["codes"]), np.array(v["rank"], np.int32), tuple(v["depth"]), v["total"])
            for v in said["variables"]
        )
        self._fronts = {ENGLISH: said["front"], **said.get("fronts", {})}

    @property
    def front(self) -> Front:
        """What the report says as a whole, in the language that is spoken, or in English."""
        return Front(**self._fronts.get(spoken(), self._fronts[ENGLISH]))

    def column(self, name: str) -> NDArray[Any]:
        """A column of `Columns`."""
        if name not in self._columns:
            self._columns[name] = self._file.column(name)
        return self._columns[name]

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return len(self.column("kind"))

    @property
    def listed(self) -> int:
        """How many of them are in the report: they come first."""
        return len(self.column("worst"))

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many cells there are of each kind."""
        return dict(zip(KINDS, np.bincount(self.column("kind"), minlength=len(KINDS)).tolist(), strict=True))

    def table(self, name: str) -> int:
        """Position of a table.

        Raises
        ------
        InputError: there is no such table.
        """
        for position, one in enumerate(self.tables):
            if one.name == name:
                return position
        raise InputError(f'There is no table "{name[:100]}" in this release.')

    def variable(self, name: str) -> int:
        """Position of a classification.

        Raises
        ------
        InputError: there is no such classification.
        """
        for position, one in enumerate(self.variables):
            if one.name == name:
                return position
        raise InputError(f'There is no classification "{name[:100]}" in this release.')

    def members(self, table: int) -> NDArray[np.int32]:
        """The cells of a table."""
        starts = self.column("starts")
        return self.column("members")[int(starts[table]) : int(starts[table + 1])]

    def words(self, cells: Sequence[int]) -> dict[int, CellWords]:
        """What is known of cells, in words; those that are not in the report are published."""
        listed = self.listed
        found = self._file.entries("details", [n for n in cells if n < listed])
        return {n: CellWords(*found[n]) if n < listed else self._plain(n) for n in cells}

    def codes_of(self, cell: int) -> tuple[str, ...] | None:
        """The codes of a cell in the order of the variables; None where no code stands for one of them."""
        codes = self.column("codes")[cell].tolist()
        if min(codes, default=0) < 0:
            return None
        return tuple(variable.codes[code] for variable, code in zip(self.variables, codes, strict=True))

    def find(self, measure: str | None, codes: Sequence[str]) -> int | None:
        """The cell with these codes, in the order of the variables; measure: None for the first.

        Raises
        ------
        InputError: codes or measure that are none of this release.
        """
        if len(codes) != len(self.variables):
            raise InputError(f"A cell of this release has {len(self.variables)} codes; {len(codes)} were given.")
        at = [variable.position(code) for variable, code in zip(self.variables, codes, strict=True)]
        if measure is not None and measure not in self.measures:
            raise InputError(f'There is no measure "{measure[:100]}" in this release.')
        wanted = 0 if measure is None else self.measures.index(measure)
        fits = (self.column("codes") == np.array(at, np.int32)).all(axis=1) & (self.column("measure") == wanted)
        found = np.flatnonzero(fits)
        return int(found[0]) if len(found) else None

    def tables_of(self, cell: int) -> list[str]:
        """Names of the tables that list a cell."""
        places = np.flatnonzero(self.column("members") == cell)
        tables = np.searchsorted(self.column("starts"), places, side="right") - 1
        return [self.tables[t].name for t in tables.tolist()]

    def _plain(self, cell: int) -> CellWords:
        marks = Mark(int(self.column("marks")[cell]))
        measure = int(self.column("measure")[cell])
        unit, places = self._units[measure]
        value = number(int(self.column("value")[cell]) * unit, HTML, places) if Mark.KNOWN in marks else ""
        codes = zip(self.variables, self.column("codes")[cell].tolist(), strict=True)
        named = [f"{variable.name}={variable.codes[code]}" for variable, code in codes if code != variable.total]
        return CellWords(
            **dict.fromkeys(CellWords._fields, "")
            | {
                "table": ", ".join(self.tables_of(cell)),
                "name": ", ".join(named) or "grand total",
                "measure": self.measures[measure],
                "status": "published" if value else "withheld here, released otherwise",
                "interval": value,
                "text": value or "×",
                "verdict": "published",
                "style": "v" if value else "v e",
                "hint": "no row: computed or taken as zero" if Mark.NO_ROW in marks else "",
            }
        )
