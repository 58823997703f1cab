"""How much outsiders take values to change from one period to the next, as statements about cells of both."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tableseal.audit.linear.naming import codes_name, plural
from tableseal.audit.model import Link, LinkTerm, Note, Release, Status, Table

GROWTH_WRONG = "growth_not_assumed"
"""Code of the note on cells of which a range of growth is not true, so that nobody is taken to assume it."""

GROWTH_ASSUMED = "growth_assumed"
"""Code of the note that intervals rest on what outsiders are taken to assume of changes from one period to the next."""

SHOWN = 6
"""Cells that a note names."""

Codes = tuple[int, ...]


@dataclass(frozen=True)
class Growth:
    """A range that outsiders assume for every cell of a measure: this period's value lies between `lower` and `upper`
    times last period's (`factor`, of values that are never negative), or last period's plus these (`change`, in
    decimals of the measure). None: no limit on this side."""

    kind: Literal["factor", "change"]
    lower: Fraction | None
    upper: Fraction | None

    def holds(self, now: Fraction, before: Fraction) -> bool:
        """Whether two values are within the range. A factor says nothing of what begins at 0."""
        if self.kind == "factor" and before == 0:
            return True
        low, high = (
            None if end is None else before * end if self.kind == "factor" else before + end
            for end in (self.lower, self.upper)
        )
        return (low is None or now >= low) and (high is None or now <= high)

    def links(self, measure: str, previous: str, codes: Codes) -> tuple[Link, ...]:
        """The same as statements about a cell of both periods, in whole coefficients."""
        if self.kind == "change":
            return (Link((LinkTerm(1, measure, codes), LinkTerm(-1, previous, codes)), self.lower, self.upper),)
        links = []
        for sign, factor in ((1, self.lower), (-1, self.upper)):
            if factor is None:
                continue
            scale = factor.denominator
            terms = (
                LinkTerm(sign * scale, measure, codes),
                LinkTerm(-sign * int(factor * scale), previous, codes),
            )
            links.append(Link(tuple(term for term in terms if term.coefficient), Fraction(0), None))
        return tuple(links)


def grown(release: Release, link: Link) -> str | None:
    """The cell whose change from one period to the next a statement is about; None: it is about something else."""
    match link.terms:
        case [LinkTerm(measure=measure, codes=codes), LinkTerm(measure=before, codes=same)] if codes == same:
            if measure != before and release.measures[before].previous == measure:
                table = next((t for t in release.tables if t.measure == measure), release.tables[0])
                name = codes_name(release, table, codes)
                return f"{measure} {name}" if len(release.measures) - len(release.earlier) > 1 else name
    return None


def assumed_note(release: Release) -> tuple[Note, ...]:
    """Of how many cells a range of growth is assumed; nothing where of none."""
    cells = {link.terms[0] for link in release.links if release.earlier and grown(release, link) is not None}
    count = len({(term.measure, term.codes) for term in cells})
    if not count:
        return ()
    text = f"Outsiders are taken to assume how {plural(count, 'cell')} changed since the earlier period."
    return (Note(GROWTH_ASSUMED, text, count),)


def growth_links(release: Release, growth: Mapping[str, Growth]) -> tuple[tuple[Link, ...], tuple[Note, ...]]:
    """Statements on every cell that tables of both periods list, as far as they are true.

    growth: measure of this period -> range. Of published values that have changed by more everyone sees that it does
    not hold; and where the agency's true values are outside, who assumes it is wrong, and learns nothing.
    """
    links: list[Link] = []
    notes: list[Note] = []
    for measure in release.measures.values():
        if measure.previous is None or measure.previous not in growth:
            continue
        said, now = growth[measure.previous], _values(release, measure.previous)
        seen: list[str] = []
        wrong: list[str] = []
        before = _values(release, measure.name)
        for codes, (table, value, shown) in now.items():
            if codes not in before:
                continue
            _, last, was_shown = before[codes]
            if value is not None and last is not None and not said.holds(value, last):
                (seen if shown and was_shown else wrong).append(codes_name(release, table, codes))
            elif not (said.kind == "factor" and last == 0):
                links += said.links(measure.previous, measure.name, codes)
        notes += _notes(measure.previous, len(now.keys() & before.keys()), seen, wrong)
    return tuple(links), tuple(notes)


def _values(release: Release, measure: str) -> dict[Codes, tuple[Table, Fraction | None, bool]]:
    """Cells of all tables of a measure, as they are listed: a table, the true value (None: not known), whether the
    exact value is published."""
    unit = release.measures[measure].unit
    found: dict[Codes, tuple[Table, Fraction | None, bool]] = {}
    for table in release.tables:
        if table.measure != measure:
            continue
        for codes, value, shown in _rows(table):
            known = found.get(codes)
            if known is None or (known[1] is None and value is not None) or (shown and not known[2]):
                found[codes] = (table, None if value is None else value * unit, shown)
    return found


def published_in(release: Release, measure: str) -> dict[Codes, Fraction | None]:
    """Cells of all tables of a measure, as they are listed, with what is published exactly (None: nothing)."""
    return {codes: value if shown else None for codes, (_, value, shown) in _values(release, measure).items()}


def _rows(table: Table) -> Iterator[tuple[Codes, int | None, bool]]:
    exact = table.value.known & (table.rounding is None)
    for row, codes in enumerate(map(tuple, table.codes.tolist())):
        if table.status[row] == Status.STRUCTURAL_ZERO:
            yield codes, 0, True
        elif exact[row]:
            yield codes, int(table.value.units[row]), True
        else:
            yield codes, table.truth.get(row), False


def _notes(measure: str, common: int, seen: list[str], wrong: list[str]) -> Iterator[Note]:
    if seen:
        text = (
            f"{measure}: {plural(len(seen), 'published value')} of {common} changed by more than the assumed range, as "
            f"everyone can see, so that it is not assumed there: {_named(seen)}."
        )
        yield Note(GROWTH_WRONG, text, len(seen))
    if wrong:
        text = (
            f"{measure}: of {plural(len(wrong), 'cell')} with a withheld value the assumed range of growth is not "
            f"true, so that whoever assumes it is wrong; it is not used there: {_named(wrong)}."
        )
        yield Note(GROWTH_WRONG, text, len(wrong))


def _named(cells: list[str]) -> str:
    return ", ".join(cells[:SHOWN]) + (f" and {len(cells) - SHOWN} more" if len(cells) > SHOWN else "")
