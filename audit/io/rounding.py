"""`rounding` of a table: how published values were made -> what each of them stands for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.files import Folder
from tableseal.audit.io.numbers import decimal_text, rational
from tableseal.audit.io.rounding_document import BandDocument, RoundingDocument
from tableseal.audit.io.sources import read_columns
from tableseal.audit.model import Measure, Rounding
from tableseal.audit.model.rounding import NO_LIMIT, rounding_interval
from tableseal.audit.wording import quoted

Piece = tuple[int, int]
"""Smallest and largest value, NO_LIMIT for no largest."""


@dataclass(frozen=True)
class Band:
    """True values from first to last (first None: all that no other band has) are shown as one, or rounded to base."""

    first: int | None
    last: int
    shown: int | None
    base: int
    method: Literal["conventional", "random", "controlled", "up", "down"]


@dataclass(frozen=True)
class Scheme:
    """How values of a table were made; `rounding` settles what the published ones stand for.

    fixed: known before the values are. bands: need the values.
    """

    fixed: Rounding | None
    bands: tuple[Band, ...]
    where: Place
    unit: Fraction

    def rounding(self, published: NDArray[np.int64]) -> Rounding:
        """What these published values stand for. One that the scheme cannot give stands for nothing and is left out.

        Raises
        ------
        InputError: a value that stands for true values with others between them.
        """
        if self.fixed is not None:
            return self.fixed
        ranges = []
        for value in np.unique(published).tolist():
            pieces = _joined(piece for band in self.bands for piece in self._pieces(band, value))
            if len(pieces) > 1:
                raise InputError(
                    f"the published value {decimal_text(value * self.unit)} may stand for values with others between "
                    "them; no two bands may be shown alike.",
                    at=self.where,
                )
            if pieces:
                low, high = pieces[0]
                ranges.append((value, low, None if high == NO_LIMIT else high))
        return Rounding(1, "ranges", tuple(ranges))

    def _pieces(self, band: Band, value: int) -> list[Piece]:
        """True values of a band that are shown as this one."""
        if band.shown is not None:
            low, high = (band.first or 0, band.last) if value == band.shown else (1, 0)
        elif value % band.base:
            return []
        else:
            low, high = (
                int(end[0]) for end in rounding_interval(np.array([value]), Rounding(band.base, band.method), True)
            )
            low, high = max(low, band.first or 0), min(high, band.last)
        pieces = [(low, high)] if low <= high else []
        if band.first is None:
            for other in self.bands:
                if other.first is not None:
                    pieces = _without(pieces, (other.first, other.last))
        return pieces


def _without(pieces: Iterable[Piece], gone: Piece) -> list[Piece]:
    found = []
    for low, high in pieces:
        found += (
            [(low, min(high, gone[0] - 1)), (max(low, gone[1] + 1), high)]
            if gone[1] < NO_LIMIT
            else [(low, min(high, gone[0] - 1))]
        )
    return sorted({(low, high) for low, high in found if low <= high})


def _joined(pieces: Iterable[Piece]) -> list[Piece]:
    found: list[Piece] = []
    for low, high in sorted(pieces):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return found


def read_scheme(
    document: RoundingDocument, measure: Measure, folder: Folder, where: Place, *, nonnegative: bool
) -> Scheme:
    """The scheme that `rounding` describes.

    Raises
    ------
    InputError: not one way of saying it, a number off the unit, bands that overlap, ranges that cannot be read.
    """
    read = _Reader(measure, where)
    plain = document.base is not None or document.method is not None
    if document.share is not None and document.method not in ("noise", "adjusted", "cell_key"):
        raise InputError("`share` goes with methods noise, adjusted and cell_key.", at=where)
    if document.flex is not None and (document.method != "cell_key" or document.share is None):
        raise InputError("goes with method cell_key and a `share`.", at=where / "flex")
    if document.wider and (plain or document.ranges is None):
        raise InputError("goes with `ranges`, without base and method.", at=where / "wider")
    match document.method:
        case "cell_key" | "noise" | "adjusted":
            return Scheme(read.changed(document, folder, nonnegative=nonnegative), (), where, measure.unit)
    if any(said is not None for said in (document.range, document.never, document.zeros, document.unchanged)):
        text = "`range`, `never`, `zeros` and `unchanged` go with method cell_key (`range` and `zeros` with noise and "
        raise InputError(f"{text}adjusted, too).", at=where)
    ways = [plain, document.bands is not None, document.ranges is not None and not plain]
    if sum(ways) + (document.top is not None and not any(ways)) != 1:
        raise InputError("give one of base and method, `bands`, `ranges`, or `top`.", at=where)
    if plain and (document.base is None or document.method is None):
        raise InputError("give both `base` and `method`.", at=where)
    if not nonnegative and not (plain and document.top is None and document.method not in ("midpoint", "small")):
        raise InputError("values may be negative; expected a method that says what becomes of these.", at=where)
    fixed: Rounding | None = None
    bands: list[Band] = []
    if plain:
        assert document.base is not None
        assert document.method is not None
        base = read.units(document.base, where / "base")
        if document.top is None or document.method == "midpoint" or document.method == "small":
            fixed = Rounding(base, document.method)
            read.check(document.ranges, fixed, folder)
        else:
            bands.append(Band(None, NO_LIMIT, None, base, document.method))
    elif document.ranges is not None:
        fixed = Rounding(1, "ranges", read.ranges(document.ranges, folder), wider=document.wider)
    elif document.bands is not None:
        bands = [read.band(band, where / "bands" / k) for k, band in enumerate(document.bands)]
    else:
        bands.append(Band(None, NO_LIMIT, None, 1, "conventional"))
    if document.top is not None:
        if fixed is not None:
            raise InputError("goes with bands, or with a base whose method is not midpoint or small.", at=where / "top")
        top = read.units(document.top, where / "top")
        bands.append(Band(top, NO_LIMIT, top, 1, "conventional"))
    _refuse_overlaps(bands, where)
    return Scheme(fixed, tuple(bands), where, measure.unit)


def _refuse_overlaps(bands: Sequence[Band], where: Place) -> None:
    placed = sorted((b.first, b.last) for b in bands if b.first is not None)
    for (_, last), (first, _) in pairwise(placed):
        if first <= last:
            raise InputError("two bands overlap; every true value belongs to one.", at=where)
    if sum(b.first is None for b in bands) > 1:
        raise InputError("two bands have no `lower`; one may stand for all other values.", at=where)


@dataclass(frozen=True)
class _Reader:
    """Numbers of a scheme -> units of the measure."""

    measure: Measure
    where: Place

    def units(self, number: Fraction, at: Place) -> int:
        units = number / self.measure.unit
        if units.denominator != 1:
            unit = f"{decimal_text(self.measure.unit)} of measure {quoted(self.measure.name)}"
            raise InputError(found=decimal_text(number), expected=f"a multiple of the unit {unit}", at=at)
        return units.numerator

    def band(self, band: BandDocument, at: Place) -> Band:
        if (band.shown is None) == (band.base is None):
            raise InputError("give one of `shown` and `base`.", at=at)
        if band.lower is None and band.upper is not None:
            raise InputError("give `lower` beside `upper`.", at=at)
        first = None if band.lower is None else self.units(band.lower, at / "lower")
        last = NO_LIMIT if band.upper is None else self.units(band.upper, at / "upper")
        if first is not None and first > last:
            raise InputError("`lower` is above `upper`.", at=at)
        shown = None if band.shown is None else self.units(band.shown, at / "shown")
        return Band(first, last, shown, 1 if band.base is None else self.units(band.base, at / "base"), band.method)

    def changed(self, document: RoundingDocument, folder: Folder, *, nonnegative: bool) -> Rounding:
        """Methods by which a value is changed by at most a range, or a share."""
        if not nonnegative:
            text = f"values may be negative; {document.method} is for values that are not."
            raise InputError(text, at=self.where)
        rounding = self._by_range(document) if document.method == "cell_key" else self._by_share(document)
        self.check(document.ranges, rounding, folder)
        return rounding

    def _by_share(self, document: RoundingDocument) -> Rounding:
        said = (document.base, document.bands, document.top, document.never, document.unchanged)
        if document.share is None or any(one is not None for one in said):
            text = f"method {document.method} needs `share`, and has `range` and `zeros` besides."
            raise InputError(text, at=self.where)
        share = document.share
        if not 0 < share < 1 or (share * 10**6).denominator != 1:
            raise InputError("expected above 0 and below 1, with at most 6 decimals.", at=self.where / "share")
        widest = 0 if document.range is None else self.units(document.range, self.where / "range")
        method: Literal["noise", "adjusted"] = "noise" if document.method == "noise" else "adjusted"
        return Rounding(1, method, (), widest, zeros_stay=document.zeros != "change", share=share)

    def _by_range(self, document: RoundingDocument) -> Rounding:
        lacking = document.range is None and document.share is None
        if lacking or any(said is not None for said in (document.base, document.bands, document.top)):
            text = "method cell_key needs `range` or `share`, and neither base, bands nor top."
            raise InputError(text, at=self.where)
        widest = 0 if document.range is None else self.units(document.range, self.where / "range")
        never = self.units(document.never or Fraction(0), self.where / "never")
        if not 0 <= never <= widest:
            raise InputError("expected from 0 to the range.", at=self.where / "never")
        if document.unchanged is not None and not 0 <= document.unchanged <= 1:
            raise InputError("expected a share from 0 to 1.", at=self.where / "unchanged")
        share, flex = document.share or Fraction(0), None
        if document.share is not None:
            self._check_share(share, self.where / "share", least=Fraction(1, 10**6))
        if document.flex is not None:
            self._check_share(document.flex.share, self.where / "flex" / "share", least=Fraction(0))
            plus = self.units(document.flex.plus, self.where / "flex" / "plus")
            if plus < 0:
                raise InputError("expected 0 or more.", at=self.where / "flex" / "plus")
            flex = document.flex.share, plus
        zeros = document.zeros != "change"
        return Rounding(1, "cell_key", (), widest, never, zeros, document.unchanged, share, flex)

    def _check_share(self, share: Fraction, at: Place, *, least: Fraction) -> None:
        if not least <= share <= 1000 or (share * 10**6).denominator != 1:
            raise InputError(f"expected {decimal_text(least)} to 1000, with at most 6 decimals.", at=at)

    def ranges(self, given: Any, folder: Folder) -> tuple[tuple[int, int, int | None], ...]:
        found: dict[int, tuple[int, int, int | None]] = {}
        for at, (shown, low, high) in self._triples(given, folder):
            value, first = self._number(shown, at), self._number(low, at)
            last = None if high in (None, "") else self._number(high, at)
            if last is not None and first > last:
                raise InputError("the lower end is above the upper end.", at=at)
            if value in found:
                raise InputError(f"the published value {quoted(str(shown))} is listed twice.", at=at)
            found[value] = (value, first, last)
        if not found and not _is_list(given, 0):  # as the canonical form says of a table that publishes nothing
            raise InputError("is empty.", at=self.where / "ranges")
        return tuple(sorted(found.values()))

    def check(self, spelled: Any, rounding: Rounding, folder: Folder) -> None:
        """Refuse ranges written beside a method that says otherwise."""
        for shown, first, last in () if spelled is None else self.ranges(spelled, folder):
            low, high = (int(end[0]) for end in rounding_interval(np.array([shown]), rounding, True))
            if (low, high) != (first, NO_LIMIT if last is None else last):
                value = decimal_text(shown * self.measure.unit)
                text = f"{value} stands for other values by the method; leave out one."
                raise InputError(text, at=self.where / "ranges")

    def _triples(self, given: Any, folder: Folder) -> list[tuple[Place, tuple[Any, Any, Any]]]:
        where = self.where / "ranges"
        if isinstance(given, str):
            columns = read_columns(folder, given, where)
            data = [columns.column(name, f"the {name}s of ranges") for name in ("value", "lower", "upper")]
            return [(columns.place(k), row) for k, row in enumerate(zip(*data, strict=True))]
        entries = [(v, *e) if _is_list(e, 2) else e for v, e in given.items()] if isinstance(given, Mapping) else given
        if not _is_list(entries, None) or not all(_is_list(entry, 3) for entry in entries):
            raise InputError("expected a file or ranges such as {5: [1, 4]}.", at=where)
        keys = given if isinstance(given, Mapping) else range(len(entries))
        return [(where / key, (e[0], e[1], e[2])) for key, e in zip(keys, entries, strict=True)]

    def _number(self, text: Any, at: Place) -> int:
        try:
            return self.units(rational(text if isinstance(text, str) else ""), at)
        except ValueError:
            raise InputError(found=quoted(text), expected="a number", at=at) from None


def _is_list(value: Any, length: int | None) -> bool:
    return isinstance(value, list | tuple) and (length is None or len(value) == length)
