"""Levels of a classification that a bare table does not tell: mixed in one column, or a column for each."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from tableseal.audit.errors import Place
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.totals import Rows
from tableseal.audit.model import SUMS_UNCHECKED, Note
from tableseal.audit.wording import listing, quoted

_MOST_ROWS = 500_000
Tree = dict[str, "Tree"]


@dataclass(frozen=True)
class MixedLevels:
    """Codes as a tree below their total, by their names.

    checked: groups whose sums bear that out, in the order of the codes; the total among them. groups: how many there
    are. shown: one of several parts, below the total, is among those that are checked: one part may equal its group by
    chance, and what is withheld may be zero.
    """

    tree: Tree
    checked: tuple[str, ...]
    groups: int
    shown: bool

    def note(self, where: Place, total: str, remedy: str) -> Note:
        """What is assumed, and whether all of it is borne out."""
        text = f"{where}: the total is {quoted(total)}; groups begin like their parts ({groups_of(self.tree)})"
        if len(self.checked) == self.groups:
            return Note("assumed_levels", f"{text}, and are their sums.")
        return Note(SUMS_UNCHECKED, f"{text}; sums bear that out of {listing(self.checked)} alone: {remedy}.")


def mixed_levels(variable: str, total: str, rows: Rows) -> MixedLevels | None:
    """The codes of a classification, where each group is the longest code that its parts begin with; None if there are
    no such groups, if a sum of theirs is wrong, or if the total is the sum of all other codes."""
    codes = [code for code in rows.codes[variable] if code != total]
    parents = _parents(codes)
    if not any(parent is not None for parent in parents.values()) or len(rows.value) > _MOST_ROWS:
        return None
    flat, at = rows.checks(variable), list(rows.codes[variable]).index(total)
    if flat.agreed[at] and not flat.failed[at]:
        return None
    below: dict[str, list[str]] = defaultdict(list)
    for code, parent in parents.items():
        below[total if parent is None else parent].append(code)
    checked = _borne_out(variable, rows, below)
    if checked is None:
        return None
    shown = any(group in checked and group != total and len(parts) > 1 for group, parts in below.items())
    return MixedLevels(_nested(below, total), tuple(group for group in below if group in checked), len(below), shown)


def looks_nested(found: MixedLevels) -> bool:
    """Whether names alone say it: each group has several parts, and codes are not just numbers (1, 10, 11)."""
    groups = {group: parts for group, parts in found.tree.items() if parts}
    codes = [*groups, *(part for parts in groups.values() for part in parts)]
    return all(len(parts) > 1 for parts in groups.values()) and not all(code.isdigit() for code in codes)


def groups_of(tree: Tree) -> str:
    """`A of A01, A02`, for messages."""
    return listing(f"{group} of {listing(parts)}" for group, parts in tree.items() if parts)


def nested_columns(columns: Columns, names: Sequence[str], totals: Mapping[str, str | None]) -> list[Note]:
    """A note for each two columns of codes of which the codes of one stand with one code of the other only."""
    notes = []
    for finer, broader in permutations(names, 2):
        a, b = columns.data[finer], columns.data[broader]
        parts = a.spread([code != totals.get(finer) for code in a.texts], np.bool_)
        parts &= b.spread([code != totals.get(broader) for code in b.texts], np.bool_)
        pairs = np.unique(a.number[parts].astype(np.int64) * len(b.texts) + b.number[parts])
        groups = len(np.unique(pairs % len(b.texts)))
        if len(pairs) == len(np.unique(pairs // len(b.texts))) > groups > 1:
            text = (
                f"{columns.source}: each code of {quoted(finer)} stands with one code of {quoted(broader)} only, as "
                "parts with their groups: what has no row is taken as an empty combination, which is zero."
            )
            notes.append(Note("nested_columns", text))
    return notes


def _parents(codes: Sequence[str]) -> dict[str, str | None]:
    """Code -> the longest other one that it begins with."""
    known = set(codes)
    return {
        code: next((code[:size] for size in range(len(code) - 1, 0, -1) if code[:size] in known), None)
        for code in codes
    }


def _nested(below: Mapping[str, Sequence[str]], code: str) -> Tree:
    return {child: _nested(below, child) for child in below.get(code, ())}


def _borne_out(variable: str, rows: Rows, below: Mapping[str, Sequence[str]]) -> set[str] | None:
    """Groups that are the sum of their parts somewhere where that is not 0; None if one is not where all are known."""
    others = [column.tolist() for name, column in rows.at.items() if name != variable]
    lines: dict[tuple[int, ...], dict[str, int]] = defaultdict(dict)
    for row, (at, value, known) in enumerate(
        zip(rows.at[variable].tolist(), rows.value.tolist(), rows.known.tolist(), strict=True)
    ):
        if known:
            lines[tuple(column[row] for column in others)][rows.codes[variable][at]] = value
    found = set()
    for line in lines.values():
        for group, parts in below.items():
            if group in line and all(part in line for part in parts):
                if line[group] != sum(line[part] for part in parts):
                    return None
                if line[group]:
                    found.add(group)
    return found
