"""Codes of rows -> positions in the hierarchies of a release."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, Place, unknown
from tableseal.audit.io.columns import Columns
from tableseal.audit.model import Hierarchy
from tableseal.audit.wording import listing, quoted, suggestion

Variables = Mapping[str, Hierarchy]


def variable_columns(
    columns: Columns, mapping: Mapping[str, str], variables: Variables, taken: set[str], where: Place
) -> dict[str, str]:
    """Variable -> the column that holds its codes: as mapped, else the column that bears its name.

    Parameters
    ----------
    mapping: column -> variable, as the release says.
    taken: columns that hold something else (values, statuses, ...).

    Raises
    ------
    InputError: a mapped column or variable that does not exist, a variable mapped twice.
    """
    found: dict[str, str] = {}
    for column, variable in mapping.items():
        if variable not in variables:
            raise unknown("variable", variable, variables, where / "columns")
        if variable in found:
            text = f"the variable {quoted(variable)} is given two columns, {quoted(found[variable])} and "
            raise InputError(text, f"{quoted(column)}.", at=where / "columns")
        columns.column(column, f"the codes of {variable}")
        found[variable] = column
    for name in columns.data:
        if name in variables and name not in found and name not in taken and name not in mapping:
            found[name] = name
    return found


def code_positions(columns: Columns, column: str, hierarchy: Hierarchy) -> NDArray[np.int32]:
    """Position of each row's code.

    Raises
    ------
    InputError: a code that the hierarchy does not have; names row and column and suggests a code.
    """
    index = hierarchy.index
    entries = columns.column(column, f"the codes of {hierarchy.name}")
    positions = entries.spread([index.get(code or "", -1) for code in entries.texts], np.int32)
    unknown = np.flatnonzero(positions < 0)
    if not len(unknown):
        return positions
    code = entries[int(unknown[0])] or ""
    others = len(unknown) - 1
    more = f" {others} more row{' has' if others == 1 else 's have'} unknown codes in this column." if others else ""
    text = unknown_code(code, hierarchy) if code else f"is empty, expected a code of {quoted(hierarchy.name)}"
    raise InputError(f"{text}.{more}", at=columns.place(int(unknown[0]), column), found=quoted(code))


def position(code: str, hierarchy: Hierarchy, where: Place) -> int:
    """Position of one code that the release itself names; `where` is the place, for the message."""
    found = hierarchy.index.get(code)
    if found is None:
        raise InputError(f"{unknown_code(code, hierarchy)}.", at=where)
    return found


def unknown_code(code: str, hierarchy: Hierarchy) -> str:
    """What is wrong with a code that the hierarchy does not have."""
    return (
        f"code {quoted(code)} is not in hierarchy {quoted(hierarchy.name)}{suggestion(code, hierarchy.codes)}, "
        f"whose codes are {listing(hierarchy.codes, 8)}"
    )


def group_code(hierarchy: Hierarchy, codes: Sequence[str], where: Place) -> tuple[Hierarchy, str]:
    """The one code that stands for a list of codes, and the hierarchy that has it.

    It is the existing code that covers exactly the same leaves, else a new group whose code joins the codes by "+".

    Raises
    ------
    InputError: an unknown code, codes that overlap, a joined code that means something else already.
    """
    positions = sorted({position(code, hierarchy, where) for code in codes})
    covered = hierarchy.members[positions].toarray()
    overlap = covered.sum(axis=0)
    if (overlap > 1).any():
        leaf = hierarchy.codes[int(hierarchy.leaves[int(np.argmax(overlap))])]
        raise InputError(f"the codes overlap: {quoted(leaf)} is covered by two of {listing(codes)}.", at=where)
    same = [
        code
        for row, code in enumerate(hierarchy.codes)
        if np.array_equal(hierarchy.members[[row]].toarray()[0], overlap)
    ]
    if same:
        return hierarchy, same[0]
    joined = "+".join(hierarchy.codes[p] for p in positions)
    if joined in hierarchy.index:
        raise InputError(f"{quoted(joined)} is a code already, and covers other codes than {listing(codes)}.", at=where)
    return hierarchy.with_selection(joined, [hierarchy.codes[p] for p in positions]), joined


def fill_codes(
    columns: Columns,
    named: Mapping[str, str],
    fixed: Mapping[str, str],
    variables: Variables,
    where: Place,
) -> NDArray[np.int32]:
    """Code positions (rows x variables): from the named columns, else fixed by `where`, else at the total.

    Raises
    ------
    InputError: an unknown code, a variable both named and fixed, a variable without total that is neither.
    """
    codes = np.zeros((len(columns), len(variables)), dtype=np.int32)
    for at, (name, hierarchy) in enumerate(variables.items()):
        if name in named and name in fixed:
            raise InputError(
                f"the variable {quoted(name)} is fixed by `where` and also has the column {quoted(named[name])}; leave "
                "out one of them.",
                at=where,
            )
        if name in named:
            codes[:, at] = code_positions(columns, named[name], hierarchy)
        elif name in fixed:
            codes[:, at] = position(fixed[name], hierarchy, where / "where" / name)
        elif hierarchy.total is None:
            raise InputError(
                f"the variable {quoted(name)} has no total, so the table must name it: add a column to "
                f"{columns.source} (and to `columns`) or fix it with `where: {{{name}: ...}}`; columns found: "
                f"{listing(columns.data)}.",
                at=where,
            )
        else:
            codes[:, at] = hierarchy.total_index
    return codes
