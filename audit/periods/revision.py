"""What a revision gives away: two versions of the same tables, and what readers take to have changed between them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.model import Absent, Amounts, Link, LinkTerm, Measure, Note, Release, Status, Table
from tableseal.audit.periods.growth import Codes, published_in

Change = Literal["added", "removed", "corrected"]
"""Why values changed: contributors came, or went; or something was mended. Of the first two the sign is known, and what
changed is what they contribute."""

UNCHANGED = "revision_unchanged"
"""Code of the note on cells that readers take not to have changed."""

_ZERO = Fraction(0)


@dataclass(frozen=True)
class _Versions:
    """One measure before and after. now, before: cell -> published value, None: not published exactly."""

    measure: Measure
    earlier: Measure
    now: Mapping[Codes, Fraction | None]
    before: Mapping[Codes, Fraction | None]

    @property
    def common(self) -> list[Codes]:
        """Cells of both, in the order of this version."""
        return [codes for codes in self.now if codes in self.before]

    def change(self, codes: Codes) -> Fraction | None:
        """By how much a published value rose; None: not published in both."""
        now, before = self.now[codes], self.before[codes]
        return None if now is None or before is None else now - before


def with_revision(release: Release, change: Change) -> Release:
    """The release, whose earlier tables are an earlier version of its own, with what readers take for granted.

    A value has not changed if it lies inside a published one that has not, or has nothing in common with those that
    have. Where contributors came (went), no value has fallen (risen); and by how much a magnitude rose (fell) is what
    they contribute: a cell of its own, withheld, that others must not find out.
    """
    links: list[Link] = []
    tables: list[Table] = []
    measures: dict[str, Measure] = dict(release.measures)
    unchanged = 0
    for earlier in release.measures.values():
        measure = release.measures.get(earlier.previous or "")
        if measure is None:
            continue
        both = _Versions(measure, earlier, published_in(release, measure.name), published_in(release, earlier.name))
        same = _unchanged(release, both)
        unchanged += sum(both.change(codes) is None for codes in same)
        links += _links(both, same, change)
        moved = [codes for codes in both.common if both.change(codes)] if measure.kind == "magnitude" else []
        if moved and change != "corrected":
            name = f"{measure.name} {change}"
            measures[name] = replace(measure, name=name, previous=measure.name)
            tables.append(_table(release, both, moved, name, change))
            sign = 1 if change == "added" else -1
            links += [
                Link(
                    (
                        LinkTerm(1, name, codes),
                        LinkTerm(-sign, measure.name, codes),
                        LinkTerm(sign, earlier.name, codes),
                    ),
                    _ZERO,
                    _ZERO,
                )
                for codes in moved
            ]
    text = f"{unchanged} values that are withheld are taken not to have changed between the two versions."
    note = (Note(UNCHANGED, text, unchanged),) if unchanged else ()
    return replace(
        release,
        measures=measures,
        tables=(*release.tables, *tables),
        links=(*release.links, *links),
        notes=(*release.notes, *note),
    )


def _links(both: _Versions, same: set[Codes], change: Change) -> Iterator[Link]:
    limits = {"added": (_ZERO, None), "removed": (None, _ZERO), "corrected": (None, None)}[change]
    for codes in both.common:
        if both.change(codes) is not None:
            continue  # both are published
        low, high = (_ZERO, _ZERO) if codes in same else limits
        if low is not None or high is not None:
            terms = (LinkTerm(1, both.measure.name, codes), LinkTerm(-1, both.earlier.name, codes))
            yield Link(terms, low, high)


def _unchanged(release: Release, both: _Versions) -> set[Codes]:
    """Cells that nobody has a reason to take for changed."""
    cells = both.common
    if not cells:
        return set()
    inside, apart = _relations(release, np.array(cells, np.int32))
    change = [both.change(codes) for codes in cells]
    moved = [k for k, d in enumerate(change) if d]
    # Changed cells with a smaller changed one inside are explained by these, unless the amounts differ.
    causes: list[int] = []
    for k in sorted(moved, key=lambda k: int(inside[:, k].sum())):
        by_variables: dict[tuple[bool, ...], Fraction] = {}  # parts of one breakdown add up, those of several do not
        for j in causes:
            if inside[j, k]:
                key = tuple(a != b for a, b in zip(cells[j], cells[k], strict=True))
                by_variables[key] = by_variables.get(key, _ZERO) + (change[j] or _ZERO)
        if change[k] not in by_variables.values():
            causes.append(k)
    still = [k for k, d in enumerate(change) if d == 0]
    return {
        codes for k, codes in enumerate(cells) if any(inside[k, j] for j in still) or all(apart[k, j] for j in causes)
    }


def _relations(release: Release, codes: NDArray[np.int32]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(inside, apart): bool (cells x cells), the first lies in the second; they have nothing in common."""
    inside = np.ones((len(codes),) * 2, np.bool_)
    apart = np.zeros_like(inside)
    for v, hierarchy in enumerate(release.variables.values()):
        members = csr_array(hierarchy.members[codes[:, v]])
        common = (members @ members.T).toarray()
        inside &= common == np.asarray(members.sum(axis=1)).reshape(-1, 1)
        apart |= common == 0
    return inside, apart


def _table(release: Release, both: _Versions, moved: list[Codes], name: str, change: Change) -> Table:
    """What came or went, of every cell that tells: withheld, with the number of contributors as far as it is known."""
    then, now = (_frequencies(release, measure.name) for measure in (both.earlier, both.measure))
    numbers = [abs(now[c] - then[c]) if c in now and c in then else None for c in moved]
    units = [int(abs(both.change(codes) or _ZERO) / both.measure.unit) for codes in moved]
    known = [number is not None for number in numbers]
    named = {name for table in release.tables if table.measure == both.measure.name for name in table.named}
    return Table(
        name=change,
        measure=name,
        codes=np.array(moved, np.int32).reshape(len(moved), -1),
        named=tuple(variable for variable in release.variables if variable in named),
        status=np.where(known, Status.SECONDARY, Status.WITHHELD).astype(np.int8),
        value=Amounts.none(len(moved)),
        truth=Amounts.of([*units]),
        lower=Amounts.none(len(moved)),
        upper=Amounts.none(len(moved)),
        frequency=Amounts.of(numbers) if any(known) else None,
        absent=Absent("not_released", "not_released"),
    )


def _frequencies(release: Release, measure: str) -> dict[Codes, int]:
    found: dict[Codes, int] = {}
    for table in release.tables:
        if table.measure == measure and table.frequency is not None:
            for row, codes in enumerate(map(tuple, table.codes.tolist())):
                number = table.frequency.get(row)
                if number is not None:
                    found[codes] = number
    return found
