"""The classification of a variable of tau-ARGUS: from its .hrc file, from digits of its codes, or flat."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus.lookup import found_in
from tableseal.audit.io.argus.metadata import Variable
from tableseal.audit.io.files import Folder
from tableseal.audit.io.hierarchies import hrc_edges
from tableseal.audit.model.hierarchy import Edge
from tableseal.audit.wording import listing, quoted, suggestion

MOST_LEVELS = 10
"""Levels of a hierarchy; tau-ARGUS has no more."""


@dataclass(frozen=True)
class Classification:
    """The codes of a variable.

    total: code of the total. codes: all others, in order. edges: (parent, child), the parent None for top codes.
    missing: codes of a missing entry, which stand below the total.
    """

    name: str
    total: str
    codes: tuple[str, ...]
    edges: tuple[Edge, ...]
    missing: frozenset[str] = frozenset()

    @cached_property
    def parents(self) -> Mapping[str, str | None]:
        """Code -> the code above it (None: the total)."""
        return {child: parent for parent, child in self.edges}

    @cached_property
    def groups(self) -> frozenset[str]:
        """Codes that others lie below."""
        return frozenset(parent for parent, _ in self.edges if parent is not None)

    @cached_property
    def _index(self) -> Mapping[str, str]:
        """Text -> code: as it stands, and without blanks around it where that is one code only."""
        plain: dict[str, str | None] = {}
        for code in (self.total, *self.codes):
            plain[code.strip()] = None if code.strip() in plain else code
        found = {text: code for text, code in plain.items() if code is not None}
        return found | {code: code for code in (self.total, *self.codes)} | {"": self.total}

    def code(self, text: str) -> str | None:
        """The code that an entry of a file stands for: itself, or the one that differs only in blanks around it;
        nothing is the total. None: there is none."""
        return self._index.get(text, self._index.get(text.strip()))

    def above(self, code: str) -> list[str]:
        """A code and all above it, up to the total."""
        found = [code]
        at = self.parents.get(code)
        while at is not None:
            found.append(at)
            at = self.parents.get(at)
        return found if code == self.total else [*found, self.total]

    def unknown(self, text: str, at: Place) -> InputError:
        """An entry that is no code."""
        problem = f"code {quoted(text)} of {quoted(self.name)} is unknown{suggestion(text, self.codes)}; codes are "
        return InputError(f"{problem}{listing((self.total, *self.codes))}.", at=at, found=quoted(text))

    def document(self) -> dict[str, Any]:
        """The entry of the variable in a release document."""
        found: dict[str, Any] = {"total": self.total, "codes": list(self.codes)}
        if self.groups:
            found["tree"] = _tree(self.edges)
        return found


def classification(variable: Variable, entries: Iterable[str], folder: Folder) -> Classification:
    """The classification of a variable, of whose codes the data have some.

    entries: what stands in the data, in order; those of a flat variable, and missing codes, are codes by that.

    Raises
    ------
    InputError: an .hrc file that cannot be read, codes whose digits do not fit the levels, the total below a code.
    """
    found = list(dict.fromkeys(entries))
    missing = {text.strip() for text in variable.missing}
    total = variable.total if variable.total.strip() else "Total"
    missed = [text for text in found if text.strip() in missing and text.strip()]
    given = [text for text in found if text.strip() not in {"", total.strip(), *missing}]
    if variable.hierarchy is not None:
        edges = _from_file(variable, folder)
    elif variable.levels:
        edges = _by_digits(variable, given)
    else:
        edges = [(None, code) for code in given]
    placed = {child for _, child in edges}
    edges += [(None, code) for code in missed if code not in placed]
    codes = tuple(dict.fromkeys(code for edge in edges for code in edge if code is not None))
    if total in codes:
        text = f"the total {quoted(total)} of {quoted(variable.name)} is one of its codes; say another <TOTCODE>."
        raise InputError(text, at=variable.at)
    return Classification(variable.name, total, codes, tuple(edges), frozenset(missed))


def merged(first: Classification, second: Classification) -> Classification | None:
    """One classification for two tables that have the same variable; None: they contradict each other."""
    if first.total != second.total:
        return None
    parents = dict(second.parents) | dict(first.parents)
    for code, parent in second.parents.items():
        if parents[code] != parent:
            return None
    edges = tuple(dict.fromkeys((*first.edges, *second.edges)))
    codes = tuple(dict.fromkeys((*first.codes, *second.codes)))
    return Classification(first.name, first.total, codes, edges, first.missing | second.missing)


def _from_file(variable: Variable, folder: Folder) -> list[Edge]:
    name = found_in(folder, variable.hierarchy or "")
    edges = hrc_edges(folder.text(name, variable.at), variable.leading, name)
    parents = {child: parent for parent, child in edges}
    for code in parents:
        depth, at = 1, parents[code]
        while at is not None and depth <= MOST_LEVELS:
            depth, at = depth + 1, parents.get(at)
        if depth > MOST_LEVELS:
            text = f"code {quoted(code)} lies deeper than {MOST_LEVELS} levels, or below itself."
            raise InputError(text, at=name)
    if len(parents) < len(edges):
        twice = next(child for parent, child in edges if parents[child] != parent or _count(edges, child) > 1)
        raise InputError(f"code {quoted(twice)} is there twice.", at=name)
    return edges


def _count(edges: list[Edge], code: str) -> int:
    return sum(child == code for _, child in edges)


def _by_digits(variable: Variable, codes: list[str]) -> list[Edge]:
    """Each code lies below its first digits, those of the level before."""
    ends = list(dict.fromkeys(accumulate(variable.levels)))
    edges: dict[Edge, None] = {}
    for code in codes:
        text = code.rstrip()
        if len(text) not in ends:
            said = " ".join(map(str, variable.levels))
            problem = f"code {quoted(code)} of {quoted(variable.name)} has {len(text)} digits, but <HIERLEVELS> {said} "
            raise InputError(f"{problem}gives codes of {listing(map(str, ends))} digits.", at=variable.at)
        parent: str | None = None
        for end in ends[: ends.index(len(text)) + 1]:
            edges[(parent, text[:end])] = None
            parent = text[:end]
    return list(edges)


def _tree(edges: Iterable[Edge]) -> dict[str, Any]:
    below: dict[str | None, list[str]] = {}
    for parent, child in edges:
        below.setdefault(parent, []).append(child)

    def subtree(code: str) -> Any:
        children = below.get(code)
        if children is None:
            return None
        return {child: subtree(child) for child in children}

    return {code: subtree(code) for code in below[None]}
