"""What the rules say of every cell."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import Amounts, Status


@dataclass(frozen=True)
class Sensitivity:
    """Per cell (same order as `Cells`).

    sensitive: bool (cells), by a rule of the policy.
    required_lower, required_upper: ends of the interval that must stay possible, as multiples of the unit;
        not known where nothing is required. Several rules: the union of what each requires.
    required_width: how much the values that stay possible must span, wherever they lie, likewise.
    rule: text of the first rule that made the cell sensitive ("threshold 3", "dominance (1, 85)", "p% 10"),
        None if none did.
    rules: text of every rule of the policy, in order, whether or not any cell is sensitive by it.
    """

    sensitive: NDArray[np.bool_]
    required_lower: Amounts
    required_upper: Amounts
    required_width: Amounts
    rule: tuple[str | None, ...]
    rules: tuple[str, ...]

    def judged(self, cells: Cells) -> NDArray[np.bool_]:
        """bool (cells): what must not come out, by a rule or because of how it is released."""
        result: NDArray[np.bool_] = (
            cells.sensitive_status
            | (cells.unrounded & ~cells.consent)
            | self.sensitive
            | (cells.status == Status.PRIMARY)
            | (cells.status == Status.WITHHELD)
            | ((cells.status <= Status.FROZEN) & ~cells.exact & ~cells.consent)
        )
        return result
