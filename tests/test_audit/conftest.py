"""Shared fixtures: cells made directly, without files."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import (
    Amounts,
    Hierarchy,
    Intruder,
    Measure,
    Microdata,
    Release,
    Status,
    Table,
    build_hierarchy,
)

Values = Sequence[int | None]


def flat(name: str, total: str | None, codes: Sequence[str]) -> Hierarchy:
    """A classification of one level."""
    return build_hierarchy(name, total, [[(None, code) for code in codes]])


def _column(values: Values | None, n: int) -> Amounts:
    return Amounts.none(n) if values is None else Amounts.of(list(values))


def make_cells(
    value: Values,
    *,
    kind: Any = "magnitude",
    hierarchies: Sequence[Hierarchy] = (),
    codes: Sequence[Sequence[str]] = (),
    status: Sequence[Status] = (),
    row: Sequence[int] = (),
    frequency: Values | None = None,
    contributors: Sequence[Values] = (),
    protection: tuple[Values | None, Values | None] = (None, None),
    intruder: Intruder | None = None,
    microdata: Microdata | None = None,
    other_measure: Measure | None = None,
) -> tuple[Release, Cells]:
    """A release of one table "t" with one measure "value", and its cells; one cell a row, `value` is the truth.

    Without hierarchies every cell has a code of its own (c0, c1, ...) of one variable "a" that has no total.
    `other_measure` is listed too, but has no cells.
    """
    n = len(value)
    variables = list(hierarchies) or [flat("a", None, [f"c{i}" for i in range(max(n, 1))])]
    texts = codes or [(f"c{i}",) for i in range(n)]
    positions = np.array(
        [[h.index[c] for h, c in zip(variables, text, strict=True)] for text in texts], dtype=np.int32
    ).reshape(n, len(variables))
    states = np.array(status or [Status.PUBLISHED] * n, dtype=np.int8)
    truth = Amounts.of(list(value))
    rows = np.array(row or range(n), dtype=np.int64)
    exact = (states <= Status.STRUCTURAL_ZERO) & truth.known
    none = Amounts.none(n)
    below, above = (_column(p, n) for p in protection)
    cells = Cells(
        measure=np.zeros(n, dtype=np.int32),
        codes=positions,
        status=states,
        sensitive_status=states >= Status.WITHHELD,
        withheld_status=states >= Status.SECONDARY,
        consent=states == Status.CONSENT,
        unrounded=np.zeros(n, dtype=np.bool_),
        absent_zero=np.zeros(n, dtype=np.bool_),
        rounded=np.zeros(n, dtype=np.bool_),
        lower=Amounts(truth.units.copy(), exact),
        upper=Amounts(truth.units.copy(), exact),
        known_lower=Amounts.none(n),
        known_upper=Amounts.none(n),
        exact=exact,
        truth=truth,
        impossible=np.zeros(n, dtype=np.bool_),
        frequency=_column(frequency, n),
        weighted=Amounts.none(n),
        contributors=tuple(_column(c, n) for c in contributors),
        protection_lower=below,
        protection_upper=above,
        protection_sliding=Amounts.none(n),
        table=np.zeros(n, dtype=np.int32),
        row=rows,
        listing_cell=np.arange(n),
        listing_table=np.zeros(n, dtype=np.int32),
    )
    table = Table("t", "value", positions, tuple(h.name for h in variables), states, none, truth, none, none)
    measures = {"value": Measure("value", kind)}
    if other_measure is not None:
        measures[other_measure.name] = other_measure
    release = Release(
        title="",
        measures=measures,
        variables={h.name: h for h in variables},
        tables=(table,),
        intruder=intruder or Intruder(),
        microdata=microdata,
    )
    return release, cells


@pytest.fixture(scope="session")
def cells_of() -> Callable[..., tuple[Release, Cells]]:
    """`make_cells`."""
    return make_cells


@pytest.fixture(scope="session")
def flat_hierarchy() -> Callable[..., Hierarchy]:
    """`flat`."""
    return flat
