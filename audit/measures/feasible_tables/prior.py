"""What an intruder takes to be likely before the release: a weight for every table."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


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
