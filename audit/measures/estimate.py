"""What random repetitions estimate."""

from dataclasses import dataclass
from math import sqrt
from typing import Annotated

from tableseal.audit.codec.kinds import Rounded
from tableseal.audit.measures.risk.information import Floats


@dataclass(frozen=True)
class Estimate:
    """A mean over random repetitions, with its Monte-Carlo standard error (0: nothing was random, or one repetition)
    and the standard deviation of a single one."""

    mean: Rounded
    error: Annotated[Rounded, "Monte-Carlo standard error of the mean."]
    deviation: Rounded

    @staticmethod
    def of(values: Floats, probabilities: Floats | None = None) -> "Estimate":
        """From one value for each repetition; or, with probabilities that sum to 1, the expectation over all outcomes,
        which has no error."""
        if probabilities is not None:
            mean = float(values @ probabilities)
            return Estimate(mean, 0.0, sqrt(max(0.0, float((values - mean) ** 2 @ probabilities))))
        spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        return Estimate(float(values.mean()), spread / sqrt(len(values)), spread)
