"""Options of `tableseal risk`."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal

from annotated_types import Ge

from tableseal.api.options.option import Option, Options
from tableseal.api.options.shared import AllCells
from tableseal.api.options.texts import numbers, pairs

if TYPE_CHECKING:
    from tableseal.audit.measures.risk.measure import RiskSettings
    from tableseal.audit.measures.risk.transition import GivenMatrix
    from tableseal.audit.model.count_table import CountTable

Transition = Annotated[
    str | None,
    Option("The protected table was made with this matrix of transition probabilities (s15).", metavar="FILE"),
]


@dataclass(frozen=True, kw_only=True)
class RiskOptions(Options):
    """What may be said about a measurement of risk besides the tables."""

    definition: Annotated[Literal["a14", "s15", "s15-split"], Option("Which paper's risk.")] = "a14"
    weights: Annotated[
        str | None,
        Option("Weights of the terms, which sum to 1, such as 0.1,0.8,0.1 (s15-split: four).", metavar="W,W,W"),
    ] = None
    form: Annotated[Literal["uncertainty", "ratio", "a14-published"], Option("Form of R2 (a14).")] = "uncertainty"
    norm: Annotated[Literal["weighted", "l2"], Option("Weighted sum of the terms, or their L2 form.")] = "weighted"
    table: Annotated[str | None, Option("Which table of a release.", metavar="NAME")] = None
    where: Annotated[
        tuple[str, ...],
        Option("Only this part; several for more variables or codes.", metavar="VARIABLE=CODE"),
    ] = ()
    whole: Annotated[bool, Option("Leave out rows, columns and other parts.")] = False
    all_cells: AllCells = False
    rounding: Annotated[
        int | None,
        Option("Draw random roundings of the table; with a protected table and s15: its method.", metavar="BASE"),
    ] = None
    exact: Annotated[
        bool,
        Option("Expectations over all random roundings instead of means of some, for each part that allows it."),
    ] = False
    divergence: Annotated[
        str | None,
        Option(
            "Also divergences of the original from the protected table: kl, reverse-kl, chi-squared, total-variation, "
            "hellinger-squared; several with commas.",
            metavar="NAME,...",
        ),
    ] = None
    distribution: Annotated[
        str | None,
        Option(
            "Also how many cells have which counts: in the classes of S15's Table 1 (hypercube) or Table 2 (tables), "
            "or by the smallest count of each class.",
            metavar="hypercube|tables|0,1,...",
        ),
    ] = None
    replicates: Annotated[
        int | None,
        Option("Roundings, or populations for each sample (1000; 20 where samples are drawn).", metavar="N"),
        Ge(1),
    ] = None
    seed: Annotated[int, Option("Seed of all that is drawn.", metavar="S"), Ge(0)] = 0
    swap_rate: Annotated[
        float | None,
        Option("The protected table was made by swapping records at this rate (s15).", metavar="RATE"),
    ] = None
    swap_cap: Annotated[
        int | None, Option("Largest count that swapping changes (default: the largest).", metavar="COUNT")
    ] = None
    cycle: Annotated[
        int,
        Option("Last rows of the transition matrix that repeat for larger counts, by residual.", metavar="ROWS"),
    ] = 1
    multiplier: Annotated[
        str | None,
        Option(
            "Multipliers of the entropy terms (s15; default: what the file of the matrix says of small and large "
            "counts, else the mean of the diagonal).",
            metavar="M[,M]",
        ),
    ] = None
    population: Annotated[
        int | None,
        Option("The table is a sample from so many units: estimate the risk of the population.", metavar="N"),
    ] = None
    sample_size: Annotated[
        int | None,
        Option("Draw samples of n units from the table and compare estimated and true risk.", metavar="n"),
    ] = None
    samples: Annotated[int, Option("How many samples to draw.", metavar="N"), Ge(1)] = 1000
    model: Annotated[Literal["main", "two-way", "saturated"], Option("Log-linear model of the population.")] = "main"
    smoothing: Annotated[
        str,
        Option("Against empty cells of the sample; two joined by a comma.", metavar="none|add=C|pseudo-bayes"),
    ] = "none"

    def settings(
        self, protected: "CountTable | None" = None, transition: "GivenMatrix | None" = None
    ) -> "RiskSettings":
        """How risk is measured. protected: the table after protection; transition: of the method that made it.

        Raises
        ------
        InputError: an option that is not understood.
        """
        from tableseal.audit.measures.risk.distribution import parse_classes
        from tableseal.audit.measures.risk.divergence import parse_divergences
        from tableseal.audit.measures.risk.measure import RiskSettings, parse_smoothing
        from tableseal.suppression.protections.random_rounding import random_rounding

        same = {one.name: getattr(self, one.name) for one in fields(RiskSettings) if hasattr(self, one.name)}
        parsed: dict[str, Any] = {
            "protected": protected,
            "transition": transition,
            "draw": random_rounding,
            "where": self._where(),
            "weights": None if self.weights is None else numbers(self.weights, "weights"),
            "multipliers": None if self.multiplier is None else numbers(self.multiplier, "multiplier"),
            "l2": self.norm == "l2",
            "slices": not self.whole,
            "smoothing": parse_smoothing(self.smoothing),
            "divergences": () if self.divergence is None else parse_divergences(self.divergence),
            "classes": () if self.distribution is None else parse_classes(self.distribution),
        }
        return RiskSettings(**same | parsed)

    def _where(self) -> Mapping[str, list[str]]:
        chosen: dict[str, list[str]] = {}
        for variable, code in pairs(self.where, "where", 'VARIABLE=CODE, such as "region=North" or "row=3"'):
            chosen.setdefault(variable, []).append(code)
        return chosen
