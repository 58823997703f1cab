"""Which part of all each table is about (`where`)."""

from dataclasses import replace

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.codes import group_code, position
from tableseal.audit.io.document import ReleaseDocument, StatisticDocument, TableDocument
from tableseal.audit.model import Hierarchy
from tableseal.audit.wording import listing, suggestion


def subpopulations(
    document: ReleaseDocument, variables: dict[str, Hierarchy], top: Place
) -> tuple[dict[str, Hierarchy], list[dict[str, str]]]:
    """What `where` fixes per table, then per statistic and per table of an earlier period; lists of codes become groups
    of the classification for all.

    Raises
    ------
    InputError: a variable or code that is not there; codes that overlap or are no group.
    """
    fixed: list[dict[str, str]] = []
    entries: list[tuple[Place, TableDocument | StatisticDocument]] = []
    entries += [(top / "tables" / at, entry) for at, entry in enumerate(document.tables)]
    entries += [(top / "statistics" / at, entry) for at, entry in enumerate(document.statistics)]
    if document.previous is not None:
        entries += [(top / "previous" / "tables" / at, entry) for at, entry in enumerate(document.previous.tables)]
    for place, entry in entries:
        chosen: dict[str, str] = {}
        for name, codes in entry.where.items():
            where = replace(place, table=entry.name) / "where" / name
            hierarchy = variables.get(name)
            if hierarchy is None:
                text = f"there is no such variable{suggestion(name, variables)}; variables are {listing(variables)}."
                raise InputError(text, at=where)
            if isinstance(codes, str):
                position(codes, hierarchy, where)
                chosen[name] = codes
            else:
                variables[name], chosen[name] = group_code(hierarchy, codes, where)
        fixed.append(chosen)
    return variables, fixed
