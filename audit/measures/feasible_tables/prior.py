"""What an intruder takes to be likely before the release: a weight for every table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.linear.base import Base
from tableseal.audit.measures.feasible_tables.base_cells import BaseCell, base_cells
from tableseal.audit.model import Release


class Prior(Protocol):
    """The weight of a table as a product over base cells."""

    def log_weight(self, columns: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.float64]:
        """Natural logarithm, up to a constant a column, of what values of base cells contribute to a table's weight.

        columns: columns of the system, one or one for each last place of the values.
        """
        ...


@dataclass(frozen=True)
class Poisson:
    """Independent Poisson counts, one mean (> 0) a base cell.

    Given the total of the table this is the multinomial distribution with probabilities in proportion to the means;
    with equal means every way to put the units into the cells is equally likely. `means`: float64 (columns of the
    system).
    """

    means: NDArray[np.float64]

    def log_weight(self, columns: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.float64]:
        """x log(mean) - log(x!); minus infinity below 0."""
        from scipy.special import gammaln  # late: 0.1 s

        x = values.astype(np.float64)
        inside = x * np.log(self.means[columns]) - gammaln(np.maximum(x, 0.0) + 1.0)
        return np.where(x >= 0, inside, -np.inf)


class Belief(Protocol):
    """A prior that is said in the codes of a release, before there is a system."""

    def on(self, release: Release, base: Base) -> Prior:
        """The same for the base cells of a system.

        Raises
        ------
        InputError: it does not fit the release.
        """
        ...


LogWeightOf = Callable[[Mapping[str, str], NDArray[np.float64]], Any]
"""(variable -> code of a base cell, values in the measure's decimals) -> natural logarithm of the weight of each value,
up to a constant."""

LONGEST = 1 << 20
"""Values of one base cell that are asked for at once."""


@dataclass(frozen=True)
class CellWeights:
    """The weight of a table as a product over base cells of what a function says of each."""

    function: LogWeightOf

    def on(self, release: Release, base: Base) -> Prior:
        """See `Belief`."""
        cells = base_cells(release, base)
        units = {name: float(measure.unit) for name, measure in release.measures.items()}
        return _Asked(self.function, cells, [units[cell.measure] for cell in cells], len(units) > 1)


@dataclass(frozen=True)
class ExpectedCounts:
    """Independent Poisson counts with these means.

    means: combination of leaf codes, in the order of the release's variables -> mean (> 0); None: 1 for each base cell,
    so that every way to put the units into the cells is equally likely.
    """

    means: Mapping[tuple[str, ...], float] | None = None

    def on(self, release: Release, base: Base) -> Prior:
        """See `Belief`."""
        if any(measure.kind != "count" for measure in release.measures.values()):
            raise InputError("prior: means are of counts; for magnitudes give a function of (cell, values).")
        cells = base_cells(release, base)
        if self.means is None:
            return Poisson(np.ones(len(cells)))
        return Poisson(np.array([self._mean(cell, self.means) for cell in cells]))

    def _mean(self, cell: BaseCell, means: Mapping[tuple[str, ...], float]) -> float:
        found = []
        for leaf in cell.leaves():
            mean = means.get(leaf)
            if mean is None or not 0 < mean < float("inf"):
                said = "there is no mean" if mean is None else "the mean is not above 0 and finite"
                raise InputError(f"prior: {said} for {_named(dict(zip(cell.parts, leaf, strict=True)))}.")
            found.append(mean)
        return sum(found)


@dataclass(frozen=True)
class _Asked:
    """Weights that a function gives, each asked for once.

    units: of each base cell; several: the function is told the measure, too. known: column -> (first, logarithms).
    """

    function: LogWeightOf
    cells: tuple[BaseCell, ...]
    units: list[float]
    several: bool
    known: dict[int, tuple[int, NDArray[np.float64]]] = field(default_factory=dict)

    def log_weight(self, columns: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.float64]:
        """See `Prior`."""
        if columns.ndim == 0:
            return self._of_column(int(columns), values)
        found = np.empty(values.shape)
        for at, column in enumerate(columns.tolist()):
            found[..., at] = self._of_column(column, values[..., at])
        return found

    def _of_column(self, column: int, values: NDArray[np.int64]) -> NDArray[np.float64]:
        if not values.size:
            return np.zeros(values.shape)
        first, last = int(values.min()), int(values.max())
        begin, known = self.known.get(column, (first, np.empty(0)))
        if len(known):
            first, last = min(first, begin), max(last, begin + len(known) - 1)
        if last - first >= LONGEST:
            return self._ask(column, values)
        if last - first + 1 > len(known):
            known = self._ask(column, np.arange(first, last + 1))
            self.known[column] = first, known
        else:
            first = begin
        return known[values - first]

    def _ask(self, column: int, values: NDArray[np.int64]) -> NDArray[np.float64]:
        cell = self.cells[column]
        named = {**({"measure": cell.measure} if self.several else {}), **cell.codes}
        try:
            shown = values.astype(np.float64) * self.units[column]
            found = np.broadcast_to(np.asarray(self.function(named, shown), np.float64), values.shape)
        except Exception as error:
            raise InputError(
                f"prior: for {_named(named)} it gave no numbers ({type(error).__name__}: {error})."
            ) from error
        if np.isnan(found).any() or (found == np.inf).any():
            raise InputError(
                f"prior: for {_named(named)} it gave values that are no logarithm of a weight (a weight of 0 is -inf)."
            )
        return found


def _named(cell: Mapping[str, str]) -> str:
    return ", ".join(f"{variable}={code}" for variable, code in cell.items())


IMPOSSIBLE = InputError("prior: it gives every table that fits the release the weight 0.")
