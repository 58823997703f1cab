"""A release whose tables say themselves what its microdata say of their cells."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from tableseal.audit.errors import InputError
from tableseal.audit.model import Note, Release, Table
from tableseal.audit.rules.contributors import contributor_numbers
from tableseal.audit.tabulation.tabulate import with_contributors

AT_ONCE = 2
"""Tables of which contributors are looked up at once: sorting and adding up run beside each other (of ten million
records 32 s in place of 37)."""

MICRODATA_LEFT_OUT = "microdata_left_out"
"""Code of the note on attackers of whom only records tell."""


def tabulated(release: Release, ranks: int | None = None) -> Release:
    """The release without its microdata: every table lists respondents, sums of weights and largest contributions.

    Parameters
    ----------
    ranks: how many of the largest contributions; None: as many as its rules and contributors who attack look at.

    Raises
    ------
    InputError: no microdata; records of which one cannot say where they lie. LimitError: sums beyond 2^62 units.
    """
    microdata = release.microdata
    if microdata is None:
        raise InputError("the release has no `microdata`, so there is nothing to make tables of.")
    largest = ranks_looked_at(release) if ranks is None else ranks
    numbers = contributor_numbers(microdata)

    def made(table: Table) -> Table:
        measure = release.measures[table.measure]
        if table.measure not in microdata.values and measure.kind != "count":
            return table
        return with_contributors(table, microdata, release.variables, measure, largest, numbers)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        tables = tuple(pool.map(made, release.tables))
    return replace(release, tables=tables, microdata=None, notes=(*release.notes, *_notes(release)))


def ranks_looked_at(release: Release) -> int:
    """How many of the largest contributions rules look at, and contributors who attack: two at least."""
    rules = () if release.policy is None else release.policy.primary
    return max(2, 1 + release.intruder.coalition, *(rule.ranks for rule in rules))


def _notes(release: Release) -> tuple[Note, ...]:
    if release.microdata is None or release.microdata.holding is None:
        return ()
    text = "The tables were made without the records, which alone tell what a holding of several units knows of cells."
    return (Note(MICRODATA_LEFT_OUT, text),)
