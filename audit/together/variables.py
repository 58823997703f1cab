"""One classification from those of several releases."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tableseal.audit.errors import InputError
from tableseal.audit.model import Hierarchy, build_hierarchy
from tableseal.audit.model.hierarchy import Edge
from tableseal.audit.together.names import between
from tableseal.audit.wording import listing, quoted

Labelled = tuple[str, Hierarchy]
"""(whose it is, the classification)"""


def agreed_variable(members: Sequence[Labelled]) -> Hierarchy:
    """The classification that has the codes and groupings of all of them.

    They may differ in what they list (one has districts, another counties above them), but each code that one breaks
    down must consist of the same parts for all, and so must the total: otherwise sums of one release would be taken for
    sums of another.

    Raises
    ------
    InputError: they do not agree; names both releases, the code and what only one of them has in it.
    """
    (label, first), *others = members
    different = [(other, h) for other, h in others if not same_variable(first, h)]
    if not different:
        return first
    for other, hierarchy in different:
        if hierarchy.total != first.total:
            text = f"the variable {quoted(first.name)} has the total {quoted(first.total)} in one and "
            need = " in the other; releases that are audited together need the same."
            raise between(label, other, text, quoted(hierarchy.total), need)
    groupings: dict[tuple[Edge, ...], None] = {}
    for _, hierarchy in members:
        groupings.update(dict.fromkeys(tuple(hierarchy.edges(g)) for g in range(len(hierarchy.parents))))
    order = dict.fromkeys(code for _, hierarchy in members for code in hierarchy.codes)
    source = listing((label, *(other for other, _ in different)), 4)
    merged = build_hierarchy(first.name, first.total, list(groupings), order=tuple(order), source=source)
    for member in members:
        _check_parts(member, merged, members)
    own = {code for _, hierarchy in members for code in hierarchy.codes if code not in hierarchy.selections}
    return replace(merged, selections=frozenset(merged.codes) - own)


def same_variable(one: Hierarchy, other: Hierarchy) -> bool:
    """The same codes, in the same order and the same groupings."""
    return one is other or (
        one.total == other.total
        and one.selections == other.selections
        and one.codes == other.codes
        and len(one.parents) == len(other.parents)
        and all(np.array_equal(a, b) for a, b in zip(one.parents, other.parents, strict=True))
    )


def _check_parts(member: Labelled, merged: Hierarchy, members: Sequence[Labelled]) -> None:
    """Every code consists of the member's own leaves below it, once each, also where all codes are known."""
    label, own = member
    place = np.array([merged.index[code] for code in own.codes])
    parts = (own.members @ merged.members[place[own.leaves]]).tocsr()
    wrong = (parts - merged.members[place]).tocoo()
    bad = np.flatnonzero(wrong.data)
    if len(bad) == 0:
        return
    rows, columns = wrong.coords
    # Of the codes that disagree the smallest says most.
    size = np.diff(merged.members.indptr)[place]
    at = min(bad.tolist(), key=lambda k: (int(size[rows[k]]), int(rows[k]), int(columns[k])))
    code = own.codes[int(rows[at])]
    leaf = merged.codes[int(merged.leaves[int(columns[at])])]
    where = f"variable {quoted(merged.name)}"
    if wrong.data[at] > 0:
        raise InputError(
            f"{where}: {quoted(leaf)} lies in two parts of {quoted(code)} if the classifications of "
            f"{listing((who for who, _ in members), 4)} are put together; mend one of them.",
            at=label,
        )
    other = next((who for who, h in members if leaf in h.index and who != label), label)
    raise between(
        label,
        other,
        f"{where}: {quoted(code)} covers {quoted(leaf)} in {other}; in {label} it consists of "
        f"{listing(_parts(own, code), 8)}, and nothing says which of these {quoted(leaf)} belongs to. Give the "
        "releases the same classification, with the codes of both, or the variables different names.",
    )


def _parts(hierarchy: Hierarchy, code: str) -> Iterator[str]:
    row = hierarchy.members[[hierarchy.index[code]]]
    return (hierarchy.codes[int(hierarchy.leaves[k])] for k in row.indices)
