"""Links between cells that a release document says."""

from collections.abc import Sequence

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.document import LinkDocument, ReleaseDocument
from tableseal.audit.io.tables import Setting, cell_positions, choose_measure
from tableseal.audit.model import Link, LinkTerm, Release

_MEASURE = "measure"


def read_link(document: LinkDocument, setting: Setting, where: Place) -> Link:
    """A weighted sum of cells with its limits.

    Raises
    ------
    InputError: no limit, limits that contradict, a coefficient of 0, a measure or code that is not there.
    """
    if document.lower is None and document.upper is None:
        raise InputError("give `lower`, `upper` or both (equal for an equation).", at=where)
    if document.lower is not None and document.upper is not None and document.lower > document.upper:
        raise InputError("`lower` is above `upper`.", at=where)
    terms: list[LinkTerm] = []
    for at, (coefficient, cell) in enumerate(document.terms):
        place = where / "terms" / at
        if not coefficient:
            raise InputError("the coefficient is 0, expected another whole number.", at=place)
        measure = choose_measure(cell.get(_MEASURE), setting.measures, place)
        named = {name: code for name, code in cell.items() if name in setting.variables or name != _MEASURE}
        terms.append(LinkTerm(coefficient, measure.name, cell_positions(named, setting.variables, place / 1)))
    return Link(tuple(terms), document.lower, document.upper)


def check_spelled_out(document: ReleaseDocument, links: Sequence[Link], release: Release, top: Place) -> None:
    """Refuse links that are said to follow from statistics and do not."""
    spelled = tuple(link for entry, link in zip(document.links, links, strict=True) if entry.statistic is not None)
    if spelled and spelled != release.statements[len(release.links) :]:
        text = "those with `statistic` are not what `statistics` say; leave them out, they follow."
        raise InputError(text, at=top / "links")
