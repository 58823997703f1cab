"""What of a release a format keeps, and what it loses: said before anything is written."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.formats.format import CONFIDENTIAL, Format, Part
from tableseal.audit.io.numbers import places
from tableseal.audit.model import Amounts, Intruder, Measure, Release, Status, Table
from tableseal.audit.wording import quoted

_UNITS = 2**60
"""Multiples of a unit that a value may have, at most."""


@dataclass(frozen=True)
class Loss:
    """A part of a release that is not written. count: how often it is there. can: the format has a place for it, and
    it is written if that is asked for."""

    part: Part
    count: int
    can: bool

    @property
    def text(self) -> str:
        """In words."""
        several = f" ({self.count:,})" if self.count > 1 else ""
        return f"{self.part.value}{several}{': confidential, written only if that is asked for' if self.can else ''}"


def losses(release: Release, target: Format, asked: Collection[Part] = ()) -> list[Loss]:
    """Parts that the release has and that are not written in a format.

    Parameters
    ----------
    asked: confidential parts that are to be written where the format has a place for them.
    """
    found: list[Loss] = []
    lost = _lost(target, asked)
    for part in Part:
        if part in lost:
            count = _PARTS[part][0](release)
        elif part is Part.TRUTH and Part.ROUNDING in lost:  # a file of one value for each cell has the published one
            count = _sum(_behind_changed)(release)
        else:
            continue
        if count:
            found.append(Loss(part, count, part in target.holds and part in lost))
    return found


def _behind_changed(table: Table) -> int:
    """True values that are not the published ones, beside which they stand."""
    if table.rounding is None:
        return 0
    return int((table.truth.known & table.value.known & (table.truth.units != table.value.units)).sum())


def kept(release: Release, target: Format, asked: Collection[Part] = ()) -> Release:
    """The release with nothing but what the format holds; read back from a file it is the same.

    Raises
    ------
    InputError: a unit that no decimal number has, an empty code where the format holds none.
    """
    empty = [name for name, hierarchy in release.variables.items() if "" in hierarchy.codes]
    if empty and not target.unnamed:
        text = f"a code of {quoted(empty[0])} is empty, and {target.title} has no place for it; give it a name."
        raise InputError(text)
    for part in _lost(target, asked):
        release = _PARTS[part][1](release)
    return replace(release, notes=(), files=())


def one_table(release: Release, at: int) -> Release:
    """One table of a release, without what is said of several."""
    table = release.tables[at]
    used = [v for v, name in enumerate(release.variables) if _is_used(table, release, v, name)]
    names = [name for v, name in enumerate(release.variables) if v in used]
    alone = replace(table, codes=table.codes[:, used], named=tuple(names))
    return replace(
        release,
        measures={table.measure: release.measures[table.measure]},
        variables={name: release.variables[name] for name in names},
        tables=(alone,),
        links=(),
        statistics=(),
        consents=(),
        accepted=(),
        microdata=None,
    )


def _is_used(table: Table, release: Release, at: int, name: str) -> bool:
    """Whether a table names a variable, or is of a part of its codes."""
    total = release.variables[name].total_index
    return name in table.named or (bool(len(table.codes)) and int(table.codes[0, at]) != total)


def _lost(target: Format, asked: Collection[Part]) -> list[Part]:
    confidential = CONFIDENTIAL - set(asked) if target.public else frozenset()
    return [part for part in Part if part not in target.holds or part in confidential]


def _sum(count: Callable[[Table], Any]) -> Callable[[Release], int]:
    return lambda release: int(sum(count(table) for table in release.tables))


def _each(change: Callable[[Table], Table]) -> Callable[[Release], Release]:
    return lambda release: replace(release, tables=tuple(change(table) for table in release.tables))


def _field(*names: str) -> Callable[[Release], Release]:
    nothing: Any = dict.fromkeys(names)
    return _each(lambda table: replace(table, **nothing))


def _have(*names: str) -> Callable[[Release], int]:
    return _sum(lambda table: any(getattr(table, name) is not None for name in names))


def _status(*statuses: Status) -> Callable[[Release], int]:
    return _sum(lambda table: np.isin(table.status, statuses).sum())


def _becomes(new: Status, *statuses: Status) -> Callable[[Release], Release]:
    def change(table: Table) -> Table:
        status = np.where(np.isin(table.status, statuses), np.int8(new), table.status).astype(np.int8)
        return replace(table, status=status)

    return _each(change)


def _own(table: Table) -> "np.ndarray[Any, np.dtype[np.bool_]]":
    """Rows whose true value is the agency's own."""
    hidden = (table.status > Status.STRUCTURAL_ZERO) | (table.rounding is not None)
    result: np.ndarray[Any, np.dtype[np.bool_]] = table.truth.known & hidden
    return result


