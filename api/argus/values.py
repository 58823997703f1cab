"""<SUPPRESS> RND, CTA and CKM of a job: our methods that change values, with what the commands mean here."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from tableseal.api.argus.cell_keys import magnitude_settings, with_ptable
from tableseal.api.argus.files import JobFiles
from tableseal.api.argus.listed import listed_cells
from tableseal.api.argus.plan import METHODS
from tableseal.api.argus.tables import Built
from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus import commands as c
from tableseal.audit.io.numbers import decimal
from tableseal.audit.linear.naming import plural
from tableseal.audit.model import MISSING_KEYS, Amounts, Note, Release, Rounding, Status
from tableseal.audit.progress import Progress

if TYPE_CHECKING:
    from tableseal.audit.report.model import Report
    from tableseal.suppression.protections.protect import Protection
    from tableseal.suppression.protections.subject import Subject

SHARES: Final = tuple(Fraction(n, 100) for n in (5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90))
"""Largest changes, as shares of published values, that CTA tries in turn."""

_TIME: Final = 2
"""Position of the minutes among the arguments of RND, behind the table."""


@dataclass(frozen=True)
class ChangedTables:
    """Tables with changed values.

    release: with published values, and true ones beside them as agency knowledge. report: its audit; None: what readers
    can work out is not known. judged: rules or statuses say that there may be sensitive cells. words: what was done.
    keys: of CKM, the key of each row of each table as text.
    """

    release: Release
    report: "Report | None"
    words: str
    keys: tuple[tuple[str, ...], ...] = ()
    judged: bool = False


def change_values(
    command: c.Suppress, release: Release, built: Sequence[Built], files: JobFiles, progress: Progress | None
) -> ChangedTables:
    """The release of the tables that a command names, with changed values.

    Raises
    ------
    InputError: a base, perturbation tables or keys that cannot be used; tables that the method is not for.
    LimitError: no table was found in time.
    """
    files.notes.append(Note("argus_method", f"{command.at}: {command.method}: {METHODS[command.method].why}."))
    release = replace(release, intruder=replace(release.intruder, insiders=("singletons",)))
    try:
        match command.method:
            case "RND":
                found = _rounded(command, release, progress)
            case "CTA":
                found = _adjusted(release, progress)
            case _:
                found = _by_cell_keys(command, release, built, files, progress)
    except InputError as error:
        if isinstance(error.at, Place):
            raise
        raise InputError(f"<SUPPRESS> {command.method}: {error}", at=command.at) from None
    return replace(found, judged=_judged(release))


def _judged(release: Release) -> bool:
    """Whether anything says that a cell may be sensitive."""
    by_rules = release.policy is not None and bool(release.policy.primary)
    return by_rules or any((table.status == Status.PRIMARY).any() for table in release.tables)


def _rounded(command: c.Suppress, release: Release, progress: Progress | None) -> ChangedTables:
    from tableseal.suppression.protections.controlled_rounding import ControlledRounding
    from tableseal.suppression.protections.protect import protect

    base = decimal(command.arguments[0])
    minutes = command.arguments[_TIME].strip() if len(command.arguments) > _TIME else ""
    limit = float(decimal(minutes) * 60) if minutes else None
    found = protect(release, ControlledRounding(base), policy=release.policy, time_limit=limit, progress=progress)
    return _audited(found, f"base {command.arguments[0]}")


def _adjusted(release: Release, progress: Progress | None) -> ChangedTables:
    """With the smallest share with which the audit passes; with the largest one, if it never does."""
    from tableseal.suppression.protections.protect import protect
    from tableseal.suppression.protections.tabular_adjustment import TabularAdjustment

    found = None
    for share in SHARES:
        last = share == SHARES[-1]
        try:
            found = protect(release, TabularAdjustment(share), policy=release.policy, progress=progress)
        except InputError:
            if last and found is None:
                raise
            continue
        if found.verdict == "safe":
            break
    assert found is not None
    return _audited(found, f"changes of at most {found.statement.settings['share']} of what is published")


def _audited(found: "Protection", how: str) -> ChangedTables:
    return ChangedTables(found.release, found.report, f"{how}, {_moved(found.release)}")


def _by_cell_keys(
    command: c.Suppress, release: Release, built: Sequence[Built], files: JobFiles, progress: Progress | None
) -> ChangedTables:
    from tableseal.suppression.protections.cell_keys.of_release import keys_of_cells
    from tableseal.suppression.protections.cell_keys.settings import CellKeySettings
    from tableseal.suppression.protections.protect import protect
    from tableseal.suppression.protections.subject import subject_of

    kinds = {measure.kind for measure in release.measures.values()}
    if len(kinds) > 1:
        raise InputError("changes counts and magnitudes by other tables; give each a command of its own.")
    if kinds == {"magnitude"}:
        return _magnitudes(command, release, built, files)
    release = with_ptable(command, release, built[0], files)
    found = protect(release, CellKeySettings(missing_keys=True), policy=release.policy, progress=progress)
    subject = subject_of(release)
    keys = keys_of_cells(subject.release, subject.cells, subject.value, missing_keys=True)
    _noted(files, [note for note in found.report.notes if note.code == MISSING_KEYS])
    done = _audited(found, "keys of records")
    return replace(done, keys=_key_texts(subject, release, keys.key, keys.modulus))


def _noted(files: JobFiles, notes: Iterable[Note]) -> None:
    """Records without a key are counted in a job, which cannot say whether that is as it should be; the answer does."""
    files.notes.extend(replace(note, text=f"{note.text}.") for note in notes)


def _magnitudes(command: c.Suppress, release: Release, built: Sequence[Built], files: JobFiles) -> ChangedTables:
    from tableseal.suppression.protections.cell_keys.changed_magnitudes import changed_magnitudes
    from tableseal.suppression.protections.method import Changed
    from tableseal.suppression.protections.published import published
    from tableseal.suppression.protections.subject import subject_of

    subject = subject_of(release)
    sensitive = subject.sensitivity(release.policy).sensitive
    shown, key, modulus = subject.value.copy(), np.zeros(len(subject.cells), np.int64), 1
    for one in built:
        measure = one.table.response
        settings = magnitude_settings(command, one, files)
        found = changed_magnitudes(subject.release, subject.cells, subject.value, sensitive, measure, settings)
        own = subject.cells.measure == list(subject.release.measures).index(measure)
        shown[own], key[own], modulus = found.shown[own], found.key[own], found.modulus
        _noted(files, found.notes)
    known = np.ones(len(shown), np.bool_)
    least = 0 if subject.nonnegative else -(2**62)
    ranges = tuple((value, least, None) for value in np.unique(shown).tolist())
    changed = Changed(Amounts(shown, known), lambda table: Rounding(1, "ranges", ranges))
    done = published(subject, changed, release)
    keys = _key_texts(subject, release, key, modulus)
    return ChangedTables(done, None, f"keys of records, {_moved(done)}", keys)


def _moved(release: Release) -> str:
    """How many rows show another value than the true one, in words."""
    rows = sum(int((table.value.units != table.truth.units).sum()) for table in release.tables)
    return f"{plural(rows, 'cell')} changed of {sum(len(table.codes) for table in release.tables):,}"


def _key_texts(subject: "Subject", release: Release, key: np.ndarray, modulus: int) -> tuple[tuple[str, ...], ...]:
    """Keys as decimals, row by row of each table. release: in whose order the tables are."""
    digits = len(str(modulus)) - 1
    names = [table.name for table in subject.release.tables]

    def text(number: int) -> str:
        return f"0.{number:0{digits}d}"

    positions = [names.index(table.name) for table in release.tables]
    rows = [key[listed_cells(subject.release, subject.cells, at)].tolist() for at in positions]
    return tuple(tuple(text(number) for number in own) for own in rows)
