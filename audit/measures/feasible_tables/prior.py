"""What an intruder takes to be likely before the release: a weight for every table."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln


class Prior(Protocol):
    """The weight of a table as a product over base cells."""

    def log_weight(self, column: int, values: NDArray[np.int64]) -> NDArray[np.float64]:
        """Natural logarithm, up to a constant, of what each value of a base cell (column of the system) contributes."""
        ...


@dataclass(frozen=True)
class Poisson:
    """Independent Poisson counts, one mean (> 0) a base cell.

    Given the total of the table this is the multinomial distribution with probabilities in proportion to the means;
    with equal means every way to put the units into the cells is equally likely. `means`: float64 (columns of the
    system).
    """

    means: NDArray[np.float64]

    def log_weight(self, column: int, values: NDArray[np.int64]) -> NDArray[np.float64]:
        """x log(mean) - log(x!); minus infinity below 0."""
        x = values.astype(np.float64)
        inside = x * np.log(self.means[column]) - gammaln(np.maximum(x, 0.0) + 1.0)
        return np.where(x >= 0, inside, -np.inf)
