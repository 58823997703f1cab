"""A cluster of a plan -> Release: its tables, and its equations in every cell that all their measures have."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.files import Folder, ReadFile
from tableseal.audit.io.release_file import read_named, release_from_document
from tableseal.audit.model import Labels, Link, LinkTerm, Policy, Release, Table
from tableseal.audit.plans.clusters import Cluster
from tableseal.audit.plans.plan import Equation
from tableseal.audit.plans.read import Plan
from tableseal.audit.wording import quoted

_NAMED = 3
"""Rows that a message names."""

_KEPT = ("date", "intruder", "policy", "ptable", "transition")


@dataclass(frozen=True)
class Records:
    """The file of a plan's records, once it has been read: as text, of which each cluster takes its measures.

    kept: name of the file -> what was read of it; None: nothing yet.
    """

    kept: dict[str, ReadFile | None]

    @staticmethod
    def of(plan: Plan) -> "Records":
        """Nothing read yet."""
        name = (plan.raw.get("microdata") or {}).get("file")
        return Records({} if name is None else {str(name): None})


def release_of(plan: Plan, cluster: Cluster, records: Records | None = None) -> Release:
    """Everything that is protected and audited together.

    records: of the plan, which are read once for all its clusters.

    Raises
    ------
    InputError: the plan is a bare list of tables; whatever cannot be read or made.
    """
    if plan.document is None:
        raise InputError("is a list of tables; a plan file says besides what they are made of.", at=Place(plan.source))
    document = {"tableseal": "1", "title": _title(plan, cluster), **_shared(plan)}
    used = [plan.entries[table.name] for table in cluster.tables]
    tabulated = {table.measure for table in cluster.tables}
    _refuse_incomplete(plan, cluster)
    document["measures"] = {name: said for name, said in plan.raw["measures"].items() if name in tabulated}
    document["tables"] = used
    if plan.raw.get("microdata") is not None and any("by" in entry for entry in used):
        document["microdata"] = _microdata(plan.raw["microdata"], tabulated)
    for key in ("consent", "accept"):
        own = [one for one in plan.raw.get(key) or [] if one.get("measure") in (None, *tabulated)]
        document |= {key: own} if own else {}
    previous = _previous(plan, tabulated)
    document |= {} if previous is None else {"previous": previous}
    said = plan.document.clusters.get(cluster.name)
    if said is not None and said.policy is not None:
        document["policy"] = plan.raw["clusters"][cluster.name]["policy"]
    kept = None if records is None else records.kept
    release = release_from_document(document, folder=plan.folder, source=plan.source, kept=kept)
    _refuse_doubled(release)
    release = replace(release, policy=_own_rules(plan, release))
    found = [link for equation in cluster.equations for link in links_of(release, equation)]
    found += [link for equation in _earlier(release, cluster.equations) for link in links_of(release, equation)]
    links = dict.fromkeys((*release.links, *found))
    return replace(release, links=tuple(links)) if links else release


def _refuse_incomplete(plan: Plan, cluster: Cluster) -> None:
    """A plan that lists tables, and lacks what they are made of."""
    known, top = plan.raw.get("measures") or {}, Place(plan.source)
    for table in cluster.tables:
        if table.measure not in known:
            text = f"says nothing of {quoted(table.measure)}; expected whether it is a count or a magnitude, such as"
            raise InputError(f"{text} `{{{table.measure}: {{kind: magnitude}}}}`.", at=top / "measures")
        if "by" in plan.entries[table.name] and plan.raw.get("microdata") is None:
            text = "`by` says what is made of `microdata`, and the plan has none; give them, or the table's own `file`."
            raise InputError(text, at=table.at)


def _refuse_doubled(release: Release) -> None:
    """Records that stand twice, identifier, codes, values and all: one of them is counted too often."""
    records = release.microdata
    if records is None or records.unit_id is None:
        return
    labels = Labels.of(records.unit_id)
    alike = np.bincount(labels.number, minlength=len(labels.texts)) > 1
    alike &= np.array([bool(text) for text in labels.texts], np.bool_)
    rows = np.flatnonzero(alike[labels.number])  # few, so that large files cost nothing
    amounts = (column for one in records.values.values() for column in (one.units[rows], one.known[rows]))
    parts = np.column_stack([labels.number[rows], records.codes[rows], *amounts])
    _, first, times = np.unique(parts, axis=0, return_index=True, return_counts=True)
    doubled = np.flatnonzero(times > 1)
    if len(doubled):
        named = ", ".join(str(row + 1) for row in np.sort(rows[first[doubled]])[:_NAMED].tolist())
        what = "1 record stands" if len(doubled) == 1 else f"{len(doubled):,} records stand"
        where = f"row{'' if len(doubled) == 1 else 's'} {named}"
        raise InputError(
            f"{what} more than once, with the same identifier, codes and values ({where}); expected each record once.",
            at=records.where,
        )


def _earlier(release: Release, equations: Sequence[Equation]) -> Iterator[Equation]:
    """The equations of the earlier period, of measures that it has."""
    then = {measure.previous: name for name, measure in release.measures.items() if measure.previous is not None}
    for equation in equations:
        if then.keys() >= set(equation.measures):
            yield Equation(then[equation.whole], {then[name]: times for name, times in equation.parts.items()})


def _own_rules(plan: Plan, release: Release) -> Policy | None:
    """The policy of the cluster, without rules of kinds of measures that only other clusters of the plan have."""
    policy = release.policy
    if policy is None or plan.document is None:
        return policy
    own = {measure.kind for measure in release.measures.values()}
    others = {measure.kind for measure in plan.document.measures.values()} - own
    return replace(
        policy, primary=tuple(rule for rule in policy.primary if rule.kinds & own or not rule.kinds & others)
    )


def _title(plan: Plan, cluster: Cluster) -> str:
    return plan.title if len(plan.clusters) == 1 else f"{plan.title}: {cluster.name}".removeprefix(": ")


def _shared(plan: Plan) -> dict[str, Any]:
    return {"variables": plan.raw.get("variables"), **{key: plan.raw[key] for key in _KEPT if key in plan.raw}}


def _previous(plan: Plan, tabulated: set[str]) -> dict[str, Any] | None:
    """What the plan says of an earlier period, of the measures of a cluster alone; None: nothing.

    Of releases that it names those that have none of the measures are left out.
    """
    said = plan.raw.get("previous")
    if said is None:
        return None
    tables = [one for one in said.get("tables") or [] if one.get("measure") in (None, *tabulated)]
    files = [name for name in said.get("releases") or [] if tabulated & _measures_in(plan, name)]
    if not tables and not files:
        return None
    ranges = {
        key: {name: limits for name, limits in said[key].items() if name in tabulated}
        for key in ("growth", "change")
        if key in said
    }
    return {**said, **ranges, "tables": tables, "releases": files}


def _measures_in(plan: Plan, name: str) -> set[str]:
    """Measures of a release file of the earlier period."""
    where = Place(plan.source) / "previous" / "releases"
    content = Folder(plan.folder).content(name, where)
    return set(read_named(content, name, (plan.folder / name).parent).measures)


def _microdata(raw: Mapping[str, Any], measures: set[str]) -> dict[str, Any]:
    values = {name: column for name, column in (raw.get("values") or {}).items() if name in measures}
    return {**{key: value for key, value in raw.items() if key != "values"}, **({"values": values} if values else {})}


def links_of(release: Release, equation: Equation) -> list[Link]:
    """The equation in every cell that some table of each of its measures can have (measures without tables: none)."""
    tables = {name: [t for t in release.tables if t.measure == name] for name in equation.measures}
    if not all(tables.values()):
        return []
    rows = np.unique(np.concatenate([t.codes for own in tables.values() for t in own]), axis=0)
    for own in tables.values():
        rows = rows[np.any([_covers(release, table, rows) for table in own], axis=0)]
    zero = release.measures[equation.whole].unit * 0
    return [
        Link(
            (
                LinkTerm(-1, equation.whole, codes),
                *(LinkTerm(times, name, codes) for name, times in equation.parts.items()),
            ),
            zero,
            zero,
        )
        for codes in map(tuple, rows.tolist())
    ]


def _covers(release: Release, table: Table, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
    """bool (rows of codes): each code stands in the table: the combination is one of its cells, or an empty one."""
    inside = np.ones(len(rows), np.bool_)
    for at in range(len(release.variables)):
        inside &= np.isin(rows[:, at], table.codes[:, at])
    return inside


def measures_without_tables(cluster: Cluster) -> Sequence[str]:
    """Measures that equations relate and that no table of the cluster has: nothing follows from these equations."""
    tabulated = {table.measure for table in cluster.tables}
    return [measure for measure in cluster.measures if measure not in tabulated]
