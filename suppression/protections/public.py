"""What goes out: the protected release without anything that only the agency may know."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.absent import complete
from tableseal.audit.linear.keys import KeySpace
from tableseal.audit.model import Absent, Amounts, Intruder, Release, Statistic, Status, Table
from tableseal.audit.periods import grown, of_this_period
from tableseal.audit.rules.knows_rule import without_readers
from tableseal.suppression.protections.apply import with_rows
from tableseal.suppression.protections.combined import without_parts
from tableseal.suppression.reasons.letters import with_letters


def public_release(release: Release, *, tell_statuses: bool = False) -> Release:
    """A protected release as it may be published: values and statuses, and nothing else of its cells. It is put
    together of what is named here; whatever else a release may hold stays with the agency.

    So true values, contributions, numbers of contributors, costs, distances, microdata, the policy, reasons of consent,
    what is accepted, and what the agency assumes of insiders are gone. Totals that the tables left to be added up from
    true values are written out. Of categories that are published only together there is nothing but their sum.

    tell_statuses: whether a cell is withheld for itself or for another one is told, and with which reasons of the
    policy; else withheld is withheld.
    """
    release = without_parts(_going_out(release))
    if tell_statuses:
        release = with_letters(release)
    space = KeySpace.of(release)
    tables = tuple(_public(table, release, space, not tell_statuses) for table in release.tables)
    statistics = tuple(_public_statistic(statistic, not tell_statuses) for statistic in release.statistics)
    intruder = Intruder(nonnegative=release.intruder.nonnegative, nonempty=release.intruder.nonempty)
    return Release(
        title=release.title,
        measures=release.measures,
        variables=release.variables,
        tables=tables,
        links=release.links,
        statistics=statistics,
        intruder=intruder,
    )


def _going_out(release: Release) -> Release:
    """The release without what is out of an earlier period, unless published changes speak of that; and without what
    outsiders are taken to assume of the change, which goes out in no case."""
    now = of_this_period(release)
    if len(now.statistics) == len(release.statistics):
        return now
    return replace(release, links=tuple(link for link in release.links if grown(release, link) is None))


def _public(table: Table, release: Release, space: KeySpace, mask: bool) -> Table:
    if mask:
        table = without_readers(table, release)
    if table.absent.totals == "compute":
        done = complete(table, release, space)
        listed = with_rows(table, done.sum_codes)
        units, known = listed.value.units.copy(), listed.value.known.copy()
        units[len(table.codes) :], known[len(table.codes) :] = done.sums.units, done.sums.known
        absent = Absent(table.absent.leaves, "not_released")
        table = replace(listed, value=Amounts(units, known), absent=absent)
    truth = table.value if table.rounding is None else Amounts.none(len(table.codes))
    return _shown(table, mask, truth=truth, reason=None if mask else table.reason)


def _public_statistic(statistic: Statistic, mask: bool) -> Statistic:
    table = statistic.table
    return Statistic(
        kind=statistic.kind,
        measure=statistic.measure,
        per=statistic.per,
        unit=statistic.unit,
        of=statistic.of,
        table=_shown(table, mask, truth=table.value, frequency=table.frequency),  # what each value is divided by
    )


def _shown(table: Table, mask: bool, **more: Any) -> Table:
    """A table with nothing in it but what is named here."""
    return Table(
        name=table.name,
        measure=table.measure,
        codes=table.codes,
        named=table.named,
        status=_masked(table) if mask else table.status,
        value=table.value,
        lower=table.lower,
        upper=table.upper,
        rounding=table.rounding,
        absent=table.absent,
        headings=table.headings,
        **more,
    )


def _masked(table: Table) -> NDArray[np.int8]:
    """Withheld is withheld, and published is published, whatever the reason."""
    status = table.status.copy()
    status[status >= Status.SECONDARY] = Status.WITHHELD
    status[status <= Status.FROZEN] = Status.PUBLISHED
    return status
