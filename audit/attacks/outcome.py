"""What an attack brought, count by count."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Targets = Literal["published", "unlisted"]
"""published: true counts behind changed ones; unlisted: counts that no table lists."""


@dataclass(frozen=True)
class Outcome:
    """True counts that were aimed at, and what an attacker says of them.

    Attributes
    ----------
    truth: int64 (targets).
    lower, upper: int64 (targets), what is proved of each by the stated scheme; None: the attack proves nothing.
    guess: int64 (targets), the attacker's best guess.
    explain: the arithmetic that leads to one of them, by its position.
    range_at_least: how wide the range of changes must be, as readers find out without being told; None: not asked.
    """

    targets: Targets
    truth: NDArray[np.int64]
    lower: NDArray[np.int64] | None
    upper: NDArray[np.int64] | None
    guess: NDArray[np.int64]
    explain: Callable[[int], str]
    range_at_least: int | None = None

    @property
    def proved(self) -> NDArray[np.bool_]:
        """bool (targets): one value is left."""
        if self.lower is None or self.upper is None:
            return np.zeros(len(self.truth), np.bool_)
        result: NDArray[np.bool_] = self.lower == self.upper
        return result

    @property
    def hit(self) -> NDArray[np.bool_]:
        """bool (targets): the guess is right."""
        result: NDArray[np.bool_] = self.guess == self.truth
        return result


def nearest(value: NDArray[np.float64]) -> NDArray[np.int64]:
    """The nearest whole number, halves up. Sums that floats write a little below a half count as halves."""
    return np.floor(np.round(value + 0.5, 9)).astype(np.int64)


def nothing(targets: Targets) -> Outcome:
    """Nothing to aim at."""
    none = np.zeros(0, np.int64)
    return Outcome(targets, none, none, none, none, lambda _: "")
