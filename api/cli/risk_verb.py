"""`tableseal risk`: disclosure risk of a whole table, before and after protection, or from a sample."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.options import JsonOption, StatusMapOption
from tableseal.api.cli.reading import count_table_of
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target


class Definition(StrEnum):
    """Which paper's risk."""

    A14 = "a14"
    S15 = "s15"
    S15_SPLIT = "s15-split"


class Form(StrEnum):
    """Which form of R2."""

    UNCERTAINTY = "uncertainty"
    RATIO = "ratio"
    A14_PUBLISHED = "a14-published"


class Norm(StrEnum):
    """How the terms become one figure."""

    WEIGHTED = "weighted"
    L2 = "l2"


class Model(StrEnum):
    """Which log-linear model is fitted to a sample."""

    MAIN = "main"
    TWO_WAY = "two-way"
    SATURATED = "saturated"


def risk_verb(
    original: Annotated[
        str,
        typer.Argument(
            metavar="ORIGINAL",
            help="Bare matrix of counts (no header, no margins), data file, release file (true values are used), or - "
            "for a release on standard input.",
        ),
    ],
    protected: Annotated[
        str | None,
        typer.Argument(metavar="PROTECTED", help="The table after protection (published values are used)."),
    ] = None,
    definition: Annotated[Definition, typer.Option(help="Which paper's risk.")] = Definition.A14,
    weights: Annotated[
        str | None,
        typer.Option(metavar="W,W,W", help="Weights of the terms, which sum to 1 (s15-split: four)."),
    ] = None,
    form: Annotated[Form, typer.Option(help="Form of R2 (a14).")] = Form.UNCERTAINTY,
    norm: Annotated[Norm, typer.Option(help="Weighted sum of the terms, or their L2 form.")] = Norm.WEIGHTED,
    table: Annotated[str | None, typer.Option(metavar="NAME", help="Which table of a release.")] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="VARIABLE=CODE", help="Only this part; repeat it for more variables or codes."),
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Leave out rows, columns and other parts.")] = False,
    all_cells: Annotated[
        bool,
        typer.Option("--all-cells", help="The last row or column of a matrix is no margin although it is a sum."),
    ] = False,
    rounding: Annotated[
        int | None,
        typer.Option(metavar="BASE", help="Draw random roundings of ORIGINAL; with PROTECTED and s15: its method."),
    ] = None,
    replicates: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Roundings, or populations for each sample (1000; 20 with --sample-size)."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="Seed of all that is drawn.")] = 0,
    swap_rate: Annotated[
        float | None, typer.Option(metavar="RATE", help="PROTECTED was made by swapping records at this rate (s15).")
    ] = None,
    swap_cap: Annotated[
        int | None, typer.Option(metavar="COUNT", help="Largest count that swapping changes (default: the largest).")
    ] = None,
    transition: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="PROTECTED was made with this matrix of transition probabilities (s15)."),
    ] = None,
    cycle: Annotated[
        int, typer.Option(metavar="ROWS", help="Last rows of the matrix that repeat for larger counts, by residual.")
    ] = 1,
    multiplier: Annotated[
        str | None,
        typer.Option(metavar="M[,M]", help="Multipliers of the entropy terms (s15; default: mean of the diagonal)."),
    ] = None,
    population: Annotated[
        int | None,
        typer.Option(metavar="N", help="ORIGINAL is a sample from so many units: estimate the risk of the population."),
    ] = None,
    sample_size: Annotated[
        int | None,
        typer.Option(metavar="n", help="Draw samples of n units from ORIGINAL and compare estimated and true risk."),
    ] = None,
    samples: Annotated[int, typer.Option(metavar="N", min=1, help="How many samples to draw.")] = 1000,
    model: Annotated[Model, typer.Option(help="Log-linear model of the population.")] = Model.MAIN,
    smoothing: Annotated[
        str,
        typer.Option(
            metavar="none|add=C|pseudo-bayes", help="Against empty cells of the sample; two joined by a comma."
        ),
    ] = "none",
    status_map: StatusMapOption = None,
    json: JsonOption = None,
) -> Code:
    """Measure the disclosure risk of a whole frequency table.

    R1 before and R2 after protection with the distance between the two tables, for the whole table, each row and each
    column; or, for a sample, estimates for the population. Counts of leaf cells only: totals of a release are left out.

    Example: tableseal risk table.csv --rounding 3 --replicates 1000 --seed 1
    """
    from tableseal.api.risk import measure
    from tableseal.api.risk_options import RiskOptions, read_transition
    from tableseal.audit.report.risk import risk_json, risk_text

    inputs = (original, protected, transition)
    check_targets({"--json": json}, inputs=inputs)
    first, files = count_table_of(original, table=table, all_cells=all_cells, status_map=status_map)
    second = None
    if protected is not None:
        # Sums that protection happens to make are no margins: a matrix with margins would have another shape.
        second, more = count_table_of(protected, table=table, all_cells=True, status_map=status_map, published=True)
        files += more
    check_targets({"--json": json}, inputs=(*inputs, *files))
    options = RiskOptions(
        definition=definition.value,
        weights=weights,
        form=form.value,
        norm=norm.value,
        where=tuple(where or ()),
        whole=whole,
        rounding=rounding,
        replicates=replicates,
        seed=seed,
        swap_rate=swap_rate,
        swap_cap=swap_cap,
        cycle=cycle,
        multiplier=multiplier,
        population=population,
        sample_size=sample_size,
        samples=samples,
        model=model.value,
        smoothing=smoothing,
    )
    matrix = None if transition is None else read_transition(Path(transition))
    report = measure(options.request(first, second, matrix))
    if json is not None:
        write_target(json, risk_json(report))
    say(risk_text(report), error=json == STREAM)
    return Code.DONE
