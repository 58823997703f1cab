"""SAP of a table: one curve, or one for each conditional table or rounding scheme."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.measures.sap.attack import Attack
from tableseal.audit.measures.sap.definitions import Effort, resolved_sap, static_sap
from tableseal.audit.measures.sap.population import Population
from tableseal.audit.measures.sap.result import Curve, Definition, Sap, SapResult
from tableseal.audit.measures.sap.schemes import Scheme, compare_schemes
from tableseal.audit.measures.sap.sizes import parse_sizes
from tableseal.audit.progress import Progress, silent


@dataclass(frozen=True)
class SapSettings:
    """How SAP is measured.

    Attributes
    ----------
    n: sample sizes, see `parse_sizes`.
    targets: cells (variable -> code) whose zeros count; empty: all.
    given: key variables: a curve for each of their conditional tables.
    known: variables that the intruder knows of a unit besides those of `given`; empty: all.
    schemes: compare these roundings of a bare matrix.
    """

    definition: Definition = "static"
    n: str | None = None
    targets: tuple[Mapping[str, str], ...] = ()
    given: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    schemes: tuple[Scheme, ...] = ()
    effort: Effort = field(default_factory=Effort)


def measure(table: Population, settings: SapSettings, *, progress: Progress = silent) -> SapResult:
    """SAP of a table with what is released of it.

    Raises
    ------
    InputError: settings that do not fit the table. LimitError: exact was asked for and is out of reach.
    """
    if settings.targets:
        table = table.aimed_at(list(settings.targets))
    if settings.known:
        table = table.known_in(tuple(dict.fromkeys((*settings.given, *settings.known))))
    if settings.schemes and not table.bare:
        raise InputError(OptionName("schemes"), " compares roundings of a bare matrix of counts; this is a release.")
    sizes = parse_sizes(settings.n, table.attack.total)
    curves: list[Curve] = []
    if settings.schemes:
        found = compare_schemes(table.attack.counts, settings.schemes, sizes, settings.definition)
        curves = [Curve(sap, scheme=str(scheme)) for scheme, sap in found]
    elif settings.given:
        for key, attack in table.given(settings.given):
            possible = tuple(size for size in sizes if size <= attack.total)
            if possible:
                curves.append(Curve(_sap(attack, possible, settings, progress), key=key))
        if not curves:
            raise InputError("no conditional table has that many units.", at=OptionName("n", settings.n))
    else:
        curves = [Curve(_sap(table.attack, sizes, settings, progress))]
    return SapResult(settings.definition, tuple(curves))


def _sap(attack: Attack, sizes: tuple[int, ...], settings: SapSettings, progress: Progress) -> Sap:
    if settings.definition == "static":
        return static_sap(attack, sizes, exact=settings.effort.exact)
    return resolved_sap(attack, sizes, settings.effort, progress=progress)
