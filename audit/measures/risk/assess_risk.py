"""Risk of a table and of its parts, before and after protection, by one of the papers' definitions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.codec.declared import HIDDEN, SPARSE, Key, derived
from tableseal.audit.codec.kinds import Also, Count, Rounded
from tableseal.audit.errors import InputError
from tableseal.audit.measures.estimate import Estimate
from tableseal.audit.measures.risk import split_risk, table_risk
from tableseal.audit.measures.risk.divergence import DivergenceName, divergence
from tableseal.audit.measures.risk.hellinger import hellinger_counts, hellinger_shares, utility
from tableseal.audit.measures.risk.information import Counts, Floats
from tableseal.audit.measures.risk.rounding_outcomes import Outcomes
from tableseal.audit.measures.risk.table_risk import Before, Form
from tableseal.audit.measures.risk.transition import Transition
from tableseal.audit.model.count_table import CountTable

Definition = Literal["a14", "s15", "s15-split"]
"""a14: R1 and R2 of Antal, Shlomo & Elliot 2014. s15: formula (3) of Shlomo, Antal & Elliot 2015 and its modification
after protection. s15-split: the same with entropy split into small and large counts, as in its comparison study."""


@dataclass(frozen=True)
class RiskFormula:
    """How risk is measured.

    form: of R2 (a14). transition: of the protection method, needed by s15 after protection. multipliers: of the entropy
    terms (s15); None: from the transition. cap: protected counts above it stand for themselves (s15); None: there is
    none.
    """

    definition: Definition = "a14"
    weights: Annotated[
        tuple[Annotated[float, Also({"minimum": 0})], ...] | None, "Of the terms; null: the L2 form."
    ] = table_risk.WEIGHTS
    form: Annotated[Form, HIDDEN] = "uncertainty"
    transition: Annotated[Transition | None, HIDDEN] = None
    multipliers: Annotated[tuple[float, ...] | None, HIDDEN] = None
    cap: Annotated[int | None, HIDDEN] = None
    divergences: Annotated[tuple[DivergenceName, ...], HIDDEN] = ()

    def __post_init__(self) -> None:
        if self.weights is not None:
            table_risk.check_weights(self.weights, len(self.term_names))
        elif self.split:
            raise InputError("the L2 form has three terms: it is defined for a14 and s15, not for s15-split.")

    @property
    def split(self) -> bool:
        """Whether small and large counts have an entropy term each."""
        return self.definition == "s15-split"

    @derived(after="definition", key="form")
    def form_of_r2(self) -> Form | None:
        """Form of R2; null for the other definitions."""
        return self.form if self.definition == "a14" else None

    @derived(after="weights")
    def norm(self) -> Literal["weighted", "l2"]:
        """How terms make a risk."""
        return "l2" if self.weights is None else "weighted"

    @derived(after="norm")
    def term_names(self) -> tuple[Literal["zeros", "entropy", "small", "large", "size"], ...]:
        """What the terms are, in their order."""
        return ("zeros", "small", "large", "size") if self.split else ("zeros", "entropy", "size")


Terms = tuple[Rounded, ...]


@dataclass(frozen=True)
class DivergenceResult:
    """An f-divergence of the original from the protected table (Antal, Shlomo & Elliot 2014, (3.3))."""

    name: DivergenceName
    value: Annotated[Estimate | None, "null: infinite in some version, so that there is no mean."]
    infinite: Annotated[
        Rounded, "Share of versions in which it is infinite (a cell with units is empty in the other table)."
    ]


@dataclass(frozen=True, kw_only=True)
class ProtectedPart:
    """One table after protection: means over its versions."""

    total: Annotated[Estimate, "Units.", Key("M")]
    risk: Annotated[Estimate, "R2.", Key("R2")]
    conditional: Annotated[Estimate | None, "H(X|Y) (a14).", Key("H_X_given_Y")]
    distance: Annotated[Estimate, "Hellinger distance of counts.", Key("HD")]
    distance_shares: Annotated[Estimate, "Hellinger distance of distributions.", Key("HD_shares")]
    bound: Annotated[Rounded, "The largest that HD can be.", Key("HD_bound")]
    utility: Estimate
    terms: Annotated[Terms, "Means, without weights."]
    multipliers: Annotated[Terms, "Of the entropy terms (s15)."]
    above_original: Annotated[Count, "Versions whose risk came out above R1 and was replaced by it (s15)."]
    lost: Annotated[
        Rounded,
        "Largest share of units that are expected in cells with a value that no protected cell has (s15).",
        Key("lost_mass"),
    ]
    impossible: Annotated[Count, "Most cells that the stated method cannot have made (s15).", Key("impossible_cells")]
    outcomes: Annotated[
        Count | None,
        "Figures are exact expectations over all roundings, of so many different outcomes; left out: they are means.",
        SPARSE,
    ] = None
    divergences: Annotated[tuple[DivergenceResult, ...], "Those that were asked for.", SPARSE] = ()


@dataclass(frozen=True)
class PartRisk:
    """One table, whole or a part."""

    where: Annotated[Mapping[str, str], "Variable and code; empty for the whole table."]
    cells: Annotated[Count, "Number of cells.", Key("K")]
    total: Annotated[Count, "Units.", Key("N")]
    zeros: Annotated[Count, "Cells that are 0."]
    undefined: Annotated[str | None, "Why there is no risk."] = None
    risk: Annotated[Rounded | None, Key("R1")] = None
    entropy: Annotated[Rounded | None, Key("H_X")] = None
    terms: Annotated[Terms, "Terms of R1 without weights."] = ()
    after: ProtectedPart | None = None

    @derived(after="risk", key="R2")
    def risk_after(self) -> Rounded | None:
        """Mean after protection, as all that follows."""
        return None if self.after is None else self.after.risk.mean

    @derived(after="entropy", key="H_X_given_Y")
    def conditional_entropy(self) -> Rounded | None:
        """Of the original given the protected table."""
        return None if self.after is None or self.after.conditional is None else self.after.conditional.mean

    @derived(after="conditional_entropy", key="HD")
    def distance(self) -> Rounded | None:
        """Hellinger distance."""
        return None if self.after is None else self.after.distance.mean

    @derived(after="distance")
    def utility(self) -> Rounded | None:
        """What the distance leaves."""
        return None if self.after is None else self.after.utility.mean


@dataclass
class _Measured:
    """What accumulates for one part, a number for each version."""

    support: NDArray[np.int64]
    start: Before
    base: PartRisk
    columns: dict[str, list[Floats]] = field(default_factory=dict)
    multipliers: tuple[float, ...] = ()
    outcomes: Outcomes | None = None

    def add(self, **found: Floats) -> None:
        for name, values in found.items():
            self.columns.setdefault(name, []).append(values)

    def values(self, name: str) -> Floats:
        return np.concatenate(self.columns[name])


def assess(
    table: CountTable,
    settings: RiskFormula,
    versions: Iterable[Counts] | None = None,
    *,
    slices: bool = True,
    scheme: Callable[[NDArray[np.int64]], Outcomes | None] | None = None,
) -> tuple[PartRisk, ...]:
    """The risk of the whole table, then of each slice (for a two-way table: each row, each column).

    Parameters
    ----------
    versions: protected counts (versions x m) beside the table's `values`, in one or more pieces; what they do not list
        is 0 there as in the original. None: the original alone.
    slices: False: the whole table only.
    scheme: all outcomes of the protection for the counts of a part, from which its figures are exact expectations; None
        of a part with too many, whose figures are means of the versions.

    Raises
    ------
    InputError: the whole table has one cell, or no units; s15 without a transition.
    """
    if versions is not None and settings.definition != "a14" and settings.transition is None:
        raise InputError("the measure after protection needs the transition matrix of the method that was used.")
    everything = np.arange(len(table.values), dtype=np.int64)
    parts = [_begin(table, {}, table.cells, everything, settings)]
    if isinstance(parts[0], PartRisk):
        raise InputError(parts[0].undefined or "", at=table.place)
    if slices:
        parts += [_begin(table, {s.axis: s.code}, s.cells, s.support, settings) for s in table.slices()]
    if versions is None:
        return tuple(part if isinstance(part, PartRisk) else part.base for part in parts)
    measured = [part for part in parts if isinstance(part, _Measured)]
    for part in measured:
        part.outcomes = None if scheme is None else scheme(table.values[part.support])
        for protected, probability in part.outcomes or ():
            _measure(part, table.values[part.support], protected, settings)
            part.add(probability=probability)
    drawn = [part for part in measured if part.outcomes is None]
    for piece in versions if drawn else ():
        for part in drawn:
            _measure(part, table.values[part.support], piece[:, part.support], settings)
    return tuple(part if isinstance(part, PartRisk) else _finish(part, settings) for part in parts)


def _begin(
    table: CountTable, where: Mapping[str, str], cells: int, support: NDArray[np.int64], settings: RiskFormula
) -> "_Measured | PartRisk":
    counts = table.values[support]
    total = int(counts.sum())
    zeros = cells - int(np.count_nonzero(counts))
    try:
        start = table_risk.before(counts, cells)
    except InputError as error:
        return PartRisk(where, cells, total, zeros, str(error))
    terms = start.terms
    if settings.definition != "a14":
        terms = split_risk.terms_before(split_risk.Spectrum.of(counts, cells), split=settings.split)
    risk = float(table_risk.weigh(terms, settings.weights))
    base = PartRisk(where, cells, total, zeros, None, risk, float(start.entropy), tuple(terms.tolist()))
    return _Measured(support, start, base)


def _measure(part: _Measured, original: NDArray[np.int64], protected: Counts, settings: RiskFormula) -> None:
    part.add(**{name: divergence(name, original, protected) for name in settings.divergences})
    distance = hellinger_counts(original, protected)
    part.add(
        total=protected.sum(axis=-1, dtype=np.float64),
        distance=distance,
        shares=hellinger_shares(original, protected),
        utility=utility(distance, part.start.total),
    )
    if settings.definition == "a14":
        found = table_risk.after(part.start, original, protected, settings.form)
        part.add(terms=found.terms, conditional=found.conditional, risk=table_risk.weigh(found.terms, settings.weights))
        return
    assert settings.transition is not None
    for version in protected:
        ended = split_risk.terms_after(
            original,
            version,
            part.base.cells,
            settings.transition,
            split=settings.split,
            multipliers=settings.multipliers,
            cap=settings.cap,
        )
        raw = float(table_risk.weigh(ended.terms, settings.weights))
        assert part.base.risk is not None
        part.multipliers = ended.multipliers
        part.add(
            terms=ended.terms[None],
            risk=np.array([min(raw, part.base.risk)]),
            above=np.array([float(raw > part.base.risk * (1 + 1e-12))]),
            lost=np.array([ended.lost]),
            impossible=np.array([float(ended.impossible)]),
        )


def _finish(part: _Measured, settings: RiskFormula) -> PartRisk:
    total = part.values("total")
    by_a14 = settings.definition == "a14"
    likely = part.values("probability") if "probability" in part.columns else None

    def mean(name: str) -> Estimate:
        return Estimate.of(part.values(name), likely)

    terms, bound = part.values("terms"), np.sqrt((float(part.start.total) + total) / 2)
    end = ProtectedPart(
        total=mean("total"),
        risk=mean("risk"),
        terms=tuple((terms.mean(axis=0) if likely is None else likely @ terms).tolist()),
        distance=mean("distance"),
        distance_shares=mean("shares"),
        utility=mean("utility"),
        bound=Estimate.of(bound, likely).mean,
        conditional=mean("conditional") if by_a14 else None,
        multipliers=part.multipliers,
        above_original=0 if by_a14 else int(part.values("above").sum()),
        lost=0.0 if by_a14 else float(part.values("lost").max()),
        impossible=0 if by_a14 else int(part.values("impossible").max()),
        outcomes=None if likely is None else len(likely),
        divergences=tuple(_divergence(name, part.values(name), likely) for name in settings.divergences),
    )
    return replace(part.base, after=end)


def _divergence(name: DivergenceName, values: Floats, likely: Floats | None) -> DivergenceResult:
    endless = np.isinf(values)
    share = float(endless.mean() if likely is None else likely @ endless)
    return DivergenceResult(name, None if endless.any() else Estimate.of(values, likely), share)


def by_variable(parts: Sequence[PartRisk]) -> tuple[tuple[PartRisk, ...], ...]:
    """The slices, one group for each variable, in order."""
    groups: dict[str, list[PartRisk]] = {}
    for part in parts:
        for variable in part.where:
            groups.setdefault(variable, []).append(part)
    return tuple(tuple(group) for group in groups.values())
