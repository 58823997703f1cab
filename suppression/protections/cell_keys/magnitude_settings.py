"""What is said of a protection of magnitudes by cell keys, and the perturbation tables that follow from it."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Literal

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.numbers import decimal_text
from tableseal.audit.model import Ptable
from tableseal.suppression.protections.cell_keys.entropy import magnitude_table
from tableseal.suppression.protections.cell_keys.magnitudes import MagnitudeTables
from tableseal.suppression.protections.cell_keys.ptable import PTable, Stated, check
from tableseal.suppression.protections.cell_keys.ptable_files import ALL, read_ptables
from tableseal.suppression.protections.cell_keys.scaling import Scaling

FARTHEST = 1000
"""Units of change by which a value changes at most, and the highest power of the flex function."""

EVEN, ODD, SMALL_CELLS = "even", "odd", "small_cells"


@dataclass(frozen=True)
class MagnitudeKeySettings:
    """How magnitudes are changed.

    Attributes
    ----------
    range, variance: of the change (D, V) in units of change, of the table of maximum entropy; a release that has a
        perturbation table of its own needs neither.
    modulus: keys are whole numbers below this, a power of 10 or of 2; None: decimals from 0 to below 1.
    scale: a unit of change is a share of the `top` contributions, or of their mean, range or sum.
    weights: of the second, third, ... contribution, from 1 falling: so many more are looked at.
    small_share, large_share, point, power: the flex function; without a point `small_share` for all.
    more: units of change by which sensitive cells move further. zero_keys: records that give 0 count in keys.
    missing_keys: records may lack a key; they are counted and change no cell key.
    """

    range: int | None = None
    variance: Fraction | None = None
    modulus: int | None = None
    scale: Literal["top", "mean", "range", "sum"] = "top"
    weights: tuple[Fraction, ...] = ()
    small_share: Fraction = Fraction(1, 4)
    large_share: Fraction = Fraction(1, 20)
    point: Fraction | None = None
    power: Fraction = Fraction(3)
    more: Fraction = Fraction(0)
    zero_keys: bool = True
    missing_keys: bool = False

    def __post_init__(self) -> None:
        if self.range is not None and not 1 <= self.range <= FARTHEST:
            expected = f"a whole number from 1 to {FARTHEST}"
            raise InputError(at=OptionName("range"), found=str(self.range), expected=expected)
        if self.variance is not None:
            most = (self.range or FARTHEST) ** 2
            self._refuse("variance", self.variance, 0 < self.variance <= most, f"more than 0 and at most {most:,}")
        self._refuse("more", self.more, 0 <= self.more <= FARTHEST, f"from 0 to {FARTHEST}")
        for name in ("small_share", "large_share"):
            share = getattr(self, name)
            self._refuse(name, share, 0 < share <= 1, "above 0 and at most 1")
        if self.point is not None:
            self._refuse("point", self.point, self.point > 0, "above 0")
            falls = self.large_share <= self.small_share
            self._refuse("large_share", self.large_share, falls, f"at most the small share, {self._small}")
        self._refuse("power", self.power, 1 <= self.power <= FARTHEST, f"from 1 to {FARTHEST}")
        if self.scale not in ("top", "mean", "range", "sum"):
            raise InputError(at=OptionName("scale", self.scale), expected="top, mean, range or sum")
        self.scaling  # noqa: B018 (refuses what cannot be)

    @property
    def _small(self) -> str:
        return decimal_text(self.small_share)

    @staticmethod
    def _refuse(name: str, number: Fraction, fine: bool, expected: str) -> None:
        if not fine:
            raise InputError(at=OptionName(name, decimal_text(number)), expected=expected)

    @property
    def scaling(self) -> Scaling:
        """As the functions take it.

        Raises
        ------
        InputError: numbers that cannot be.
        """
        return Scaling(
            self.scale,
            (1.0, *map(float, self.weights)),
            float(self.small_share),
            float(self.large_share),
            inf if self.point is None else float(self.point),
            float(self.power),
        )


def tables_of(settings: MagnitudeKeySettings, own: Ptable | None, modulus: int) -> MagnitudeTables:
    """The tables for keys below a modulus.

    Raises
    ------
    InputError: settings that are missing or do not go together, a table that is biased or goes beyond the range.
    """
    if own is None:
        for name in ("range", "variance"):
            if getattr(settings, name) is None:
                text = ", or the release a perturbation table (`ptable`)."
                raise InputError("needs ", OptionName(name), text, at=OptionName("method", "cell-key-magnitudes"))
        assert settings.range is not None
        assert settings.variance is not None
        table = magnitude_table(settings.range, float(settings.variance), modulus)
        return MagnitudeTables(table, table)
    if settings.variance is not None:
        text = "the release has a perturbation table of its own (`ptable`)."
        raise InputError(text, at=OptionName("variance"))
    columns = Columns.of(own.source, {name: list(entries) for name, entries in own.columns.items()})
    found = dict(read_ptables(columns, modulus))
    for kind, table in found.items():
        if kind not in (ALL, EVEN, ODD, SMALL_CELLS):
            raise InputError(f"has rows of type {kind}; types are {ALL}, {EVEN}, {ODD}, {SMALL_CELLS}.", at=own.source)
        widest = table.widest * table.step
        told = widest if settings.range is None or kind == SMALL_CELLS else Fraction(settings.range)
        check(table, Stated(told), own.source)
    if ALL in found and not {EVEN, ODD} & set(found):
        return MagnitudeTables(found[ALL], found[ALL], found.get(SMALL_CELLS))
    if {EVEN, ODD} <= set(found) and ALL not in found:
        return MagnitudeTables(found[EVEN], found[ODD], found.get(SMALL_CELLS))
    raise InputError(f"expected rows of type {ALL}, or of types {EVEN} and {ODD}.", at=own.source)


def all_tables(tables: MagnitudeTables) -> list[tuple[str, PTable]]:
    """Each with its type."""
    found = [(EVEN, tables.even), (ODD, tables.odd)] if tables.parity else [(ALL, tables.even)]
    return found if tables.small_cells is None else [*found, (SMALL_CELLS, tables.small_cells)]
