"""Releases that an intruder can lay side by side, as one release.

What has the same name is the same thing: measures and variables of one name must agree, and cells of different releases
with the same measure and codes are one cell. Tables keep apart under the name of their release.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.linear.absent import complete
from tableseal.audit.linear.keys import KeySpace
from tableseal.audit.model import (
    Absent,
    Amounts,
    Consent,
    Denominator,
    Hierarchy,
    Intruder,
    Link,
    Measure,
    Microdata,
    Policy,
    Release,
    Statistic,
    Status,
    Table,
)
from tableseal.audit.together.names import between, nothing_shared, refuse_alike
from tableseal.audit.together.variables import agreed_variable, same_variable

NOTHING = Absent("not_released", "not_released")
"""A table that says nothing beyond its rows."""

TOTALS, ZEROS = "computed totals", "zeros without a row"
"""What stands beside a table whose sums and zeros without a row are spelled out."""


def parts(name: str) -> tuple[str, ...]:
    """The names under which a table may be found among those of all releases."""
    return (name, f"{name} ({TOTALS})", f"{name} ({ZEROS})")


@dataclass(frozen=True)
class Member:
    """One release and what it is called in names of tables and in messages (a file, a number)."""

    label: str
    release: Release

    def table(self, name: str) -> str:
        """What its table of that name is called among those of others."""
        return f"{self.label}: {name}"


def combine(
    members: Sequence[Member], *, title: str, policy: Policy | None = None, settled: Collection[str] = ()
) -> Release:
    """All releases as one.

    Parameters
    ----------
    members: at least one; labels are unique.
    policy: goes before the policies of the releases, which must be the same one if there is none.
    settled: labels of releases that are out already, and whose names can no longer be changed.

    Notes say where the releases share no names, so that nothing can be computed from one about the other.

    Raises
    ------
    InputError: names that differ in nothing but case or blanks (not of two settled releases); measures, variables,
        intruders, policies or microdata that do not agree; a release without a variable
        that others have and never add up. The message names both releases and what differs.
    """
    releases = [m.release for m in members]
    named = [(m.label, m.release) for m in members]
    notes = (*refuse_alike(named, settled), *nothing_shared(named))
    measures: dict[str, Measure] = {}
    for member in members:
        for name, measure in member.release.measures.items():
            _same_measure(measures.setdefault(name, measure), measure, members, member)
    names = dict.fromkeys(name for release in releases for name in release.variables)
    variables = {
        name: agreed_variable([(m.label, m.release.variables[name]) for m in members if name in m.release.variables])
        for name in names
    }
    moved = [recoded(member, variables) for member in members]
    return Release(
        title=title,
        measures=measures,
        variables=variables,
        tables=tuple(table for release in moved for table in release.tables),
        links=tuple(link for release in moved for link in release.links),
        statistics=tuple(statistic for release in moved for statistic in release.statistics),
        consents=tuple(_agreed(c, m, variables) for m in members for c in m.release.consents),
        accepted=tuple(_agreed(a, m, variables) for m in members for a in m.release.accepted),
        day=max((m.release.day for m in members if m.release.day is not None), default=None),
        intruder=_intruder(members),
        policy=policy if policy is not None else _policy(members),
        microdata=_microdata(members, variables),
        notes=(*notes, *(replace(n, text=f"{m.label}: {n.text}") for m in members for n in m.release.notes)),
        files=tuple(dict.fromkeys(path for release in releases for path in release.files)),
    )


def recoded(member: Member, variables: Mapping[str, Hierarchy]) -> Release:
    """The release with its tables (under the name of the release), links and statistics in the codes of all variables.

    variables: those of the release, with all codes that it has, and further ones.
    """
    return replace(
        member.release,
        variables=variables,
        tables=tuple(_tables(member, variables)),
        links=tuple(_link(link, member, variables) for link in member.release.links),
        statistics=tuple(_statistic(s, member, variables) for s in member.release.statistics),
    )


def _same_measure(one: Measure, other: Measure, members: Sequence[Member], member: Member) -> None:
    if one != other:
        first = next(m.label for m in members if one.name in m.release.measures)
        kinds = f"is a {one.kind} of unit {one.unit} in one and a {other.kind} of unit {other.unit} in the other"
        say = "releases that are audited together say `measures` and give different things different names."
        raise between(first, member.label, f'the measure "{one.name}" {kinds}; {say}')


def _tables(member: Member, variables: Mapping[str, Hierarchy]) -> list[Table]:
    """The tables in the codes of all variables; sums that one computes without listing them become a table beside it.

    Beyond its rows a table speaks of the codes that its own release knows: its sums must not become sums of groupings
    that other releases have, nor (where values may be negative) its zeros zeros of finer codes.
    """
    release = member.release
    known = {name: same_variable(variables[name], hierarchy) for name, hierarchy in release.variables.items()}
    tables = []
    for table in release.tables:
        as_it_is = all(known[name] for name in table.named)
        absent, beside = (table.absent, []) if as_it_is else _spelled_out(table, release)
        for part in (replace(table, absent=absent), *beside):
            codes = _recoded(part.codes, member, variables)
            codes.setflags(write=False)
            named = tuple(name for name in variables if name in part.named)
            tables.append(replace(part, name=member.table(part.name), codes=codes, named=named))
    return tables


def _spelled_out(table: Table, release: Release) -> tuple[Absent, list[Table]]:
    """What is left of `absent`, and tables that list the rest of it."""
    done = complete(table, release, KeySpace.of(release))
    spelled = []
    if len(done.sum_codes):
        spelled.append(_beside(table, TOTALS, done.sum_codes, Status.PUBLISHED, done.sums))
    if table.absent.leaves == "zero" and release.intruder.nonnegative:
        return Absent("zero", "not_released"), spelled
    if len(done.zero_codes):
        zeros = Amounts.of([0] * len(done.zero_codes))
        spelled.append(_beside(table, ZEROS, done.zero_codes, Status.STRUCTURAL_ZERO, zeros))
    return NOTHING, spelled


def _beside(table: Table, what: str, codes: NDArray[np.int32], status: Status, value: Amounts) -> Table:
    nothing = Amounts.none(len(codes))
    return Table(
        name=f"{table.name} ({what})",
        measure=table.measure,
        codes=codes,
        named=table.named,
        status=np.full(len(codes), status, np.int8),
        value=value if status == Status.PUBLISHED else nothing,
        truth=value,
        lower=nothing,
        upper=nothing,
        absent=NOTHING,
    )


def _recoded(codes: NDArray[np.int32], member: Member, variables: Mapping[str, Hierarchy]) -> NDArray[np.int32]:
    """Positions in the variables of all releases; a variable that the release does not know stands at its total."""
    own = list(member.release.variables)
    found = np.zeros((len(codes), len(variables)), np.int32)
    for at, (name, hierarchy) in enumerate(variables.items()):
        if name in member.release.variables:
            place = np.array([hierarchy.index[c] for c in member.release.variables[name].codes], np.int32)
            column = codes[:, own.index(name)]
            found[:, at] = np.where(column >= 0, place[column], -1)
        elif hierarchy.total is None:
            text = f'has no variable "{name}", which other releases have and which is never added up; add it to the '
            raise InputError(text, f"release and fix it in its tables (`where: {{{name}: ...}}`).", at=member.label)
    return found


def _link(link: Link, member: Member, variables: Mapping[str, Hierarchy]) -> Link:
    codes = _recoded(np.array([term.codes for term in link.terms], np.int32), member, variables).tolist()
    return replace(link, terms=tuple(replace(t, codes=tuple(c)) for t, c in zip(link.terms, codes, strict=True)))


def _statistic(statistic: Statistic, member: Member, variables: Mapping[str, Hierarchy]) -> Statistic:
    table, of = statistic.table, statistic.of
    codes = _recoded(table.codes, member, variables)
    codes.setflags(write=False)
    named = tuple(name for name in variables if name in table.named)
    if isinstance(of, Denominator):
        [row] = _recoded(np.array([[-1 if code is None else code for code in of.codes]], np.int32), member, variables)
        own = [name in member.release.variables for name in variables]
        given = tuple(int(code) if code >= 0 and mine else None for code, mine in zip(row, own, strict=True))
        of = replace(of, codes=given)
    return replace(statistic, of=of, table=replace(table, name=member.table(table.name), codes=codes, named=named))


def _agreed(consent: Consent, member: Member, variables: Mapping[str, Hierarchy]) -> Consent:
    [codes] = _recoded(np.array([consent.codes], np.int32), member, variables).tolist()
    return replace(consent, codes=tuple(codes))


def _intruder(members: Sequence[Member]) -> Intruder:
    for one, other in pairwise(members):
        for key in Intruder.__dataclass_fields__:
            if getattr(one.release.intruder, key) != getattr(other.release.intruder, key):
                say = "there is one intruder who has all releases, so all must say the same."
                raise between(one.label, other.label, f"`intruder: {key}` differs; {say}")
    return members[0].release.intruder


def _policy(members: Sequence[Member]) -> Policy | None:
    """The one policy of all. Where it was written does not matter, what it says does."""
    for one, other in pairwise(members):
        if not same_rules(one.release.policy, other.release.policy):
            text = "have different policies (or one has none); releases that are audited together are judged by one "
            raise between(one.label, other.label, text, "policy: give it with ", OptionName("policy"), ".")
    return members[0].release.policy


def same_rules(one: Policy | None, other: Policy | None) -> bool:
    """Whether policies say the same, wherever they were written."""
    return _rules(one) == _rules(other)


def _rules(policy: Policy | None) -> Policy | None:
    return None if policy is None else replace(policy, sha256="")


def _microdata(members: Sequence[Member], variables: Mapping[str, Hierarchy]) -> Microdata | None:
    """The microdata that all who have some have: record by record the same."""
    found: tuple[str, Microdata] | None = None
    for member in members:
        if member.release.microdata is None:
            continue
        codes = _recoded(member.release.microdata.codes, member, variables)
        codes[:, [at for at, name in enumerate(variables) if name not in member.release.variables]] = -1
        data = replace(member.release.microdata, codes=codes)
        if found is not None and not _same_records(found[1], data):
            text = "both have microdata, which differ, and nothing says which records are the same; name the "
            raise between(found[0], member.label, text, "microdata, with all variables, in one of the releases.")
        found = found or (member.label, data)
    return None if found is None else found[1]


def _same_records(one: Microdata, other: Microdata) -> bool:
    """The same records in the same order, with all that is said of them."""

    def same(a: NDArray[np.generic] | None, b: NDArray[np.generic] | None) -> bool:
        return a is b if a is None or b is None else np.array_equal(a, b)

    labels = [(data.unit_id, data.holding, data.key, [*data.values]) for data in (one, other)]
    return labels[0] == labels[1] and all(same(a, b) for a, b in zip(_columns(one), _columns(other), strict=True))


def _columns(data: Microdata) -> list[NDArray[np.generic] | None]:
    amounts = [column for values in data.values.values() for column in (values.units, values.known)]
    return [data.codes, data.weight, data.request, *amounts]
