"""A release: the tables an agency is about to publish and what an intruder knows besides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import Place
from tableseal.audit.model.amounts import Amounts
from tableseal.audit.model.hierarchy import Hierarchy
from tableseal.audit.model.note import Note
from tableseal.audit.model.policy import Policy

if TYPE_CHECKING:
    from tableseal.audit.model.statistic import Statistic


@dataclass(frozen=True)
class Measure:
    """What is tabulated. `unit`: published precision; every value is a whole multiple of it (counts: 1).

    previous: the measure whose values of an earlier period these are: tables of them are out, and no rule judges what
    they publish. None: of this period.
    """

    name: str
    kind: Literal["count", "magnitude"]
    unit: Fraction = Fraction(1)
    previous: str | None = None


WEIGHT_UNIT = Fraction(1, 10**6)
"""Unit of sums of weights in tables."""


@dataclass(frozen=True)
class Rounding:
    """What published values stand for.

    base: in units of the measure; method: what the true value may be (see `audit.model.rounding`). ranges: with method
    `ranges`, (published value, smallest, largest true value), ascending; None: no largest.
    With method `cell_key`: range: largest change of a value, in units (base is 1). never: no value from one unit to
    this is published. zeros_stay: a true 0 is published as 0. unchanged: share of values that stay, as is told. share:
    or changed by at most this share of the true value (which may be 1 or more), and where `flex` is there by no more
    than its share of the true value and a number of units.
    With methods `noise` and `adjusted`: share: largest change, of the true value (noise) or of the published one
    (adjusted), at most 6 decimals; range: a change up to this, in units, is possible anyway; zeros_stay.
    wider: with method `ranges`: somebody who knows how values were changed and tries that on every table may find
    narrower ranges, so that they show no cell to be protected.
    """

    base: int
    method: Literal[
        "conventional",
        "random",
        "controlled",
        "up",
        "down",
        "midpoint",
        "small",
        "ranges",
        "cell_key",
        "noise",
        "adjusted",
    ]
    ranges: tuple[tuple[int, int, int | None], ...] = ()
    range: int = 0
    never: int = 0
    zeros_stay: bool = True
    unchanged: Fraction | None = None
    share: Fraction = Fraction(0)
    flex: tuple[Fraction, int] | None = None
    wider: bool = False


@dataclass(frozen=True)
class Absent:
    """What a combination without a row means: at the finest level the table lists, and above it."""

    leaves: Literal["zero", "not_released", "error"] = "zero"
    totals: Literal["not_released", "compute"] = "not_released"


@dataclass(frozen=True)
class Headings:
    """What the file of a table calls things, for what is written from it: variable -> column; the column of the values;
    the mark of a withheld value (None: left empty). Of a DataFrame: its library, its columns of whole numbers, and of
    pandas the index of its rows."""

    variables: Mapping[str, str]
    value: str
    mark: str | None = None
    library: str | None = None
    whole: frozenset[str] = frozenset()
    index: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Table:
    """One table, a row per listed cell.

    Attributes
    ----------
    codes: int32 (rows x variables of the release, in their order): position of the code in the hierarchy's `codes`;
        a variable that the table does not name stands at its total.
    named: names of the variables that the table's file names (the others are at their total or fixed by `where`).
    status: int8 (rows), values of `Status`.
    value: what is published; known only where a value is released.
    truth: agency knowledge (the true value, or the value beside a withheld status); never part of what the intruder
        knows. For exactly published cells it equals `value`; for rounded ones it is known only if given.
    frequency, weighted, contributors, cost: agency knowledge. weighted: sums of weights, in `WEIGHT_UNIT`.
        contributors[k]: the (k+1)-th largest contribution.
    lower, upper: bounds on the true value that the intruder has anyway.
    protection_lower, protection_upper: required distance below / above the true value. protection_sliding: required
        width of what stays possible, wherever that lies.
    impossible: bool (rows), beside whose status the agency states a value that cannot be (a negative one), which is
        used for nothing; None: no row.
    reason: why each cell is withheld, in the agency's letters (rows); for readers, used for nothing.
    cell_key: the key of each cell as it is written, by which a protection changes it (rows); agency knowledge.
    rows: row number in the source of each cell, for messages (1 = first row after the header).
    headings: the names of the user's file; no part of the canonical form.
    """

    name: str
    measure: str
    codes: NDArray[np.int32]
    named: tuple[str, ...]
    status: NDArray[np.int8]
    value: Amounts
    truth: Amounts
    lower: Amounts
    upper: Amounts
    frequency: Amounts | None = None
    weighted: Amounts | None = None
    contributors: tuple[Amounts, ...] = ()
    protection_lower: Amounts | None = None
    protection_upper: Amounts | None = None
    protection_sliding: Amounts | None = None
    cost: NDArray[np.float64] | None = None
    rounding: Rounding | None = None
    impossible: NDArray[np.bool_] | None = None
    reason: tuple[str, ...] | None = None
    absent: Absent = Absent()
    source: Place | None = None
    rows: NDArray[np.int64] | None = None
    headings: Headings | None = None
    cell_key: tuple[str, ...] | None = None

    @property
    def where(self) -> Place:
        """Where all of it stands."""
        return self.source or Place(table=self.name)

    def place(self, row: int, column: str | None = None) -> Place:
        """Where a row (from 0) stands: its value, or its entry in another column."""
        number = row + 1 if self.rows is None else int(self.rows[row])
        value = "value" if self.headings is None else self.headings.value
        return replace(self.where, row=number, column=column or value)

    def take(self, rows: NDArray[np.integer]) -> "Table":
        """The table with some of its rows, in this order."""

        def some(amounts: Amounts | None) -> Amounts | None:
            return None if amounts is None else amounts.take(rows)

        def texts(column: tuple[str, ...] | None) -> tuple[str, ...] | None:
            return None if column is None else tuple(column[row] for row in rows.tolist())

        return replace(
            self,
            codes=self.codes[rows],
            status=self.status[rows],
            value=self.value.take(rows),
            truth=self.truth.take(rows),
            lower=self.lower.take(rows),
            upper=self.upper.take(rows),
            frequency=some(self.frequency),
            weighted=some(self.weighted),
            contributors=tuple(amounts.take(rows) for amounts in self.contributors),
            protection_lower=some(self.protection_lower),
            protection_upper=some(self.protection_upper),
            protection_sliding=some(self.protection_sliding),
            cost=None if self.cost is None else self.cost[rows],
            impossible=None if self.impossible is None else self.impossible[rows],
            reason=texts(self.reason),
            cell_key=texts(self.cell_key),
            rows=None if self.rows is None else self.rows[rows],
        )


@dataclass(frozen=True)
class LinkTerm:
    """An integer coefficient times one cell; `codes` has a code position for every variable of the release."""

    coefficient: int
    measure: str
    codes: tuple[int, ...]


@dataclass(frozen=True)
class Link:
    """lower <= sum of terms <= upper, known to the intruder; bounds in the measures' own decimals (None: no bound)."""

    terms: tuple[LinkTerm, ...]
    lower: Fraction | None
    upper: Fraction | None


