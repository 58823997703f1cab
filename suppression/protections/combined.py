"""A release without the parts of categories that are published only together."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.model import Link, LinkTerm, Release, Table


def without_parts(release: Release) -> Release:
    """The release as readers see it: nothing below a combined code (`Hierarchy.combined`). What the agency knows
    besides the tables is left out; links that speak of a part are gone."""
    if not any(hierarchy.combined for hierarchy in release.variables.values()):
        return release
    found = {name: hierarchy.for_readers() for name, hierarchy in release.variables.items()}
    position = [place for _, place in found.values()]

    def moved(codes: NDArray[np.int32]) -> NDArray[np.int32]:
        return np.stack([place[codes[:, v]] for v, place in enumerate(position)], axis=1).astype(np.int32)

    def shown(table: Table) -> Table:
        codes = moved(table.codes)
        kept = replace(table, codes=codes, headings=table.headings and replace(table.headings, index=None))
        return kept.take(np.flatnonzero((codes >= 0).all(axis=1)))

    def link(one: Link) -> Link:
        terms = [replace(t, codes=tuple(moved(np.array([t.codes], np.int32))[0].tolist())) for t in one.terms]
        return replace(one, terms=tuple(terms))

    def whole(term: LinkTerm) -> bool:
        return min(term.codes, default=0) >= 0

    links = [link(one) for one in release.links]
    return replace(
        release,
        variables={name: hierarchy for name, (hierarchy, _) in found.items()},
        tables=tuple(map(shown, release.tables)),
        links=tuple(one for one in links if all(map(whole, one.terms))),
        consents=(),
        accepted=(),
        microdata=None,
    )