def _without_truth(table: Table) -> Table:
    known = table.truth.known & ~_own(table)
    return replace(table, truth=Amounts(np.where(known, table.truth.units, 0), known), impossible=None)


def _exact(table: Table) -> Table:
    """What is published is all there is: without the rounding nothing tells it from true values."""
    if table.rounding is None:
        return table
    known = table.value.known
    units = np.where(known, table.value.units, table.truth.units)
    return replace(table, rounding=None, truth=Amounts(units, known | table.truth.known))


def _usual_intruder(release: Release) -> Release:
    """Readers see that values may be negative where one is."""
    negative = any((t.value.known & (t.value.units < 0)).any() for t in release.tables)
    return replace(release, intruder=Intruder(nonnegative=not negative))


def _zeros_published(table: Table) -> Table:
    zero = table.status == Status.STRUCTURAL_ZERO
    status = np.where(zero, np.int8(Status.PUBLISHED), table.status).astype(np.int8)
    known = table.value.known | zero
    return replace(table, status=status, value=Amounts(np.where(zero, 0, table.value.units), known))


def _without_bounds(table: Table) -> Table:
    return replace(table, lower=Amounts.none(len(table.codes)), upper=Amounts.none(len(table.codes)))


def _odd_units(release: Release) -> int:
    return sum(_plain_unit(m.unit) != m.unit for m in _used(release).values())


def _used(release: Release) -> Mapping[str, Measure]:
    return {table.measure: release.measures[table.measure] for table in release.tables}


def _plain_unit(unit: Fraction) -> Fraction:
    """The unit in decimals: 1, 0.1, 0.01, ..."""
    digits = places(unit)
    if digits is None:
        raise InputError(f"the unit {unit} has no exact decimals, and this format holds decimal numbers.")
    return Fraction(1, 10**digits)


def _plain_units(release: Release) -> Release:
    measures = {name: replace(m, unit=_plain_unit(m.unit)) for name, m in release.measures.items()}

    def change(table: Table) -> Table:
        factor = int(release.measures[table.measure].unit / measures[table.measure].unit)
        if factor == 1:
            return table
        largest = max(int(np.abs(table.value.units).max(initial=0)), int(np.abs(table.truth.units).max(initial=0)))
        if largest * factor > _UNITS:
            text = f"values of {quoted(table.measure)} are too large for this format without their unit."
            raise InputError(text, at=table.where)

        def scaled(amounts: Amounts) -> Amounts:
            return Amounts(amounts.units * factor, amounts.known)

        return replace(table, value=scaled(table.value), truth=scaled(table.truth))

    return replace(release, measures=measures, tables=tuple(change(table) for table in release.tables))


