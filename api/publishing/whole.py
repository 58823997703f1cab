"""All clusters of a publication as one release, which is judged beside what was published before, and is remembered."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tableseal.audit.errors import InputError, Place
from tableseal.audit.model import Measure, Microdata, Policy, Release
from tableseal.audit.plans.clusters import Cluster
from tableseal.audit.plans.read import Plan
from tableseal.audit.together import Member, combine
from tableseal.audit.together.names import NOTHING_SHARED


def whole_release(plan: Plan, releases: Mapping[str, Release]) -> Release:
    """The releases of clusters as one.

    Measures of one name that are about different populations get the population behind their name: they say nothing
    about each other. Measures of a plan that says its `period` get that, too, as `previous` names those of an earlier
    one: what was published of that one before is then the same.

    Parameters
    ----------
    releases: name of a cluster -> its release with its pattern; of all clusters of the plan.

    Raises
    ------
    InputError: clusters with policies of their own; records that differ.
    """
    policy = _one_policy(plan, releases)
    assert plan.document is not None
    period = plan.document.period
    told_apart = {}
    for cluster in plan.clusters:
        release = releases[cluster.name]
        names = _names(release, _populations(cluster, plan.clusters), period)
        told_apart[cluster.name] = _renamed(release, names, periods=period is not None)
    records = _records(list(told_apart.values()))
    members = [
        Member(name, replace(release, policy=policy, microdata=records if at == 0 else None))
        for at, (name, release) in enumerate(told_apart.items())
    ]
    whole = combine(members, title=plan.title, policy=policy)
    # That clusters share no measure is what the plan says of them, and no slip of names.
    return replace(whole, notes=tuple(note for note in whole.notes if note.code != NOTHING_SHARED))


def _one_policy(plan: Plan, releases: Mapping[str, Release]) -> Policy | None:
    """The rules of all clusters: each has those that are for its measures."""
    assert plan.document is not None
    own = [name for name, said in plan.document.clusters.items() if said.policy is not None]
    if own:
        text = "clusters that are judged by one ledger have one policy; leave it out"
        raise InputError(f"{text}.", at=Place(plan.source) / "clusters" / own[0] / "policy")
    policies = [release.policy for release in releases.values() if release.policy is not None]
    if not policies:
        return None
    rules = dict.fromkeys(rule for policy in policies for rule in policy.primary)
    return replace(policies[0], primary=tuple(rules))


def _populations(cluster: Cluster, clusters: Sequence[Cluster]) -> dict[str, str]:
    """Measure -> what it is called beside those of other clusters."""
    taken = {name for other in clusters if other is not cluster for name in other.measures}
    return {name: f"{name} ({cluster.population})" for name in cluster.measures if cluster.population and name in taken}


def _names(release: Release, populations: Mapping[str, str], period: str | None) -> dict[str, str]:
    """Measure -> its name among those of all clusters and periods; those that stay as they are called are left out."""
    names = {}
    for name, measure in release.measures.items():
        own = measure.previous or name
        said = name.removeprefix(own) if measure.previous else "" if period is None else f" {period}"
        names[name] = populations.get(own, own) + said
    return {name: new for name, new in names.items() if new != name}


def _renamed(release: Release, names: Mapping[str, str], *, periods: bool) -> Release:
    """The release with other names of measures. periods: each period is judged as what it is, no longer as what is
    earlier than another."""
    if not names:
        return release

    def new(name: str) -> str:
        return names.get(name, name)

    def called(measure: Measure) -> Measure:
        earlier = None if periods or measure.previous is None else new(measure.previous)
        return replace(measure, name=new(measure.name), previous=earlier)

    records = release.microdata
    return replace(
        release,
        measures={new(name): called(measure) for name, measure in release.measures.items()},
        tables=tuple(replace(table, measure=new(table.measure)) for table in release.tables),
        links=tuple(
            replace(link, terms=tuple(replace(term, measure=new(term.measure)) for term in link.terms))
            for link in release.links
        ),
        consents=tuple(replace(one, measure=new(one.measure)) for one in release.consents),
        accepted=tuple(replace(one, measure=new(one.measure)) for one in release.accepted),
        microdata=None
        if records is None
        else replace(records, values={new(name): values for name, values in records.values.items()}),
    )


def _records(releases: Sequence[Release]) -> Microdata | None:
    """The records that clusters were made of, with the values of all of them."""
    found = [release.microdata for release in releases if release.microdata is not None]
    if not found:
        return None
    if any(not np.array_equal(one.codes, found[0].codes) for one in found):
        raise InputError("the clusters were made of different records, so that they cannot be judged together.")
    return replace(found[0], values={name: column for one in found for name, column in one.values.items()})
