"""The risk of a whole table of counts: before protection, after it, or estimated from a sample."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, LimitError, OptionName
from tableseal.audit.measures.risk import split_risk, table_risk
from tableseal.audit.measures.risk.assess_risk import Definition, RiskFormula, assess
from tableseal.audit.measures.risk.distribution import distribution
from tableseal.audit.measures.risk.divergence import DivergenceName
from tableseal.audit.measures.risk.information import chunks
from tableseal.audit.measures.risk.log_linear import NO_SMOOTHING, Model, Smoothing
from tableseal.audit.measures.risk.result import RiskResult
from tableseal.audit.measures.risk.rounding_outcomes import MOST, rounding_outcomes
from tableseal.audit.measures.risk.sample_risk import (
    SampleRisk,
    SampleSettings,
    estimate_from_sample,
    sampling_experiment,
)
from tableseal.audit.measures.risk.table_risk import Form
from tableseal.audit.measures.risk.transition import GivenMatrix, MatrixTransition, SwappingTransition, Transition
from tableseal.audit.model.count_table import CountTable, aligned

Draw = Callable[[NDArray[np.int64], int, np.random.Generator, int], NDArray[np.int64]]
"""(counts (m,), base, generator, versions) -> random roundings (versions x m)."""

REPLICATES = 1000
"""Roundings, or populations that complete a sample, if nothing is said."""

POPULATIONS = 20
"""Populations for each sample of an experiment, if nothing is said: the samples vary much more than they do."""

SAMPLES = 1000
"""Samples of an experiment, if nothing is said."""

BELONGS = {
    "samples": ["sample_size"],
    "swap_cap": ["swap_rate"],
    "cycle": ["transition"],
    "exact": ["rounding"],
    "divergence": ["rounding"],
    "model": ["population", "sample_size"],
    "smoothing": ["population", "sample_size"],
}

SLOWER = 256
"""How many times as long a version takes by the definitions of 2015, which go one by one."""

DENSEST = 20_000_000
"""Cells of a table that models of a sample are fitted to."""


@dataclass(frozen=True)
class RiskSettings:
    """How risk is measured; the fields are the options of `tableseal risk`.

    protected: the table after protection. where: variable -> codes of the part that is measured. draw: makes the
    roundings to base `rounding` where there is no protected table. exact: expectations over all roundings instead of
    means of some, where they are few enough. classes: smallest counts of the classes of the distribution.
    """

    protected: CountTable | None = None
    draw: Draw | None = None
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
    transition: GivenMatrix | None = None
    cycle: int = 1
    multipliers: tuple[float, ...] | None = None
    population: int | None = None
    sample_size: int | None = None
    samples: int = SAMPLES
    divergences: tuple[DivergenceName, ...] = ()
    exact: bool = False
    classes: tuple[int, ...] = ()
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
                wrong = f'"{amount}" is no number; expected such as add=0.5.'
                raise InputError(wrong, at=OptionName("smoothing", text)) from None
        elif name == "pseudo-bayes" and not amount:
            mixed = True
        elif text.strip() != "none":
            expected = "none, add=C, pseudo-bayes, or the last two with a comma"
            raise InputError(expected=expected, at=OptionName("smoothing", text))
    return Smoothing(added, mixed)


def measure(table: CountTable, settings: RiskSettings) -> RiskResult:
    """Measure the risk of a table.

    Raises
    ------
    InputError: settings that do not belong together, or a table for which the measure is not defined.
    LimitError: too large a table for models of a sample.
    """
    _refuse_mixtures(settings)
    protected = settings.protected
    if protected is not None:
        table, protected = aligned(table, protected)
        protected = protected.where(settings.where)
    table = table.where(settings.where)
    formula = RiskFormula(
        settings.definition,
        _weights(settings),
        settings.form,
        multipliers=settings.multipliers,
        divergences=settings.divergences,
    )
    spread = distribution(table, settings.classes, protected) if settings.classes else None
    if settings.population is not None or settings.sample_size is not None:
        how = SampleSettings(settings.model, settings.smoothing, formula.weights, settings.form)
        sampled = _sample(settings, table, how)
        parts = assess(table, formula, slices=False) if settings.sample_size is not None else ()
        return RiskResult(table.name, formula, parts, sample=sampled, distribution=spread)
    if protected is None and settings.rounding is None:
        return RiskResult(table.name, formula, assess(table, formula, slices=settings.slices), distribution=spread)
    if settings.definition != "a14":
        largest = max(int(t.values.max(initial=1)) for t in (table, protected or table))
        formula = replace(formula, transition=_transition(settings, largest))
    if protected is not None:
        parts = assess(table, formula, [protected.values[None]], slices=settings.slices)
        return RiskResult(table.name, formula, parts, versions=1, distribution=spread)
    assert settings.rounding is not None
    assert settings.draw is not None
    versions = settings.replicates or REPLICATES
    drawn = _roundings(table.values, settings.draw, settings.rounding, versions, settings.seed)
    most = MOST if settings.definition == "a14" else MOST // SLOWER
    scheme = partial(rounding_outcomes, base=settings.rounding, most=most) if settings.exact else None
    parts = assess(table, formula, drawn, slices=settings.slices, scheme=scheme)
    origin = {"rounding": settings.rounding, "seed": settings.seed}
    return RiskResult(table.name, formula, parts, versions, origin, distribution=spread)


def _roundings(
    values: NDArray[np.int64], draw: Draw, base: int, versions: int, seed: int
) -> Iterator[NDArray[np.int64]]:
    random = np.random.default_rng(seed)
    for rows in chunks(versions, len(values)):
        yield draw(values, base, random, rows.stop - rows.start)


def _sample(settings: RiskSettings, table: CountTable, how: SampleSettings) -> SampleRisk:
    if table.cells > DENSEST:
        text = f"models are fitted to at most {DENSEST:,} cells; the table has {table.cells:,}."
        raise LimitError(text, at=table.place)
    random = np.random.default_rng(settings.seed)
    try:
        if settings.population is not None:
            versions = settings.replicates or REPLICATES
            return estimate_from_sample(table.dense(), settings.population, how, versions, random)
        assert settings.sample_size is not None
        versions = settings.replicates or POPULATIONS
        return sampling_experiment(table.dense(), settings.sample_size, how, versions, settings.samples, random)
    except InputError as error:
        raise InputError(str(error), at=table.place) from None


def _weights(settings: RiskSettings) -> tuple[float, ...] | None:
    if settings.l2:
        return None
    if settings.weights is not None:
        return settings.weights
    return split_risk.WEIGHTS if settings.definition == "s15-split" else table_risk.WEIGHTS


def _transition(settings: RiskSettings, largest: int) -> Transition:
    if settings.rounding is not None:
        return MatrixTransition.rounding(settings.rounding)
    if settings.swap_rate is not None:
        return SwappingTransition(settings.swap_rate, largest if settings.swap_cap is None else settings.swap_cap)
    assert settings.transition is not None
    return MatrixTransition.of(settings.transition, settings.cycle)


def _refuse_mixtures(settings: RiskSettings) -> None:
    """Refuse options that would have no effect, or that contradict each other."""
    methods = {
        "rounding": settings.rounding is not None,
        "swap_rate": settings.swap_rate is not None,
        "transition": settings.transition is not None,
    }
    given = [name for name, is_given in methods.items() if is_given]
    sampled = {"population": settings.population, "sample_size": settings.sample_size}
    sampling = [name for name, value in sampled.items() if value is not None]
    after = settings.protected is not None
    if settings.l2 and settings.weights is not None:
        text = " l2) has no weights; leave one of them out."
        raise InputError("the L2 form (", OptionName("norm"), text, at=OptionName("weights"))
    if len(sampling) == 2:
        one, other = map(OptionName, sampling)
        raise InputError(one, " says that ORIGINAL is a sample, ", other, " that it is the population; leave one out.")
    if sampling and (after or given):
        raise InputError("takes no PROTECTED table and no method of protection.", at=OptionName(sampling[0]))
    if sampling and settings.definition != "a14":
        only = ("estimates R1 and R2 of ", OptionName("definition", "a14"), " only.")
        raise InputError(*only, at=OptionName(sampling[0]))
    if settings.replicates is not None and not sampling and (after or settings.rounding is None):
        needed = ("nothing is drawn here; it needs ", OptionName("rounding"), " without PROTECTED, or a sample.")
        raise InputError(*needed, at=OptionName("replicates"))
    unused = {
        "exact": settings.exact and (after or settings.rounding is None),
        "divergence": bool(settings.divergences) and not after and settings.rounding is None,
        "swap_cap": settings.swap_cap is not None and settings.swap_rate is None,
        "cycle": settings.cycle != 1 and settings.transition is None,
        "samples": settings.samples != SAMPLES and settings.sample_size is None,
        "model": settings.model != "main" and not sampling,
        "smoothing": settings.smoothing != NO_SMOOTHING and not sampling,
    }
    for name, is_unused in unused.items():
        if is_unused:
            belongs = ("has no effect here; it belongs to ", *_listed(BELONGS[name], " or "), ".")
            raise InputError(*belongs, at=OptionName(name))
    if len(given) > 1:
        raise InputError(*_listed(given, " and "), ": two methods of protection; the table was made by one.")
    if settings.definition == "a14":
        misplaced = [name for name in given if name != "rounding"]
        misplaced += ["multiplier"] if settings.multipliers is not None else []
        if misplaced:
            definitions = OptionName("definition", "s15 or s15-split")
            raise InputError("belongs to ", definitions, ".", at=OptionName(misplaced[0]))
        if after and given:
            text = "draws roundings of ORIGINAL, but PROTECTED is given; leave one of them out."
            raise InputError(text, at=OptionName("rounding"))
        return
    if settings.form != "uncertainty":
        raise InputError("belongs to ", OptionName("definition", "a14"), ".", at=OptionName("form", settings.form))
    if after and not given:
        say = (OptionName("rounding"), ", ", OptionName("swap_rate"), " or ", OptionName("transition"), ".")
        raise InputError("PROTECTED: the measure after protection needs the method; say ", *say)
    if not after and any(name != "rounding" for name in given):
        raise InputError("needs the PROTECTED table.", at=OptionName(given[0]))


def _listed(names: Sequence[str], sign: str) -> list[str | OptionName]:
    """The options, with the sign between them."""
    return [part for name in names for part in (sign, OptionName(name))][1:]
