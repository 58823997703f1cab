"""Release files -> Release."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from tableseal.audit.errors import InputError, OptionName, Place
from tableseal.audit.io.advice import Advice
from tableseal.audit.io.archive import Archive, ArchiveFolder
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.consent import read_consents, read_day
from tableseal.audit.io.document import ReleaseDocument
from tableseal.audit.io.document_types import validate
from tableseal.audit.io.files import Folder, OneFile, ReadFile, read_bytes
from tableseal.audit.io.formats.format import Format
from tableseal.audit.io.formats.registry import format_in, format_of
from tableseal.audit.io.hierarchies import read_hierarchy
from tableseal.audit.io.hints import Hints
from tableseal.audit.io.init import describe, infer_document
from tableseal.audit.io.links import check_spelled_out, read_link
from tableseal.audit.io.loose_totals import loose_totals
from tableseal.audit.io.made_tables import read_made_table
from tableseal.audit.io.measures import read_measures
from tableseal.audit.io.microdata import read_microdata
from tableseal.audit.io.policy_file import policy_from_bytes, policy_from_model, read_policy
from tableseal.audit.io.previous import Past, read_previous
from tableseal.audit.io.records_document import AboutRecords, records_document
from tableseal.audit.io.release_document import document_in
from tableseal.audit.io.sources import is_data_file
from tableseal.audit.io.statistics import check_statistics, read_statistic
from tableseal.audit.io.statuses.column import status_word
from tableseal.audit.io.statuses.marks import ZERO
from tableseal.audit.io.subpopulations import subpopulations
from tableseal.audit.io.tables import (
    Setting,
    data_columns,
    number_columns_of,
    read_table,
)
from tableseal.audit.io.transition import read_transition
from tableseal.audit.io.yaml_text import Document, as_text
from tableseal.audit.model import (
    Hierarchy,
    Intruder,
    Microdata,
    Note,
    Policy,
    Ptable,
    Release,
    Statistic,
    Table,
)
from tableseal.audit.periods import growth_links
from tableseal.audit.periods.revision import with_revision
from tableseal.audit.rules.assess import check_variables
from tableseal.audit.wording import listing, quoted, repeated


def read_release(
    path: Path, *, policy: Path | Policy | None = None, status_map: Mapping[str, str] | None = None
) -> Release:
    """The release in a YAML or JSON file, in one of another format that says what it holds (see `formats.registry`), or
    the one inferred from a bare data file (see `sources`).

    Parameters
    ----------
    policy: a policy (or its file) that goes before the one the release names.
    status_map: flag -> status word, for flags in any status column.

    Raises
    ------
    InputError: anything that cannot be read or used; the message says where, what was found and what was expected.
    """
    found = format_in(Folder(path.parent), path.name)
    if found is not None:
        return _of_format(found, path.name, path.parent, policy, status_map)
    if is_data_file(path):
        policy = read_policy(policy) if isinstance(policy, Path) else policy
        document, notes = infer_document(path, policy=policy, status_map=status_map)
        return _with_notes(
            _release(as_text(document), path.parent, policy, _of_flags(status_map), Place(path.name)), notes
        )
    return _parsed(read_bytes(path, source=path.name or str(path)), path, path.parent, policy, status_map)


def read_named(content: bytes, name: str, folder: Path | None) -> Release:
    """The release in the content of a release file that another one names; folder: where the files lie that it names
    itself, if it may."""
    found = read_piped(content, PurePath(name).name)
    return _parsed(content, PurePath(name), folder, None, None) if found is None else found


def read_archived(
    archive: Archive,
    name: str,
    *,
    policy: Path | Policy | None = None,
    status_map: Mapping[str, str] | None = None,
) -> Release:
    """The release in a file of an archive, as `read_release` would read it had the archive been unpacked.

    Raises
    ------
    InputError: as for `read_release`; see also `Archive`.
    """
    path, folder = PurePosixPath(name), archive.folder_of(name)
    found = format_in(Folder(folder), path.name)
    if found is not None:
        return _of_format(found, path.name, folder, policy, status_map)
    if is_data_file(path):
        policy = read_policy(policy) if isinstance(policy, Path) else policy
        document, notes = infer_document(path, folder, policy=policy, status_map=status_map)
        return _with_notes(_release(as_text(document), folder, policy, _of_flags(status_map), Place(path.name)), notes)
    return _parsed(archive.content(name), path, folder, policy, status_map)


def _of_flags(said: Mapping[str, str] | None) -> dict[str, str]:
    """What is said of flags that are statuses; a zero is a mark among values, which their table says already."""
    return {flag: word for flag, word in (said or {}).items() if word.strip().lower() != ZERO}


def _of_format(
    found: Format,
    name: str,
    folder: Path | ArchiveFolder,
    policy: Path | Policy | None,
    status_map: Mapping[str, str] | None,
) -> Release:
    """The release in a file that says itself what it holds; what the user says of its flags is in its document."""
    files = Folder(folder)
    return release_with_data(found.read(files, name, status_map or {}), files, name, policy)


def read_piped(
    content: bytes, name: str, *, policy: Path | Policy | None = None, status_map: Mapping[str, str] | None = None
) -> Release | None:
    """The release in bytes without a file name that are in a format which says what it holds; None: they are in none.

    Parameters
    ----------
    name: what they are called, for messages. policy, status_map: as for `read_release`.

    Raises
    ------
    InputError: as for `read_release`.
    """
    found = format_of(content)
    if found is None:
        return None
    files = Folder(OneFile(name, content))
    return release_with_data(found.read(files, name, status_map or {}), files, name, policy)


def release_with_data(
    document: Mapping[str, Any], files: Folder, name: str, policy: Path | Policy | None = None
) -> Release:
    """The release of a document whose data are columns at hand, read from a file of a folder.

    Raises
    ------
    InputError: as for `read_release`.
    """
    parsed = document_with_data(document, Place(name))
    release = _with_notes(_release(parsed, files.root, policy, None, Place(name)), files.notes)
    return replace(release, files=tuple(dict.fromkeys((*files.opened, *release.files))))


def release_of_tables(document: Mapping[str, Any], source: Place) -> Release:
    """The release of a document whose data are columns at hand, which names no files.

    Raises
    ------
    InputError: as for `read_release`.
    """
    return _release(document_with_data(document, source), None, None, None, source)


def document_with_data(document: Mapping[str, Any], top: Place) -> Any:
    """A document with every scalar as text, and with the data of its tables as they are where they are `Columns`."""
    plain = dict(document)
    microdata: Mapping[str, Any] = plain.get("microdata") or {}
    data = microdata.get("cells")
    if isinstance(data, Columns):
        plain["microdata"] = {key: value for key, value in microdata.items() if key != "cells"}
    tables = [{key: value for key, value in e.items() if not isinstance(value, Columns)} for e in document["tables"]]
    parsed: Any = as_text({**plain, "tables": tables}, top)
    if isinstance(data, Columns):
        parsed["microdata"]["cells"] = data
    for entry, given in zip(parsed["tables"], document["tables"], strict=True):
        entry.update({key: value for key, value in given.items() if isinstance(value, Columns)})
    return parsed


def _parsed(
    content: bytes,
    path: PurePath,
    folder: Path | ArchiveFolder | None,
    policy: Path | Policy | None,
    status_map: Mapping[str, str] | None,
) -> Release:
    document, notes = document_in(content, path.name)
    return _with_notes(_release(document, folder, policy, status_map, Place(path.name)), notes)


def release_from_document(
    document: Mapping[str, object],
    *,
    folder: Path | ArchiveFolder | None = None,
    policy: Path | Policy | None = None,
    status_map: Mapping[str, str] | None = None,
    source: str = "release",
    kept: dict[str, ReadFile | None] | None = None,
) -> Release:
    """The release that a Python mapping describes, in the shape of a release file.

    Parameters
    ----------
    folder: where the files that the document names lie; None: it may not name files.
    policy, status_map: as for `read_release`.
    source: name of the document, for messages.
    kept: data files that other documents name, too, and what was read of them (None: nothing yet).

    Raises
    ------
    InputError: as for `read_release`.
    """
    top = Place(source)
    return _release(as_text(document, top), folder, policy, status_map, top, kept)


def release_from_columns(
    columns: Columns,
    name: str,
    hints: Hints,
    advice: Advice,
    *,
    title: str | None = None,
    policy: Path | Policy | None = None,
    status_map: Mapping[str, str] | None = None,
) -> Release:
    """The release of one table whose columns are at hand, as far as hints say it and else inferred.

    Parameters
    ----------
    name: of the table. advice: what messages say is to be done. title: None: value by classifications.
    policy, status_map: as for `read_release`.

    Raises
    ------
    InputError: as for `read_release`.
    """
    policy = read_policy(policy) if isinstance(policy, Path) else policy
    hints = hints.under(policy)
    document, notes = describe(columns, {"name": name}, title or "", hints, status_map=status_map, advice=advice)
    for variable in document["variables"]:
        nothing = [code for code in columns.data[variable].texts if code is None or not code.strip()]
        if nothing:
            place, remedy = columns.place(columns.data[variable].first(nothing[0]), variable), advice.empty(variable)
            raise InputError("is empty, expected a code", at=place, remedy=remedy)
    if title is None:
        document["title"] = f"{document['tables'][0]['value']} by {listing(document['variables'])}"
    parsed: Any = as_text(document, columns.source)
    parsed["tables"][0]["cells"] = columns
    return _with_notes(_release(parsed, None, policy, _of_flags(status_map), columns.source), notes)


def release_from_records(
    columns: Columns,
    about: AboutRecords,
    advice: Advice,
    *,
    title: str = "",
    policy: Path | Policy | None = None,
    folder: Path | None = None,
) -> Release:
    """The release whose tables are made of records at hand.

    Parameters
    ----------
    advice: what messages say is to be done. title: empty: values by classifications.
    policy: as for `read_release`. folder: of files of nested codes.

    Raises
    ------
    InputError: as for `records_document`, and for `read_release`.
    """
    document, notes = records_document(columns, {"cells": columns}, title, about, advice)
    parsed = document_with_data(document, columns.source)
    return _with_notes(_release(parsed, folder, policy, None, columns.source), notes)


def _with_notes(release: Release, first: Sequence[Note]) -> Release:
    return replace(release, notes=tuple(dict.fromkeys((*first, *release.notes))))


def _release(
    parsed: Document,
    folder: Path | ArchiveFolder | OneFile | None,
    policy: Path | Policy | None,
    status_map: Mapping[str, str] | None,
    top: Place,
    kept: dict[str, ReadFile | None] | None = None,
) -> Release:
    document = validate(ReleaseDocument, parsed, top)
    files = Folder(folder, kept={} if kept is None else kept)
    measures = read_measures(document, top)
    for name in repeated([*(table.name for table in document.tables), *(s.name for s in document.statistics)]):
        raise InputError(f"the name {quoted(name)} is given to two tables.", at=top / "tables")
    variables = {
        name: read_hierarchy(name, variable, files, top / "variables" / name)
        for name, variable in document.variables.items()
    }
    variables, fixed = subpopulations(document, variables, top)
    setting = Setting(
        measures,
        frozenset(
            name
            for name in measures
            if (document.measures[name].unit if document.measures else document.unit) is not None
        ),
        variables,
        document.intruder.nonnegative,
        {flag: status_word(word, OptionName("status_map", flag)) for flag, word in (status_map or {}).items()},
        _named_columns(document),
    )
    microdata: Microdata | None = None
    notes_on_records: list[Note] = []
    if document.microdata is not None and any(entry.by is not None for entry in document.tables):
        microdata, notes_on_records = read_microdata(document.microdata, setting, files, top / "microdata")
    tables: list[Table] = []
    for at, entry in enumerate(document.tables):
        where = replace(top / "tables" / at, table=entry.name)
        if entry.by is not None:
            tables.append(read_made_table(entry, fixed[at], setting, microdata, where))
            continue
        table, notes = read_table(entry, fixed[at], setting, files, where)
        tables.append(table)
        files.notes.extend(notes)
    files.notes.extend(loose_totals(variables, tables, top))
    past = Past()
    if document.previous is not None:
        own = fixed[len(document.tables) + len(document.statistics) :]
        past = read_previous(document.previous, own, setting, tables, files, top / "previous", read_named)
        measures |= past.measures
        setting = replace(setting, measures=measures, stated_units=setting.stated_units | past.measures.keys())
        files.notes.extend(past.notes)
    statistics: list[Statistic] = []
    for at, figures in enumerate(document.statistics):
        where = replace(top / "statistics" / at, table=figures.name)
        statistic, notes = read_statistic(figures, fixed[len(tables) + at], setting, tables, files, where)
        statistics.append(statistic)
        files.notes.extend(notes)
    if document.microdata is not None:
        if microdata is None:
            microdata, notes_on_records = read_microdata(document.microdata, setting, files, top / "microdata")
        files.notes.extend(notes_on_records)
    ptable = None
    if document.ptable is not None:
        given = data_columns(document.ptable.file, document.ptable.cells, files, top / "ptable")
        ptable = Ptable({name: tuple(entries) for name, entries in given.data.items()}, given.source)
    transition = None
    if document.transition is not None:
        transition, notes = read_transition(document.transition, files, top / "transition")
        files.notes.extend(notes)
    links = [read_link(link, setting, top / "links" / at) for at, link in enumerate(document.links)]
    insiders = document.intruder.insiders
    release = Release(
        title=document.title,
        measures=measures,
        variables=variables,
        tables=(*tables, *past.tables),
        links=(
            *(link for entry, link in zip(document.links, links, strict=True) if entry.statistic is None),
            *past.links,
        ),
        statistics=(*statistics, *past.statistics),
        consents=read_consents(document.consent, setting, tables, top),
        accepted=read_consents(document.accept, setting, tables, top, "accept"),
        day=None if document.date is None else read_day(document.date, top / "date"),
        intruder=Intruder(
            document.intruder.nonnegative,
            document.intruder.nonempty,
            document.intruder.prior,
            None if insiders is None else tuple(dict.fromkeys(insiders)),
            document.intruder.coalition,
            document.intruder.knows_rule,
        ),
        policy=_policy(document, policy, files, variables, top),
        microdata=microdata,
        ptable=ptable,
        transition=transition,
        notes=tuple(dict.fromkeys((*files.notes, *(Note(n.code, n.text, n.count) for n in document.notes)))),
        files=tuple(dict.fromkeys(files.opened)),
    )
    if past.growth:
        assumed, said = growth_links(release, past.growth)
        release = _with_notes(replace(release, links=(*release.links, *assumed)), (*release.notes, *said))
    if past.revision is not None:
        release = with_revision(release, past.revision)
    check_statistics(release)
    check_spelled_out(document, links, release, top)
    if not release.intruder.knows_rule:
        return release
    from tableseal.audit.rules.knows_rule import with_readers

    return with_readers(release)


def _named_columns(document: ReleaseDocument) -> dict[str, set[str]]:
    """File -> columns that entries say hold numbers or codes: they are no flags for other tables of the file."""
    found: dict[str, set[str]] = {}
    for entry in document.tables:
        if entry.file is not None:
            found.setdefault(entry.file, set()).update(number_columns_of(entry), entry.columns)
    for figures in document.statistics:
        if figures.file is not None:
            named = {figures.value, *([figures.denominator] if figures.denominator else [])}
            found.setdefault(figures.file, set()).update(named, figures.columns)
    return found


def _policy(
    document: ReleaseDocument,
    given: Path | Policy | None,
    files: Folder,
    variables: Mapping[str, Hierarchy],
    top: Place,
) -> Policy | None:
    if given is not None:
        policy = given if isinstance(given, Policy) else read_policy(given)
    elif document.policy is None:
        return None
    elif isinstance(document.policy, str):
        policy = policy_from_bytes(files.content(document.policy, top / "policy"), document.policy)
    else:
        policy = policy_from_model(document.policy)
    check_variables(policy, variables, top / "policy")
    return policy
