"""The rules an agency applies: which cells are sensitive, and what a release must satisfy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tableseal.audit.rules.rule import Rule


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
    table_risk: Fraction | None = None
    """Largest risk of a whole table of counts allowed: R1, of changed counts R2 (Antal, Shlomo & Elliot 2014)."""
    table_risk_measure: Literal["a14", "s15", "s15-split"] = "a14"
    """By which definition; the two of 2015 are those of table generators (Shlomo, Antal & Elliot)."""
    confidence: Fraction | None = None
    """Largest share of published small counts, of those that were changed, that may be the true ones."""
    implied: Literal["any", "judged"] = "any"
    """`judged`: a release of which cells can be computed that no row lists and no rule can judge is undecided."""


@dataclass(frozen=True)
class Policy:
    """One agency's policy; `sha256` identifies the text it came from ('' for the default policy).

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sex": ["F", "M", "Total"], "persons": [2, 17, 19]})
    >>> policy = ts.read(frame, value="persons", threshold=5).policy
    >>> policy.primary[0].count
    5
    >>> ts.audit(frame, value="persons", policy=policy).report.rules
    ('threshold 5',)
    """

    primary: "tuple[Rule, ...]" = ()
    require: Require = Require()
    insider_p: Fraction = Fraction(10)
    """An insider's estimate within this percentage of the target is too close."""
    sha256: str = ""
    implied: Literal["all", "computed", "off"] = "all"
    """Cells that no row lists: look for all that affordable bounds show to be sensitive, for computed ones, or not."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Reason why a cell is withheld (see Rule.reason; `status`, no rule says why; `secondary`, to protect others) ->
    letter that stands for it in protected files."""
