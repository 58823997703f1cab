"""`previous` of a release: tables of an earlier period that are out, and how much outsiders take values to change."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from tableseal.audit.errors import InputError, Place, unknown
from tableseal.audit.io.document import PreviousDocument
from tableseal.audit.io.files import Folder
from tableseal.audit.io.tables import Setting, choose_measure, read_table
from tableseal.audit.model import Denominator, Link, Measure, Note, Release, Statistic, Table
from tableseal.audit.periods import Growth, frozen, of_this_period
from tableseal.audit.periods.revision import Change
from tableseal.audit.together import Member, recoded
from tableseal.audit.together.variables import agreed_variable
from tableseal.audit.wording import listing, quoted, repeated

ReadAgain = Callable[[bytes, str, Path | None], Release]
"""(content, name, folder of the files that it names) -> the release that is written there."""

SHOWN = 6
"""Codes that a message names."""


@dataclass(frozen=True)
class Past:
    """What is out of an earlier period. growth: measure of this period -> what outsiders assume of its change.
    revision: or it is an earlier version, and why that changed."""

    measures: Mapping[str, Measure] = field(default_factory=dict)
    tables: tuple[Table, ...] = ()
    links: tuple[Link, ...] = ()
    statistics: tuple[Statistic, ...] = ()
    growth: Mapping[str, Growth] = field(default_factory=dict)
    revision: Change | None = None
    notes: tuple[Note, ...] = ()


def read_previous(
    document: PreviousDocument,
    fixed: Sequence[Mapping[str, str]],
    setting: Setting,
    tables: Sequence[Table],
    folder: Folder,
    where: Place,
    read: ReadAgain,
) -> Past:
    """The tables that an entry names, frozen as they are out, of measures of their own (`turnover 2023`).

    Parameters
    ----------
    fixed: variable -> code, of each of its tables. setting: of this period's release; tables: of it. read: reads a
        release that is named.

    Raises
    ------
    InputError: a measure without a range or with two, a range that is reversed, factors where values may be negative,
        tables that have no cell in common with this period's, codes that this period's variables do not have.
    """
    if not document.tables and not document.releases:
        raise InputError("names no tables; give `tables` or `releases` of the earlier period.", at=where)
    own = (name for name, measure in setting.measures.items() if measure.previous is None)
    names = {name: f"{name} {document.period}" for name in own}
    for name in names.values():
        if name in setting.measures:
            text = f"there is a measure {quoted(name)} already; call the period something else."
            raise InputError(text, at=where / "period")
    found: list[Past] = []
    for at, (entry, codes) in enumerate(zip(document.tables, fixed, strict=True)):
        place = replace(where / "tables" / at, table=entry.name)
        measure = choose_measure(entry.measure, setting.measures, place)
        if measure.name not in names:
            raise unknown("measure", measure.name, names, place / "measure")
        table, notes = read_table(entry, codes, setting, folder, place)
        label = f"{document.period}: {entry.name}"
        table = replace(frozen(table), name=label, measure=names[measure.name])
        found.append(Past(tables=(table,), notes=tuple(notes)))
    for at, name in enumerate(document.releases):
        place = where / "releases" / at
        content = folder.content(name, place)
        last = read(content, name, (folder.root / name).parent if isinstance(folder.root, Path) else None)
        folder.opened.extend(last.files)
        found.append(_of_release(last, names, document.period, setting, place))
    out = tuple(table for part in found for table in part.tables)
    for name in repeated(table.name for table in out):
        raise InputError(f"the name {quoted(name)} is given to two tables.", at=where)
    measures = {
        late: replace(setting.measures[name], name=late, previous=name)
        for name, late in names.items()
        if any(table.measure == late for table in out)
    }
    notes_on_codes = _strangers(out, measures, tables, setting, where)
    return Past(
        measures,
        out,
        tuple(link for part in found for link in part.links),
        tuple(statistic for part in found for statistic in part.statistics),
        _growth(document, [m.previous for m in measures.values() if m.previous is not None], setting, where),
        document.revision,
        (*(note for part in found for note in part.notes), *notes_on_codes),
    )


def _of_release(last: Release, names: Mapping[str, str], period: str, setting: Setting, where: Place) -> Past:
    """The tables of a release of the earlier period, in this period's variables; of measures that there are now."""
    last = of_this_period(last)
    own = {name: measure for name, measure in last.measures.items() if name in names}
    if not own:
        raise InputError(f"has none of the measures {listing(names)}; it has {listing(last.measures)}.", at=where)
    for name, then in own.items():
        if (then.kind, then.unit) != (setting.measures[name].kind, setting.measures[name].unit):
            raise InputError(f"the measure {quoted(name)} is of another kind or unit in this period.", at=where)
    for name, then_codes in last.variables.items():
        now = setting.variables.get(name)
        if now is None:
            raise unknown("variable", name, setting.variables, where)
        gone = [code for code in then_codes.codes if code not in now.index]
        if gone:
            text = f"variable {quoted(name)}: this period has no code {listing(gone, SHOWN)}; add what there was."
            raise InputError(text, at=where, found=listing(gone, SHOWN))
        agreed_variable([("this period", now), (str(where), then_codes)])
    kept = replace(
        last,
        tables=tuple(table for table in last.tables if table.measure in own),
        links=tuple(link for link in last.links if all(term.measure in own for term in link.terms)),
        statistics=tuple(s for s in last.statistics if all(measure in own for measure in s.measures)),
    )
    moved = recoded(Member(period, kept), setting.variables)
    left = len(last.tables) - len(kept.tables)
    note = Note(
        "earlier_left_out", f"{where}: {left} tables of measures that are not of this release are left out.", left
    )
    return Past(
        tables=tuple(replace(frozen(table), measure=names[table.measure]) for table in moved.tables),
        links=tuple(
            replace(link, terms=tuple(replace(term, measure=names[term.measure]) for term in link.terms))
            for link in moved.links
        ),
        statistics=tuple(_of_then(statistic, names) for statistic in moved.statistics),
        notes=(note,) if left else (),
    )


