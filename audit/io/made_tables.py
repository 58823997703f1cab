"""An entry of `tables` that says what is to be made of the microdata -> Asked."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, Place, unknown
from tableseal.audit.io.codes import position
from tableseal.audit.io.document import TableDocument
from tableseal.audit.io.tables import Setting, choose_measure
from tableseal.audit.model import Hierarchy, Microdata, Table
from tableseal.audit.tabulation.asked import Asked, all_codes, at_depth, down_to
from tableseal.audit.tabulation.tabulate import make_table
from tableseal.audit.wording import listing, quoted, repeated

_SAID = frozenset(("name", "measure", "by", "levels", "where"))


def read_made_table(
    document: TableDocument, fixed: Mapping[str, str], setting: Setting, microdata: Microdata | None, where: Place
) -> Table:
    """The table that an entry with `by` asks for, made of the microdata.

    Parameters
    ----------
    fixed: variable -> code, from `where`. where: place of the entry in the document, for messages.

    Raises
    ------
    InputError: no microdata, keys that speak of a file, unknown variables and levels, and as for `make_table`.
    """
    if microdata is None:
        raise InputError("`by` says what is made of `microdata`, and the release has none.", at=where / "by")
    others = sorted(document.model_fields_set - _SAID)
    if others:
        text = f"a table that is made of the microdata has no {listing(f'`{key}`' for key in others)}; it has the cells"
        raise InputError(f"{text} that there are records for.", at=where)
    measure = choose_measure(document.measure, setting.measures, where)
    return make_table(microdata, setting.variables, measure, read_asked(document, fixed, setting, measure.name, where))


def read_asked(
    document: TableDocument, fixed: Mapping[str, str], setting: Setting, measure: str, where: Place
) -> Asked:
    """What an entry with `by` asks for.

    Raises
    ------
    InputError: a variable that is unknown, named twice or fixed besides, or without total and not named; a level.
    """
    by = document.by or []
    for name in repeated(by):
        raise InputError(f"the variable {quoted(name)} stands twice.", at=where / "by")
    for name in by:
        if name not in setting.variables:
            raise unknown("variable", name, setting.variables, where / "by")
        if name in fixed:
            raise InputError(
                f"the variable {quoted(name)} is fixed by `where`; leave out one of them.", at=where / "by"
            )
    for name in document.levels:
        if name not in by:
            raise InputError(f"{quoted(name)} is no variable of `by`: {listing(by)}.", at=where / "levels")
    at_code: dict[str, int] = {}
    for name, hierarchy in setting.variables.items():
        if name in fixed:
            code = position(fixed[name], hierarchy, where / "where" / name)
            at_code |= {} if code == hierarchy.total_index else {name: code}
        elif name not in by and hierarchy.total is None:
            text = f"the variable {quoted(name)} has no total, so it must stand in `by`, or be fixed by `where`."
            raise InputError(text, at=where)
    codes = {
        name: wanted_codes(setting.variables[name], document.levels.get(name), where / "levels" / name) for name in by
    }
    return Asked(document.name, measure, codes, at_code)


def wanted_codes(hierarchy: Hierarchy, level: str | None, where: Place) -> NDArray[np.bool_]:
    """bool (codes): those of a table that goes down to a level, by name or number (None: to the leaves).

    Raises
    ------
    InputError: there is no such level; `where` is its place.
    """
    if level is None:
        return all_codes(hierarchy)
    if level in hierarchy.levels:
        named = set(hierarchy.levels[level])
        return down_to(hierarchy, np.array([code in named for code in hierarchy.codes], np.bool_))
    if not level.isdecimal() or not 1 <= int(level) <= hierarchy.depth + (hierarchy.total is None):
        raise InputError(found=quoted(level), expected=_levels_of(hierarchy), at=where)
    return down_to(hierarchy, at_depth(hierarchy, int(level)))


def _levels_of(hierarchy: Hierarchy) -> str:
    """What may be said of a classification as a level."""
    deepest = hierarchy.depth + (hierarchy.total is None)
    number = "1" if deepest == 1 else f"a number from 1 to {deepest}"
    own = quoted(hierarchy.name)
    if hierarchy.levels:
        return f"a level of {own} ({listing(hierarchy.levels)}), or {number}"
    if deepest == 1:
        return f"no level but 1, because all codes of {own} are on one"
    return f"{number}, because the levels of {own} have no names (a file with a column for each level gives them some)"
