"""The same counts changed anew, by noise of another range: what curves are made of."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import starmap

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attacks.subject import Subject, rows_of, subject_of
from tableseal.audit.model import Amounts, Rounding, Status, Table


def draws_of(subject: Subject, seed: int, draws: int) -> list[NDArray[np.float64]]:
    """Numbers from 0 to below 1, one for each cell, so many times: the same for a cell in every order of rows, tables
    and codes."""
    release, cells = subject.release, subject.cells
    measures, variables = list(release.measures), list(release.variables.values())
    names = [
        (measures[measure], *(variables[v].codes[code] for v, code in enumerate(codes)))
        for measure, codes in zip(cells.measure.tolist(), cells.codes.tolist(), strict=True)
    ]
    order = sorted(range(len(names)), key=names.__getitem__)
    found = []
    for draw in range(draws):
        uniform = np.empty(len(names))
        uniform[order] = np.random.default_rng([seed, draw]).random(len(names))
        found.append(uniform)
    return found


def redrawn(subject: Subject, widest: int, uniform: NDArray[np.float64]) -> Subject:
    """The subject with every count of a changed table drawn anew, each cell once: uniform among the whole numbers from
    x - m to x + m with m = min(x, widest), so without bias, never negative, and zeros stay. Readers are told the range
    and that zeros stay.

    Source of the noise: bounded and uniform as in Asghar and Kaafar (2020), cut at zero by keeping it symmetric.
    """
    most = np.minimum(subject.truth, widest)
    value = subject.truth - most + np.floor(uniform * (2 * most + 1)).astype(np.int64)
    rows = rows_of(subject.cells, len(subject.release.tables))
    noise = Rounding(1, "cell_key", range=widest)

    def drawn(table: Table, cell: NDArray[np.int64]) -> Table:
        if table.rounding is None or subject.release.measures[table.measure].kind != "count":
            return table
        out = (table.status <= Status.FROZEN) & table.value.known
        units = np.where(out, value[cell], table.value.units)
        return replace(table, value=Amounts(units, table.value.known.copy()), rounding=noise)

    tables: Sequence[Table] = tuple(starmap(drawn, zip(subject.release.tables, rows, strict=True)))
    drawn_anew = subject_of(replace(subject.release, tables=tuple(tables)))
    return replace(drawn_anew, deadline=subject.deadline)
