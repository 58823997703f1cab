"""The same counts changed anew, by noise of another range or rounding to another base: what curves are made of."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import starmap
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attacks.subject import Subject, rows_of, subject_of
from tableseal.audit.model import Amounts, Release, Rounding, Status, Table
from tableseal.audit.model.rounding import rounded


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


def rounded_by(release: Release) -> Literal["conventional", "random"] | None:
    """How all changed counts were rounded, where each was on its own; None: otherwise changed."""
    changed = {
        table.rounding.method
        for table in release.tables
        if table.rounding is not None and release.measures[table.measure].kind == "count"
    }
    if changed == {"conventional"}:
        return "conventional"
    return "random" if changed == {"random"} else None


def redrawn(subject: Subject, wide: int, uniform: NDArray[np.float64]) -> Subject:
    """The subject with every count of a changed table changed anew, each cell once, and readers told how.

    Where counts were rounded on their own, `wide` is the base of another rounding of that kind. Else it is the range of
    noise: uniform among the whole numbers from x - m to x + m with m = min(x, wide), so without bias, never negative,
    and zeros stay, as readers are told. Source of the noise: bounded and uniform as in Asghar and Kaafar (2020), cut at
    zero by keeping it symmetric.
    """
    method = rounded_by(subject.release)
    noise = Rounding(1, "cell_key", range=wide) if method is None else Rounding(wide, method)
    if method is None:
        most = np.minimum(subject.truth, wide)
        value = subject.truth - most + np.floor(uniform * (2 * most + 1)).astype(np.int64)
    elif method == "conventional":
        value = rounded(subject.truth, noise)
    else:
        residual = subject.truth % wide
        value = subject.truth - residual + wide * (uniform * wide < residual)
    rows = rows_of(subject.cells, len(subject.release.tables))

    def drawn(table: Table, cell: NDArray[np.int64]) -> Table:
        if table.rounding is None or subject.release.measures[table.measure].kind != "count":
            return table
        out = (table.status <= Status.FROZEN) & table.value.known
        units = np.where(out, value[cell], table.value.units)
        return replace(table, value=Amounts(units, table.value.known.copy()), rounding=noise)

    tables: Sequence[Table] = tuple(starmap(drawn, zip(subject.release.tables, rows, strict=True)))
    drawn_anew = subject_of(replace(subject.release, tables=tuple(tables)))
    return replace(drawn_anew, deadline=subject.deadline)
