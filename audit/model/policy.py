"""The rules an agency applies: which cells are sensitive, and what a release must satisfy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

Level = Literal["holding", "unit"]
"""Who counts as one contributor: a holding with all its units (where the microdata name holdings), or each unit."""


@dataclass(frozen=True)
class Threshold:
    """Fewer than `count` respondents. Zero cells only if `zeros`."""

    count: int
    zeros: bool = False
    protection_percent: Fraction | None = None
    """Required distance on each side, percent of the value; None: counts must cover [0, count], magnitudes nothing."""
    level: Level = "holding"
    of: Literal["respondents", "weighted"] = "respondents"
    """What is counted: who answered (of a count without respondents of its own: the count), or the population that
    they stand for by their weights."""


@dataclass(frozen=True)
class Dominance:
    """(n,k): the n largest contributions make up more than k percent."""

    n: int
    k: Fraction
    level: Level = "holding"


@dataclass(frozen=True)
class PQ:
    """pq rule in percent; the p% rule is q = 100."""

    p: Fraction
    q: Fraction = Fraction(100)
    level: Level = "holding"


@dataclass(frozen=True)
class Entropy:
    """Relative entropy of the contributions, H / log2 N, below `limit`; needs microdata."""

    limit: Fraction
    protection_percent: Fraction | None = None
    level: Level = "holding"


@dataclass(frozen=True)
class Request:
    """A contributor asked for protection: its share of the cell is at least `percent` (None: any share)."""

    percent: Fraction | None = None
    protection_percent: Fraction | None = None


@dataclass(frozen=True)
class Attribute:
    """Counts only: given the variables `given`, a line whose total sits in at most `populated` cells."""

    given: tuple[str, ...]
    populated: int = 1


Rule = Threshold | Dominance | PQ | Entropy | Request | Attribute


@dataclass(frozen=True)
class SapLimit:
    """Largest probability `max` that subtracting `n` random known units recovers a zero (Smith & Elliot 2007)."""

    n: int
    max: Fraction


@dataclass(frozen=True)
class Require:
    """What a release must satisfy."""

    exposed: bool = False
    """True: exposed sensitive cells are accepted."""
    protection: bool = True
    """Required protection levels are enforced."""
    basis: Literal["any", "integer"] = "any"
    """`integer`: a continuous witness is not enough for `protected`."""
    risk: Fraction | None = None
    """Largest DR = 1/log2(possible values) allowed; judged with possible.at_least."""
    sap: SapLimit | None = None
    implied: Literal["any", "judged"] = "any"
    """`judged`: a release of which cells can be computed that no row lists and no rule can judge is undecided."""


Reason = Literal[
    "threshold",
    "dominance_by_one",
    "dominance_by_two",
    "dominance",
    "pq",
    "entropy",
    "request",
    "attribute",
    "status",
    "secondary",
]
"""Why a cell is withheld: the first rule that finds it sensitive, its status alone, or for others."""


@dataclass(frozen=True)
class Policy:
    """One agency's policy; `sha256` identifies the text it came from ('' for the default policy)."""

    primary: tuple[Rule, ...] = ()
    require: Require = Require()
    insider_p: Fraction = Fraction(10)
    """An insider's estimate within this percentage of the target is too close."""
    sha256: str = ""
    implied: Literal["all", "computed", "off"] = "all"
    """Cells that no row lists: look for all that affordable bounds show to be sensitive, for computed ones, or not."""
    reasons: Mapping[Reason, str] = field(default_factory=dict)
    """Reason why a cell is withheld -> what stands for it in protected files."""
