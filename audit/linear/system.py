"""The released system: integer rows over base cells, each row knowing which statement of the release it is."""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.linear.base import Base, Separator, build_base, distinct
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.naming import place_of
from tableseal.audit.model import Link, Release, Status
from tableseal.audit.sparse import csr, empty, from_entries, stacked, without_zeros

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
    margins: what the separator rows stand for.

    A cell that several base tables can express has one row for each of them.
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
    margins: "Margins"

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Rows that are equations."""
        result: NDArray[np.bool_] = self.lower == self.upper
        return result


def build_system(release: Release, cells: Cells, lower: NDArray[np.int64], upper: NDArray[np.int64]) -> LinearSystem:
    """The linear system of everything an intruder knows.

    lower, upper: int64 (cells), what is known of each cell (see `known_bounds`).

    Raises
    ------
    LimitError: too many base cells or coefficients.
    """
    terms = [term for link in release.statements for term in link.terms]
    names = list(release.measures)
    width = len(release.variables)
    link_measure = np.array([names.index(t.measure) for t in terms], dtype=np.int32)
    link_codes = np.array([t.codes for t in terms], dtype=np.int32).reshape(len(terms), width)
    measure = np.concatenate([cells.measure, link_measure])
    codes = np.concatenate([cells.codes, link_codes])
    base = build_base(release, measure, codes)
    homes = _Homes(base, measure, codes)
    known = np.flatnonzero((lower != NO_LOWER) | (upper != NO_UPPER))
    open_cells = np.flatnonzero(~cells.exact)
    exact = np.flatnonzero(lower == upper)
    again, again_cell = homes.alternatives(exact)
    stated = np.concatenate([known, again_cell])
    of_links = homes.primary(np.arange(len(cells), len(codes)))
    links = _link_rows(release, of_links)
    separators = [_separator(base, s) for s in base.separators]
    count = sum(m.shape[0] for m in separators)
    matrix = stacked([homes.primary(known), again, links.rows, *separators])
    return LinearSystem(
        matrix=matrix,
        lower=_column(lower[stated], links.lower, 0, count),
        upper=_column(upper[stated], links.upper, 0, count),
        scale=_column(np.ones(len(stated), np.int64), links.scale, 1, count),
        cell=_column(stated, [-1] * len(links.scale), SEPARATOR, count),
        link=_column(np.full(len(stated), -1), list(range(len(links.scale))), SEPARATOR, count),
        forms=homes.primary(open_cells),
        open_cells=open_cells,
        nonnegative=release.intruder.nonnegative,
        base=base,
        margins=_margins(base, len(release.variables), matrix.shape[0] - count),
    )


@dataclass(frozen=True)
class Margins:
    """What each separator row is the margin of, where codes can say it.

    rows: int64 (separator rows), position in the system; known: bool, whether codes exist; measure, codes: as in Cells.
    """

    rows: NDArray[np.int64]
    known: NDArray[np.bool_]
    measure: NDArray[np.int32]
    codes: NDArray[np.int32]


def known_bounds(release: Release, cells: Cells, *, prior: bool = True) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What an outside intruder knows of each cell: what is released, plus `nonempty` and `prior` for withheld cells.

    prior: False leaves the prior out, whose bounds would tell true values in a message.

    Raises
    ------
    InputError: the intruder's prior needs true values that are not given.
    """
    lower = np.where(cells.lower.known, cells.lower.units, NO_LOWER)
    upper = np.where(cells.upper.known, cells.upper.units, NO_UPPER)
    withheld = cells.status >= Status.SECONDARY
    if release.intruder.nonempty:
        lower = np.where(withheld, np.maximum(lower, 1), lower)
    reach_of_prior = release.intruder.prior
    if prior and reach_of_prior is not None:
        _refuse_unknown_truth(release, cells, withheld & ~cells.truth.known)
        at = np.flatnonzero(withheld)
        truth = cells.truth.units[at].astype(object)
        reach = [abs(t) * reach_of_prior for t in truth]
        low = np.array([-((-(t - r)) // 1) for t, r in zip(truth, reach, strict=True)], dtype=np.int64)
        high = np.array([(t + r) // 1 for t, r in zip(truth, reach, strict=True)], dtype=np.int64)
        lower[at] = np.maximum(lower[at], low)
        upper[at] = np.minimum(upper[at], high)
    return lower, upper


def _refuse_unknown_truth(release: Release, cells: Cells, missing: NDArray[np.bool_]) -> None:
    if missing.any():
        at = int(np.flatnonzero(missing)[0])
        text = "intruder.prior needs the true value of every withheld cell, and "
        raise InputError(text, f"{int(missing.sum())} have none; add a truth column", at=place_of(release, cells, at))


def _column(stated: NDArray[np.int64], links: list[int], separator: int, separators: int) -> NDArray[np.int64]:
    """One value per row: those that state cells, links, separators (integers throughout: values may exceed 2^53)."""
    result = np.concatenate([stated, np.array(links, dtype=np.int64), np.full(separators, separator, dtype=np.int64)])
    return result.astype(np.int64, casting="safe")


class _Homes:
    """Every cell as 0/1 rows over base cells."""

    def __init__(self, base: Base, measure: NDArray[np.int32], codes: NDArray[np.int32]) -> None:
        self._base, self._measure, self._codes = base, measure, codes
        kinds: dict[tuple[int, ...], list[NDArray[np.int64]]] = {}
        for b, block in enumerate(base.blocks):
            at = np.flatnonzero(measure == block.measure)
            away, inside = block.coverage(codes[at])
            at, away = at[inside], away[inside]
            patterns, kind = distinct(away)
            homes = [tuple(base.homes(b, frozenset(np.flatnonzero(pattern).tolist()))) for pattern in patterns]
            choices = list(dict.fromkeys(homes))
            choice = np.array([choices.index(home) for home in homes], np.int64)[kind]
            for k, home in enumerate(choices):
                kinds.setdefault(home, []).append(at[choice == k])
        # (cells, base tables that can express them), for every such choice of base tables.
        self._kinds = [
            (cells[0] if len(cells) == 1 else np.sort(np.concatenate(cells)), homes) for homes, cells in kinds.items()
        ]

    def primary(self, cells: NDArray[np.int64]) -> csr_array:
        """One row for each of the cells (ascending), over the first base table of each block that can express it."""
        return self._matrix([(at, homes[0]) for at, homes in self._kinds], cells)

    def alternatives(self, cells: NDArray[np.int64]) -> tuple[csr_array, NDArray[np.int64]]:
        """Further rows of the given cells over the other base tables, and which cell each row is."""
        wanted = np.zeros(len(self._codes), np.bool_)
        wanted[cells] = True
        blocks, owners = [], []
        for at, homes in self._kinds:
            own = at[wanted[at]]
            for home in homes[1:] if len(own) else ():
                here, usual = (self._matrix([(own, h)], own) for h in (home, homes[0]))
                blocks.append(csr_array(self.primary(own) - usual + here))
                owners.append(own)
        if not blocks:
            return empty(self._base.columns), np.empty(0, np.int64)
        return without_zeros(stacked(blocks)), np.concatenate(owners)

    def _matrix(self, homes: list[tuple[NDArray[np.int64], int]], cells: NDArray[np.int64]) -> csr_array:
        row = np.full(len(self._codes), -1)
        row[cells] = np.arange(len(cells))
        homes = [(at[row[at] >= 0], home) for at, home in homes]
        sizes = np.zeros(len(cells))
        for at, home in homes:
            table = self._base.tables[home]
            size = np.ones(len(at))
            for v, atoms in zip(table.variables, table.atoms, strict=True):
                size *= np.diff(atoms.indptr)[self._codes[at, v]]
            sizes[row[at]] += size
        if sizes.sum() > LARGEST_NONZEROS:
            raise LimitError(f"The released system has more than {LARGEST_NONZEROS:,} coefficients; split the release.")
        # A cell's base cells in the tables of different blocks stand one after another.
        indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        if len(homes) == 1:
            indices, _ = self._base.tables[homes[0][1]].expand(self._codes[homes[0][0]])
        else:
            indices = np.empty(indptr[-1], np.int32)
            filled = indptr[:-1].copy()
            for at, home in homes:
                columns, count = self._base.tables[home].expand(self._codes[at])
                start = np.repeat(filled[row[at]] - np.cumsum(count) + count, count)
                indices[start + np.arange(len(columns))] = columns
                filled[row[at]] += count
        matrix = csr(np.ones(len(indices), np.int64), indices, indptr, (len(cells), self._base.columns))
        matrix.sort_indices()
        return matrix


@dataclass(frozen=True)
class _Links:
    """Links, scaled to integers. rows: (links x columns); lower, upper, scale: of each."""

    rows: csr_array
    lower: list[int]
    upper: list[int]
    scale: list[int]


def _link_rows(release: Release, forms: csr_array) -> _Links:
    """The rows of all links; forms: of their terms, one after another."""
    if not release.statements:
        return _Links(empty(forms.shape[1]), [], [], [])
    units = {m.name: m.unit for m in release.measures.values()}
    weights: list[int] = []
    lower, upper, scales = [], [], []
    for link in release.statements:
        factors = [t.coefficient * units[t.measure] for t in link.terms]
        bounds = [b for b in (link.lower, link.upper) if b is not None]
        scale = lcm(*(Fraction(f).denominator for f in [*factors, *bounds]))
        if any(abs(f * scale) >= NO_UPPER for f in factors):
            raise LimitError("A link's coefficients, written in whole numbers, are more than 2^62.")
        weights += [int(f * scale) for f in factors]
        low, high = _scaled(link, scale)
        lower.append(low)
        upper.append(high)
        scales.append(scale)
    ends = np.cumsum([0, *(len(link.terms) for link in release.statements)])
    terms = csr(np.array(weights, np.int64), np.arange(len(weights)), ends, (len(release.statements), len(weights)))
    rows = csr_array(terms @ forms)
    rows.sort_indices()
    return _Links(rows, lower, upper, scales)


def _scaled(link: Link, scale: int) -> tuple[int, int]:
    low = NO_LOWER if link.lower is None else int(link.lower * scale)
    high = NO_UPPER if link.upper is None else int(link.upper * scale)
    if any(abs(v) >= NO_UPPER for v in (low, high) if v not in (NO_LOWER, NO_UPPER)):
        raise LimitError("A link's bounds are more than 2^62 units.")
    return low, high


def _separator(base: Base, separator: Separator) -> csr_array:
    """One row per combination of atoms of the common variables: sum over one base table - sum over the other = 0."""
    parts = []
    for position, sign in ((separator.first, 1), (separator.second, -1)):
        table = base.tables[position]
        grid = np.indices(table.shape).reshape(len(table.shape), -1)
        place = [table.variables.index(v) for v in separator.variables]
        shape = tuple(table.shape[p] for p in place)
        row = np.ravel_multi_index(tuple(grid[p] for p in place), shape) if place else np.zeros(table.size, int)
        column = np.arange(table.size) + table.offset
        data = np.full(table.size, sign, np.int64)
        parts.append(from_entries(row, column, data, (prod(shape), base.columns)))
    return csr_array(parts[0] + parts[1])


def _margins(base: Base, variables: int, first_row: int) -> Margins:
    """Codes of the separator rows: the code of each atom, and the narrowest code that covers the block elsewhere."""
    known, measures, codes = [], [], []
    for separator in base.separators:
        table = base.tables[separator.first]
        block = base.blocks[table.block]
        axes = []
        for v in range(variables):
            count = np.diff(block.atoms[v].indptr)
            if v in separator.variables:
                single = np.flatnonzero(count == 1)
                axis = np.full(block.atoms[v].shape[1], -1, dtype=np.int32)
                axis[block.atoms[v].indices[block.atoms[v].indptr[single]]] = single
            else:
                full = np.flatnonzero(count == block.atoms[v].shape[1])
                axis = np.array([full[-1] if len(full) else -1], dtype=np.int32)
            axes.append(axis)
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, variables)
        codes.append(grid.astype(np.int32))
        known.append((grid >= 0).all(axis=1))
        measures.append(np.full(len(grid), block.measure, np.int32))
    if not codes:
        nothing = np.empty(0, np.int32)
        return Margins(np.empty(0, np.int64), np.empty(0, np.bool_), nothing, np.empty((0, variables), np.int32))
    count = sum(len(c) for c in codes)
    return Margins(first_row + np.arange(count), np.concatenate(known), np.concatenate(measures), np.concatenate(codes))