def _seen(release: Release, name: str) -> Fraction:
    """The unit of a measure as published values show it: without decimals that are 0 in all of them."""
    unit = release.measures[name].unit
    tables = [table for table in release.tables if table.measure == name]
    while unit < 1 and not any((table.value.units[table.value.known] * unit.numerator % 10).any() for table in tables):
        tables = [replace(t, value=Amounts(t.value.units // 10, t.value.known)) for t in tables]
        unit *= 10
    return unit


def _unseen(release: Release) -> int:
    return sum(_seen(release, name) != measure.unit for name, measure in _used(release).items())


def _as_seen(release: Release) -> Release:
    """Nothing but published values is left in it, and these are whole in the coarser unit."""
    units = {name: _seen(release, name) for name in _used(release)}

    def coarser(amounts: Amounts, factor: int) -> Amounts:
        return Amounts(amounts.units // factor, amounts.known)

    def change(table: Table) -> Table:
        factor = int(units[table.measure] / release.measures[table.measure].unit)
        return replace(table, value=coarser(table.value, factor), truth=coarser(table.truth, factor))

    measures = {
        name: Measure(name, "count" if unit == 1 and unit != m.unit else m.kind, unit)
        for name, m in release.measures.items()
        for unit in [units.get(name, m.unit)]
    }
    return replace(release, measures=measures, tables=tuple(change(table) for table in release.tables))


def _odd_kinds(release: Release) -> int:
    """Measures that would be taken for counts: magnitudes without decimals."""
    return sum(m.kind == "magnitude" and m.unit.denominator == 1 for m in _used(release).values())


def _counts(release: Release) -> Release:
    def change(measure: Measure) -> Measure:
        return replace(measure, kind="count") if measure.unit == 1 else measure

    return replace(release, measures={name: change(measure) for name, measure in release.measures.items()})


def _groups(release: Release) -> int:
    return sum(
        len(h.codes) - len(h.leaves) - (h.total is not None and len(h.codes) > 1) for h in release.variables.values()
    )


def _unlisted(release: Release) -> int:
    listed: dict[str, set[int]] = {name: set() for name in release.variables}
    for table in release.tables:
        for at, name in enumerate(release.variables):
            listed[name] |= set(np.unique(table.codes[:, at]).tolist())
    return sum(len(h.codes) - len(listed[name]) for name, h in release.variables.items())


def _absent(release: Release) -> int:
    from tableseal.audit.io.formats.grid import cube_of

    return int(sum((~cube_of(release, table).listed).sum() for table in release.tables))


def _nothing_combined(release: Release) -> Release:
    variables = {name: replace(h, combined=frozenset()) for name, h in release.variables.items()}
    return replace(release, variables=variables)


def _same(release: Release) -> Release:
    return release


def _spelled_out(release: Release) -> Release:
    from tableseal.audit.io.formats.spelled import spelled_out

    return spelled_out(release)


def _numbered(release: Release) -> Release:
    """What is left of a release as a problem of cells and equations."""
    from tableseal.audit.io.argus.jj import jj_document
    from tableseal.audit.io.argus.jj_write import jj_of
    from tableseal.audit.io.release_file import release_of_tables

    document = jj_document(jj_of(release), release.title or "release", {})
    return release_of_tables(document, Place(document["title"]))


_PARTS: Mapping[Part, tuple[Callable[[Release], int], Callable[[Release], Release]]] = {
    Part.SEVERAL_TABLES: (lambda r: len(r.tables) if len(r.tables) > 1 else 0, _same),
    Part.STATISTICS: (lambda r: len(r.statistics), lambda r: replace(r, statistics=())),
    Part.LINKS: (lambda r: len(r.links), lambda r: replace(r, links=())),
    Part.TOTALS: (lambda r: sum(h.total is not None for h in r.variables.values()), _same),
    Part.GROUPS: (_groups, _same),
    Part.UNLISTED: (_unlisted, _same),
    Part.SEVERAL_GROUPINGS: (lambda r: sum(len(h.parents) - 1 for h in r.variables.values()), _same),
    Part.COMBINED: (lambda r: sum(len(h.combined) for h in r.variables.values()), _nothing_combined),
    Part.ABSENT: (_absent, _spelled_out),
    Part.UNIT: (_odd_units, _plain_units),
    Part.KIND: (_odd_kinds, _counts),
    Part.RELEASED: (
        _status(Status.CONSENT, Status.FROZEN),
        lambda r: _becomes(Status.PUBLISHED, Status.CONSENT)(_becomes(Status.MUST_PUBLISH, Status.FROZEN)(r)),
    ),
    Part.MUST_PUBLISH: (_status(Status.MUST_PUBLISH), _becomes(Status.PUBLISHED, Status.MUST_PUBLISH)),
    Part.PRIMARY: (_status(Status.PRIMARY), _becomes(Status.WITHHELD, Status.PRIMARY)),
    Part.SECONDARY: (_status(Status.SECONDARY), _becomes(Status.WITHHELD, Status.SECONDARY)),
    Part.ZEROS: (_status(Status.STRUCTURAL_ZERO), _each(_zeros_published)),
    Part.MISSING: (_status(Status.MISSING), _becomes(Status.WITHHELD, Status.MISSING)),
    Part.UNEXPLAINED: (_status(Status.WITHHELD), _becomes(Status.PRIMARY, Status.WITHHELD)),
    Part.ROUNDING: (_have("rounding"), _each(_exact)),
    Part.TRUTH: (_sum(lambda t: _own(t).sum()), _each(_without_truth)),
    Part.FREQUENCIES: (_have("frequency", "weighted"), _field("frequency", "weighted")),
    Part.CONTRIBUTORS: (_sum(lambda t: len(t.contributors)), _each(lambda t: replace(t, contributors=()))),
    Part.BOUNDS: (_sum(lambda t: (t.lower.known | t.upper.known).sum()), _each(_without_bounds)),
    Part.PROTECTION: (
        _have("protection_lower", "protection_upper", "protection_sliding"),
        _field("protection_lower", "protection_upper", "protection_sliding"),
    ),
    Part.COSTS: (_have("cost"), _field("cost")),
    Part.LETTERS: (_have("reason"), _field("reason")),
    Part.MICRODATA: (lambda r: int(r.microdata is not None), lambda r: replace(r, microdata=None)),
    Part.INTRUDER: (lambda r: int(r.intruder != Intruder()), _usual_intruder),
    Part.AGREEMENTS: (lambda r: len(r.consents) + len(r.accepted), lambda r: replace(r, consents=(), accepted=())),
    Part.POLICY: (lambda r: int(r.policy is not None), lambda r: replace(r, policy=None)),
    Part.TITLE: (lambda r: int(bool(r.title)), lambda r: replace(r, title="")),
    Part.DAY: (lambda r: int(r.day is not None), lambda r: replace(r, day=None)),
    Part.PRECISION: (_unseen, _as_seen),
    Part.CODES: (lambda r: len(r.variables), _numbered),
}
"""Part -> how often a release has it, and the release without it. Truth goes after rounding and zeros, units first."""
