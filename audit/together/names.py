"""What releases that are put together have in common: the names of measures and variables say it, and nothing else."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from tableseal.audit.errors import InputError, OptionName, Place
from tableseal.audit.model import Note, Release
from tableseal.audit.wording import listing, quoted

Named = Sequence[tuple[str, Release]]
"""(what a release is called, the release)"""

NOTHING_SHARED = "nothing_shared"
"""Code of the note that releases have too little in common for anything to follow from one about the other."""

_GROUPS, _LABELS = 4, 4
"""Groups of releases, and releases of a group, that the note names."""


def between(one: str, other: str, *sentence: str | OptionName) -> InputError:
    """What two releases do not agree in."""
    return InputError(f"{one} and {other}: ", *sentence, places=[Place(one), Place(other)])


def refuse_alike(members: Named, settled: Collection[str] = ()) -> tuple[Note, ...]:
    """Refuse two releases of which each has a name that the other has not, but one that is like it.

    settled: releases that are out already and whose names can no longer be changed: of two of these a note is given.

    Raises
    ------
    InputError: names both releases and both names.
    """
    notes = []
    for (one, first), (other, second) in combinations(members, 2):
        for what, names, others in (
            ("measures", first.measures, second.measures),
            ("variables", first.variables, second.variables),
        ):
            for a, b in _pairs(names, others):
                text = (
                    f"the {what} {quoted(a)} and {quoted(b)} differ in nothing but case or blanks, and only what has "
                    "the same name is taken for the same"
                )
                if one not in settled or other not in settled:
                    remedy = "give the same thing one name, and different things different names"
                    raise between(one, other, f"{text}; {remedy}.")
                notes.append(Note("names_alike", f"{one} and {other}: {text}."))
    return tuple(notes)


def nothing_shared(members: Named) -> tuple[Note, ...]:
    """That nothing can be computed from one release (or several) about others, as they share no measure; or nothing but
    totals, as they share no variable of a measure. Nothing where all hang together."""
    uses = [_uses(release) for _, release in members]
    apart = _groups([{(measure,) for measure in use} for use in uses])
    if len(apart) > 1:
        return (_note(members, apart, "measure", "nothing"),)
    apart = _groups([{(m, v) for m, variables in use.items() for v in variables} for use in uses])
    return (_note(members, apart, "variable", "nothing but totals"),) if len(apart) > 1 else ()


def _note(members: Named, groups: Sequence[Sequence[int]], what: str, nothing: str) -> Note:
    names = [listing((members[k][0] for k in group), _LABELS) for group in groups[:_GROUPS]]
    if len(groups) > _GROUPS:
        names.append(f"{len(groups) - _GROUPS} more")
    text = f"These releases share no {what} by name: {nothing} can be computed from one about the other"
    return Note(NOTHING_SHARED, f"{text} ({' | '.join(names)}).", len(groups))


def _uses(release: Release) -> Mapping[str, set[str]]:
    """Measure -> variables that it is told by; what links and statistics speak of is told by all of them."""
    names = list(release.variables)
    total = np.array([-1 if h.total is None else h.total_index for h in release.variables.values()])
    found: dict[str, set[str]] = {}
    for table in release.tables:
        own = np.flatnonzero((table.codes != total).any(axis=0))
        found.setdefault(table.measure, set()).update(names[v] for v in own)
    bound = {term.measure for link in release.statements for term in link.terms}
    if bound:
        every = set().union(*found.values())
        found |= dict.fromkeys(bound | found.keys(), every)
    return found


def _groups(keys: Sequence[set[tuple[str, ...]]]) -> list[list[int]]:
    """Positions that hang together through common keys, in their order."""
    groups: list[tuple[list[int], set[tuple[str, ...]]]] = []
    for k, own in enumerate(keys):
        near = [group for group in groups if group[1] & own]
        groups = [group for group in groups if not group[1] & own]
        at = sorted([k, *(position for group in near for position in group[0])])
        groups.append((at, own.union(*(group[1] for group in near))))
    return sorted(at for at, _ in groups)


def _pairs(names: Collection[str], others: Collection[str]) -> Iterator[tuple[str, str]]:
    known: dict[str, str] = {_plain(name): name for name in others if name not in names}
    for name in names:
        if name not in others and _plain(name) in known:
            yield name, known[_plain(name)]


def _plain(name: str) -> str:
    """The name without case, blanks and what stands for blanks."""
    return re.sub(r"[\s_-]+", "", unicodedata.normalize("NFKC", name).casefold())
