"""What the agency knows of every cell, as the rules need it."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import LackingDataError
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.naming import place_of
from tableseal.audit.model import WEIGHT_UNIT, Amounts, Microdata, Release, Status
from tableseal.audit.rules.contributions import Contributions, contributions_of
from tableseal.audit.rules.weights import Weights

Kind = Literal["count", "magnitude"]
"""Of a measure."""

COUNTS: frozenset[Kind] = frozenset(("count",))
MAGNITUDES: frozenset[Kind] = frozenset(("magnitude",))

LARGEST = 5
"""So many of the largest contributions are looked up for all; a rule that looks at more has all of them."""

Level = Literal["holding", "unit"]
"""Who counts as one contributor: a holding with all its units (where the microdata name holdings), or each unit."""


@dataclass(frozen=True)
class Facts:
    """Agency knowledge per cell: what the tables give, completed from the microdata where they say
    nothing."""

    release: Release
    cells: Cells
    counted: NDArray[np.bool_] | None = None
    """bool (cells): counts whose values say how many respond, where nothing else does; None: all."""
    weighed: NDArray[np.bool_] | None = None
    """The same of the sum of their weights."""

    @cached_property
    def of_units(self) -> "Facts":
        """The same where every unit counts by itself. Only microdata tell: columns of tables may speak of holdings."""
        microdata, n = self.release.microdata, len(self.cells)
        counts = self._of_kinds(COUNTS)
        frequency = Amounts(np.where(counts, self.cells.frequency.units, 0), self.cells.frequency.known & counts)
        cells = replace(
            self.cells,
            weighted=Amounts.none(n),
            frequency=frequency,
            contributors=tuple(Amounts.none(n) for _ in self.cells.contributors),
        )
        units = None if microdata is None else replace(microdata, holding=None)
        return Facts(replace(self.release, microdata=units), cells, self.counted, self.weighed)

    def at(self, level: Level) -> "Facts":
        """What is known where holdings, or their units, count as contributors."""
        return self if level == "holding" else self.of_units

    @cached_property
    def concerned(self) -> NDArray[np.bool_]:
        """bool (cells): all but the zeros that everyone knows, which no rule makes sensitive."""
        cells = self.cells
        absent_zero = (cells.row < 0) & cells.exact & cells.truth.known & (cells.truth.units == 0)
        result: NDArray[np.bool_] = (cells.status != Status.STRUCTURAL_ZERO) & ~absent_zero
        return result

    def of_kinds(self, kinds: Collection[Kind]) -> NDArray[np.bool_]:
        """bool (cells): concerned cells of measures of these kinds."""
        return self.concerned & self._of_kinds(kinds)

    @cached_property
    def counts(self) -> NDArray[np.bool_]:
        """bool (cells): concerned cells of count measures."""
        return self.of_kinds(COUNTS)

    @cached_property
    def magnitudes(self) -> NDArray[np.bool_]:
        """bool (cells): concerned cells of magnitude measures."""
        return self.of_kinds(MAGNITUDES)

    @cached_property
    def marked(self) -> NDArray[np.bool_]:
        """bool (cells): the file itself says that the cell is sensitive (primary, or withheld without a
        reason)."""
        result: NDArray[np.bool_] = self.cells.sensitive_status | (self.cells.status >= Status.WITHHELD)
        return result

    @cached_property
    def judgeable(self) -> NDArray[np.bool_]:
        """bool (cells): a rule must be able to judge the cell; one that the file marks sensitive, that is `missing` or
        published by consent, or that is out of an earlier period, is only judged if the data are there."""
        result: NDArray[np.bool_] = ~self.marked & (self.cells.status != Status.MISSING) & ~self.cells.consent
        return result & ~self._earlier

    @cached_property
    def contributions(self) -> Contributions | None:
        """Single contributions, None without microdata: the largest of each cell, and all of contributors with several
        records or a request.

        Microdata that give nothing to a cell whose true value is not zero do not cover that cell.
        """
        return self._found(LARGEST)

    @cached_property
    def every_contribution(self) -> Contributions | None:
        """The same with all of them."""
        return self._found(None)

    def largest(self, count: int) -> Contributions | None:
        """The same with so many of the largest."""
        return self.contributions if count <= LARGEST else self.every_contribution

    def _found(self, ranks: int | None) -> Contributions | None:
        if self.release.microdata is None:
            return None
        found = contributions_of(self.release, self.cells, self.release.microdata, ranks)
        truth = self.cells.truth
        lacking = truth.known & (truth.units != 0) & (found.size == 0)
        return replace(found, covered=found.covered & ~lacking)

    @cached_property
    def covered(self) -> NDArray[np.bool_]:
        """bool (cells): microdata give every contribution."""
        found = self.contributions
        return np.zeros(len(self.cells), np.bool_) if found is None else found.covered

    @cached_property
    def value(self) -> Amounts:
        """True values in units."""
        truth = self.cells.truth
        counted = self._of_kinds(COUNTS) & ~truth.known & self.cells.frequency.known
        truth = _filled(truth, self.cells.frequency.units, counted)
        if self.contributions is None or truth.known.all():
            return truth
        return _filled(truth, self.contributions.value, self.contributions.covered)

    @cached_property
    def frequency(self) -> Amounts:
        """Numbers of respondents: what the tables say, else the records behind the cell; for a count, unless records
        have weights, the value itself."""
        counts, listed = self._of_kinds(COUNTS), self.cells.frequency
        if self.contributions is not None and not listed.known.all():
            microdata = self.release.microdata
            weights = microdata is not None and microdata.weight is not None
            covered = self.contributions.covered & (~counts | weights)
            listed = _filled(listed, self.contributions.frequency, covered)
        return _filled(listed, self.value.units, counts & self.value.known & _all(self.counted))

    def weighted(self, count: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """(sum of weights is known, is less than count, is above 0), bool (cells): what the tables say, else the
        microdata, else (of a count) the value."""
        listed = Weights(self.cells.weighted.units, WEIGHT_UNIT.denominator)
        known = self.cells.weighted.known.copy()
        below, positive = known & listed.below(count), known & listed.positive
        found = self.contributions
        if found is not None:
            more = found.covered & ~known
            known |= more
            below |= more & found.weighted.below(count)
            positive |= more & found.weighted.positive
        more = self._of_kinds(COUNTS) & self.value.known & ~known & _all(self.weighed)
        below |= more & (self.value.units < count)
        positive |= more & (self.value.units > 0)
        return known | more, below, positive

    def demand(self, missing: NDArray[np.bool_], rule: str, what: str, remedy: str) -> None:
        """`refuse` for the cells that a rule must be able to judge."""
        self.refuse(missing & self.judgeable, rule, what, remedy)

    def refuse(self, missing: NDArray[np.bool_], rule: str, what: str, remedy: str) -> None:
        """Refuse if a cell lacks what a rule needs.

        Raises
        ------
        LackingDataError: names table, row and cell, what the rule needs and how to give it.
        """
        lacking = np.flatnonzero(missing)
        if len(lacking) == 0:
            return
        more = f" ({len(lacking)} cells lack it)" if len(lacking) > 1 else ""
        cells, first = self.cells, int(lacking[0])
        places = [place_of(self.release, cells, first)]
        why = _gaps(self.release.microdata)
        text = f'{self.place(first)}: rule "{rule}" needs {what}{more}'
        raise LackingDataError(text, places=places, remedy=why or remedy)

    def place(self, cell: int) -> str:
        """'t.csv, row 4, cell region=N1, size=4': where a cell stands, for messages."""
        table = self.release.tables[int(self.cells.table[cell])]
        row = int(self.cells.row[cell])
        number = row + 1 if table.rows is None or row < 0 else int(table.rows[row])
        where = f"row {number}" if row >= 0 else "not listed"
        file = f" ({table.source})" if table.source and str(table.source) != table.name else ""
        pairs = ", ".join(f"{v}={c}" for v, c in self.release.cell_codes(self.cells.codes[cell]).items())
        measure = f" of {table.measure}" if len(self.release.measures) > 1 else ""
        return f'table "{table.name}"{file}, {where}, cell {pairs}{measure}'

    @property
    def _earlier(self) -> NDArray[np.bool_]:
        earlier = np.array([m.previous is not None for m in self.release.measures.values()], dtype=np.bool_)
        return earlier[self.cells.measure]

    def _of_kinds(self, kinds: Collection[Kind]) -> NDArray[np.bool_]:
        wanted = np.array([m.kind in kinds for m in self.release.measures.values()], dtype=np.bool_)
        return wanted[self.cells.measure]


def _gaps(microdata: Microdata | None) -> str:
    """Why records may not judge a cell: some lack a code or a value. What to do about it, or "" if none does."""
    if microdata is None:
        return ""
    there = microdata.codes >= 0
    coded: NDArray[np.bool_] = np.all(
        there | ~there.any(axis=0), axis=1
    )  # a variable without a column is no gap of single records
    whole = np.array(coded)
    for amounts in microdata.values.values():
        whole &= amounts.known
    lacking = np.flatnonzero(~whole)
    if not len(lacking):
        return ""
    first = int(lacking[0])
    what = "a code" if not coded[first] else "a value"
    count = f"{len(lacking)} records lack" if len(lacking) > 1 else "1 record lacks"
    return (
        f"the microdata do not say: {count} a code or a value ({microdata.source} row {first + 1}: {what}), and so may "
        "belong to the cell or give anything to it. Complete them, write 0 where a record gives nothing, leave out "
        "records that are not in the tables, or name columns of the table"
    )


def _all(some: NDArray[np.bool_] | None) -> NDArray[np.bool_] | np.bool_:
    """None stands for all."""
    return np.True_ if some is None else some


def _filled(amounts: Amounts, units: NDArray[np.int64], there: NDArray[np.bool_]) -> Amounts:
    """Gaps filled where there is something to fill them with."""
    fill = ~amounts.known & there
    return Amounts(np.where(fill, units, amounts.units), amounts.known | fill)


def completed(release: Release, cells: Cells) -> Cells:
    """The cells with true values, numbers of contributors and the two largest contributions taken from the microdata
    where the tables do not give them."""
    facts = Facts(release, cells)
    found = facts.contributions
    if found is None:
        return cells
    nothing = Amounts.none(len(cells))
    listed = (*cells.contributors, nothing, nothing)[: max(2, len(cells.contributors))]
    magnitude = facts.magnitudes
    frequency = Amounts(
        np.where(magnitude, facts.frequency.units, cells.frequency.units),
        np.where(magnitude, facts.frequency.known, cells.frequency.known),
    )
    contributors = tuple(
        _filled(column, found.nth(rank), found.covered & magnitude) if rank < 2 else column
        for rank, column in enumerate(listed)
    )
    return replace(cells, truth=facts.value, frequency=frequency, contributors=contributors)