@dataclass(frozen=True)
class Consent:
    """The contributors of a cell agree to its publication; or (`Release.accepted`) it is accepted that they know each
    other. codes: as in `LinkTerm`; until: the last day, if it ends."""

    measure: str
    codes: tuple[int, ...]
    reason: str
    by: str
    until: date | None = None


InsiderKind = Literal["largest", "second", "singletons", "holdings"]
"""Contributors who attack: the largest and the second largest of a cell (audit.attackers.ranks), and those who know
cells (audit.attackers.insiders)."""


@dataclass(frozen=True)
class Intruder:
    """What an intruder knows besides the tables."""

    nonnegative: bool = True
    nonempty: bool = False
    """Withheld cells are known to be at least one unit."""
    prior: Fraction | None = None
    """Every withheld true value is known within this fraction of itself (0.5: between half and one and a half)."""
    insiders: tuple[InsiderKind, ...] | None = None
    """None: all kinds that the agency's data allow."""
    coalition: int = 1
    """So many contributors of a cell may act together."""
    knows_rule: bool = False
    """Readers know the threshold, and which cells are withheld for it."""

    @property
    def kinds(self) -> tuple[InsiderKind, ...]:
        """The insiders that are asked about."""
        return get_args(InsiderKind) if self.insiders is None else self.insiders


