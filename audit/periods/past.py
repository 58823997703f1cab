"""Tables of an earlier period: what is out can neither be withheld nor given back; and each period by itself."""

from collections.abc import Collection
from dataclasses import replace

from tableseal.audit.model import Policy, Release, Status, Table


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
    kinds = {release.measures[name].kind for name in measures}
    policy = release.policy
    return replace(
        release,
        measures={name: measure for name, measure in release.measures.items() if name in measures},
        tables=tuple(table for table in release.tables if table.measure in measures),
        links=tuple(link for link in release.links if all(term.measure in measures for term in link.terms)),
        statistics=tuple(s for s in release.statistics if measures.issuperset(s.measures)),
        consents=tuple(consent for consent in release.consents if consent.measure in measures),
        accepted=tuple(accepted for accepted in release.accepted if accepted.measure in measures),
        policy=None if policy is None else _of_kinds(policy, kinds),
    )


def _of_kinds(policy: Policy, kinds: Collection[str]) -> Policy:
    """The policy without rules that would judge nothing."""
    return replace(policy, primary=tuple(rule for rule in policy.primary if not rule.kinds.isdisjoint(kinds)))
