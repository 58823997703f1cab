"""What is said of a protection by cell keys, and the perturbation table that follows from it."""

from dataclasses import dataclass
from fractions import Fraction

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.model import Ptable, Rounding
from tableseal.suppression.protections.cell_keys.entropy import Wanted, table_of_maximum_entropy
from tableseal.suppression.protections.cell_keys.ptable import PTable, Stated, check, moments
from tableseal.suppression.protections.cell_keys.ptable_files import ALL, ptables_of


@dataclass(frozen=True)
class CellKeySettings:
    """How counts are changed.

    Attributes
    ----------
    range: no count changes by more (D). variance: of the change (V). never: no count from 1 to this is published (js).
        unchanged: share of counts that stay. All of the table of maximum entropy; a release that has a perturbation
        table of its own needs none of them, and range and never must hold for it if they are said.
    modulus: keys are whole numbers below this; None: decimals from 0 to below 1.
    unbiased_from: a table of one's own is unbiased from this count on.
    withhold_below: counts below it, after the change, are withheld.
    additive: the nearest table that adds up is published.
    missing_keys: records may lack a key; they are counted and change no cell key.
    """

    range: int | None = None
    variance: Fraction | None = None
    never: int | None = None
    unchanged: Fraction | None = None
    modulus: int | None = None
    unbiased_from: int = 0
    withhold_below: int = 0
    additive: bool = False
    missing_keys: bool = False

    def __post_init__(self) -> None:
        if self.additive and self.withhold_below:
            raise InputError("what is withheld cannot add up; leave one out.", at=OptionName("withhold_below"))
        if self.withhold_below < 0 or self.unbiased_from < 0:
            name = "withhold_below" if self.withhold_below < 0 else "unbiased_from"
            raise InputError(at=OptionName(name), expected="0 or more")


@dataclass(frozen=True)
class Scheme:
    """The perturbation table, and what everybody may know of it."""

    table: PTable
    stated: Rounding


def scheme_of(settings: CellKeySettings, own: Ptable | None, modulus: int) -> Scheme:
    """The table for keys below a modulus.

    Raises
    ------
    InputError: settings that are missing or do not go together, a table that does not keep what is stated.
    """
    if own is None:
        wanted = _wanted(settings)
        share = None if settings.additive else settings.unchanged
        return Scheme(table_of_maximum_entropy(wanted, modulus), _stated(wanted.range, wanted.never, share))
    for name in ("variance", "unchanged"):
        if getattr(settings, name) is not None:
            raise InputError("the release has a perturbation table of its own (`ptable`).", at=OptionName(name))
    found = ptables_of(own, modulus)
    table = found.get(ALL)
    if table is None:
        raise InputError(f"expected rows of type {ALL}; counts have no others.", at=own.source)
    widest = table.widest if settings.range is None else settings.range
    never = never_published(table) if settings.never is None else settings.never
    check(table, Stated(Fraction(widest), never, zeros_stay=True, unbiased_from=settings.unbiased_from), own.source)
    share = min(m.unchanged for m in moments(table)[1:]) if len(table.levels) > 1 else Fraction(1)
    return Scheme(table, _stated(max(widest, 1), never, None if settings.additive or not share else share))


def _stated(widest: int, never: int, unchanged: Fraction | None) -> Rounding:
    return Rounding(1, "cell_key", (), widest, never, True, unchanged)


def _wanted(settings: CellKeySettings) -> Wanted:
    for name in ("range", "variance"):
        if getattr(settings, name) is None:
            text = ", or the release a perturbation table (`ptable`)."
            raise InputError("needs ", OptionName(name), text, at=OptionName("method", "cell-key"))
    assert settings.range is not None
    assert settings.variance is not None
    share = None if settings.unchanged is None else float(settings.unchanged)
    return Wanted(settings.range, float(settings.variance), settings.never or 0, share)


def never_published(table: PTable) -> int:
    """The largest number up to the range such that no count from 1 to it is ever a result."""
    results = set((table.levels[table.row] + table.change).tolist())
    least = next((n for n in range(1, table.widest + 1) if n in results), table.widest + 1)
    return least - 1
