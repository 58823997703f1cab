"""A new release beside all that was published before: which cells fall, and which earlier tables make them fall."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, ClassVar, Literal

from tableseal.audit.codec.declared import HIDDEN, INLINE, Key, derived
from tableseal.audit.codec.kinds import Count
from tableseal.audit.errors import AdditivityError, ContradictionError, LackingDataError
from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.linear.naming import plural
from tableseal.audit.model import OLD_FIGURES, Note, Policy, Release
from tableseal.audit.pipeline import Bounds, audit
from tableseal.audit.progress import Progress, silent
from tableseal.audit.publications.apart import groups_apart, not_judged_again
from tableseal.audit.publications.culprits import FALLEN, Culprits, culprits
from tableseal.audit.publications.known import NEW, Shelf, full_name, silenced
from tableseal.audit.publications.publication import EntryNumber, Publication, Revision, TableName
from tableseal.audit.publications.revise import superseded
from tableseal.audit.publications.unchanged import unchanged
from tableseal.audit.report.model import (
    NOT_LISTED,
    AllCodes,
    Called,
    Reason,
    Released,
    ReleaseVerdict,
    Report,
    ReportCell,
)
from tableseal.audit.report.words import headline
from tableseal.audit.together import parts
from tableseal.audit.together.combine import same_rules

CellKey = tuple[str, tuple[tuple[str, str], ...]]
"""(measure, variable and code of all variables that do not stand at their total)"""


@dataclass(frozen=True)
class Fallen:
    """A cell that an intruder can compute, or place too closely.

    cell: as the report of the tables that make it fall lists it.
    """

    cell: Annotated[ReportCell, HIDDEN]
    new: Annotated[bool, "It falls through the new release; false: without it."]
    culprits: Annotated[Culprits, INLINE]

    @derived(after="cell")
    def measure(self) -> str:
        """What it measures."""
        return self.cell.measure

    @derived(after="measure", key="cell")
    def codes(self) -> AllCodes:
        """Variable and code; every variable of the release is named, totals included."""
        return self.cell.cell

    @derived(after="codes")
    def verdict(self) -> Literal["exposed", "underprotected"]:
        """As in the report."""
        return "exposed" if self.cell.verdict == "exposed" else "underprotected"

    @derived(after="verdict")
    def reason(self) -> Reason | None:
        """What the verdict rests on where it is not exact disclosure."""
        return self.cell.reason

    @derived(after="reason")
    def sensitive(self) -> bool | None:
        """Whether the cell is sensitive."""
        return self.cell.sensitive

    @derived(after="culprits")
    def text(self) -> str | None:
        """The arithmetic."""
        return None if self.cell.reveals is None else self.cell.reveals.text


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """What a new release does to a publication. Confidential, as the report in it."""

    schema: ClassVar[Literal["tableseal/publication-audit/1"]] = "tableseal/publication-audit/1"
    name: Annotated[str, Key("publication")]
    published: Annotated[
        EntryNumber | None, "Number of the entry that the new release became; null: it was not published."
    ] = None
    supersedes: Annotated[tuple[TableName, ...], "Tables of earlier entries that the new release replaces."]
    audited: Annotated[
        tuple[TableName, ...],
        "The tables that were audited together: the new ones, and all current ones but those of note `apart`.",
    ]
    fallen: Annotated[tuple[Fallen, ...], "Cells of the report that fall."]
    older: Annotated[
        tuple[Fallen, ...],
        "Cells that are protected now, but that tables revised since give away, by themselves or together with the "
        "figures of today.",
    ]
    report: Annotated[Report, "tableseal/report/1 of all audited tables."]

    @derived(after="name")
    def verdict(self) -> ReleaseVerdict:
        """That of the report; unsafe, too, if older figures give a sensitive cell away, and undecided if
        `required_unknown` is not 0."""
        if any(found.cell.sensitive for found in self.older):
            return "unsafe"
        return "undecided" if self.report.verdict == "safe" and self.required_unknown else self.report.verdict

    @derived(after="verdict")
    def called(self) -> Called:
        """What the verdict is called: `safe as listed` where cells that no row lists can be computed and no rule could
        judge them, or were not looked for; `not judged` where nothing says what is sensitive; else the verdict."""
        return self.report.called if self.verdict == self.report.verdict else self.verdict

    @derived(after="called")
    def judged(self) -> bool:
        """A rule or a status says what is sensitive; false: nothing was judged, and the verdict is undecided."""
        return self.report.judged

    @derived(after="judged")
    def rules(self) -> tuple[str, ...]:
        """The rules that were applied, in words; empty: none."""
        return self.report.rules

    @derived(after="rules")
    def headline(self) -> str:
        """What the report says of all audited tables in one or two sentences; or why the verdict is another one."""
        fallen = sum(bool(found.cell.sensitive) for found in self.older)
        if not fallen or self.report.verdict == "unsafe":
            return headline(self.report)
        cells = plural(fallen, "sensitive cell")
        return f"This release must not go out as it is. Figures that were revised since give {cells} away."

    @derived(after="published")
    def required_unknown(self) -> Count:
        """Withheld cells that no rule could judge, for want of true values, contributors or a policy: how wide their
        intervals must stay is not known."""
        return self.report.required_unknown


def assess(
    publication: Publication,
    release: Release,
    *,
    revises: Sequence[Revision] = (),
    policy: Policy | None = None,
    bounds: Bounds = "integer",
    time_limit: float | None = None,
    executor: Executor = HERE,
    progress: Progress = silent,
) -> Assessment:
    """Audit a release together with everything that was published before it.

    Parameters
    ----------
    revises: entries and tables whose values it changes.
    policy: judges all; else that of the new release.
    time_limit: seconds for each audit; there is one of all tables, and several for each cell that falls.

    Raises
    ------
    InputError: undeclared revisions, releases that do not agree, figures of different releases that cannot all be true,
        a rule without its data.
    """
    gone = superseded(publication, release, revises)
    shelf = Shelf(publication, release)
    new = shelf.tables(NEW)
    (*older, live) = publication.vintages()
    current = [table for table in live if table not in gone]
    rules = policy or release.policy

    def audited(of: Release) -> Report:
        return audit(of, bounds=bounds, time_limit=time_limit, executor=executor).report

    whole = shelf.release([*current, *new], rules)
    apart = () if older or gone else _apart(publication, whole, current, rules)
    current = [table for table in current if table not in apart]
    # That releases share no names is said all the same: it may be a slip.
    judged = replace(shelf.release([*current, *new], rules), notes=whole.notes) if apart else whole
    now = _Vintage(judged, audited)
    try:
        report = now.report
    except (AdditivityError, ContradictionError) as error:
        if not current:
            raise
        raise type(error)(
            f"{error} (If figures of earlier entries were revised, say so: revises, naming the table.)"
        ) from None
    except LackingDataError as error:
        if not current:
            raise
        raise LackingDataError(
            f"{error} (Is an earlier entry what went out? Publish the file of `suppress --confidential` in its place: "
            "revises, naming the table.)",
            places=error.places,
        ) from None
    fallen = []
    for done, (key, cell) in enumerate(now.fallen.items()):
        progress("cells that fall", done, len(now.fallen))
        before = now.verdicts(key, frozenset(current)) in FALLEN
        fallen.append(_fallen(now, key, cell, current, base=() if before else new))
    old: dict[CellKey, Fallen] = {}
    for tables in (*older, *([live] if gone else [])):
        # Statuses decide: the figures that rules would judge by are those of today.
        then = _Vintage(shelf.release([*tables, *new], Policy(), bare=new), audited)
        for key, cell in then.fallen.items():
            if key not in old and now.listed.get(key) in ("protected", "undecided"):
                old[key] = _fallen(then, key, cell, tables, base=())
    replaced = sorted({table for tables in (*older, gone) for table in tables} - set(current), key=_newest_first)
    stand = [*current, *new]
    settled = True
    if replaced:
        together = shelf.release([*replaced, *stand], rules, figures=replaced)
        beside, settled = _beside(together, replaced, audited)
        if beside is not None:
            for key, cell in beside.fallen.items():
                if key not in old and (now.listed.get(key) in ("protected", "undecided") or cell.status == NOT_LISTED):
                    old[key] = _fallen(beside, key, cell, replaced, base=stand)
    more = (*([not_judged_again(len(apart))] if apart else ()), *(() if settled else [_not_combined(len(replaced))]))
    report = replace(report, notes=(*report.notes, *more)) if more else report
    return Assessment(
        name=publication.name,
        supersedes=gone,
        audited=(*current, *new),
        report=report,
        fallen=tuple(fallen),
        older=tuple(old.values()),
    )


def _apart(
    publication: Publication, release: Release, current: Sequence[TableName], rules: Policy | None
) -> Collection[TableName]:
    """Current tables that nothing relates to the new ones and that were found safe by the same rules when they went
    out."""
    entries = {entry.number: entry for entry in publication.entries}
    found = {number for number, e in entries.items() if e.despite is None and same_rules(e.release.policy, rules)}
    named = {part: table for table in current for part in parts(full_name(table))}
    new = {table.name for table in release.tables if table.name not in named}
    groups = [{named[name] for name in group} for group in groups_apart(release, new)] if found else []
    return frozenset(table for group in groups if all(t.entry in found for t in group) for table in group)


def _newest_first(table: TableName) -> tuple[int, str]:
    return -table.entry, table.table


def _beside(
    release: Release, replaced: Sequence[TableName], audited: Callable[[Release], Report]
) -> tuple["_Vintage | None", bool]:
    """The figures of today with those replaced ones that nobody has a reason to doubt (None: there are none), and
    whether these fit at all."""
    there = {table.name for table in release.tables}
    names = [part for table in replaced for part in parts(full_name(table)) if part in there]
    for inside in (False, True):
        together = unchanged(release, names, inside=inside) if names else None
        if together is None:
            return None, True
        found = _Vintage(together, audited)
        try:
            _ = found.report
        except (AdditivityError, ContradictionError):
            continue
        return found, True
    return None, False


def _not_combined(tables: int) -> Note:
    return Note(
        OLD_FIGURES,
        f"Figures of {plural(tables, 'table')} that were revised do not fit those of today, so that it was not found "
        "out what the two tell together.",
        tables,
    )


class _Vintage:
    """Tables that stood beside each other, and verdicts on their cells if only some of the tables are known."""

    def __init__(self, release: Release, audited: Callable[[Release], Report]) -> None:
        self.release = release
        self._audited = audited
        self._tested: dict[frozenset[str], Mapping[CellKey, str]] = {}

    @cached_property
    def report(self) -> Report:
        return self._audited(self.release)

    @cached_property
    def fallen(self) -> dict[CellKey, ReportCell]:
        return {_key(c, self.release): c for c in _all_cells(self.report) if c.verdict in FALLEN}

    @cached_property
    def listed(self) -> Mapping[CellKey, str]:
        return {_key(cell, self.release): cell.verdict for cell in _all_cells(self.report)}

    def verdicts(self, key: CellKey, known: frozenset[TableName]) -> str | None:
        """The verdict on a cell if of all tables just these are known; cells to protect stay what they are."""
        wanted = {part for table in known for part in parts(full_name(table))}
        hidden = frozenset(table.name for table in self.release.tables if table.name not in wanted)
        if not hidden:
            return self.listed.get(key)
        if hidden not in self._tested:
            left = silenced(self.release, hidden)
            # Nothing withheld and nothing said: nothing to ask.
            cells = _all_cells(self._audited(left)) if any(len(table.codes) for table in left.tables) else ()
            self._tested[hidden] = {_key(cell, self.release): cell.verdict for cell in cells}
        return self._tested[hidden].get(key)


def _all_cells(report: Report) -> tuple[ReportCell, ...]:
    """Listed cells, and those that no row lists and that are given away."""
    return (*report.cells, *report.implied)


def _fallen(
    vintage: _Vintage, key: CellKey, cell: ReportCell, tables: Sequence[TableName], *, base: Sequence[TableName]
) -> Fallen:
    told = (
        {cell.table, *cell.also_in}
        if cell.reveals is None
        else {term.of.table for term in cell.reveals.terms if isinstance(term.of, Released)}
    )
    hint = [table for table in tables if not told.isdisjoint(parts(full_name(table)))]
    found = culprits(lambda known: vintage.verdicts(key, known | set(base)), tables, hint)
    return Fallen(cell, bool(base), found)


def _key(cell: ReportCell, release: Release) -> CellKey:
    codes = ((v, c) for v, c in cell.cell if c != release.variables[v].total)
    return cell.measure, tuple(sorted(codes))
