"""What may be said about a measurement of risk besides the tables: the same for the command line and the service."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from tableseal.api.risk import RiskRequest
    from tableseal.audit.measures.risk.information import Floats
    from tableseal.audit.model.count_table import CountTable


class RiskOptions(BaseModel):
    """The options of `tableseal risk`; what the tables are comes beside them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    definition: Annotated[Literal["a14", "s15", "s15-split"], Field(description="Which paper's risk.")] = "a14"
    weights: Annotated[
        str | None, Field(description="Weights of the terms, which sum to 1, such as 0.1,0.8,0.1 (s15-split: four).")
    ] = None
    form: Annotated[Literal["uncertainty", "ratio", "a14-published"], Field(description="Form of R2 (a14).")] = (
        "uncertainty"
    )
    norm: Annotated[Literal["weighted", "l2"], Field(description="Weighted sum of the terms, or their L2 form.")] = (
        "weighted"
    )
    table: Annotated[str | None, Field(description="Which table of a release.")] = None
    where: Annotated[
        tuple[str, ...], Field(description="VARIABLE=CODE: only this part; repeat it for more variables or codes.")
    ] = ()
    whole: Annotated[bool, Field(description="Leave out rows, columns and other parts.")] = False
    all_cells: Annotated[
        bool, Field(description="The last row or column of a matrix is no margin although it is a sum.")
    ] = False
    rounding: Annotated[
        int | None, Field(description="Base: draw random roundings; with a protected table and s15 its method.")
    ] = None
    replicates: Annotated[
        int | None, Field(ge=1, description="Roundings, or populations for each sample (1000; 20 with sample_size).")
    ] = None
    seed: Annotated[int, Field(ge=0, description="Seed of all that is drawn.")] = 0
    swap_rate: Annotated[
        float | None, Field(description="The protected table was made by swapping records at this rate (s15).")
    ] = None
    swap_cap: Annotated[
        int | None, Field(description="Largest count that swapping changes (default: the largest).")
    ] = None
    cycle: Annotated[
        int, Field(description="Last rows of the transition matrix that repeat for larger counts, by residual.")
    ] = 1
    multiplier: Annotated[
        str | None, Field(description="Multipliers of the entropy terms (s15; default: mean of the diagonal).")
    ] = None
    population: Annotated[
        int | None, Field(description="The table is a sample from so many units: estimate the risk of the population.")
    ] = None
    sample_size: Annotated[
        int | None, Field(description="Draw samples of so many units and compare estimated and true risk.")
    ] = None
    samples: Annotated[int, Field(ge=1, description="How many samples to draw.")] = 1000
    model: Annotated[
        Literal["main", "two-way", "saturated"], Field(description="Log-linear model of the population.")
    ] = "main"
    smoothing: Annotated[
        str, Field(description="Against empty cells of the sample: none, add=C, pseudo-bayes; two with a comma.")
    ] = "none"

    def request(
        self, original: "CountTable", protected: "CountTable | None", transition: "Floats | None"
    ) -> "RiskRequest":
        """What is to be measured.

        Raises
        ------
        InputError: an option that is not understood.
        """
        from tableseal.api.risk import RiskRequest, parse_smoothing

        return RiskRequest(
            original=original,
            protected=protected,
            where=_where(self.where),
            definition=self.definition,
            weights=None if self.weights is None else _numbers(self.weights, "--weights"),
            form=self.form,
            l2=self.norm == "l2",
            slices=not self.whole,
            rounding=self.rounding,
            replicates=self.replicates,
            seed=self.seed,
            swap_rate=self.swap_rate,
            swap_cap=self.swap_cap,
            transition=transition,
            cycle=self.cycle,
            multipliers=None if self.multiplier is None else _numbers(self.multiplier, "--multiplier"),
            population=self.population,
            sample_size=self.sample_size,
            samples=self.samples,
            model=self.model,
            smoothing=parse_smoothing(self.smoothing),
        )


def read_transition(path: Path) -> "Floats":
    """A matrix of transition probabilities.

    Raises
    ------
    InputError: a file that cannot be read, or is no matrix of numbers.
    """
    from tableseal.audit.io.files import read_text
    from tableseal.audit.io.matrix import read_numbers

    return read_numbers(read_text(path, source=path.name)[0], path.name)


def _where(pairs: Sequence[str]) -> dict[str, list[str]]:
    chosen: dict[str, list[str]] = {}
    for pair in pairs:
        variable, equals, code = pair.partition("=")
        if not equals:
            raise InputError(f'--where {pair}: expected VARIABLE=CODE, such as "region=North" or "row=3".')
        chosen.setdefault(variable, []).append(code)
    return chosen


def _numbers(text: str, option: str) -> tuple[float, ...]:
    try:
        return tuple(float(entry) for entry in text.split(","))
    except ValueError:
        raise InputError(f'{option} {text}: expected numbers separated by commas, such as "0.1,0.8,0.1".') from None