def _of_then(statistic: Statistic, names: Mapping[str, str]) -> Statistic:
    of = statistic.of
    of = replace(of, measure=names[of.measure]) if isinstance(of, Denominator) else of
    return replace(statistic, measure=names[statistic.measure], of=of)


def _strangers(
    out: Sequence[Table], measures: Mapping[str, Measure], tables: Sequence[Table], setting: Setting, where: Place
) -> list[Note]:
    """Refuse tables that have no cell in common with this period's; note codes that only one of the periods lists."""
    notes = []
    for measure in measures.values():
        then = np.concatenate([table.codes for table in out if table.measure == measure.name])
        now = [table.codes for table in tables if table.measure == measure.previous]
        both = set(map(tuple, then.tolist())) & {tuple(row) for codes in now for row in codes.tolist()}
        for at, (name, hierarchy) in enumerate(setting.variables.items()):
            listed = {int(code) for codes in now for code in codes[:, at]}
            gone = [hierarchy.codes[code] for code in np.unique(then[:, at]).tolist() if code not in listed]
            new = [hierarchy.codes[code] for code in sorted(listed - set(then[:, at].tolist()))]
            only = [
                f"{listing(codes, SHOWN)} only in {when}"
                for codes, when in ((gone, "the earlier period"), (new, "this one"))
                if codes
            ]
            if only and both:
                text = f"{measure.previous}, variable {quoted(name)}: {'; '.join(only)}. Nothing links these cells."
                notes.append(Note("codes_of_one_period", text, len(gone) + len(new)))
        if not both:
            first = list(setting.variables.values())
            cell = ", ".join(f"{h.name}={h.codes[c]}" for h, c in zip(first, then[0].tolist(), strict=True))
            text = f"no cell of {quoted(measure.previous)} is listed in both periods; the earlier one has {cell}, ..."
            raise InputError(text, at=where)
    return notes


def _growth(document: PreviousDocument, used: Sequence[str], setting: Setting, where: Place) -> dict[str, Growth]:
    """What is assumed of each measure; every measure that has earlier tables needs a word on it, unless they are an
    earlier version."""
    if document.revision is not None:
        if document.growth or document.change:
            text = "of two versions of the same values no growth is assumed; leave `growth` and `change` out."
            raise InputError(text, at=where / "revision")
        return {}
    for key in ("growth", "change"):
        for name in getattr(document, key):
            if name not in used:
                raise unknown("measure with earlier tables", name, used, where / key)
    found = {}
    for name in used:
        factors, change = document.growth.get(name), document.change.get(name)
        if factors is None and change is None:
            text = f"says nothing of {quoted(name)}: expected [from, to], such as [-30%, +50%], or any."
            raise InputError(text, at=where / "growth")
        if factors is not None and change is not None:
            raise InputError(
                f"{quoted(name)} has a range under `growth` as well; give one.", at=where / "change" / name
            )
        if factors == "any":
            continue
        place = where / ("growth" if change is None else "change") / name
        low, high = factors if change is None and factors is not None else change or (None, None)
        if low is None and high is None:
            raise InputError("has no limit on either side; say any.", at=place)
        if low is not None and high is not None and low > high:
            raise InputError("is reversed: the first end is above the second.", at=place)
        if change is None and not setting.nonnegative:
            text = "factors say nothing of values that may be negative; give `change`, a range of differences."
            raise InputError(text, at=place)
        found[name] = Growth("factor" if change is None else "change", low, high)
    return found
