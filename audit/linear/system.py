"""The released system: integer rows over base cells, each row knowing which statement of the release it is."""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, vstack

from audit.errors import InputError, LimitError
from audit.linear.base import Base, build_base
from audit.linear.cells import Cells
from audit.linear.integers import NO_LOWER, NO_UPPER
from audit.model import Link, Release, Status

LARGEST_NONZEROS = 300_000_000
SEPARATOR = -1
"""`cell` and `link` of a row that says that two base tables agree on a common margin."""


@dataclass(frozen=True)
class LinearSystem:
    """lower <= matrix @ x <= upper for the base cells x, in units of their measures; x integer.

    Attributes
    ----------
    matrix: int64 csr (rows x columns).
    lower, upper: int64 (rows), NO_LOWER / NO_UPPER where there is no bound.
    scale: int64 (rows): the row is this multiple of the statement it comes from (links with rational bounds).
    cell, link: int64 (rows): the cell or the link that the row states; -1 otherwise. Both -1: a separator row.
    forms: int64 csr (open cells x columns): what each open cell is a sum of.
    open_cells: int64 (open cells), position in `cells`.
    nonnegative: base cells are known to be >= 0.
    base: how columns are numbered.
    """

    matrix: csr_array
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    scale: NDArray[np.int64]
    cell: NDArray[np.int64]
    link: NDArray[np.int64]
    forms: csr_array
    open_cells: NDArray[np.int64]
    nonnegative: bool
    base: Base

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Rows that are equations."""
        result: NDArray[np.bool_] = self.lower == self.upper
        return result


def build_system(release: Release, cells: Cells) -> LinearSystem:
    """The linear system of everything an intruder knows.

    Raises
    ------
    InputError: the intruder's prior needs true values that are not given.
    LimitError: too many base cells or coefficients.
    """
    terms = [term for link in release.links for term in link.terms]
    names = list(release.measures)
    width = len(release.variables)
    link_measure = np.array([names.index(t.measure) for t in terms], dtype=np.int32)
    link_codes = np.array([t.codes for t in terms], dtype=np.int32).reshape(len(terms), width)
    measure = np.concatenate([cells.measure, link_measure])
    codes = np.concatenate([cells.codes, link_codes])
    base = build_base(release, measure, codes)
    forms = _forms(release, base, measure, codes)

    lower, upper = known_bounds(release, cells)
    known = np.flatnonzero((lower != NO_LOWER) | (upper != NO_UPPER))
    open_cells = np.flatnonzero(~cells.exact)
    rows = [forms[known]]
    lows, highs = [lower[known]], [upper[known]]
    scales = [np.ones(len(known), np.int64)]
    links = _link_rows(release, forms[len(cells) :])
    separators = [_separator(base, a, b, common) for a, b, common in base.separators]
    for matrix, low, high, scale in links:
        rows.append(matrix)
        lows.append(np.array([low]))
        highs.append(np.array([high]))
        scales.append(np.array([scale]))
    for matrix in separators:
        rows.append(matrix)
        lows.append(np.zeros(matrix.shape[0], np.int64))
        highs.append(np.zeros(matrix.shape[0], np.int64))
        scales.append(np.ones(matrix.shape[0], np.int64))
    count = sum(m.shape[0] for m in separators)
    none = np.full(count, SEPARATOR)
    return LinearSystem(
        matrix=csr_array(vstack(rows, format="csr", dtype=np.int64)),
        lower=np.concatenate(lows),
        upper=np.concatenate(highs),
        scale=np.concatenate(scales),
        cell=np.concatenate([known, np.full(len(links), -1), none]).astype(np.int64),
        link=np.concatenate([np.full(len(known), -1), np.arange(len(links)), none]).astype(np.int64),
        forms=csr_array(forms[open_cells]),
        open_cells=open_cells,
        nonnegative=release.intruder.nonnegative,
        base=base,
    )


def known_bounds(release: Release, cells: Cells) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What an outside intruder knows of each cell: what is released, plus `nonempty` and `prior` for withheld cells."""
    lower = np.where(cells.lower.known, cells.lower.units, NO_LOWER)
    upper = np.where(cells.upper.known, cells.upper.units, NO_UPPER)
    withheld = cells.status >= Status.SECONDARY
    if release.intruder.nonempty:
        lower = np.where(withheld, np.maximum(lower, 1), lower)
    prior = release.intruder.prior
    if prior is not None:
        _refuse_unknown_truth(release, cells, withheld & ~cells.truth.known)
        at = np.flatnonzero(withheld)
        truth = cells.truth.units[at].astype(object)
        reach = [abs(t) * prior for t in truth]
        low = np.array([-((-(t - r)) // 1) for t, r in zip(truth, reach, strict=True)], dtype=np.int64)
        high = np.array([(t + r) // 1 for t, r in zip(truth, reach, strict=True)], dtype=np.int64)
        lower[at] = np.maximum(lower[at], low)
        upper[at] = np.minimum(upper[at], high)
    return lower, upper


def _refuse_unknown_truth(release: Release, cells: Cells, missing: NDArray[np.bool_]) -> None:
    if missing.any():
        at = int(np.flatnonzero(missing)[0])
        names = ", ".join(f"{v}={c}" for v, c in release.cell_codes(cells.codes[at]).items())
        table = release.tables[int(cells.table[at])].name
        raise InputError(
            f'table "{table}", cell {names}: intruder.prior needs the true value of every withheld cell, and '
            f"{int(missing.sum())} have none; add a truth column"
        )


def _forms(release: Release, base: Base, measure: NDArray[np.int32], codes: NDArray[np.int32]) -> csr_array:
    """Every cell as a 0/1 row over base cells."""
    totals = np.array([h.total_index for h in release.variables.values()])
    away = codes != totals
    # One home per pattern of used variables, not per cell.
    pattern, kind = np.unique(np.column_stack([measure, away]), axis=0, return_inverse=True)
    kind = kind.ravel()
    owners, columns = [], []
    total = 0
    for k, row in enumerate(pattern):
        at = np.flatnonzero(kind == k)
        table = base.tables[base.home(int(row[0]), frozenset(np.flatnonzero(row[1:]).tolist()))]
        size = np.ones(len(at))
        for v, atoms in zip(table.variables, table.atoms, strict=True):
            size *= np.diff(atoms.indptr)[codes[at, v]]
        total += int(size.sum())
        if total > LARGEST_NONZEROS:
            raise LimitError(f"The released system has more than {LARGEST_NONZEROS:,} coefficients; split the release.")
        owner, column = table.expand(codes[at])
        owners.append(at[owner])
        columns.append(column)
    row_index, column_index = np.concatenate(owners), np.concatenate(columns)
    return csr_array(
        coo_array((np.ones(len(row_index), np.int64), (row_index, column_index)), shape=(len(codes), base.columns))
    )


def _link_rows(release: Release, forms: csr_array) -> list[tuple[csr_array, int, int, int]]:
    """(row, lower, upper, scale) of each link, scaled to integers."""
    result = []
    units = {m.name: m.unit for m in release.measures.values()}
    at = 0
    for link in release.links:
        factors = [t.coefficient * units[t.measure] for t in link.terms]
        bounds = [b for b in (link.lower, link.upper) if b is not None]
        scale = lcm(*(Fraction(f).denominator for f in [*factors, *bounds]))
        weights = np.array([int(f * scale) for f in factors], dtype=np.int64)
        part = forms[at : at + len(link.terms)]
        at += len(link.terms)
        row = csr_array(csr_array(weights.reshape(1, -1)) @ part)
        low, high = _scaled(link, scale)
        result.append((row, low, high, scale))
    return result


def _scaled(link: Link, scale: int) -> tuple[int, int]:
    low = NO_LOWER if link.lower is None else int(link.lower * scale)
    high = NO_UPPER if link.upper is None else int(link.upper * scale)
    if any(abs(v) >= NO_UPPER for v in (low, high) if v not in (NO_LOWER, NO_UPPER)):
        raise LimitError("A link's bounds are more than 2^62 units.")
    return low, high


def _separator(base: Base, a: int, b: int, common: tuple[int, ...]) -> csr_array:
    """Rows: for every combination of atoms of the common variables, sum over one base table - sum over the other = 0."""
    parts = []
    for position, sign in ((a, 1), (b, -1)):
        table = base.tables[position]
        grid = np.indices(table.shape).reshape(len(table.shape), -1)
        place = [table.variables.index(v) for v in common]
        shape = tuple(table.shape[p] for p in place)
        row = np.ravel_multi_index(tuple(grid[p] for p in place), shape) if place else np.zeros(table.size, int)
        count = int(np.prod(shape)) if place else 1
        column = np.arange(table.size) + table.offset
        data = np.full(table.size, sign, np.int64)
        parts.append(csr_array(coo_array((data, (row, column)), shape=(count, base.columns))))
    return csr_array(parts[0] + parts[1])
