"""What knows more requirements than an oracle was asked about, and what it says of a pattern."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.decision.cuts import Cut

if TYPE_CHECKING:
    from tableseal.audit.decision.oracle import Oracle


@dataclass(frozen=True)
class Broken:
    """A requirement that a pattern does not meet, or is not shown to meet. cut: one that every pattern satisfies which
    meets it; None: none is known."""

    requirement: Requirement
    cut: Cut | None


@dataclass(frozen=True)
class Blamed:
    """Sets of cells that somebody knows as soon as they are withheld, and what every safe pattern keeps from all.

    needs: sensitive cell -> what nobody may find out of it, be it an outsider. known: cells (int64), one set each;
    spared: cells (int64) that must not be kept from who knows the set.
    """

    needs: Mapping[int, Requirement]
    known: Sequence[NDArray[np.int64]]
    spared: Sequence[NDArray[np.int64]]


class Watch(Protocol):
    """Knows more requirements than an oracle was asked about, too many to ask them all."""

    def __call__(
        self, oracle: "Oracle", pattern: NDArray[np.bool_], limits: Limits, *, first: bool
    ) -> Sequence[Broken]:
        """Those that are not met by a pattern which meets what the oracle was asked about.

        first: some of them are enough.
        """
        ...

    def doubts(self, oracle: "Oracle", pattern: NDArray[np.bool_]) -> Sequence[Broken]:
        """Those, not asked about yet, of which no table in hand shows that a pattern meets them. Nothing is solved."""
        ...

    def held(self, pattern: NDArray[np.bool_]) -> Sequence[Broken]:
        """Those, asked about or not, that relations alone show a pattern not to meet, each with its cut: of those that
        every safe pattern meets. Nothing is solved."""
        ...

    def spread(self, oracle: "Oracle", pattern: NDArray[np.bool_], limits: Limits) -> None:
        """Let an oracle know tables that show as much as possible of what a pattern meets."""
        ...

    def untold(self, oracle: "Oracle", pattern: NDArray[np.bool_]) -> Sequence[Broken]:
        """Those, not asked about yet, that are asked of somebody and of which no table in hand shows that even
        outsiders do not find it out."""
        ...

    def content(self, oracle: "Oracle", pattern: NDArray[np.bool_], limits: Limits) -> bool:
        """Whether a pattern is safe that meets all requirements but some that need not be met."""
        ...

    def blamed(self) -> Blamed:
        """Whom all patterns may make know cells, whatever else they withhold."""
        ...

    def shared(self) -> Mapping[int, Requirement]:
        """Its needs alone, which take no time."""
        ...