@dataclass(frozen=True)
class Microdata:
    """Contributions record by record (agency knowledge).

    Attributes
    ----------
    codes: int32 (records x variables of the release): leaf or group code each record belongs to, -1 where unknown.
    values: measure -> Amounts (records).
    unit_id, holding: labels of the records (`Labels`, or another sequence) or None; weight: float64 or None; request:
        bool or None.
    key: the key of each record as it is written, or None.
    """

    codes: NDArray[np.int32]
    values: Mapping[str, Amounts]
    unit_id: Sequence[str] | None = None
    holding: Sequence[str] | None = None
    weight: NDArray[np.float64] | None = None
    request: NDArray[np.bool_] | None = None
    source: Place | None = None
    key: tuple[str, ...] | None = None

    @property
    def where(self) -> Place:
        """Where they stand."""
        return self.source or Place("microdata")


@dataclass(frozen=True)
class Ptable:
    """A perturbation table of the agency as it is written: by how much counts change, by their keys. Agency knowledge.

    columns: name -> entries. source: where it stands, for messages.
    """

    columns: Mapping[str, tuple[str | None, ...]]
    source: Place


@dataclass(frozen=True)
class Transition:
    """Probabilities with which a state becomes another one, for protection by perturbation. Agency knowledge.

    rows: states by states that they become; each sums to 1. States are 0, 1, ... of counts, or the codes of a variable.
    cycle: of counts, the last rows stand for all larger counts by residual, with moves relative to the count.
    source: where it stands, for messages.
    """

    rows: tuple[tuple[Fraction, ...], ...]
    cycle: int
    source: Place


@dataclass(frozen=True, repr=False)
class Release:
    """Everything that is audited together. Its `repr` shows no value.

    Examples
    --------
    >>> import polars as pl
    >>> ts.read(pl.DataFrame({"sex": ["F", "M", "Total"], "persons": [2, 17, 19]}), value="persons")
    Release('persons by sex', variables='sex', tables=1, rows=3)
    """

    title: str
    measures: Mapping[str, Measure]
    variables: Mapping[str, Hierarchy]
    tables: tuple[Table, ...]
    links: tuple[Link, ...] = ()
    statistics: "tuple[Statistic, ...]" = ()
    """Published percentages, rates and means of cells."""
    consents: tuple[Consent, ...] = ()
    accepted: tuple[Consent, ...] = ()
    """Cells of which it is accepted that contributors know each other by their ranks."""
    day: date | None = None
    """Day of publication, which consent is held against; None: not said."""
    intruder: Intruder = Intruder()
    policy: Policy | None = None
    microdata: Microdata | None = None
    ptable: Ptable | None = None
    transition: Transition | None = None
    notes: tuple[Note, ...] = field(default=())
    files: tuple[Path, ...] = field(default=(), compare=False, repr=False)
    """Files that were read besides the release file itself."""

    def __repr__(self) -> str:
        rows = sum(len(table.codes) for table in self.tables)
        variables = ", ".join(self.variables)
        return f"Release({self.title!r}, variables={variables!r}, tables={len(self.tables)}, rows={rows})"

    @cached_property
    def statements(self) -> tuple[Link, ...]:
        """All that is known of several cells together: the links, then what the statistics say."""
        return (*self.links, *(link for statistic in self.statistics for link in statistic.links))

    def statistic_of(self, statement: int) -> tuple["Statistic", int] | None:
        """The statistic and its row that a statement comes from, by the position of the statement; None: a link."""
        at = len(self.links)
        for statistic in self.statistics:
            for row in range(len(statistic.table.codes)):
                said = len(statistic.said(row))
                if at <= statement < at + said:
                    return statistic, row
                at += said
        return None

    @cached_property
    def earlier(self) -> frozenset[str]:
        """Measures of an earlier period."""
        return frozenset(name for name, measure in self.measures.items() if measure.previous is not None)

    @cached_property
    def shared_codes(self) -> frozenset[str]:
        """Codes, totals apart, that stand in more than one variable: in words they need the variable's name."""
        seen: set[str] = set()
        shared: set[str] = set()
        for hierarchy in self.variables.values():
            own = set(hierarchy.codes[1:] if hierarchy.total is not None else hierarchy.codes)
            shared |= own & seen
            seen |= own
        return frozenset(shared)

    def cell_codes(self, codes: NDArray[np.integer] | tuple[int, ...]) -> dict[str, str]:
        """Variable -> code text for a row of code positions."""
        positions = codes.tolist() if isinstance(codes, np.ndarray) else codes
        return {
            name: hierarchy.codes[position]
            for (name, hierarchy), position in zip(self.variables.items(), positions, strict=True)
        }
