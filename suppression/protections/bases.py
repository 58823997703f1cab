"""The base of a rounding, in units of each measure."""

from dataclasses import dataclass
from fractions import Fraction

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.linear.naming import decimal
from tableseal.audit.model import Release
from tableseal.audit.wording import quoted

LARGEST_BASE = 10**9
"""In units. Far beyond any use, and small enough that no rounded value overflows."""


@dataclass(frozen=True)
class RoundingSettings:
    """base: in the measures' own numbers; a multiple of every unit."""

    base: Fraction

    def units(self, release: Release) -> dict[str, int]:
        """The base in units of each measure.

        Raises
        ------
        InputError: below two units, above 10^9 units, or no multiple of a unit.
        """
        return {name: self._units(measure.unit, name) for name, measure in release.measures.items()}

    def _units(self, unit: Fraction, measure: str) -> int:
        units = self.base / unit
        if units.denominator != 1 or not 2 <= units <= LARGEST_BASE:
            one = decimal(1, unit)
            of = f"the unit of measure {quoted(measure)}, {one}: {decimal(2, unit)} or more, at most {LARGEST_BASE:,}"
            expected = f"a multiple of {of} such units"
            raise InputError(expected=expected, at=OptionName("base", decimal(1, self.base)))
        return int(units)
