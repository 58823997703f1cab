"""Microdata -> tables, and what the tables' own columns can say of contributors."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, LimitError, Place
from tableseal.audit.model import WEIGHT_UNIT, Amounts, Headings, Measure, Microdata, Status, Table
from tableseal.audit.rules.contributors import contributor_numbers
from tableseal.audit.rules.weights import Ranked, Weights, exact_weights, rounded_half_up
from tableseal.audit.tabulation.asked import Asked
from tableseal.audit.tabulation.cells import Frame, Variables
from tableseal.audit.tabulation.largest import Entries, contributors
from tableseal.audit.tabulation.sums import MOST, sums
from tableseal.audit.tabulation.values import amounts_of, values_of
from tableseal.audit.wording import quoted


def make_table(microdata: Microdata, variables: Variables, measure: Measure, asked: Asked) -> Table:
    """The table of all combinations of the codes asked for that have a record, in the order of the classifications.

    Raises
    ------
    InputError: records without a code, or with one that the table breaks down; contributions that are missing; no
        record at all. LimitError: sums beyond 2^62 units, too many combinations.
    """
    frame = Frame.of(variables, asked)
    frame.check(microdata, variables, asked.name)
    values = values_of(microdata, measure)
    rows = frame.rows(values.codes)
    key, (units,) = sums(frame.keys, frame.key(values.codes[rows]), [values.units[rows]])
    if not len(key):
        raise InputError(f"no record lies in the table {quoted(asked.name)}.", at=microdata.where)
    n = len(key)
    known = Amounts(units, np.ones(n, np.bool_))
    status = np.full(n, Status.PUBLISHED, np.int8)
    codes = frame.codes(key)
    for array in (status, codes):
        array.setflags(write=False)
    return Table(
        name=asked.name,
        measure=measure.name,
        codes=codes,
        named=tuple(name for name in variables if name in asked.codes),
        status=status,
        value=known,
        truth=known,
        lower=Amounts.none(n),
        upper=Amounts.none(n),
        source=replace(microdata.where, table=asked.name),
        headings=Headings({name: name for name in variables if name in asked.codes}, "value"),
    )


def with_contributors(
    table: Table,
    microdata: Microdata,
    variables: Variables,
    measure: Measure,
    ranks: int,
    numbers: NDArray[np.int64] | None = None,
) -> Table:
    """A table with what microdata say of its cells: respondents, with sampling weights the sum of these, and of a
    magnitude the `ranks` largest contributions.

    Parameters
    ----------
    numbers: int64 (records), those of the contributors (`contributor_numbers`) where they are known.

    Raises
    ------
    InputError: records without a code, or with one that the table breaks down; contributions that are missing.
    LimitError: sums beyond 2^62 units, too many combinations.
    """
    asked = _listed(table, variables)
    frame = Frame.of(variables, asked)
    frame.check(microdata, variables, table.name)
    rows = frame.rows(microdata.codes)
    weights = exact_weights(np.ones(len(microdata.codes)) if microdata.weight is None else microdata.weight)
    _refuse_large(weights, microdata.where)
    ranked = Ranked.of(weights)
    entries = Entries(
        frame.key(microdata.codes[rows]),
        (contributor_numbers(microdata) if numbers is None else numbers)[rows],
        amounts_of(microdata, measure)[rows],
        ranked.rank[rows],
        weights.positive[rows].astype(np.int64),
    )
    found = contributors(frame.keys, entries, ranked.digits, ranks if measure.kind == "magnitude" else 0)
    key = frame.key(table.codes)
    place = np.searchsorted(found.key, key)
    nobody = np.append(found.key, -1)[place] != key
    place = np.where(nobody, len(found.key), place)  # a last row of zeros

    def column(values: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.append(values, 0)[place]

    everyone, known = np.ones(len(key), np.bool_), column(found.known)
    weighted = column(_in_weight_units(ranked.weights(found.weight)))
    return replace(
        table,
        frequency=Amounts(column(found.respondents), everyone),
        weighted=None if microdata.weight is None else Amounts(weighted, everyone),
        contributors=tuple(
            Amounts(column(found.largest[:, rank]), known > rank) for rank in range(found.largest.shape[1])
        ),
    )


def _listed(table: Table, variables: Variables) -> Asked:
    """What a table lists, as if it were to be made."""
    codes: dict[str, NDArray[np.bool_]] = {}
    fixed: dict[str, int] = {}
    for at, (name, hierarchy) in enumerate(variables.items()):
        listed = np.unique(table.codes[:, at])
        if name in table.named:
            codes[name] = np.isin(np.arange(len(hierarchy.codes)), listed)
        elif listed[0] != hierarchy.total_index:
            fixed[name] = int(listed[0])
    return Asked(table.name, table.measure, codes, fixed)


def _refuse_large(weights: Weights, where: Place | None) -> None:
    """LimitError if sums of weights may be beyond 2^62 of the units in which they are written."""
    total = weights.parts.astype(object).sum()
    if total * WEIGHT_UNIT.denominator >= MOST * weights.scale:
        raise LimitError("sampling weights add up to more than 4 * 10^12.", at=where)


def _in_weight_units(sums: Weights) -> NDArray[np.int64]:
    parts = sums.parts.astype(object) * WEIGHT_UNIT.denominator
    return rounded_half_up(Weights(parts, sums.scale)).astype(np.int64)
