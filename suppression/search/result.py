"""What a search answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.in_hand.handed import Handed

Status = Literal["optimal", "feasible", "infeasible", "unfinished"]
Guarantee = Literal["intervals", "exact disclosure", "none"]
"""What is promised of a pattern. intervals: it meets every requirement, by the oracle. exact disclosure: the equations
alone give no sensitive cell, nothing more. none: nothing; only an audit tells."""


def most_rank_words(found: "Found") -> str:
    """ "no safe pattern within the budget takes more rank than 7"; empty where that is not proved."""
    if found.most_rank is None:
        return ""
    safe = "safe pattern" if found.guarantee == "intervals" else "pattern, safe or not,"
    apart = "" if found.rank is None or found.rank.margins else " without margins"
    return f"no {safe} within the budget takes more rank{apart} than {found.most_rank}"


GUARANTEES: Mapping[Guarantee, str] = {
    "intervals": "",
    "exact disclosure": "protects from equations only, not from narrow intervals",
    "none": "promises nothing of its pattern",
}
"""What has to be said of a pattern beside its audit."""


@dataclass(frozen=True)
class RankTaken:
    """What a pattern takes from the rank of the released system.

    with_margins: all withheld cells count. without_margins: margins are left out. margins: the former was maximised.
    """

    with_margins: int
    without_margins: int
    margins: bool

    @property
    def maximised(self) -> int:
        """What the search made as large as it could."""
        return self.with_margins if self.margins else self.without_margins


@dataclass(frozen=True)
class Found:
    """The best pattern of a method: one that the oracle has passed, unless the method is labelled otherwise.

    pattern: bool (cells), primaries included; None: no pattern is safe (see `impossible`) or none was found in time.
    cost, bound: of its secondary cells and what no safe pattern can go below, in steps of the problem's scale.
    impossible: a requirement that not even withholding everything allowed would meet.
    guarantee: what is promised of the pattern. rank, most_rank: of methods that search for rank decrease, what the
    pattern takes and what no pattern that they may choose can go beyond (None: not proved).
    last_resort: the time was over before a pattern was found, so that all is withheld that may be.
    start: where there is no pattern, what to go on from: bool (cells), not known to be safe.
    shown: tables that show the pattern to be safe, beside those of the oracle, for its audit (None: none).
    """

    status: Status
    pattern: NDArray[np.bool_] | None
    cost: int
    bound: int
    impossible: Requirement | None = None
    guarantee: Guarantee = "intervals"
    rank: RankTaken | None = None
    most_rank: int | None = None
    last_resort: bool = False
    start: NDArray[np.bool_] | None = None
    shown: Handed | None = None

    @property
    def gap(self) -> float | None:
        """(cost - bound) / cost; None without a pattern."""
        if self.pattern is None:
            return None
        return 0.0 if self.cost == 0 else (self.cost - self.bound) / self.cost
