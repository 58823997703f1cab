"""One measurement of risk, however it was asked for: the command line and the shipped cases come through here."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.measures.risk import split_risk, table_risk
from tableseal.audit.measures.risk.assess_risk import Definition, RiskSettings, assess
from tableseal.audit.measures.risk.information import Floats, chunks
from tableseal.audit.measures.risk.log_linear import NO_SMOOTHING, Model, Smoothing
from tableseal.audit.measures.risk.sample_risk import (
    SampleRisk,
    SampleSettings,
    estimate_from_sample,
    sampling_experiment,
)
from tableseal.audit.measures.risk.table_risk import Form
from tableseal.audit.measures.risk.transition import MatrixTransition, SwappingTransition, Transition
from tableseal.audit.model.count_table import CountTable, aligned
from tableseal.audit.report.risk import RiskReport
from tableseal.suppression.protections.rounding import random_rounding

REPLICATES = 1000
POPULATIONS = 20
"""Populations for each sample of an experiment, if nothing is said: the samples vary much more than they do."""

SAMPLES = 1000
"""Samples of an experiment, if nothing is said."""

BELONGS = {
    "--samples": "--sample-size",
    "--swap-cap": "--swap-rate",
    "--cycle": "--transition",
    "--model": "--population or --sample-size",
    "--smoothing": "--population or --sample-size",
}

DENSEST = 20_000_000
"""Cells of a table that models of a sample are fitted to."""


@dataclass(frozen=True)
class RiskRequest:
    """What is to be measured; the fields are the options of `tableseal risk`."""

    original: CountTable
    protected: CountTable | None = None
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)
    definition: Definition = "a14"
    weights: tuple[float, ...] | None = None
    form: Form = "uncertainty"
    l2: bool = False
    slices: bool = True
    rounding: int | None = None
    replicates: int | None = None
    seed: int = 0
    swap_rate: float | None = None
    swap_cap: int | None = None
    transition: Floats | None = None
    cycle: int = 1
    multipliers: tuple[float, ...] | None = None
    population: int | None = None
    sample_size: int | None = None
    samples: int = SAMPLES
    model: Model = "main"
    smoothing: Smoothing = NO_SMOOTHING


def parse_smoothing(text: str) -> Smoothing:
    """`none`, `add=0.5`, `pseudo-bayes`, or the last two joined by a comma.

    Raises
    ------
    InputError: anything else.
    """
    added, mixed = 0.0, False
    for part in text.split(","):
        name, _, amount = part.strip().partition("=")
        if name == "add":
            try:
                added = float(amount)
            except ValueError:
                raise InputError(f'smoothing {text}: "{amount}" is no number; expected such as add=0.5.') from None
        elif name == "pseudo-bayes" and not amount:
            mixed = True
        elif text.strip() != "none":
            raise InputError(f"smoothing {text}: expected none, add=C, pseudo-bayes, or the last two with a comma.")
    return Smoothing(added, mixed)


def measure(request: RiskRequest) -> RiskReport:
    """Measure the risk that a request asks for.

    Raises
    ------
    InputError: options that do not belong together, or a table for which the measure is not defined.
    LimitError: too large a table for models of a sample.
    """
    _refuse_mixtures(request)
    original, protected = request.original, request.protected
    if protected is not None:
        original, protected = aligned(original, protected)
        protected = protected.where(request.where)
    original = original.where(request.where)
    settings = RiskSettings(request.definition, _weights(request), request.form, None, request.multipliers)
    if request.population is not None or request.sample_size is not None:
        how = SampleSettings(request.model, request.smoothing, settings.weights, request.form)
        sampled = _sample(request, original, how)
        parts = assess(original, settings, slices=False) if request.sample_size is not None else ()
        return RiskReport(original.name, settings, parts, sample=sampled, sample_settings=how)
    if protected is None and request.rounding is None:
        return RiskReport(original.name, settings, assess(original, settings, slices=request.slices))
    if request.definition != "a14":
        largest = max(int(t.values.max(initial=1)) for t in (original, protected or original))
        settings = RiskSettings(
            request.definition, settings.weights, request.form, _transition(request, largest), request.multipliers
        )
    if protected is not None:
        parts = assess(original, settings, [protected.values[None]], slices=request.slices)
        return RiskReport(original.name, settings, parts, versions=1)
    assert request.rounding is not None
    versions = request.replicates or REPLICATES
    drawn = _roundings(original.values, request.rounding, versions, request.seed)
    parts = assess(original, settings, drawn, slices=request.slices)
    return RiskReport(original.name, settings, parts, versions, {"rounding": request.rounding, "seed": request.seed})


def _roundings(values: NDArray[np.int64], base: int, versions: int, seed: int) -> Iterator[NDArray[np.int64]]:
    random = np.random.default_rng(seed)
    for rows in chunks(versions, len(values)):
        yield random_rounding(values, base, random, rows.stop - rows.start)


def _sample(request: RiskRequest, table: CountTable, settings: SampleSettings) -> SampleRisk:
    if table.cells > DENSEST:
        raise LimitError(
            f"{table.name}: models are fitted to at most {DENSEST:,} cells; the table has {table.cells:,}."
        )
    random = np.random.default_rng(request.seed)
    try:
        if request.population is not None:
            versions = request.replicates or REPLICATES
            return estimate_from_sample(table.dense(), request.population, settings, versions, random)
        assert request.sample_size is not None
        versions = request.replicates or POPULATIONS
        return sampling_experiment(table.dense(), request.sample_size, settings, versions, request.samples, random)
    except InputError as error:
        raise InputError(f"{table.name}: {error}") from None


def _weights(request: RiskRequest) -> tuple[float, ...] | None:
    if request.l2:
        return None
    if request.weights is not None:
        return request.weights
    return split_risk.WEIGHTS if request.definition == "s15-split" else table_risk.WEIGHTS


def _transition(request: RiskRequest, largest: int) -> Transition:
    if request.rounding is not None:
        return MatrixTransition.rounding(request.rounding)
    if request.swap_rate is not None:
        return SwappingTransition(request.swap_rate, largest if request.swap_cap is None else request.swap_cap)
    assert request.transition is not None
    return MatrixTransition.of(request.transition, request.cycle)


def _refuse_mixtures(request: RiskRequest) -> None:
    """Refuse options that would have no effect, or that contradict each other."""
    methods = {
        "--rounding": request.rounding is not None,
        "--swap-rate": request.swap_rate is not None,
        "--transition": request.transition is not None,
    }
    given = [name for name, is_given in methods.items() if is_given]
    sampling = [
        name
        for name, value in (("--population", request.population), ("--sample-size", request.sample_size))
        if value is not None
    ]
    after = request.protected is not None
    if request.l2 and request.weights is not None:
        raise InputError("--weights: the L2 form (--norm l2) has no weights; leave one of them out.")
    if len(sampling) == 2:
        raise InputError(
            "--population says that ORIGINAL is a sample, --sample-size that it is the population; leave one out."
        )
    if sampling and (after or given):
        raise InputError(f"{sampling[0]}: takes no PROTECTED table and no method of protection.")
    if sampling and request.definition != "a14":
        raise InputError(f"{sampling[0]}: estimates R1 and R2 of --definition a14 only.")
    if request.replicates is not None and not sampling and (after or request.rounding is None):
        raise InputError("--replicates: nothing is drawn here; it needs --rounding without PROTECTED, or a sample.")
    unused = {
        "--swap-cap": request.swap_cap is not None and request.swap_rate is None,
        "--cycle": request.cycle != 1 and request.transition is None,
        "--samples": request.samples != SAMPLES and request.sample_size is None,
        "--model": request.model != "main" and not sampling,
        "--smoothing": request.smoothing != NO_SMOOTHING and not sampling,
    }
    for name, is_unused in unused.items():
        if is_unused:
            raise InputError(f"{name}: has no effect here; it belongs to {BELONGS[name]}.")
    if len(given) > 1:
        raise InputError(f"{' and '.join(given)}: two methods of protection; the table was made by one.")
    if request.definition == "a14":
        misplaced = [name for name in given if name != "--rounding"]
        misplaced += ["--multiplier"] if request.multipliers is not None else []
        if misplaced:
            raise InputError(f"{misplaced[0]}: belongs to --definition s15 or s15-split.")
        if after and given:
            raise InputError("--rounding: draws roundings of ORIGINAL, but PROTECTED is given; leave one of them out.")
        return
    if request.form != "uncertainty":
        raise InputError(f"--form {request.form}: belongs to --definition a14.")
    if after and not given:
        raise InputError(
            "PROTECTED: the measure after protection needs the method; say --rounding, --swap-rate or --transition."
        )
    if not after and any(name != "--rounding" for name in given):
        raise InputError(f"{given[0]}: needs the PROTECTED table.")
