"""Tables of an earlier period: what is out can neither be withheld nor given back; and each period by itself."""

from dataclasses import replace

from tableseal.audit.model import Link, Release, Status, Table


def frozen(table: Table) -> Table:
    """A table that is out: what it publishes can no longer be withheld."""
    status = table.status.copy()
    status[status <= Status.FROZEN] = Status.FROZEN
    status.setflags(write=False)
    return replace(table, status=status)


def of_this_period(release: Release) -> Release:
    """The release without what is out of earlier periods, and without all that is said of it."""
    return _of(release, frozenset(release.measures) - release.earlier)


def only_earlier(release: Release) -> Release:
    """What is out of earlier periods alone."""
    return _of(release, release.earlier)


def _of(release: Release, measures: frozenset[str]) -> Release:
    if measures == frozenset(release.measures):
        return release
    return replace(
        release,
        measures={name: measure for name, measure in release.measures.items() if name in measures},
        tables=tuple(table for table in release.tables if table.measure in measures),
        links=tuple(link for link in release.links if _speaks_of(link, measures)),
        statistics=tuple(s for s in release.statistics if all(_speaks_of(link, measures) for link in s.links)),
    )


def _speaks_of(link: Link, measures: frozenset[str]) -> bool:
    return all(term.measure in measures for term in link.terms)
